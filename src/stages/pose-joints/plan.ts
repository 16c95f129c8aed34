import { LANES_IN_WORKGROUP } from '../../asset/rig-layout.ts';
import { View } from '../../layout/index.ts';
import { RANGE_CAPACITY } from '../layout.ts';
import { PoseRange, PoseRanges } from './layout.ts';

/** Consecutive visible characters of one type. */
export interface PoseRun {
  readonly typeRow: number;
  readonly laneCount: number;
  readonly firstVisible: number;
  readonly visibleCount: number;
}

/**
 * How joints find their ancestors' matrices: in workgroup memory (one thread a joint), in storage (the same, for
 * skeletons that are too large), or serially (one thread a character, for adapters that are slow at barriers).
 */
export type PosePath = 'workgroup' | 'storage' | 'serial';

/** One dispatch of pose-joints: which kernel, and which characters its workgroups pose. */
export interface PosePlan {
  readonly path: PosePath;
  readonly workgroupSize: number;
  readonly ranges: ArrayBuffer;
  readonly groupCount: number;
}

const WORKGROUP_SIZES = [128, 256, 64] as const;

/** The workgroup size whose threads a skeleton fills best; 128 where it makes no difference. */
export function poseWorkgroupSize(laneCount: number): number {
  let best: number = LANES_IN_WORKGROUP;
  let bestShare = 0;
  for (const size of WORKGROUP_SIZES) {
    const share = (Math.floor(size / laneCount) * laneCount) / size;
    if (share > bestShare + 0.05) [best, bestShare] = [size, share];
  }
  return best;
}

/** Characters that one workgroup poses on the serial path. */
const SERIAL_CHARACTERS = 64;

/** The path that a skeleton takes; `serial` where the adapter prefers it. */
export function posePath(laneCount: number, serial: boolean): PosePath {
  return serial ? 'serial' : laneCount > LANES_IN_WORKGROUP ? 'storage' : 'workgroup';
}

/** Rows of scratch that a character needs behind its palette, beyond what its type already counts. */
export function scratchRows(laneCount: number, jointCount: number, serial: boolean): number {
  return serial && laneCount <= LANES_IN_WORKGROUP ? 3 * jointCount : 0;
}

/** Sorts the runs into as few dispatches as their skeletons allow: one per path and workgroup size in use. */
export function planPoses(runs: readonly PoseRun[], motionCapacity: number, serial: boolean): PosePlan[] {
  const byKernel = new Map<string, { path: PosePath; workgroupSize: number; list: PoseRun[] }>();
  for (const run of runs) {
    if (run.visibleCount === 0) continue;
    const path = posePath(run.laneCount, serial);
    const workgroupSize = {
      workgroup: poseWorkgroupSize(run.laneCount),
      storage: LANES_IN_WORKGROUP,
      serial: SERIAL_CHARACTERS,
    }[path];
    const key = `${path} ${workgroupSize}`;
    const kernel = byKernel.get(key) ?? { path, workgroupSize, list: [] };
    kernel.list.push(run);
    byKernel.set(key, kernel);
  }
  const plans: PosePlan[] = [];
  for (const { path, workgroupSize, list } of byKernel.values()) {
    for (let i = 0; i < list.length; i += RANGE_CAPACITY) {
      plans.push(planDispatch(list.slice(i, i + RANGE_CAPACITY), motionCapacity, path, workgroupSize));
    }
  }
  return plans;
}

function planDispatch(
  runs: readonly PoseRun[],
  motionCapacity: number,
  path: PosePath,
  workgroupSize: number,
): PosePlan {
  const buffer = new ArrayBuffer(PoseRanges.size);
  const ranges = new View(PoseRange, buffer, PoseRanges.offsets.ranges, RANGE_CAPACITY);
  let groupCount = 0;
  runs.forEach(({ typeRow, laneCount, firstVisible, visibleCount }, index) => {
    const perGroup = { workgroup: Math.floor(workgroupSize / laneCount), storage: 1, serial: workgroupSize };
    const charactersPerGroup = perGroup[path];
    ranges.assign(index, { firstGroup: groupCount, typeRow, firstVisible, visibleCount, charactersPerGroup });
    groupCount += Math.ceil(visibleCount / charactersPerGroup);
  });
  new View(PoseRanges, buffer).assign(0, { rangeCount: runs.length, groupCount, motionCapacity });
  return { path, workgroupSize, ranges: buffer, groupCount };
}
