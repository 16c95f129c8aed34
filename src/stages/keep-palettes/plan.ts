import { View } from '../../layout/index.ts';
import { RANGE_CAPACITY } from '../layout.ts';
import type { PlannedRange, RangesPlan } from '../ranges-plan.ts';
import { KeepRange, KeepRanges } from './layout.ts';

/** A run of the visible list: characters of one type and level. Their palettes are kept. */
export interface KeepRun {
  /** Which run. */
  readonly bin: number;
  readonly rowCount: number;
  /** Its meshes name providers. Default false. */
  readonly provided?: boolean;
}

/** One dispatch: of types with providers, or of types without. */
export interface KeepPlan extends RangesPlan {
  readonly provided: boolean;
}

/** As few dispatches as hold all runs. */
export function planKeeps(runs: readonly KeepRun[]): KeepPlan[] {
  const plans: KeepPlan[] = [];
  for (const provided of [false, true]) {
    const own = runs.filter((run) => (run.provided ?? false) === provided);
    for (let i = 0; i < own.length; i += RANGE_CAPACITY) {
      plans.push({ ...planDispatch(own.slice(i, i + RANGE_CAPACITY)), provided });
    }
  }
  return plans;
}

function planDispatch(runs: readonly KeepRun[]): RangesPlan {
  const buffer = new ArrayBuffer(KeepRanges.size);
  const ranges = new View(KeepRange, buffer, KeepRanges.offsets.ranges, RANGE_CAPACITY);
  const bins = runs.map(({ bin, rowCount }, index): PlannedRange => {
    ranges.assign(index, { rowCount });
    const byteOffset = KeepRanges.offsets.ranges + index * KeepRange.size;
    return { bin, charactersPerGroup: 1, groupsPerSet: 1, byteOffset };
  });
  new View(KeepRanges, buffer).assign(0, { rangeCount: runs.length });
  return { ranges: buffer, bins, groupCountByte: KeepRanges.offsets.groupCount };
}
