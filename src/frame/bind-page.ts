import { createGatherMotions, type GatherMotions, type GatherTraits } from '../stages/gather-motions/stage.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import { planPoses } from '../stages/pose-joints/plan.ts';
import { createPoseJoints, type PoseJoints } from '../stages/pose-joints/stage.ts';
import { planSkins } from '../stages/skin-vertices/plan.ts';
import { createSkinVertices, type SkinVertices } from '../stages/skin-vertices/stage.ts';
import { createTurnSlots, type TurnSlots } from '../stages/turn-slots/stage.ts';
import type { PageDispatches } from './frame.ts';
import type { CrowdMemory, PageMemory } from './gpu-memory.ts';
import { poseRun, skinRun, type Page } from './page.ts';
import type { CrowdType } from './types.ts';

export interface Stages {
  readonly turnSlots: TurnSlots;
  readonly gatherMotions: GatherMotions;
  readonly poseJoints: PoseJoints;
  readonly skinVertices: SkinVertices;
}

export function createStages(device: GPUDevice, traits: GatherTraits): Stages {
  return {
    turnSlots: createTurnSlots(device),
    gatherMotions: createGatherMotions(device, traits),
    poseJoints: createPoseJoints(device),
    skinVertices: createSkinVertices(device),
  };
}

export const NO_DISPATCHES: PageDispatches = {
  'turn-slots': [],
  'gather-motions': [],
  'pose-joints': [],
  'skin-vertices': [],
};

export interface BoundPage {
  readonly page: Page;
  readonly crowd: CrowdMemory;
  readonly memory: PageMemory;
  readonly motionCapacity: number;
  readonly kernels: KernelChoice;
}

/**
 * What each stage dispatches for a page as its visible list stands.
 * @param rangesBuffer A uniform buffer that holds a dispatch's ranges.
 */
export function bindPage(
  { turnSlots, gatherMotions, poseJoints, skinVertices }: Stages,
  { page, crowd, memory, motionCapacity, kernels }: BoundPage,
  rangesBuffer: (ranges: ArrayBuffer) => GPUBuffer,
): PageDispatches {
  const { rig, geometry, players, modifiers, slots, regions, animators } = crowd;
  const { visible, motions, palettes, params, skinned, skinnedTangents } = memory;
  const poses = planPoses(page.runs.map(poseRun), motionCapacity, kernels.serialPoses);
  const skins = planSkins(page.runs.map(skinRun), kernels.cachedPalettes);
  return {
    'turn-slots': [turnSlots.bind({ params, visible, slots }, page.visibleCount)],
    'gather-motions': [
      gatherMotions.bind({ params, visible, players, modifiers, motions, rig, regions, animators }, page.visibleCount),
    ],
    'pose-joints': poses.map((plan) =>
      poseJoints.bind(plan, { dispatch: rangesBuffer(plan.ranges), visible, motions, palettes, rig }),
    ),
    'skin-vertices': skins.map((plan) => {
      const dispatch = rangesBuffer(plan.ranges);
      return skinVertices.bind(plan, { dispatch, visible, palettes, skinned, skinnedTangents, geometry });
    }),
  };
}

/** Creates every pipeline that a page can ask for, by planning one character of each type. */
export function prepareTypes(
  { poseJoints, skinVertices }: Stages,
  types: readonly CrowdType[],
  motionCapacity: number,
  { serialPoses, cachedPalettes }: KernelChoice,
): void {
  for (const type of types) {
    const run = { type, firstVisible: 0, visibleCount: 1 };
    for (const plan of planPoses([poseRun(run)], motionCapacity, serialPoses)) poseJoints.prepare(plan);
    for (const plan of planSkins([skinRun(run)], cachedPalettes)) skinVertices.prepare(plan);
  }
}
