import { View } from '../../../layout/index.ts';
import {
  DROPPED_KEPT_WORD,
  DrawnInstance,
  LIST_LACKS,
  LIST_STATE_WORD,
  TRIANGLE_VIEW_LIMIT,
  TriangleRun,
  TriangleViews,
} from '../triangles.ts';
import { keeperOf } from './cut-reference.ts';
import { orderIn } from './keys.ts';
import { placeLists, type PlanArrays } from './places-reference.ts';
import { storeDropped } from './select-reference.ts';

export interface DropArrays extends PlanArrays {
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
  lists.fill(0, 0, 2 * viewCount);
}
