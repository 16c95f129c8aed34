import { HELD_LEVEL, HELD_LEVEL_SHIFT, HELD_TYPE_SHIFT, RESIDENT_NONE } from '../layout.ts';
import {
  ASKED_RATE_SHIFT,
  DECIDED_LEVEL,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  VIEW_LIMIT,
  VIEW_PLANES,
} from './layout.ts';
import { along, FAR, placedSphere, viewRow } from './world-sphere.ts';
import { shareCharacters } from './share-reference.ts';
import { tightenCharacters } from './tighten-reference.ts';
import type { CullViews, OnMargin, PlayedViews } from './views.ts';

/** Hysteresis: a character changes to a coarser level only below this share of that level's `size`. */
const HYSTERESIS = 0.85;
/** Pixels across of what has no bounds. */
const HUGE = Math.fround(3e38);
/** Limit of diameter × pixels per metre. Larger values count as this one. */
const MOST_ACROSS = 2 ** 100;

/**
 * Finds which views see a character, its level of detail and its update rate; then collects the needs of followers.
 * @param played Players and controllers; without them every character uses its sphere.
 */
export function decideCharacters(views: CullViews, onMargin?: OnMargin, played?: PlayedViews): void {
  const count = views.params.get(0, 'characterCount');
  const scene = { ...views, onMargin };
  for (let i = 0; i < count; i++) decide(scene, i);
  if (played) tightenCharacters(views, played, onMargin);
  if (views.share) shareCharacters(views, views.share, onMargin);
  for (let i = 0; i < count; i++) askLeader(views, i);
}

interface Scene extends CullViews {
  readonly onMargin: OnMargin | undefined;
}

function decide(scene: Scene, i: number): void {
  const { params, residents, slots, decisions, onMargin } = scene;
  const type = residents.get(i, 'typeIndex');
  if (type === RESIDENT_NONE) {
    decisions.assign(i, { views: 0, word: 0, asked: 0, size: 0 });
    return;
  }
  const among = residents.get(i, 'views');
  const seen = params.get(0, 'seesAll') ? { views: among, size: HUGE } : seenBy(scene, i, among);
  const held = slots.get(i, 'held');
  const lasts =
    slots.get(i, 'slot') !== 0 &&
    slots.get(i, 'frame') + 1 === params.get(0, 'frame') &&
    held >>> HELD_TYPE_SHIFT === type;
  const level = levelFor(scene, i, type, seen.size, lasts ? (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL : -1);
  const rateSizes = params.get(0, 'rateSizes').slice(0, 3);
  const rate = rateSizes.filter((limit) => seen.size < limit).length;
  if (seen.views !== 0) for (const limit of rateSizes) onMargin?.(i, relative(seen.size, limit));
  decisions.assign(i, { views: seen.views, word: level | (rate << DECIDED_RATE_SHIFT), asked: 0, size: seen.size });
}

/**
 * A sphere is visible unless it lies outside one plane. At corners that is more than there is. Without bounds, or with
 * bounds that cannot be computed with, it is visible in all views, at the largest size.
 */
function seenBy(scene: Scene, i: number, among: number): { views: number; size: number } {
  const { params, onMargin } = scene;
  const { center, radius, extent, isKnown } = placedSphere(scene, i);
  if (radius >= 0) onMargin?.(i, relative(extent, FAR));
  let [views, size] = [0, 0];
  for (let view = 0; view < Math.min(VIEW_LIMIT, params.get(0, 'viewCount')); view++) {
    if (((among >>> view) & 1) === 0) continue;
    const bit = (1 << view) >>> 0;
    if (!isKnown) {
      [views, size] = [(views | bit) >>> 0, HUGE];
      continue;
    }
    let margin = Infinity;
    for (let p = 0; p < VIEW_PLANES; p++) {
      const plane = viewRow(scene, 'planes', view * VIEW_PLANES + p);
      margin = Math.min(margin, (along(plane, center) + radius) / Math.max(1, extent, Math.abs(plane[3]!)));
    }
    onMargin?.(i, margin);
    if (margin < 0) continue;
    views = (views | bit) >>> 0;
    const [slope, scaled] = viewRow(scene, 'sizes', view) as unknown as [number, number];
    const depth = along(viewRow(scene, 'depths', view), center) - radius * slope;
    size = Math.max(size, Math.min(2 * radius * scaled, MOST_ACROSS) / Math.max(depth, 1e-6));
  }
  return { views, size: Math.fround(size) };
}

function levelFor({ kinds, onMargin }: Scene, i: number, type: number, size: number, held: number): number {
  const first = kinds.types.get(type, 'firstLevel');
  let level = 0;
  for (let l = 1; l < kinds.types.get(type, 'levelCount'); l++) {
    const enough = kinds.levels.get(first + l, 'size') * (held >= 0 && l > held ? HYSTERESIS : 1);
    onMargin?.(i, relative(size, enough));
    if (size <= enough) level = l;
  }
  return level;
}

function relative(a: number, b: number): number {
  return a === 0 || b === 0 ? Infinity : Math.abs(a - b) / Math.max(1, Math.min(a, b));
}

function askLeader({ residents, decisions }: CullViews, i: number): void {
  const leader = residents.get(i, 'leader');
  if (residents.get(i, 'typeIndex') === RESIDENT_NONE || leader === i || decisions.get(i, 'views') === 0) return;
  const word = decisions.get(i, 'word');
  const rate = (word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE;
  const asked = (1 << (word & DECIDED_LEVEL)) | (1 << (ASKED_RATE_SHIFT + rate));
  decisions.set(leader, 'asked', (decisions.get(leader, 'asked') | asked) >>> 0);
}
