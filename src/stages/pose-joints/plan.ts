import { LANES_IN_WORKGROUP } from '../../character/format/rig-layout.ts';
import { View } from '../../layout/index.ts';
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
function poseWorkgroupSize(laneCount: number): number {
  const used = (size: number) => (Math.floor(size / laneCount) * laneCount) / size;
  return used(256) > 1.2 * used(128) ? 256 : 128;
}

/** Characters that one workgroup poses on the serial path. */
const SERIAL_CHARACTERS = 64;

/** The path that a skeleton takes; `serial` where the adapter prefers it. */
function posePath(laneCount: number, serial: boolean): PosePath {
  return serial ? 'serial' : laneCount > LANES_IN_WORKGROUP ? 'storage' : 'workgroup';
}

/** Rows of scratch that a character needs after its palette, beyond those that its type already counts. */
export function scratchRows(laneCount: number, jointCount: number, serial: boolean): number {
  return serial && laneCount <= LANES_IN_WORKGROUP ? 3 * jointCount : 0;
}

/** One dispatch per path, workgroup size and set of traits in use. */
export function planPoses(runs: readonly PoseRun[], motionCapacity: number, serial: boolean): PosePlan[] {
  const planned = runs.map(({ bin, typeRow, laneCount, traits }) => {
    const path = posePath(laneCount, serial);
    const [workgroupSize, charactersPerGroup] = groupSizes(path, laneCount);
    const kernel = { path, traits, workgroupSize };
    return { kernel, bin, charactersPerGroup, groupsPerSet: 1, record: { typeRow, charactersPerGroup } };
  });
  const plans = planRanges(planned, PoseRanges, PoseRange);
  for (const { ranges } of plans) new View(PoseRanges, ranges).assign(0, { motionCapacity });
  return plans;
}

/** Threads of a workgroup, and characters that it poses. */
function groupSizes(path: PosePath, laneCount: number): readonly [threads: number, characters: number] {
  if (path === 'storage') return [LANES_IN_WORKGROUP, 1];
  if (path === 'serial') return [SERIAL_CHARACTERS, SERIAL_CHARACTERS];
  const threads = poseWorkgroupSize(laneCount);
  return [threads, Math.floor(threads / laneCount)];
}
