import { View } from '../../layout/index.ts';
import {
  DROPPED_KEPT_WORD,
  DrawnInstance,
  LIST_WANTED_WORD,
  TRIANGLE_VIEW_LIMIT,
  TriangleRun,
  TriangleViews,
} from '../triangles.ts';
import { keeperOf } from './cut-reference.ts';
import { RANGE_AGAIN_WORD, RANGE_ARGUMENTS_WORD, type PagePlan } from './layout.ts';
import { storeDropped } from './select-reference.ts';

export interface DropArrays {
  readonly views: Uint32Array<ArrayBuffer>;
  readonly pages: View<(typeof PagePlan)['fields']>;
  /** Written to: views of instances. */
  readonly drawn: Uint32Array<ArrayBuffer>;
  /** Two words by instance and view. */
  readonly kept: Uint32Array;
  /** Written to: the header. */
  readonly lists: Uint32Array;
  /** Written to: arguments, and views to be judged again. */
  readonly ranges: Uint32Array;
}

/** Twin of dropInstances, word by word. */
export function dropInstances({ views, pages, drawn, kept, lists, ranges }: DropArrays): void {
  const head = new View(TriangleViews, views.buffer, views.byteOffset, 1);
  const [viewCount, runCount] = [head.get(0, 'viewCount'), head.get(0, 'runCount')];
  const room = head.get(0, 'listCapacity');
  const wantedOf = (view: number) => lists[2 * view]! + lists[2 * view + 1]!;
  const tooShort = Array.from({ length: viewCount }, (_, view) => view).filter((view) => wantedOf(view) > room);
  const mask = tooShort.reduce((bits, view) => bits | (1 << view), 0);
  for (let page = 0; page < pages.count; page++) {
    const word = pages.get(page, 'rangeWord');
    ranges[word + 4] = mask;
    for (let i = 0; i < 3; i++) {
      ranges[word + RANGE_AGAIN_WORD + i] = mask === 0 ? 0 : ranges[word + RANGE_ARGUMENTS_WORD + i]!;
    }
  }
  if (mask === 0) return;
  const runs = new View(TriangleRun, drawn.buffer, drawn.byteOffset, runCount);
  const count = runCount === 0 ? 0 : runs.get(runCount - 1, 'firstRow') + runs.get(runCount - 1, 'rowCount');
  const instances = new View(DrawnInstance, drawn.buffer, drawn.byteOffset + 16 * head.get(0, 'instanceRow'), count);
  const dropped = new Uint32Array(TRIANGLE_VIEW_LIMIT + 2);
  const losing = new Set<number>();
  for (const view of tooShort) {
    const shown = Array.from({ length: count }, (_, instance) => {
      const [key, weight] = kept.subarray(2 * (instance * viewCount + view));
      return { instance, key: key!, weight: weight! };
    }).filter(({ instance }) => ((instances.get(instance, 'views') >>> view) & 1) === 1);
    const isKept = keeperOf(shown, room);
    for (const { instance, key, weight } of shown) {
      // what keeps nothing is not missing
      if (weight === 0 || isKept({ key, weight })) continue;
      instances.assign(instance, { views: instances.get(instance, 'views') & ~(1 << view) });
      dropped[view]!++;
      losing.add(instance);
    }
    lists[LIST_WANTED_WORD + view] = Math.max(lists[LIST_WANTED_WORD + view]!, wantedOf(view));
    lists.fill(0, 2 * view, 2 * view + 2);
  }
  dropped[TRIANGLE_VIEW_LIMIT] = losing.size;
  for (const instance of losing) if (instances.get(instance, 'character') !== 0) dropped[TRIANGLE_VIEW_LIMIT + 1]!++;
  storeDropped(lists, dropped, DROPPED_KEPT_WORD);
}
