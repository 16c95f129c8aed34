import { planRanges, type RangesPlan } from '../ranges-plan.ts';
import { KeepRange, KeepRanges } from './layout.ts';

/** A run of the visible list: characters of one type and level. Their palettes are kept. */
export interface KeepRun {
  readonly bin: number;
  readonly rowCount: number;
  /** Its meshes name providers. Default false. */
  readonly provided?: boolean;
}

/** One dispatch: of types with providers, or of types without, which are first. */
export interface KeepPlan extends RangesPlan {
  readonly provided: boolean;
}

export function planKeeps(runs: readonly KeepRun[]): KeepPlan[] {
  const planned = runs
    .map(({ bin, rowCount, provided = false }) => {
      return { kernel: { provided }, bin, charactersPerGroup: 1, groupsPerSet: 1, record: { rowCount } };
    })
    .sort((a, b) => Number(a.kernel.provided) - Number(b.kernel.provided));
  return planRanges(planned, KeepRanges, KeepRange);
}
