import { WriteRangesParams } from '../../stages/cull-characters/layout.ts';
import { createWriteRanges } from '../../stages/cull-characters/write-ranges.ts';
import {
  createCullCharacters,
  tallyWords,
  type CullCharacters,
  type CullFrame,
} from '../../stages/cull-characters/stage.ts';
import {
  createShareCharacters,
  createTightenCharacters,
  type ShareCharacters,
  type TightenCharacters,
} from '../../stages/cull-characters/played-stage.ts';
import { createGatherMotions, type GatherMotions, type GatherTraits } from '../../stages/gather-motions/stage.ts';
import { createKeepPalettes, type KeepPalettes } from '../../stages/keep-palettes/stage.ts';
import { DIMENSION_LIMIT, type Dispatch, type IndirectGroups } from '../../stages/kernel.ts';
import type { KernelChoice } from '../../stages/kernel-choice.ts';
import { createPoseJoints, type PoseJoints } from '../../stages/pose-joints/stage.ts';
import type { SkinnedChannel } from '../../stages/skinned-channel.ts';
import { hasUpdates, type VertexProvider } from '../../stages/providers.ts';
import { createSkinVertices, type SkinVertices } from '../../stages/skin-vertices/stage.ts';
import { createUpdateCharacters, type UpdateCharacters } from '../../stages/update-characters/stage.ts';
import type { FrameDispatches } from './encode-frame.ts';
import {
  createBuffer,
  createFilled,
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

/** Stages that run in frames with views. */
export interface SeenStages {
  readonly cullCharacters: CullCharacters;
  readonly tightenCharacters: TightenCharacters;
  /** Undefined if no poses are shared. */
  readonly shareCharacters: ShareCharacters | undefined;
  readonly writeRanges: ReturnType<typeof createWriteRanges>;
  readonly gatherMotions: GatherMotions;
  readonly poseJoints: PoseJoints;
  /** Undefined if no provider has an update. */
  readonly updateCharacters: UpdateCharacters | undefined;
  readonly keepPalettes: KeepPalettes;
  readonly skinVertices: SkinVertices;
}

export function createSeenStages(
  device: GPUDevice,
  traits: GatherTraits,
  { serialLists }: KernelChoice,
  providers: readonly VertexProvider[] = [],
  shares = false,
  skinnedChannel?: SkinnedChannel,
): SeenStages {
  return {
    cullCharacters: createCullCharacters(device, serialLists),
    tightenCharacters: createTightenCharacters(device, traits),
    shareCharacters: shares ? createShareCharacters(device, traits) : undefined,
    writeRanges: createWriteRanges(device),
    gatherMotions: createGatherMotions(device, traits),
    poseJoints: createPoseJoints(device),
    updateCharacters: hasUpdates(providers) ? createUpdateCharacters(device, providers) : undefined,
    keepPalettes: createKeepPalettes(device, providers),
    skinVertices: createSkinVertices(device, { providers, skinnedChannel }),
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

export interface BoundFrame {
  readonly plan: FramePlan;
  /** Ranges and arguments; see `Targets`. */
  readonly targets: GPUBuffer;
  /** Counts of cull-characters. It begins with the records of the visible list's runs. */
  readonly tally: GPUBuffer;
  /** @param sharers Number of characters that may share poses; used with `hasFollowers`. */
  readonly dispatches: (frame: Omit<CullFrame, 'tighten' | 'share'>, sharers?: number) => FrameDispatches;
  readonly byteLength: number;
  destroy(): void;
}

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

/** Binds all stages to the current memory. Repeat it when pages are added or removed, or when pose memory grows. */
export function bindFrame(device: GPUDevice, stages: SeenStages, parts: FrameParts): BoundFrame {
  const { types, motionCapacity, kernels, crowd, poses, pages, classCount, providers } = parts;
  const plan = planFrame(types, pages.length, motionCapacity, kernels);
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const { targets: planned, binCount } = plan;
  const targets = createTargets(device, planned.words);
  const tally = createBuffer(device, 'tally', storage, 4 * tallyWords(parts.capacity, { binCount, classCount }));
  const [dispatchCount, drawCount] = [planned.dispatches.count, planned.draws.count];
  const placed = { dispatchCount, drawCount, dimensionLimit: DIMENSION_LIMIT };
  const placing = {
    params: createUniform(device, 'place params', WriteRangesParams, placed),
    dispatches: createFilled(device, 'dispatch plans', storage, planned.dispatches.words),
    plans: createFilled(device, 'range plans', storage, planned.ranges.words),
    draws: createFilled(device, 'draw plans', storage, planned.draws.words),
  };
  const { rig, geometry, players, modifiers, regions, animators, visible } = crowd;
  const { motions, palettes } = poses;
  const rangesOf = ({ rangesByte: offset, rangesBytes: size }: PlacedDispatch) => ({ buffer: targets, offset, size });
  const groupsOf = ({ argumentsByte }: PlacedDispatch) => ({ buffer: targets, byteOffset: argumentsByte });
  const cull = stages.cullCharacters.bind(
    { ...cullBuffers(crowd), grants: parts.grants, tally },
    { binCount, classCount, roundCount: Math.max(...types.map(({ levels }) => levels.length)) },
  );
  const tighten = stages.tightenCharacters.bind({
    ...cullBuffers(crowd),
    clock: crowd.params,
    players,
    modifiers,
    rig,
    regions,
    animators,
  });
  const share = bindShare(stages, crowd);
  const place = stages.writeRanges({ ...placing, bins: tally, targets }, dispatchCount, drawCount);
  const behind: FrameDispatches = {
    'gather-motions': [
      stages.gatherMotions.bind(
        { params: crowd.params, visible, players, modifiers, motions, rig, regions, animators },
        groupsOf(plan.gather),
      ),
    ],
    'pose-joints': plan.poses.map(({ plan: pose, at }): Dispatch =>
      stages.poseJoints.bind(pose, { dispatch: rangesOf(at), visible, motions, palettes, rig }, groupsOf(at)),
    ),
    'update-characters': bindUpdates(stages, crowd, providers, groupsOf(plan.gather)),
    'keep-palettes': plan.keeps.flatMap((keeps, page) =>
      keeps.map(({ plan: keep, at }): Dispatch => {
        const kept = pages[page]!.skinned;
        const buffers = { dispatch: rangesOf(at), visible, palettes, kept, providers };
        return stages.keepPalettes.bind(keep, buffers, groupsOf(at));
      }),
    ),
    'skin-vertices': plan.skins.flatMap((skins, page) =>
      skins.map(({ plan: skin, at }): Dispatch => {
        const { skinned, skinnedTangents } = pages[page]!;
        const buffers = { dispatch: rangesOf(at), visible, palettes, skinned, skinnedTangents, geometry, providers };
        return stages.skinVertices.bind(skin, buffers, groupsOf(at));
      }),
    ),
  };
  const owned = [targets, tally, ...Object.values(placing)];
  return {
    plan,
    targets,
    tally,
    dispatches: (frame, sharers = 0) => ({
      'cull-characters': [
        ...cull({ ...frame, tighten: tighten(frame.characterCount), share: share?.(sharers) }),
        ...place,
      ],
      ...behind,
    }),
    byteLength: owned.reduce((sum, { size }) => sum + size, 0),
    destroy: () => owned.forEach((buffer) => buffer.destroy()),
  };
}

/** Dispatch over all rows of the visible list, with the arguments of gather-motions. */
function bindUpdates(
  { updateCharacters }: SeenStages,
  { params, visible, transforms, previousTransforms }: CrowdMemory,
  providers: ProviderBuffers | undefined,
  groups: IndirectGroups,
): Dispatch[] {
  if (!updateCharacters || !providers) return [];
  return [updateCharacters.bind({ params, visible, transforms, previousTransforms, providers }, groups)];
}

function bindShare({ shareCharacters }: SeenStages, crowd: CrowdMemory) {
  const { shareParams, sharers, residents, slots, decisions, players, modifiers, rig, regions, animators } = crowd;
  if (!shareCharacters || !shareParams || !sharers) return undefined;
  const columns = { residents, slots, decisions, players, modifiers, sharers };
  return shareCharacters.bind({ params: shareParams, ...columns, rig, regions, animators });
}

function cullBuffers(crowd: CrowdMemory) {
  const { cullParams, residents, transforms, kinds, classes, rings, extents, moves, slots, decisions, visible } = crowd;
  const memory = { classes, rings, extents, moves, slots };
  return { params: cullParams, residents, transforms, kinds, ...memory, decisions, visible };
}
