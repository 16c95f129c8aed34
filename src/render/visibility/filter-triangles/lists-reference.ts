import { View } from '../../../layout/index.ts';
import {
  TriangleRun,
  TriangleViews,
  LIST_DEMAND_WORD,
  LIST_FIRST_WORD,
  LIST_FITS,
  LIST_HEADER_WORDS,
  LIST_LARGE_WORD,
  LIST_LACKS,
  LIST_MOVES,
  LIST_ROOM_WORD,
  LIST_STATE_WORD,
  LIST_WANTED_WORD,
  DROPPED_ROWS_WORD,
  LIST_DROPPED_WORD,
  TRIANGLE_VIEW_LIMIT,
  DROPPED_KEPT_WORD,
  DrawnInstance,
} from '../triangles.ts';
import {
  RANGE_ARGUMENTS_WORD,
  RANGE_BATCHES_WORD,
  RANK_DRAWN,
  RECORD_NONE,
  type CountParams,
  type PagePlan,
  type RunPlan,
  RANGE_AGAIN_WORD,
  RANGE_COUNT_WORD,
  CANDIDATE_VIEW_SHIFT,
  type InstanceCandidate,
  type SelectParams,
} from './layout.ts';

// Twins of the kernels that lay out lists, and count and drop instances.

interface CountArrays {
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

/** Triangles that views have counted, and that all lists have room for. */
function listsOf(views: Uint32Array<ArrayBuffer>, lists: Uint32Array): { wanted: number[]; capacity: number } {
  const head = new View(TriangleViews, views.buffer, views.byteOffset, 1);
  const wanted = Array.from({ length: head.get(0, 'viewCount') }, (_, v) => lists[2 * v]! + lists[2 * v + 1]!);
  return { wanted, capacity: head.get(0, 'listCapacity') };
}

/** Places lists of these lengths one after the other. */
function placeLists(lists: Uint32Array, rooms: readonly number[]): void {
  let first = LIST_HEADER_WORDS;
  rooms.forEach((room, view) => {
    lists[LIST_FIRST_WORD + view] = first;
    lists[LIST_ROOM_WORD + view] = room;
    first += room;
  });
}

function clearCounts(lists: Uint32Array, viewCount: number): void {
  lists.fill(0, 0, 2 * viewCount).fill(0, LIST_LARGE_WORD, LIST_LARGE_WORD + viewCount);
}

/** Where countBatches has lists begin: as long as pictures have wanted them of late, or alike. */
function placeByDemand(views: Uint32Array<ArrayBuffer>, lists: Uint32Array): void {
  const { wanted, capacity } = listsOf(views, lists);
  const demands = wanted.map((_, view) => lists[LIST_DEMAND_WORD + view]!);
  const sum = demands.reduce((all, demand) => all + demand, 0);
  const isKnown = sum <= capacity;
  const spare = Math.floor((isKnown ? capacity - sum : capacity) / Math.max(1, wanted.length));
  placeLists(
    lists,
    demands.map((demand) => (isKnown ? demand : 0) + spare),
  );
}

interface PlanArrays {
  readonly views: Uint32Array<ArrayBuffer>;
  readonly pages: View<(typeof PagePlan)['fields']>;
  /** Written to: the header. */
  readonly lists: Uint32Array;
  /** Written to: arguments, and whether kept triangles are counted. */
  readonly ranges: Uint32Array;
}

/** Twin of planLists, word by word. */
export function planLists({ views, pages, lists, ranges }: PlanArrays): void {
  const { wanted, capacity } = listsOf(views, lists);
  const fits = wanted.every((count, view) => count <= lists[LIST_ROOM_WORD + view]!);
  wanted.forEach((count, view) => {
    const demand = lists[LIST_DEMAND_WORD + view]!;
    lists[LIST_DEMAND_WORD + view] = Math.max(count, demand - Math.ceil(demand / 8));
    if (!fits) lists[LIST_WANTED_WORD + view] = Math.max(lists[LIST_WANTED_WORD + view]!, count);
  });
  const hasRoom = wanted.reduce((sum, count) => sum + count, 0) <= capacity;
  const state = fits ? LIST_FITS : hasRoom ? LIST_MOVES : LIST_LACKS;
  lists[LIST_STATE_WORD] = state;
  if (state === LIST_MOVES) {
    placeLists(lists, wanted);
    clearCounts(lists, wanted.length);
  }
  for (let page = 0; page < pages.count; page++) {
    const word = pages.get(page, 'rangeWord');
    ranges[word + 4] = Number(state === LIST_LACKS);
    for (let i = 0; i < 3; i++) {
      const groups = ranges[word + RANGE_ARGUMENTS_WORD + i]!;
      ranges[word + RANGE_COUNT_WORD + i] = state === LIST_LACKS ? groups : 0;
      ranges[word + RANGE_AGAIN_WORD + i] = state === LIST_FITS ? 0 : groups;
    }
  }
}

interface SelectArrays {
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
function storeDropped(lists: Uint32Array, dropped: Uint32Array, firstWord: number): void {
  dropped.forEach((count, index) => {
    const word = index < TRIANGLE_VIEW_LIMIT ? LIST_DROPPED_WORD + index : firstWord + index - TRIANGLE_VIEW_LIMIT;
    lists[word] = Math.max(lists[word]!, count);
  });
}

interface DropArrays extends PlanArrays {
  /** Written to: views of instances. */
  readonly drawn: Uint32Array<ArrayBuffer>;
  /** Two words by instance and view. */
  readonly kept: Uint32Array;
}

/** Twin of dropInstances, word by word. */
export function dropInstances({ views, pages, drawn, kept, lists, ranges }: DropArrays): void {
  if (lists[LIST_STATE_WORD] !== LIST_LACKS) return;
  const head = new View(TriangleViews, views.buffer, views.byteOffset, 1);
  const [viewCount, runCount] = [head.get(0, 'viewCount'), head.get(0, 'runCount')];
  for (let page = 0; page < pages.count; page++) ranges[pages.get(page, 'rangeWord') + 4] = 0;
  const runs = new View(TriangleRun, drawn.buffer, drawn.byteOffset, runCount);
  const count = runCount === 0 ? 0 : runs.get(runCount - 1, 'firstRow') + runs.get(runCount - 1, 'rowCount');
  const instances = new View(DrawnInstance, drawn.buffer, drawn.byteOffset + 16 * head.get(0, 'instanceRow'), count);
  const shown = Array.from({ length: count * viewCount }, (_, pair) => {
    const [instance, view] = [Math.floor(pair / viewCount), pair % viewCount];
    const character = instances.get(instance, 'character');
    const order = orderIn(view, character === 0 ? instance : character - 1);
    return { instance, view, key: kept[2 * pair]!, order, weight: kept[2 * pair + 1]! };
  }).filter(({ instance, view }) => ((instances.get(instance, 'views') >>> view) & 1) === 1);
  const isKept = keeperOf(shown, head.get(0, 'listCapacity'));
  const dropped = new Uint32Array(TRIANGLE_VIEW_LIMIT + 2);
  const stays = Array<number>(viewCount).fill(0);
  const losing = new Set<number>();
  for (const one of shown) {
    const { instance, view, weight } = one;
    if (isKept(one)) stays[view]! += weight;
    // what keeps nothing is not missing
    if (weight === 0 || isKept(one)) continue;
    instances.assign(instance, { views: instances.get(instance, 'views') & ~(1 << view) });
    dropped[view]!++;
    losing.add(instance);
  }
  dropped[TRIANGLE_VIEW_LIMIT] = losing.size;
  for (const instance of losing) if (instances.get(instance, 'character') !== 0) dropped[TRIANGLE_VIEW_LIMIT + 1]!++;
  storeDropped(lists, dropped, DROPPED_KEPT_WORD);
  placeLists(lists, stays);
  clearCounts(lists, viewCount);
}

/** An instance, or one in a view: its key, and what it takes of the room. */
interface Weighed {
  readonly key: number;
  /** Decides among those of one key. */
  readonly order: number;
  readonly weight: number;
}

/**
 * Twin of `cut.wesl`: finds which instances are kept. An instance that is larger than the whole room is dropped. Of the
 * others those with the smallest keys are kept, up to the key at which room ends.
 */
export function keeperOf(all: readonly Weighed[], room: number): (one: Weighed) => boolean {
  let sum = 0;
  const end = all
    .filter(({ weight }) => weight <= room)
    .toSorted((a, b) => a.key - b.key || a.order - b.order)
    .find(({ weight }) => (sum += weight) > room);
  return ({ key, order, weight }) =>
    weight <= room && (end === undefined || key < end.key || (key === end.key && order < end.order));
}

/**
 * Twin of `keys.wesl`: the order in which instances are kept where memory is short. Smaller keys are kept first, of equal ones the
 * smaller second word.
 * @param size Pixels across, above 0; a 32-bit value.
 */
export function keyOf(size: number): number {
  return ~new Uint32Array(Float32Array.of(size).buffer)[0]! >>> 0;
}

/** Second word of an instance in a view: pictures (the first view) before shadows, then the lower id. */
export function orderIn(view: number, id: number): number {
  return (Math.min(view, 1) << 27) | ((id & 0xffffff) << 3) | view;
}
