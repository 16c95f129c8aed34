import {
  HELD_CLASS,
  HELD_COPY,
  HELD_COPY_SHIFT,
  HELD_LEVEL,
  HELD_LEVEL_SHIFT,
  HELD_PREVIOUS_SHIFT,
  HELD_TYPE_SHIFT,
  HELD_WHOLE,
  RESIDENT_NONE,
  ROW_NONE,
} from '../layout.ts';
import {
  ASKED_RATE_SHIFT,
  DECIDED_ASKS,
  DECIDED_CLASS_SHIFT,
  DECIDED_EMPTY,
  DECIDED_EVICTED,
  DECIDED_FILLS,
  DECIDED_LEADS,
  DECIDED_LEVEL,
  DECIDED_POSED,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  DECIDED_SEEN,
  LEVEL_LIMIT,
  SIZE_BUCKETS,
} from './layout.ts';
import { isMoving, Ring } from './rebalance-reference.ts';
import type { CullViews } from './views.ts';

/** Appends slots that the CPU hands out to the free ones. */
export function grantSlots(views: CullViews): void {
  const { params, grants } = views;
  for (let g = 0; g < params.get(0, 'grantCount'); g++) new Ring(views, grants[2 * g]! & 0xff).push(grants[2 * g + 1]!);
}

/**
 * Assigns slots to the characters that need one, the largest first, and takes back those that are no longer needed.
 * Returned slots are free from the next frame on. A character that gets none asks for slots of finer levels, which are
 * larger, then of coarser ones. The smallest holders of its class make room for it.
 */
export function takeSlots(views: CullViews): void {
  const count = views.params.get(0, 'characterCount');
  const everyone = Array.from({ length: count }, (_, i) => i);
  for (const i of everyone) views.decisions.assign(i, { word: needOf(views, i), asked: 0 });
  for (let c = 0; c < views.params.get(0, 'classCount'); c++)
    views.classes.assign(c, { wanted: 0, unmet: 0, lacking: 0 });
  for (let round = 0; round < LEVEL_LIMIT; round++) serveRound(views, everyone, round);
  for (let c = 0; c < views.params.get(0, 'classCount'); c++) views.classes.set(c, 'served', 0);
  for (const i of everyone) settle(views, i);
  for (const i of everyone) {
    const slot = views.decisions.get(i, 'asked');
    if (slot !== 0) new Ring(views, views.decisions.get(i, 'word') >>> DECIDED_CLASS_SHIFT).push(slot);
  }
}

