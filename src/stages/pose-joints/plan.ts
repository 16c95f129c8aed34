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

/** One dispatch of pose-joints: which kernel, and which characters its workgroups pose. */
export interface PosePlan {
  readonly large: boolean;
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

/** Sorts the runs into as few dispatches as their skeletons allow: one per workgroup size in use. */
export function planPoses(runs: readonly PoseRun[], motionCapacity: number): PosePlan[] {
  const byKernel = new Map<string, PoseRun[]>();
  for (const run of runs) {
    if (run.visibleCount === 0) continue;
    const large = run.laneCount > LANES_IN_WORKGROUP;
    const key = large ? 'large' : String(poseWorkgroupSize(run.laneCount));
    byKernel.set(key, [...(byKernel.get(key) ?? []), run]);
  }
  const plans: PosePlan[] = [];
  for (const [key, list] of byKernel) {
    const large = key === 'large';
    const workgroupSize = large ? LANES_IN_WORKGROUP : Number(key);
    for (let i = 0; i < list.length; i += RANGE_CAPACITY) {
      plans.push(planDispatch(list.slice(i, i + RANGE_CAPACITY), motionCapacity, large, workgroupSize));
    }
  }
  return plans;
}

function planDispatch(
  runs: readonly PoseRun[],
  motionCapacity: number,
  large: boolean,
  workgroupSize: number,
): PosePlan {
  const buffer = new ArrayBuffer(PoseRanges.size);
  const ranges = new View(PoseRange, buffer, PoseRanges.offsets.ranges, RANGE_CAPACITY);
  let groupCount = 0;
  runs.forEach(({ typeRow, laneCount, firstVisible, visibleCount }, index) => {
    const charactersPerGroup = large ? 1 : Math.floor(workgroupSize / laneCount);
    ranges.assign(index, { firstGroup: groupCount, typeRow, firstVisible, visibleCount, charactersPerGroup });
    groupCount += Math.ceil(visibleCount / charactersPerGroup);
  });
  new View(PoseRanges, buffer).assign(0, { rangeCount: runs.length, groupCount, motionCapacity });
  return { large, workgroupSize, ranges: buffer, groupCount };
}
