import type { FrameViews } from '../frame/cpu/frame.ts';
import type { StageName } from '../frame/stages.ts';
import { View } from '../layout/index.ts';
import type { ShareViews } from '../stages/cull-characters/reference.ts';
import { FrameParams } from '../stages/layout.ts';
import { arraysOf, type CapturedSpace } from './arrays.ts';

type Words = Uint32Array<ArrayBuffer>;

/** Arrays that the twin of a stage reads and writes, by the names of captures. */
export function twinArrays(stage: StageName, views: FrameViews, space: CapturedSpace): Map<string, Words> {
  const forms = arraysOf(stage, space);
  const arrays = new Map<string, Words>();
  for (const [name, array] of Object.entries(viewsOf(stage, views))) {
    const form = forms.get(name);
    if (!form || !array) continue;
    const words = new Uint32Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength / 4);
    arrays.set(name, form.words ? words.subarray(0, form.words(space)) : words);
  }
  return arrays;
}

function sharedWords({ params, sharers }: ShareViews): Arrays {
  return { shareParams: params.words, sharers: sharers as Uint32Array };
}

type Arrays = Record<string, Uint32Array | Float32Array | undefined>;

// oxlint-disable-next-line max-lines-per-function
function viewsOf(stage: StageName, { step, ground, seen, sockets }: FrameViews): Arrays {
  if (stage === 'step-controllers') {
    const { stepParams, commands, animators, events, transforms } = step!;
    return { params: stepParams.words, commands, animators, events, transforms: transforms.words };
  }
  if (stage === 'ground-characters') {
    const { params, heights, grounded, transforms } = ground!;
    return {
      params: params.words,
      heights: heights as Float32Array,
      grounded: grounded as Uint32Array,
      transforms: transforms.words,
    };
  }
  if (stage === 'place-sockets') {
    const { attachments, joints, previousLocals, transforms, previousTransforms, seen: looked } = sockets!();
    const { matrices, previousMatrices } = sockets!();
    const parts = [attachments, joints, previousLocals].map(({ words }) => words);
    const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
    parts.reduce((first, words) => (all.set(words, first), first + words.length), 0);
    const params = new View(FrameParams, 1);
    if (looked) params.assign(0, { visibleCount: looked.visibleCount, lastFrame: looked.lastFrame });
    return {
      params: params.words,
      slots: (looked?.slots ?? seen?.cull.slots)?.words,
      visible: looked?.visible.words,
      palettes: looked?.palettes as Float32Array | undefined,
      transforms: transforms.words,
      previousTransforms: previousTransforms.words,
      sockets: all,
      matrices: matrices as Float32Array,
      previousMatrices: previousMatrices as Float32Array,
    };
  }
  const { cull, played, place, pose, provided, update, keep, skin } = seen!;
  const targets = place.targets as Uint32Array;
  if (stage === 'cull-characters') {
    const { grants, rings, kinds: _, share, ...columns } = cull;
    const words = Object.fromEntries(Object.entries(columns).map(([name, view]) => [name, view.words]));
    return {
      ...words,
      clock: played.clock.words,
      players: played.players.words,
      modifiers: played.modifiers.words,
      animators: played.animators,
      ...(share && sharedWords(share)),
      grants: grants as Uint32Array,
      rings: rings as Uint32Array,
      targets,
    };
  }
  const posed = pose();
  const { visible, motions, animators } = posed;
  const palettes = posed.palettes as Float32Array;
  const columns = { params: posed.params.words, visible: visible.words, targets, motions, animators, palettes };
  const { bins } = cull;
  const ofProviders = provided && { providerFrame: provided.frame.words, providerRows: provided.views.rows };
  if (stage === 'update-characters') {
    const { transforms, previousTransforms } = update!();
    return {
      ...columns,
      ...ofProviders,
      transforms: transforms.words,
      previousTransforms: previousTransforms.words,
    };
  }
  if (stage === 'keep-palettes') {
    const kept = keep!().map((page, index) => [`kept/${index}`, page.kept] as const);
    return { ...columns, ...ofProviders, bins: bins.words, ...Object.fromEntries(kept) };
  }
  if (stage !== 'skin-vertices') {
    return { ...columns, players: posed.players.words, modifiers: posed.modifiers.words };
  }
  const pages = skin();
  return {
    ...columns,
    ...ofProviders,
    bins: bins.words,
    ...Object.fromEntries(pages.map(({ skinned }, page) => [`skinned/${page}`, skinned])),
    ...Object.fromEntries(pages.map(({ skinnedTangents }, page) => [`skinnedTangents/${page}`, skinnedTangents])),
  };
}
