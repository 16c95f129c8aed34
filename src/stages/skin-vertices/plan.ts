import type { BatchRun } from '../../asset/character.ts';
import { View } from '../../layout/index.ts';
import { RANGE_CAPACITY } from '../layout.ts';
import { BATCHES_PER_GROUP, CHARACTERS_PER_GROUP, PALETTE_IN_WORKGROUP, SkinRange, SkinRanges } from './layout.ts';

/** Consecutive visible characters of one type, and how its batches are read. */
export interface SkinRun {
  readonly geometryRow: number;
  readonly paletteCount: number;
  readonly batchRuns: readonly BatchRun[];
  readonly firstVisible: number;
  readonly visibleCount: number;
}

/** One dispatch of skin-vertices: one loader variant, palettes cached in workgroup memory or not. */
export interface SkinPlan {
  readonly cached: boolean;
  /** LOADER_ bits. */
  readonly variant: number;
  readonly ranges: ArrayBuffer;
  readonly groupCount: number;
}

/**
 * Sorts all batches of all runs into one dispatch per variant in use (at most eight).
 * @param cache Whether palettes that fit are copied to workgroup memory first.
 */
export function planSkins(runs: readonly SkinRun[], cache: boolean): SkinPlan[] {
  const byKernel = new Map<string, { run: SkinRun; batches: BatchRun }[]>();
  for (const run of runs) {
    if (run.visibleCount === 0) continue;
    for (const batches of run.batchRuns) {
      const key = `${cache && run.paletteCount <= PALETTE_IN_WORKGROUP ? 1 : 0} ${batches.variant}`;
      byKernel.set(key, [...(byKernel.get(key) ?? []), { run, batches }]);
    }
  }
  const plans: SkinPlan[] = [];
  for (const [key, list] of byKernel) {
    const [cached, variant] = key.split(' ').map(Number) as [number, number];
    for (let i = 0; i < list.length; i += RANGE_CAPACITY) {
      plans.push(planDispatch(list.slice(i, i + RANGE_CAPACITY), cached === 1, variant));
    }
  }
  return plans;
}

function planDispatch(
  list: readonly { run: SkinRun; batches: BatchRun }[],
  cached: boolean,
  variant: number,
): SkinPlan {
  const buffer = new ArrayBuffer(SkinRanges.size);
  const ranges = new View(SkinRange, buffer, SkinRanges.offsets.ranges, RANGE_CAPACITY);
  let groupCount = 0;
  list.forEach(({ run, batches }, index) => {
    const charactersPerGroup = cached ? sharersOf(run.paletteCount) : CHARACTERS_PER_GROUP;
    const groupsPerSet = Math.ceil(batches.batchCount / BATCHES_PER_GROUP);
    ranges.assign(index, {
      firstGroup: groupCount,
      geometryRow: run.geometryRow,
      firstVisible: run.firstVisible,
      visibleCount: run.visibleCount,
      firstBatch: batches.firstBatch,
      batchCount: batches.batchCount,
      charactersPerGroup,
      groupsPerSet,
    });
    groupCount += Math.ceil(run.visibleCount / charactersPerGroup) * groupsPerSet;
  });
  new View(SkinRanges, buffer).assign(0, { rangeCount: list.length, groupCount });
  return { cached, variant, ranges: buffer, groupCount };
}

/** Characters whose palettes fit into a workgroup's memory together. */
export function sharersOf(paletteCount: number): number {
  return Math.max(1, Math.min(CHARACTERS_PER_GROUP, Math.floor(PALETTE_IN_WORKGROUP / paletteCount)));
}