/** All that a character needs: for itself, and for its followers. */
function needOf(views: CullViews, i: number): number {
  const { residents, decisions, slots } = views;
  const type = residents.get(i, 'typeIndex');
  const [seen, asked] = [decisions.get(i, 'views') !== 0, decisions.get(i, 'asked')];
  if (type === RESIDENT_NONE || residents.get(i, 'leader') !== i || (!seen && asked === 0)) return 0;
  const word = decisions.get(i, 'word');
  const levels = lowBits(asked & 0xff);
  const rates = lowBits(asked >>> ASKED_RATE_SHIFT);
  if (seen) {
    levels.push(word & DECIDED_LEVEL);
    rates.push((word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE);
  }
  const level = Math.min(...levels);
  const asks = slots.get(i, 'slot') === 0 || fitOf(views, i, level) !== 'good';
  const flags = DECIDED_SEEN | (asked !== 0 ? DECIDED_LEADS : 0) | (asks ? DECIDED_ASKS : 0);
  return level | (Math.min(...rates) << DECIDED_RATE_SHIFT) | flags;
}

function lowBits(bits: number): number[] {
  return Array.from({ length: 32 }, (_, b) => b).filter((b) => (bits >>> b) & 1);
}

function classOf({ residents, kinds }: CullViews, i: number, level: number): number {
  return kinds.levels.get(kinds.types.get(residents.get(i, 'typeIndex'), 'firstLevel') + level, 'slotClass');
}

/**
 * How a character's slot suits a level. A slot that is too large, or about to leave its class, matters only if another
 * one is free.
 */
function fitOf(views: CullViews, i: number, level: number): 'small' | 'good' | 'large' | 'moving' {
  const wanted = classOf(views, i, level);
  const capacity = (slotClass: number) => views.kinds.classes.get(slotClass, 'vertexCapacity');
  const has = capacity(views.slots.get(i, 'held') & HELD_CLASS);
  if (has < capacity(wanted)) return 'small';
  if (views.classes.get(wanted, 'count') === 0) return 'good';
  if (has > capacity(wanted)) return 'large';
  return isMoving(views, views.slots.get(i, 'slot')) ? 'moving' : 'good';
}

interface Request {
  readonly i: number;
  readonly attempt: number;
  readonly slotClass: number;
  readonly bucket: number;
}

function serveRound(views: CullViews, everyone: readonly number[], round: number): void {
  const { decisions, slots, classes, params, residents } = views;
  const requests = everyone.flatMap((i): Request[] => {
    const attempt = attemptOf(views, i, round);
    if (attempt === undefined) return [];
    const slotClass = classOf(views, i, attempt);
    // a request for its own class is served last, and no character makes room for it
    const isSwap = slots.get(i, 'slot') !== 0 && slotClass === (slots.get(i, 'held') & HELD_CLASS);
    return [{ i, attempt, slotClass, bucket: isSwap ? SIZE_BUCKETS - 1 : bucketOf(decisions.get(i, 'size')) }];
  });
  // a stable sort: equal ones stay in the order of their indices
  requests.sort((a, b) => a.bucket - b.bucket);
  for (let c = 0; c < params.get(0, 'classCount'); c++) {
    const ofClass = requests.filter(({ slotClass }) => slotClass === c);
    const ring = new Ring(views, c);
    const { count } = ring;
    if (round === 0) {
      classes.assign(c, { wanted: ofClass.length, unmet: Math.max(0, ofClass.length - count) });
      evictSmaller(views, everyone, c, ofClass.slice(count));
    }
    for (const { i, attempt } of ofClass.slice(0, count)) {
      const word = decisions.get(i, 'word');
      const level = Math.max(word & DECIDED_LEVEL, attempt);
      const heldClass = slots.get(i, 'held') & HELD_CLASS;
      const kept = word & ~(DECIDED_LEVEL | DECIDED_ASKS);
      const leaving = (kept | level | (heldClass << DECIDED_CLASS_SHIFT)) >>> 0;
      decisions.assign(i, { asked: slots.get(i, 'slot'), word: leaving });
      const held = c | (level << HELD_LEVEL_SHIFT) | (residents.get(i, 'typeIndex') << HELD_TYPE_SHIFT);
      slots.assign(i, { slot: ring.shift(), held: held >>> 0, frame: 0 });
    }
  }
}

/** Pairs the largest requests that were not served with the smallest holders of that class, while those are smaller. */
function evictSmaller(
  views: CullViews,
  everyone: readonly number[],
  slotClass: number,
  unmet: readonly Request[],
): void {
  const { decisions, slots, classes } = views;
  const holders = everyone
    .filter((i) => (decisions.get(i, 'word') & (DECIDED_SEEN | DECIDED_ASKS)) === DECIDED_SEEN)
    .filter((i) => (slots.get(i, 'held') & HELD_CLASS) === slotClass)
    .map((i) => ({ i, bucket: bucketOf(decisions.get(i, 'size')) }))
    .sort((a, b) => b.bucket - a.bucket);
  const evicted = holders.filter(({ bucket }, k) => k < unmet.length && unmet[k]!.bucket < bucket);
  for (const { i } of evicted) decisions.set(i, 'word', (decisions.get(i, 'word') | DECIDED_EVICTED) >>> 0);
  const last = evicted.at(-1)?.bucket ?? SIZE_BUCKETS;
  classes.assign(slotClass, { evictBucket: last, evictCount: evicted.filter(({ bucket }) => bucket === last).length });
}

/** The level that a character asks for in a round. */
function attemptOf(views: CullViews, i: number, round: number): number | undefined {
  const { decisions, slots, residents, kinds } = views;
  const word = decisions.get(i, 'word');
  if ((word & DECIDED_ASKS) === 0) return undefined;
  const type = residents.get(i, 'typeIndex');
  const level = word & DECIDED_LEVEL;
  const attempt = round <= level ? level - round : round;
  if (attempt >= kinds.types.get(type, 'levelCount')) return undefined;
  if (slots.get(i, 'slot') === 0) return attempt;
  const held = slots.get(i, 'held');
  if (round > 0 && fitOf(views, i, level) !== 'small') return undefined;
  const isOwn = held >>> HELD_TYPE_SHIFT === type;
  const heldLevel = (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL;
  const isBetter = attempt <= level || attempt < heldLevel;
  const isSwap = attempt === heldLevel && isMoving(views, slots.get(i, 'slot'));
  return isOwn && !isBetter && !isSwap ? undefined : attempt;
}

/** 0 for 1,024 pixels and more, 1 for 512 … 1,023, … 6 for 16 … 31, 7 for less. */
function bucketOf(size: number): number {
  const pixels = Math.min(1024, Math.max(8, size));
  return SIZE_BUCKETS - 1 - Math.min(SIZE_BUCKETS - 1, Math.floor(Math.log2(pixels / 8)));
}

/** Decides about a character when all requests are served: if it is drawn, its level, and the copy that is written. */
function settle(views: CullViews, i: number): void {
  const { params, residents, slots, decisions, classes } = views;
  const word = decisions.get(i, 'word');
  const slot = slots.get(i, 'slot');
  const type = residents.get(i, 'typeIndex');
  if ((word & DECIDED_SEEN) === 0) {
    // a follower keeps the row of its pose source
    if (slot !== 0 || type === RESIDENT_NONE || residents.get(i, 'leader') === i) forget(views, i);
    return;
  }
  if (slot === 0) {
    const coarsest = classOf(views, i, views.kinds.types.get(type, 'levelCount') - 1);
    classes.set(coarsest, 'lacking', classes.get(coarsest, 'lacking') + 1);
    return;
  }
  if (word & DECIDED_EVICTED) {
    forget(views, i);
    return;
  }
  const held = slots.get(i, 'held');
  const isOwn = held >>> HELD_TYPE_SHIFT === type;
  const heldLevel = (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL;
  const fits = fitOf(views, i, word & DECIDED_LEVEL) !== 'small';
  if (!fits && !isOwn) {
    forget(views, i);
    return;
  }
  const level = fits ? word & DECIDED_LEVEL : heldLevel;
  const frame = params.get(0, 'frame');
  const last = slots.get(i, 'frame');
  const goesOn = isOwn && last + 1 === frame && last >= residents.get(i, 'freshFrame') && heldLevel === level;
  // if not all characters can be posed at once, they take turns
  const turns = Math.ceil(
    classes.get(params.get(0, 'classCount'), 'head') / Math.max(1, params.get(0, 'poseCapacity')),
  );
  const period = Math.max(turns, 1 << ((word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE));
  const wasWhole = goesOn && (held & HELD_WHOLE) !== 0;
  const isWhole = (word & DECIDED_LEADS) !== 0 || residents.get(i, 'parts').every((parts) => parts === 0xffffffff);
  const fills = isWhole && !wasWhole;
  // a shared pose does not move: once posed it stays
  const isStill = i >= params.get(0, 'characterCount') - params.get(0, 'sharedCount');
  const posed = !goesOn || (!isStill && ((frame + i) >>> 0) % period === 0) || fills;
  const lastCopy = (held >>> HELD_COPY_SHIFT) & HELD_COPY;
  const copy = posed ? (lastCopy + 1) % params.get(0, 'copyCount') : lastCopy;
  const copies = (copy << HELD_COPY_SHIFT) | ((goesOn ? lastCopy : copy) << HELD_PREVIOUS_SHIFT);
  const whole = isWhole || (wasWhole && !posed) ? HELD_WHOLE : 0;
  const now = (held & HELD_CLASS) | (level << HELD_LEVEL_SHIFT) | whole | copies | (type << HELD_TYPE_SHIFT);
  slots.assign(i, { held: now >>> 0, frame, visibleRow: ROW_NONE });
  const flags = (posed ? DECIDED_POSED : 0) | (goesOn ? 0 : DECIDED_EMPTY) | (fills ? DECIDED_FILLS : 0);
  decisions.set(i, 'word', ((word & ~(DECIDED_LEVEL | DECIDED_ASKS)) | level | flags) >>> 0);
}

function forget({ slots, decisions }: CullViews, i: number): void {
  const heldClass = slots.get(i, 'held') & HELD_CLASS;
  const word = (decisions.get(i, 'word') & 0xffff) | (heldClass << DECIDED_CLASS_SHIFT);
  decisions.assign(i, { asked: slots.get(i, 'slot'), word: word >>> 0 });
  slots.assign(i, { slot: 0, held: 0 });
}
