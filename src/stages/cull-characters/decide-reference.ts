import { wordOffsets } from '../../layout/index.ts';
import { HELD_LEVEL, HELD_LEVEL_SHIFT, HELD_TYPE_SHIFT, Resident, RESIDENT_NONE, SlotState } from '../layout.ts';
import {
  ASKED_RATE_SHIFT,
  CullLevel,
  CullParams,
  CullType,
  DECIDED_LEVEL,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  Decision,
  VIEW_LIMIT,
  VIEW_PLANES,
} from './layout.ts';
import { along, FAR, PlacedSphere, viewRow } from './world-sphere.ts';
import { shareCharacters } from './share-reference.ts';
import { tightenCharacters } from './tighten-reference.ts';
import type { CullViews, OnMargin, PlayedViews } from './views.ts';

/** Hysteresis: a character changes to a coarser level only below this share of that level's `size`. */
const HYSTERESIS = 0.85;
/** Pixels across of what has no bounds. */
const HUGE = Math.fround(3e38);
/** Limit of diameter × pixels per metre. Larger values count as this one. */
const MOST_ACROSS = 2 ** 100;

const RESIDENT = /* @__PURE__ */ wordOffsets(Resident);
const DECISION = /* @__PURE__ */ wordOffsets(Decision);
const SLOT = /* @__PURE__ */ wordOffsets(SlotState);
const PARAMS = /* @__PURE__ */ wordOffsets(CullParams);
const TYPE = /* @__PURE__ */ wordOffsets(CullType);
const LEVEL = /* @__PURE__ */ wordOffsets(CullLevel);

/**
 * Finds which views see a character, its level of detail and its update rate; then collects the needs of followers.
 * @param played Players and controllers; without them every character uses its sphere.
 */
export function decideCharacters(views: CullViews, onMargin?: OnMargin, played?: PlayedViews): void {
  const count = views.params.get(0, 'characterCount');
  for (let i = 0; i < count; i++) decide(views, i, onMargin);
  if (played) tightenCharacters(views, played, onMargin);
  if (views.share) shareCharacters(views, views.share, onMargin);
  for (let i = 0; i < count; i++) askLeader(views, i);
}

function decide(views: CullViews, i: number, onMargin: OnMargin | undefined): void {
  const { params, residents, decisions } = views;
  const { words, floats } = decisions;
  const at = DECISION.SIZE * i;
  const type = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex]!;
  if (type === RESIDENT_NONE) {
    words.fill(0, at, at + DECISION.SIZE);
    return;
  }
  const among = residents.words[RESIDENT.SIZE * i + RESIDENT.views]!;
  if (params.words[PARAMS.seesAll]) {
    seen.views = among;
    seen.size = HUGE;
  } else findViews(views, i, among, onMargin);
  const { size } = seen;
  let rate = 0;
  for (let r = 0; r < 3; r++) {
    const limit = params.floats[PARAMS.rateSizes + r]!;
    if (size < limit) rate++;
    if (seen.views !== 0) onMargin?.(i, relative(size, limit));
  }
  words[at + DECISION.views] = seen.views;
  words[at + DECISION.word] = levelFor(views, i, type, size, onMargin) | (rate << DECIDED_RATE_SHIFT);
  words[at + DECISION.asked] = 0;
  floats[at + DECISION.size] = size;
}

/** The views that see a character, and its size in pixels: of the last one. */
const seen = { views: 0, size: 0.5 };
const sphere = new PlacedSphere();

/**
 * A sphere is visible unless it lies outside one plane. At corners that is more than there is. Without bounds, or with
 * bounds that cannot be computed with, it is visible in all views, at the largest size.
 */
function findViews(views: CullViews, i: number, among: number, onMargin: OnMargin | undefined): void {
  sphere.read(views, i);
  if (sphere.radius >= 0) onMargin?.(i, relative(sphere.extent, FAR));
  const count = Math.min(VIEW_LIMIT, views.params.words[PARAMS.viewCount]!);
  seen.views = seen.size = 0;
  for (let view = 0; view < count; view++) {
    if (((among >>> view) & 1) === 0) continue;
    if (sphere.isKnown) {
      const margin = planeMargin(views, view);
      onMargin?.(i, margin);
      if (margin < 0) continue;
      seen.size = Math.max(seen.size, sizeIn(views, view));
    } else seen.size = HUGE;
    seen.views = (seen.views | (1 << view)) >>> 0;
  }
  seen.size = Math.fround(seen.size);
}

/** How far the sphere reaches into a view: below 0, it is outside. */
function planeMargin(views: CullViews, view: number): number {
  const { floats } = views.params;
  let margin = Infinity;
  for (let p = 0; p < VIEW_PLANES; p++) {
    const row = viewRow('planes', view * VIEW_PLANES + p);
    const largest = Math.max(1, sphere.extent, Math.abs(floats[row + 3]!));
    margin = Math.min(margin, (along(views, row, sphere.center) + sphere.radius) / largest);
  }
  return margin;
}

/** Pixels across in a view. */
function sizeIn(views: CullViews, view: number): number {
  const { floats } = views.params;
  const row = viewRow('sizes', view);
  const depth = along(views, viewRow('depths', view), sphere.center) - sphere.radius * floats[row]!;
  return Math.min(2 * sphere.radius * floats[row + 1]!, MOST_ACROSS) / Math.max(depth, 1e-6);
}

/** The level that a size needs. */
function levelFor(views: CullViews, i: number, type: number, size: number, onMargin: OnMargin | undefined): number {
  const { kinds, slots, params } = views;
  const at = SLOT.SIZE * i;
  const held = slots.words[at + SLOT.held]!;
  const isHeld =
    slots.words[at + SLOT.slot] !== 0 &&
    slots.words[at + SLOT.frame]! + 1 === params.words[PARAMS.frame] &&
    held >>> HELD_TYPE_SHIFT === type;
  const heldLevel = isHeld ? (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL : -1;
  const first = kinds.types.words[TYPE.SIZE * type + TYPE.firstLevel]!;
  const count = kinds.types.words[TYPE.SIZE * type + TYPE.levelCount]!;
  let level = 0;
  for (let l = 1; l < count; l++) {
    const own = kinds.levels.floats[LEVEL.SIZE * (first + l) + LEVEL.size]!;
    const enough = own * (heldLevel >= 0 && l > heldLevel ? HYSTERESIS : 1);
    onMargin?.(i, relative(size, enough));
    if (size <= enough) level = l;
  }
  return level;
}

function relative(a: number, b: number): number {
  return a === 0 || b === 0 ? Infinity : Math.abs(a - b) / Math.max(1, Math.min(a, b));
}

function askLeader({ residents, decisions }: CullViews, i: number): void {
  const { words } = decisions;
  const leader = residents.words[RESIDENT.SIZE * i + RESIDENT.leader]!;
  const isNone = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex] === RESIDENT_NONE;
  if (isNone || leader === i || words[DECISION.SIZE * i + DECISION.views] === 0) return;
  const word = words[DECISION.SIZE * i + DECISION.word]!;
  const rate = (word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE;
  const asked = DECISION.SIZE * leader + DECISION.asked;
  words[asked] = words[asked]! | (1 << (word & DECIDED_LEVEL)) | (1 << (ASKED_RATE_SHIFT + rate));
}
