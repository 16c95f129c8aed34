import { LANES_IN_WORKGROUP } from '../../character/format/rig-layout.ts';
import { View } from '../../layout/index.ts';
import { RANGE_CAPACITY } from '../layout.ts';
import type { PlannedRange, RangesPlan } from '../ranges-plan.ts';
import { PoseRange, PoseRanges } from './layout.ts';

/** Features that the characters of a dispatch may use. Kernels are built without the others. */
export interface PoseTraits {
  /** Clips in exact form. */
  readonly exact: boolean;
  /** Clips with rates: cubic intervals. */
  readonly rates: boolean;
  /** Scales other than 1. */
  readonly scales: boolean;
  /** Motion lists with layers over the base layer, or with modifiers. */
  readonly layers: boolean;
  /** Motions that play with left and right exchanged. */
  readonly mirror: boolean;
}

/** A run of the visible list: characters of one type and level. */
export interface PoseRun {
  /** Index of the run. */
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
export function poseWorkgroupSize(laneCount: number): number {
  const used = (size: number) => (Math.floor(size / laneCount) * laneCount) / size;
  return used(256) > 1.2 * used(128) ? 256 : 128;
}

/** Characters that one workgroup poses on the serial path. */
const SERIAL_CHARACTERS = 64;

/** The path that a skeleton takes; `serial` where the adapter prefers it. */
export function posePath(laneCount: number, serial: boolean): PosePath {
  return serial ? 'serial' : laneCount > LANES_IN_WORKGROUP ? 'storage' : 'workgroup';
}

/** Rows of scratch that a character needs after its palette, beyond those that its type already counts. */
export function scratchRows(laneCount: number, jointCount: number, serial: boolean): number {
  return serial && laneCount <= LANES_IN_WORKGROUP ? 3 * jointCount : 0;
}

/** One dispatch per path, workgroup size and set of traits in use. */
export function planPoses(runs: readonly PoseRun[], motionCapacity: number, serial: boolean): PosePlan[] {
  const byKernel = new Map<string, { kernel: KernelOfPlan; list: PoseRun[] }>();
  for (const run of runs) {
    const kernel = kernelOf(run, serial);
    const key = JSON.stringify(kernel);
    const sorted = byKernel.get(key) ?? { kernel, list: [] };
    sorted.list.push(run);
    byKernel.set(key, sorted);
  }
  const plans: PosePlan[] = [];
  for (const { kernel, list } of byKernel.values()) {
    for (let i = 0; i < list.length; i += RANGE_CAPACITY) {
      plans.push(planDispatch(list.slice(i, i + RANGE_CAPACITY), motionCapacity, kernel));
    }
  }
  return plans;
}

type KernelOfPlan = Pick<PosePlan, 'path' | 'traits' | 'workgroupSize'>;

function kernelOf({ laneCount, traits }: PoseRun, serial: boolean): KernelOfPlan {
  const path = posePath(laneCount, serial);
  const sizes = {
    workgroup: poseWorkgroupSize(laneCount),
    storage: LANES_IN_WORKGROUP,
    serial: SERIAL_CHARACTERS,
  };
  return { path, traits, workgroupSize: sizes[path] };
}

function planDispatch(runs: readonly PoseRun[], motionCapacity: number, kernel: KernelOfPlan): PosePlan {
  const { path, workgroupSize } = kernel;
  const buffer = new ArrayBuffer(PoseRanges.size);
  const ranges = new View(PoseRange, buffer, PoseRanges.offsets.ranges, RANGE_CAPACITY);
  const perGroup = { storage: 1, serial: workgroupSize };
  const bins = runs.map(({ bin, typeRow, laneCount }, index): PlannedRange => {
    const charactersPerGroup = path === 'workgroup' ? Math.floor(workgroupSize / laneCount) : perGroup[path];
    ranges.assign(index, { typeRow, charactersPerGroup });
    const byteOffset = PoseRanges.offsets.ranges + index * PoseRange.size;
    return { bin, charactersPerGroup, groupsPerSet: 1, byteOffset };
  });
  new View(PoseRanges, buffer).assign(0, { rangeCount: runs.length, motionCapacity });
  return { ...kernel, ranges: buffer, bins, groupCountByte: PoseRanges.offsets.groupCount };
}
