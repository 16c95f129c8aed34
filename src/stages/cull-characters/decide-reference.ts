import { HELD_LEVEL, HELD_LEVEL_SHIFT, HELD_TYPE_SHIFT, RESIDENT_NONE } from '../layout.ts';
import {
  ASKED_RATE_SHIFT,
  CullParams,
  DECIDED_LEVEL,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  VIEW_LIMIT,
  VIEW_PLANES,
} from './layout.ts';
import { shareCharacters } from './share-reference.ts';
import type { CullViews, OnMargin } from './views.ts';

/** A level is left for a coarser one late: at this share of the size that the coarser one is good for. */
const HYSTERESIS = 0.85;
/** Pixels across of what has no bounds. */
const HUGE = Math.fround(3e38);
/** Metres; what is as far or as large is not computed with. */
const FAR = 2 ** 60;
/** So large that no more can be told apart, in pixel metres. */
const MOST_ACROSS = 2 ** 100;

/** Finds out which views see a character, how fine it has to be and how often it is posed; then what followers ask. */
export function decideCharacters(views: CullViews, onMargin?: OnMargin): void {
  const count = views.params.get(0, 'characterCount');
  for (let i = 0; i < count; i++) decide(views, i, onMargin);
  if (views.share) shareCharacters(views, views.share, onMargin);
  for (let i = 0; i < count; i++) askLeader(views, i);
}

function decide(scene: CullViews, i: number, onMargin: OnMargin | undefined): void {
  const { params, residents, slots, decisions } = scene;
  const type = residents.get(i, 'typeIndex');
  if (type === RESIDENT_NONE) {
    decisions.assign(i, { views: 0, word: 0, asked: 0, size: 0 });
    return;
  }
  const among = residents.get(i, 'views');
  const seen = params.get(0, 'seesAll') ? { views: among, size: HUGE } : seenBy(scene, i, type, among, onMargin);
  const held = slots.get(i, 'held');
  const lasts =
    slots.get(i, 'slot') !== 0 &&
    slots.get(i, 'frame') + 1 === params.get(0, 'frame') &&
    held >>> HELD_TYPE_SHIFT === type;
  const level = levelFor(scene, i, type, seen.size, lasts ? (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL : -1, onMargin);
  const rateSizes = params.get(0, 'rateSizes').slice(0, 3);
  const rate = rateSizes.filter((limit) => seen.size < limit).length;
  if (seen.views !== 0) for (const limit of rateSizes) onMargin?.(i, relative(seen.size, limit));
  decisions.assign(i, { views: seen.views, word: level | (rate << DECIDED_RATE_SHIFT), asked: 0, size: seen.size });
}

/**
 * A sphere is seen unless it lies behind a plane: at corners that is more than is there. Without bounds, or where they cannot be
 * computed with, it is seen by all, as large as can be.
 */
function seenBy(
  { params, transforms, kinds }: CullViews,
  i: number,
  type: number,
  among: number,
  onMargin: OnMargin | undefined,
): { views: number; size: number } {
  const floats = params.floats;
  const at = (field: 'planes' | 'depths' | 'sizes', row: number) => {
    const first = CullParams.offsets[field] / 4 + 4 * row;
    return floats.subarray(first, first + 4);
  };
  const scale = transforms.get(i, 'scale');
  const own = kinds.types.get(type, 'radius');
  const offset = rotated(
    kinds.types.get(type, 'center').map((c) => c * scale),
    transforms.get(i, 'rotation'),
  );
  const center = transforms.get(i, 'position').map((p, c) => p + offset[c]!);
  const radius = own * Math.abs(scale);
  const along = (row: Float32Array) => row[0]! * center[0]! + row[1]! * center[1]! + row[2]! * center[2]! + row[3]!;
  const extent = Math.max(radius, ...center.map(Math.abs));
  if (own >= 0) onMargin?.(i, relative(extent, FAR));
  // false, too, where a number is none: Math.max passes it on
  const hasBounds = own >= 0 && extent < FAR;
  let [views, size] = [0, 0];
  for (let view = 0; view < Math.min(VIEW_LIMIT, params.get(0, 'viewCount')); view++) {
    if (((among >>> view) & 1) === 0) continue;
    const bit = (1 << view) >>> 0;
    if (!hasBounds) {
      [views, size] = [(views | bit) >>> 0, HUGE];
      continue;
    }
    let margin = Infinity;
    for (let p = 0; p < VIEW_PLANES; p++) {
      const plane = at('planes', view * VIEW_PLANES + p);
      margin = Math.min(margin, (along(plane) + radius) / Math.max(1, extent, Math.abs(plane[3]!)));
    }
    onMargin?.(i, margin);
    if (margin < 0) continue;
    views = (views | bit) >>> 0;
    const [slope, scaled] = at('sizes', view) as unknown as [number, number];
    const depth = along(at('depths', view)) - radius * slope;
    size = Math.max(size, Math.min(2 * radius * scaled, MOST_ACROSS) / Math.max(depth, 1e-6));
  }
  return { views, size: Math.fround(size) };
}

/** v turned by a unit quaternion: v + 2 q × (q × v + w v). */
function rotated(v: readonly number[], q: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const cross = (a: readonly number[]) => [y * a[2]! - z * a[1]!, z * a[0]! - x * a[2]!, x * a[1]! - y * a[0]!];
  const turned = cross(cross(v).map((c, k) => c + w * v[k]!));
  return v.map((c, k) => c + 2 * turned[k]!);
}

function levelFor(
  { kinds }: CullViews,
  i: number,
  type: number,
  size: number,
  held: number,
  onMargin: OnMargin | undefined,
): number {
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
