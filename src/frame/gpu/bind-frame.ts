import { WriteRangesParams } from '../../stages/cull-characters/layout.ts';
import { createWriteRanges } from '../../stages/cull-characters/write-ranges.ts';
import { createCullCharacters, tallyWords, type CullFrame } from '../../stages/cull-characters/stage.ts';
import { createShareCharacters, createTightenCharacters } from '../../stages/cull-characters/played-stage.ts';
import { createGatherMotions, type GatherTraits } from '../../stages/gather-motions/stage.ts';
import { createKeepPalettes } from '../../stages/keep-palettes/stage.ts';
import { type Dispatch, ITEM_GROUP } from '../../stages/kernel.ts';
import { groupsFor, type RangesPlan } from '../../stages/ranges-plan.ts';
import type { KernelChoice } from '../../stages/kernel-choice.ts';
import { createPoseJoints } from '../../stages/pose-joints/stage.ts';
import { hasUpdates, type VertexProvider } from '../../stages/providers.ts';
import { createSkinVertices, type SkinVerticesOptions } from '../../stages/skin-vertices/stage.ts';
import { createUpdateCharacters } from '../../stages/update-characters/stage.ts';
import {
  createStorage,
  createUniform,
  createTargets,
  type CrowdMemory,
  type PageMemory,
  type PoseMemory,
} from '../tables/memory.ts';
import { planFrame, type FramePlan } from '../tables/plan.ts';
import type { PlacedDispatch } from '../tables/targets.ts';
import type { CrowdType } from '../tables/crowd-types.ts';
import type { ProviderBuffers } from '../../stages/provider-resources.ts';
import type { StageName } from '../stages.ts';

/** Stages that run in frames with views. */
export type SeenStages = ReturnType<typeof createSeenStages>;

export function createSeenStages(
  device: GPUDevice,
  traits: GatherTraits,
  kernels: KernelChoice,
  skins: Pick<SkinVerticesOptions, 'attributeWords' | 'skinnedChannel'>,
  providers: readonly VertexProvider[] = [],
  shares = false,
) {
  const played = { ...traits, groupThreads: kernels.groupThreads };
  return {
    cullCharacters: createCullCharacters(device, kernels),
    tightenCharacters: createTightenCharacters(device, played),
    /** Undefined if no poses are shared. */
    shareCharacters: shares ? createShareCharacters(device, played) : undefined,
    writeRanges: createWriteRanges(device),
    gatherMotions: createGatherMotions(device, traits),
    poseJoints: createPoseJoints(device),
    /** Undefined if no provider has an update. */
    updateCharacters: hasUpdates(providers) ? createUpdateCharacters(device, providers) : undefined,
    keepPalettes: createKeepPalettes(device, providers),
    skinVertices: createSkinVertices(device, { providers, ...skins }),
  };
}

/** Creates every pipeline that a crowd of these types can need. */
export function prepareTypes(
  { poseJoints, updateCharacters, keepPalettes, skinVertices }: SeenStages,
  types: readonly CrowdType[],
  motionCapacity: number,
  kernels: KernelChoice,
): void {
  updateCharacters?.prepare();
  // each type separately: any later combination needs only kernels of single types
  for (const type of types) {
    const { poses, keeps, skins } = planFrame([{ ...type, firstLevel: 0 }], 1, motionCapacity, kernels);
    for (const { plan } of poses) poseJoints.prepare(plan);
    for (const { plan } of keeps.flat()) keepPalettes.prepare(plan);
    for (const { plan } of skins.flat()) skinVertices.prepare(plan);
  }
}

/**
 * Workgroups of skin-vertices in one dispatch: fewer than of others, since each of them clears memory for palettes, even if it finds
 * nothing to do.
 */
const MOST_SKIN_GROUPS = 2048;

/** Dispatches by stage. A stage that is missing has nothing to do. */
/** Stages that {@link bindFrame} does not bind with the others: they need no frame with views, or come first. */
type BoundElsewhere = 'step-controllers' | 'ground-characters' | 'cull-characters' | 'place-sockets';

export type FrameDispatches = Readonly<Partial<Record<StageName, readonly Dispatch[]>>>;

export type BoundFrame = ReturnType<typeof bindFrame>;

export interface FrameParts {
  readonly types: readonly CrowdType[];
  readonly capacity: number;
  readonly classCount: number;
  readonly motionCapacity: number;
  readonly kernels: KernelChoice;
  readonly crowd: CrowdMemory;
  readonly poses: PoseMemory;
  readonly pages: readonly PageMemory[];
  readonly grants: GPUBuffer;
  /** Buffers that vertex providers read; undefined if there are no providers. */
  readonly providers?: ProviderBuffers | undefined;
}

/** Dispatches of the stages after the list. Their workgroups follow from the number of characters that may be listed. */
class CountedDispatches {
  readonly #counts: { readonly dispatch: Dispatch; readonly groupsFor: (characters: number) => number }[] = [];
  #characters = -1;

  /** @param most Workgroups at most; the kernel takes turns. */
  byRanges(dispatch: Dispatch, ranges: RangesPlan, most?: number): Dispatch {
    this.#counts.push({ dispatch, groupsFor: (characters) => groupsFor(ranges, characters, most) });
    return dispatch;
  }

