import type { FrameViews } from '../frame/cpu/frame.ts';
import type { StageName } from '../frame/stages.ts';
import { boundGroup, View } from '../layout/index.ts';
import { ShareParams, WriteRangesParams } from '../stages/cull-characters/layout.ts';
import type { Dispatch } from '../stages/kernel.ts';
import { FrameParams } from '../stages/layout.ts';
import { arraysOf, isOfPage, type CapturedSpace } from './arrays.ts';

/** A range of a buffer, in bytes. */
export interface GpuRange {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/**
 * Bindings of kernels that have another name in captures, because they are part of the captured array, or contain it.
 */
const ALIASES: Readonly<Record<string, string>> = { tally: 'bins', dispatch: 'targets' };

/** Arrays that the dispatches of a stage bind, by the names of captures. Read from the bind groups themselves. */
export function gpuArrays(
  stage: StageName,
  dispatches: readonly Dispatch[],
  space: CapturedSpace,
): Map<string, GpuRange> {
  const forms = arraysOf(stage, space);
  const ranges = new Map<string, GpuRange>();
  const pages: GPUBuffer[] = [];
  const add = (name: string, buffer: GPUBuffer, offset = 0, bound = buffer.size - offset) => {
    const form = forms.get(name);
    if (!form || ranges.has(name)) return;
    const size = form.words ? Math.min(bound, 4 * form.words(space)) : bound;
    ranges.set(name, { buffer, offset, size });
  };
  for (const { groups, groupCount } of dispatches) {
    if (typeof groupCount !== 'number') add('targets', groupCount.buffer);
    for (const group of groups) {
      const known = boundGroup(group);
      if (!known) continue; // the application's own resources
      const { bindings, resources } = known;
      for (const [name, binding] of Object.entries(bindings.entries)) {
        const resource = resources[name]!;
        if (!('element' in binding) || binding.element === WriteRangesParams) continue;
        const { buffer, offset, size } = ('mapState' in resource ? { buffer: resource } : resource) as GPUBufferBinding;
        if (name === 'dispatch') add('targets', buffer);
        else if (isOfPage(stage, name)) {
          if (!pages.includes(buffer)) pages.push(buffer);
          add(`${name}/${pages.indexOf(buffer)}`, buffer, offset, size);
        } else add(binding.element === ShareParams ? 'shareParams' : (ALIASES[name] ?? name), buffer, offset, size);
      }
    }
  }
  return ranges;
}

type Words = Uint32Array<ArrayBuffer>;
/** Data of a twin: a view, or a typed array. */
type Source = { readonly words: Uint32Array } | ArrayLike<number> | undefined;
type Sources = Readonly<Record<string, Source>>;

/** Arrays that the twin of a stage reads and writes, by the names of captures. */
export function twinArrays(stage: StageName, views: FrameViews, space: CapturedSpace): Map<string, Words> {
  const forms = arraysOf(stage, space);
  const arrays = new Map<string, Words>();
  for (const [name, source] of Object.entries(TWIN_ARRAYS[stage](views))) {
    const form = forms.get(name);
    if (!form || !source) continue;
    const array = 'words' in source ? source.words : (source as Uint32Array | Float32Array);
    const { buffer, byteOffset, byteLength } = array;
    const words = new Uint32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
    arrays.set(name, form.words ? words.subarray(0, form.words(space)) : words);
  }
  return arrays;
}

/** Data of each stage's twin; what captures do not contain is left out later. */
const TWIN_ARRAYS: Readonly<Record<StageName, (views: FrameViews) => Sources>> = {
  'step-controllers': ({ step }) => {
    const { stepParams: params, commands, animators, events, transforms } = step!;
    return { params, commands, animators, events, transforms };
  },
  'ground-characters': ({ ground }) => ({ ...ground! }),
  'cull-characters': ({ seen }) => {
    const { grants, rings, kinds: _, share, ...columns } = seen!.cull;
    const { clock, players, modifiers, animators } = seen!.played;
    const shared = share && { shareParams: share.params, sharers: share.sharers };
    const played = { clock, players, modifiers, animators };
    return { ...columns, ...played, ...shared, grants, rings, targets: seen!.place.targets };
  },
  'gather-motions': listedArrays,
  'pose-joints': listedArrays,
  'place-sockets': socketArrays,
  'update-characters': (views) => {
    const { transforms, previousTransforms } = views.seen!.update!();
    return { ...listedArrays(views), ...providerArrays(views), transforms, previousTransforms };
  },
  'keep-palettes': (views) => {
    const kept = views.seen!.keep!().map((page, index) => [`kept/${index}`, page.kept] as const);
    return { ...pageArrays(views), ...Object.fromEntries(kept) };
  },
  'skin-vertices': (views) => {
    const pages = views.seen!.skin();
    return {
      ...pageArrays(views),
      ...Object.fromEntries(pages.map(({ skinned }, page) => [`skinned/${page}`, skinned])),
    };
  },
};

/** Arrays of stages that serve the visible list. */
function listedArrays({ seen }: FrameViews): Sources {
  const { params, visible, motions, animators, palettes, players, modifiers } = seen!.pose();
  return { params, visible, targets: seen!.place.targets, motions, animators, palettes, players, modifiers };
}

function providerArrays({ seen }: FrameViews): Sources {
  const { provided } = seen!;
  return provided ? { providerFrame: provided.frame, providerRows: provided.views.rows } : {};
}

/** Arrays of stages that write pages, without the pages. */
function pageArrays(views: FrameViews): Sources {
  return { ...listedArrays(views), ...providerArrays(views), bins: views.seen!.cull.bins };
}

function socketArrays({ seen, sockets }: FrameViews): Sources {
  const { attachments, joints, previousLocals, transforms, previousTransforms, ...placed } = sockets!();
  const parts = [attachments, joints, previousLocals].map(({ words }) => words);
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((first, words) => (all.set(words, first), first + words.length), 0);
  const params = new View(FrameParams, 1);
  const { matrices, previousMatrices, seen: looked } = placed;
  if (looked) params.assign(0, { visibleCount: looked.visibleCount, lastFrame: looked.lastFrame });
  const { visible, palettes, slots = seen?.cull.slots } = looked ?? {};
  const list = { params, slots, visible, palettes };
  return { ...list, transforms, previousTransforms, sockets: all, matrices, previousMatrices };
}
