import { decideCharacters } from './decide-reference.ts';
import { listCharacters } from './list-reference.ts';
import { rebalanceSlots } from './rebalance-reference.ts';
import { grantSlots, takeSlots } from './slots-reference.ts';
import type { CullViews, OnMargin, PlayedViews } from './views.ts';

export type { CullViews, OnMargin, PlayedViews, ShareViews } from './views.ts';

/**
 * Twin of cull-characters: finds visible characters, assigns slots and lists the characters. Some 0.5 µs per
 * character and view.
 *
 * Its place in a frame: `STAGES` of frame/stages.ts. Once a frame: it turns the copies of slots.
 *
 * @param played Players and controllers; without them every character uses its sphere.
 */
export function cullCharacters(views: CullViews, onMargin?: OnMargin, played?: PlayedViews): void {
  grantSlots(views);
  if (views.params.get(0, 'extentCount') > 0) rebalanceSlots(views);
  decideCharacters(views, onMargin, played);
  takeSlots(views);
  listCharacters(views);
}
