import { View } from '../../../layout/index.ts';
import { TriangleRun, TriangleViews } from '../triangles.ts';
import { RANGE_ARGUMENTS_WORD, RANGE_BATCHES_WORD, RANK_DRAWN, RECORD_NONE } from './layout.ts';
import type { CountParams, PagePlan, RunPlan } from './layout.ts';
import { placeByDemand } from './places-reference.ts';

export interface CountArrays {
  readonly params: View<(typeof CountParams)['fields']>;
  readonly plans: View<(typeof RunPlan)['fields']>;
  readonly pages: View<(typeof PagePlan)['fields']>;
  readonly targets: Uint32Array;
  /** Written to: first rows, counts and batches of runs. */
  readonly drawn: Uint32Array<ArrayBuffer>;
  /** Written to. */
  readonly ranges: Uint32Array;
  readonly ranks: Uint32Array;
  readonly views: Uint32Array<ArrayBuffer>;
  /** Written to: places of lists, where those may be too short. */
  readonly lists: Uint32Array;
}

/** Twin of countBatches, word by word: one run after the other. */
export function countBatches(arrays: CountArrays): void {
  const { params, plans, pages, targets, drawn, ranges, ranks, views, lists } = arrays;
  const [runCount, pageCount] = [params.get(0, 'runCount'), params.get(0, 'pageCount')];
  const [selects, dimensionLimit] = [params.get(0, 'selects'), params.get(0, 'dimensionLimit')];
  const runs = new View(TriangleRun, drawn.buffer, drawn.byteOffset, runCount);
  let batches = 0;
  for (let run = 0; run < runCount; run++) {
    const record = plans.get(run, 'recordWord');
    const [listed, count] =
      record === RECORD_NONE
        ? [plans.get(run, 'firstRow'), plans.get(run, 'rowCount')]
        : [targets[record]!, targets[record + 1]!];
    const before = (row: number) => (ranks[row]! & ~RANK_DRAWN) >>> 0;
    const firstRow = selects ? before(listed) : listed;
    const rowCount = selects ? before(listed + count) - firstRow : count;
    runs.assign(run, { firstRow, rowCount, firstBatch: batches });
    batches += rowCount * runs.get(run, 'batchesPerRow');
  }
  ranges[RANGE_BATCHES_WORD] = batches;
  const isShort = new View(TriangleViews, views.buffer, views.byteOffset, 1).get(0, 'countsKept') !== 0;
  if (isShort) placeByDemand(views, lists);
  for (let page = 0; page < pageCount; page++) {
    const [firstRun, count] = [pages.get(page, 'firstRun'), pages.get(page, 'runCount')];
    const rangeWord = pages.get(page, 'rangeWord');
    const end = (run: number) =>
      runs.get(run, 'firstBatch') + runs.get(run, 'rowCount') * runs.get(run, 'batchesPerRow');
    const firstBatch = count === 0 ? 0 : runs.get(firstRun, 'firstBatch');
    const batchCount = count === 0 ? 0 : end(firstRun + count - 1) - firstBatch;
    const height = Math.max(1, Math.ceil(batchCount / dimensionLimit));
    ranges.set([firstBatch, batchCount, firstRun, count, 0], rangeWord);
    ranges.set([Math.ceil(batchCount / height), batchCount > 0 ? height : 0, 1], rangeWord + RANGE_ARGUMENTS_WORD);
  }
}