  byRow(dispatch: Dispatch): Dispatch {
    this.#counts.push({ dispatch, groupsFor: (characters) => Math.ceil(characters / ITEM_GROUP) });
    return dispatch;
  }

  setCharacters(characters: number): void {
    if (characters === this.#characters) return;
    this.#characters = characters;
    for (const { dispatch, groupsFor: groupsOf } of this.#counts) dispatch.groupCount = groupsOf(characters);
  }
}

/** Binds all stages to the current memory. Repeat it when pages are added or removed, or when pose memory grows. */
export function bindFrame(device: GPUDevice, stages: SeenStages, parts: FrameParts) {
  const { types, motionCapacity, kernels, crowd, poses, pages, grants, classCount, providers } = parts;
  const plan = planFrame(types, pages.length, motionCapacity, kernels);
  const { targets: planned, binCount } = plan;
  const targets = createTargets(device, planned.words);
  const tally = createStorage(
    device,
    'tally',
    4 * tallyWords(parts.capacity, { binCount, classCount }, kernels.groupThreads),
  );
  const placing = createPlacing(device, binCount, planned);
  const rangesOf = ({ rangesByte: offset, rangesBytes: size }: PlacedDispatch) => ({ buffer: targets, offset, size });
  // stages take what they bind, by its name
  const memory = { ...crowd, motions: poses.motions, palettes: poses.palettes, providers };
  const { parameters, params: clock, sharers } = crowd;
  const cullParams = parameters.binding('cull');
  const size = {
    capacity: parts.capacity,
    binCount,
    classCount,
    roundCount: Math.max(...types.map(({ levels }) => levels.length)),
  };
  const cull = stages.cullCharacters.bind({ ...memory, params: cullParams, grants, tally }, size);
  const tighten = stages.tightenCharacters.bind({ ...memory, params: cullParams, clock });
  const shareParams = parameters.binding('share');
  const share = sharers && stages.shareCharacters?.bind({ ...memory, params: shareParams, sharers });
  const ranges = { ...placing, bins: tally, targets, frame: clock };
  const place = stages.writeRanges(ranges, planned.dispatches.count, planned.draws.count);
  const updates = providers && stages.updateCharacters?.bind({ ...memory, providers });
  const counted = new CountedDispatches();
  const later = {
    'gather-motions': [counted.byRow(stages.gatherMotions.bind(memory))],
    'pose-joints': plan.poses.map(({ plan: pose, at }) =>
      counted.byRanges(stages.poseJoints.bind(pose, { ...memory, dispatch: rangesOf(at) }), pose),
    ),
    'update-characters': updates ? [counted.byRow(updates)] : [],
    'keep-palettes': plan.keeps.flatMap((keeps, page) =>
      keeps.map(({ plan: keep, at }) => {
        const buffers = { ...memory, dispatch: rangesOf(at), kept: pages[page]!.vertices };
        return counted.byRanges(stages.keepPalettes.bind(keep, buffers), keep);
      }),
    ),
    'skin-vertices': plan.skins.flatMap((skins, page) =>
      skins.map(({ plan: skin, at }) => {
        const buffers = { ...memory, dispatch: rangesOf(at), skinned: pages[page]!.vertices };
        return counted.byRanges(stages.skinVertices.bind(skin, buffers), skin, MOST_SKIN_GROUPS);
      }),
    ),
  } satisfies Record<Exclude<StageName, BoundElsewhere>, readonly Dispatch[]>;
  const owned = [targets, tally, ...Object.values(placing)];
  return {
    plan,
    /** Ranges and arguments; see `Targets`. */
    targets,
    /** Counts of cull-characters. It begins with the records of the visible list's runs. */
    tally,
    /**
     * @param options `tightens`: boxes of clips may hide characters. `sharerCount`: characters that may share poses; used with
     * `hasFollowers`. `listed`: the most characters that may be listed.
     */
    dispatches: (
      frame: Omit<CullFrame, 'tighten' | 'share'>,
      { tightens = true, sharerCount = 0, listed = parts.capacity } = {},
    ): FrameDispatches => {
      counted.setCharacters(listed);
      const own = { tighten: tightens ? tighten(frame.characterCount) : undefined, share: share?.(sharerCount) };
      return { 'cull-characters': [...cull({ ...frame, ...own }), place], ...later };
    },
    byteLength: owned.reduce((sum, { size }) => sum + size, 0),
    destroy: () => owned.forEach((buffer) => buffer.destroy()),
  };
}

/** Buffers of the plans by which kernels write ranges and arguments. */
function createPlacing(device: GPUDevice, binCount: number, { dispatches, ranges, draws }: FramePlan['targets']) {
  const counts = { dispatchCount: dispatches.count, drawCount: draws.count, listedBin: binCount + 1 };
  return {
    params: createUniform(device, 'place params', WriteRangesParams, counts),
    dispatches: createStorage(device, 'dispatch plans', dispatches.words),
    plans: createStorage(device, 'range plans', ranges.words),
    draws: createStorage(device, 'draw plans', draws.words),
  };
}
