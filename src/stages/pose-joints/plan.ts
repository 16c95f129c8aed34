import { LANES_IN_WORKGROUP } from '../../character/format/rig-layout.ts';
import { View } from '../../layout/index.ts';
import type { KernelChoice } from '../kernel-choice.ts';
import { planRanges, type RangesPlan } from '../ranges-plan.ts';
import { PoseRange, PoseRanges } from './layout.ts';

/** Features that the characters of a dispatch may use. Kernels are built without the others. */
export interface PoseTraits {
  /** Clips in exact form. */
  readonly exact: boolean;
  /** Clips with rates: cubic intervals. */
  readonly rates: boolean;
  /** Clips in sampled form. */
  readonly sampled: boolean;
  /** Scales other than 1. */
  readonly scales: boolean;
  /** Motion lists with layers over the base layer, or with modifiers. */
  readonly layers: boolean;
  /** Motions that play with left and right exchanged. */
  readonly mirror: boolean;
}

/** A run of the visible list: characters of one type and level. */
export interface PoseRun {
  readonly bin: number;
  /** Row of its CharacterType, or of its level's, which may lack joints. */
  readonly typeRow: number;
  readonly laneCount: number;
  readonly traits: PoseTraits;
}

/**
 * How joints find their ancestors' matrices. `workgroup`: in workgroup memory, one thread a joint. `storage`: the same in
 * storage, for skeletons that are too large. `serial`: one thread a character, for adapters that are slow at barriers.
 */
export type PosePath = 'workgroup' | 'storage' | 'serial';

/** One dispatch of pose-joints: its kernel, and the characters that its workgroups pose. */
export interface PosePlan extends RangesPlan {
  readonly path: PosePath;
  readonly traits: PoseTraits;
  readonly workgroupSize: number;
}

/**
 * 256 threads where 128 would leave a fifth more of them idle. On an NVIDIA H200 a thread of 256 takes 16 % longer, since
 * more wait for each other. Characters of both sizes take one more dispatch.
 */
function poseWorkgroupSize(laneCount: number, groupThreads: number): number {
  if (groupThreads < 256) return groupThreads;
  const used = (size: number) => (Math.floor(size / laneCount) * laneCount) / size;
  return used(256) > 1.2 * used(128) ? 256 : 128;
}

/** Characters that one workgroup poses on the serial path. */
const SERIAL_CHARACTERS = 64;

/** The part of the choice of kernels that poses depend on. */
export type PoseChoice = Pick<KernelChoice, 'serialPoses' | 'groupThreads'>;

/** The path that a skeleton takes. */
function posePath(laneCount: number, { serialPoses, groupThreads = LANES_IN_WORKGROUP }: PoseChoice): PosePath {
  return serialPoses ? 'serial' : laneCount > groupThreads ? 'storage' : 'workgroup';
}

/** Copies of its joints' matrices that a character needs after its palette. */
const SCRATCH = { workgroup: 0, serial: 1, storage: 2 } as const;

/** Rows of scratch that a character needs after its palette, beyond those that its type already counts. */
export function scratchRows(laneCount: number, jointCount: number, choice: PoseChoice): number {
  if (laneCount > LANES_IN_WORKGROUP) return 0;
  return 3 * jointCount * SCRATCH[posePath(laneCount, choice)];
}

/** One dispatch per path, workgroup size and set of traits in use. */
export function planPoses(runs: readonly PoseRun[], motionCapacity: number, choice: PoseChoice): PosePlan[] {
  const planned = runs.map(({ bin, typeRow, laneCount, traits }) => {
    const path = posePath(laneCount, choice);
    const [workgroupSize, charactersPerGroup] = groupSizes(path, laneCount, choice);
    const kernel = { path, traits, workgroupSize };
    return { kernel, bin, charactersPerGroup, groupsPerSet: 1, record: { typeRow, charactersPerGroup } };
  });
  const plans = planRanges(planned, PoseRanges, PoseRange);
  for (const { ranges } of plans) new View(PoseRanges, ranges).assign(0, { motionCapacity });
  return plans;
}

/** Threads of a workgroup, and characters that it poses. */
function groupSizes(
  path: PosePath,
  laneCount: number,
  { groupThreads = LANES_IN_WORKGROUP }: PoseChoice,
): readonly [threads: number, characters: number] {
  if (path === 'storage') return [groupThreads, 1];
  if (path === 'serial') return [SERIAL_CHARACTERS, SERIAL_CHARACTERS];
  const threads = poseWorkgroupSize(laneCount, groupThreads);
  return [threads, Math.floor(threads / laneCount)];
}
