import type { View } from '../../../layout/index.ts';
import { DROPPED_ROWS_WORD, LIST_DROPPED_WORD, TRIANGLE_VIEW_LIMIT } from '../triangles.ts';
import { keeperOf } from './cut-reference.ts';
import { CANDIDATE_VIEW_SHIFT, RANK_DRAWN, type InstanceCandidate, type SelectParams } from './layout.ts';

export interface SelectArrays {
  readonly params: View<(typeof SelectParams)['fields']>;
  readonly candidates: View<(typeof InstanceCandidate)['fields']>;
  /** Written to: one more than rows. */
  readonly ranks: Uint32Array;
  /** Written to: the header. */
  readonly lists: Uint32Array;
}

/** Twin of selectInstances, word by word. */
export function selectInstances({ params, candidates, ranks, lists }: SelectArrays): void {
  const [instanceCount, characterCount] = [params.get(0, 'instanceCount'), params.get(0, 'characterCount')];
  const seen = Array.from({ length: instanceCount }, (_, row) => {
    const word = candidates.get(row, 'batchesAndViews');
    const batches = word & (2 ** CANDIDATE_VIEW_SHIFT - 1);
    const [key, order] = [candidates.get(row, 'key'), candidates.get(row, 'id')];
    return { row, key, order, weight: batches, views: word >>> CANDIDATE_VIEW_SHIFT };
  });
  const isKept = keeperOf(
    seen.filter(({ views }) => views !== 0),
    params.get(0, 'batchCapacity'),
  );
  const dropped = new Uint32Array(TRIANGLE_VIEW_LIMIT + 2);
  let rank = 0;
  for (const candidate of seen) {
    const { row, views } = candidate;
    const isDrawn = views !== 0 && isKept(candidate);
    ranks[row] = isDrawn ? rank++ | RANK_DRAWN : rank;
    if (isDrawn || views === 0) continue;
    for (let view = 0; view < TRIANGLE_VIEW_LIMIT; view++) dropped[view]! += (views >>> view) & 1;
    dropped[TRIANGLE_VIEW_LIMIT]!++;
    if (row < characterCount) dropped[TRIANGLE_VIEW_LIMIT + 1]!++;
  }
  ranks[instanceCount] = rank;
  storeDropped(lists, dropped, DROPPED_ROWS_WORD);
}

/** By view, then all instances and the characters among them: the most of all samples of a picture. */
export function storeDropped(lists: Uint32Array, dropped: Uint32Array, firstWord: number): void {
  dropped.forEach((count, index) => {
    const word = index < TRIANGLE_VIEW_LIMIT ? LIST_DROPPED_WORD + index : firstWord + index - TRIANGLE_VIEW_LIMIT;
    lists[word] = Math.max(lists[word]!, count);
  });
}
