import { View } from '../../../layout/index.ts';
import {
  LIST_DEMAND_WORD,
  LIST_FIRST_WORD,
  LIST_FITS,
  LIST_HEADER_WORDS,
  LIST_LACKS,
  LIST_MOVES,
  LIST_ROOM_WORD,
  LIST_STATE_WORD,
  LIST_WANTED_WORD,
  TriangleViews,
} from '../triangles.ts';
import { RANGE_AGAIN_WORD, RANGE_ARGUMENTS_WORD, RANGE_COUNT_WORD, type PagePlan } from './layout.ts';

/** Triangles that views have counted, and that all lists have room for. */
export function listsOf(views: Uint32Array<ArrayBuffer>, lists: Uint32Array): { wanted: number[]; capacity: number } {
  const head = new View(TriangleViews, views.buffer, views.byteOffset, 1);
  const wanted = Array.from({ length: head.get(0, 'viewCount') }, (_, v) => lists[2 * v]! + lists[2 * v + 1]!);
  return { wanted, capacity: head.get(0, 'listCapacity') };
}

/** Places lists of these lengths one after the other. */
export function placeLists(lists: Uint32Array, rooms: readonly number[]): void {
  let first = LIST_HEADER_WORDS;
  rooms.forEach((room, view) => {
    lists[LIST_FIRST_WORD + view] = first;
    lists[LIST_ROOM_WORD + view] = room;
    first += room;
  });
}

/** Where countBatches has lists begin: as long as pictures have wanted them of late, or alike. */
export function placeByDemand(views: Uint32Array<ArrayBuffer>, lists: Uint32Array): void {
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

export interface PlanArrays {
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
    lists.fill(0, 0, 2 * wanted.length);
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
