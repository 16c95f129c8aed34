import { type BenchReport, type BenchRow, rowName } from './report.ts';

/** A row of two runs. */
export interface ComparedRow extends Pick<BenchRow, 'scene' | 'count' | 'stage' | 'subject'> {
  /** Milliseconds. */
  readonly before: number;
  readonly after: number;
  /** Difference in milliseconds that repeated runs may have. */
  readonly noise: number;
  readonly verdict: 'same' | 'faster' | 'slower';
}

export interface Comparison {
  readonly rows: readonly ComparedRow[];
  /** Names of rows that only one of the runs has. Also rows with a difference of work above 1 %. */
  readonly unmatched: readonly string[];
  /** False: the runs used different adapters, so that differences may be theirs. */
  readonly isSameAdapter: boolean;
}

/** Spreads of either run that their medians may be apart. */
const SPREADS = 2;
/** Share of the time below which all is noise, for GPU times and for the CPU's: its clock and other programs vary. */
const SHARE = { gpu: 0.02, host: 0.25 };
/** Milliseconds below which all is noise: steps of clocks. */
const STEP = 0.002;
/** Share by which work may differ. */
const WORK_SHARE = 0.01;

/** Difference of two medians in milliseconds that counts as noise. */
function noiseOf(a: BenchRow, b: BenchRow): number {
  const share = SHARE[a.stage === 'host' ? 'host' : 'gpu'];
  return SPREADS * (a.spread + b.spread) + share * Math.min(a.milliseconds, b.milliseconds) + STEP;
}

/** Compares two runs, row by row, by the spreads of both. */
export function compareReports(
  before: Pick<BenchReport, 'rows' | 'adapter'>,
  after: Pick<BenchReport, 'rows' | 'adapter'>,
): Comparison {
  const known = new Map(before.rows.map((row) => [rowName(row), row]));
  const rows: ComparedRow[] = [];
  const unmatched: string[] = [];
  for (const row of after.rows) {
    const name = rowName(row);
    const other = known.get(name);
    known.delete(name);
    if (!other || Math.abs(row.work - other.work) > WORK_SHARE * other.work) {
      unmatched.push(name);
      continue;
    }
    const noise = noiseOf(other, row);
    const change = row.milliseconds - other.milliseconds;
    const verdict = Math.abs(change) <= noise ? 'same' : change < 0 ? 'faster' : 'slower';
    const { scene, count, stage, subject } = row;
    rows.push({ scene, count, stage, subject, before: other.milliseconds, after: row.milliseconds, noise, verdict });
  }
  const keys = ['vendor', 'architecture', 'device', 'description'] as const;
  const isSameAdapter = keys.every((key) => before.adapter[key] === after.adapter[key]);
  return { rows, unmatched: [...unmatched, ...known.keys()], isSameAdapter };
}
