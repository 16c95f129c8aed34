import { View } from '../../layout/index.ts';
import { TriangleRun } from '../triangles.ts';
import { RANGE_ARGUMENTS_WORD, RANGE_WANTED_WORD, RECORD_NONE } from './layout.ts';
import type { CountParams, PagePlan, RunPlan } from './layout.ts';

/** Sums stop here, as the kernel's do. */
const MOST = 2 ** 30;

export interface CountArrays {
  readonly params: View<(typeof CountParams)['fields']>;
  readonly plans: View<(typeof RunPlan)['fields']>;
  readonly pages: View<(typeof PagePlan)['fields']>;
  readonly targets: Uint32Array;
  /** Written to: first rows, counts and batches of runs. */
  readonly drawn: Uint32Array<ArrayBuffer>;
  /** Written to. */
  readonly ranges: Uint32Array;
}

/** Twin of countBatches, word by word: one run after the other. */
export function countBatches({ params, plans, pages, targets, drawn, ranges }: CountArrays): void {
  const [runCount, pageCount] = [params.get(0, 'runCount'), params.get(0, 'pageCount')];
  const [batchCapacity, dimensionLimit] = [params.get(0, 'batchCapacity'), params.get(0, 'dimensionLimit')];
  const runs = new View(TriangleRun, drawn.buffer, drawn.byteOffset, runCount);
  let wanted = 0;
  for (let run = 0; run < runCount; run++) {
    const record = plans.get(run, 'recordWord');
    const [firstRow, rowCount] =
      record === RECORD_NONE
        ? [plans.get(run, 'firstRow'), plans.get(run, 'rowCount')]
        : [targets[record]!, targets[record + 1]!];
    const perRow = runs.get(run, 'batchesPerRow');
    const firstBatch = Math.min(wanted, batchCapacity);
    const fitting = Math.floor((batchCapacity - firstBatch) / Math.max(1, perRow));
    runs.assign(run, { firstRow, rowCount: Math.min(rowCount, fitting), firstBatch });
    if (perRow > 0) wanted = Math.min(MOST, wanted + Math.min(rowCount, Math.floor(MOST / perRow)) * perRow);
  }
  ranges[RANGE_WANTED_WORD] = wanted;
  for (let page = 0; page < pageCount; page++) {
    const [firstRun, count] = [pages.get(page, 'firstRun'), pages.get(page, 'runCount')];
    const rangeWord = pages.get(page, 'rangeWord');
    const end = (run: number) =>
      runs.get(run, 'firstBatch') + runs.get(run, 'rowCount') * runs.get(run, 'batchesPerRow');
    const firstBatch = count === 0 ? 0 : runs.get(firstRun, 'firstBatch');
    const batchCount = count === 0 ? 0 : end(firstRun + count - 1) - firstBatch;
    const height = Math.max(1, Math.ceil(batchCount / dimensionLimit));
    ranges.set([firstBatch, batchCount, firstRun, count], rangeWord);
    ranges.set([Math.ceil(batchCount / height), batchCount > 0 ? height : 0, 1], rangeWord + RANGE_ARGUMENTS_WORD);
  }
}
