import { wordOffsets } from '../../layout/index.ts';
import {
  HELD_CLASS,
  HELD_COPY,
  HELD_COPY_SHIFT,
  HELD_LEVEL,
  HELD_LEVEL_SHIFT,
  HELD_PREVIOUS_SHIFT,
  HELD_TYPE_SHIFT,
  HELD_WHOLE,
  Resident,
  RESIDENT_NONE,
  ROW_NONE,
  SlotState,
} from '../layout.ts';
import {
  ASKED_RATE_SHIFT,
  CullClass,
  CullLevel,
  CullParams,
  CullType,
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
  Decision,
  LEVEL_LIMIT,
  SIZE_BUCKETS,
  SlotClass,
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
  const { params, classes, decisions } = views;
  const count = params.get(0, 'characterCount');
  const classCount = params.get(0, 'classCount');
  let isAsked = false;
  for (let i = 0; i < count; i++) {
    const need = needOf(views, i);
    isAsked ||= (need & DECIDED_ASKS) !== 0;
    decisions.words[DECISION.SIZE * i + DECISION.word] = need;
    decisions.words[DECISION.SIZE * i + DECISION.asked] = 0;
  }
  for (let c = 0; c < classCount; c++) classes.assign(c, NO_REQUESTS);
  if (isAsked) {
    const everyone = Array.from({ length: count }, (_, i) => i);
    for (let round = 0; round < LEVEL_LIMIT; round++) serveRound(views, everyone, round);
  }
  for (let c = 0; c < classCount; c++) classes.set(c, 'served', 0);
  for (let i = 0; i < count; i++) settle(views, i);
  for (let i = 0; i < count; i++) {
    const slot = decisions.words[DECISION.SIZE * i + DECISION.asked]!;
    if (slot === 0) continue;
    new Ring(views, decisions.words[DECISION.SIZE * i + DECISION.word]! >>> DECIDED_CLASS_SHIFT).push(slot);
  }
}

const NO_REQUESTS = { wanted: 0, unmet: 0, lacking: 0, evictBucket: SIZE_BUCKETS, evictCount: 0 };

const RESIDENT = /* @__PURE__ */ wordOffsets(Resident);
const DECISION = /* @__PURE__ */ wordOffsets(Decision);
const SLOT = /* @__PURE__ */ wordOffsets(SlotState);
const CLASS = /* @__PURE__ */ wordOffsets(SlotClass);
const PARAMS = /* @__PURE__ */ wordOffsets(CullParams);
const TYPE = /* @__PURE__ */ wordOffsets(CullType);
const LEVEL = /* @__PURE__ */ wordOffsets(CullLevel);
const SIZE_CLASS = /* @__PURE__ */ wordOffsets(CullClass);

/** All that a character needs: for itself, and for its followers. */
function needOf(views: CullViews, i: number): number {
  const { residents, decisions, slots } = views;
  const at = DECISION.SIZE * i;
  const seen = decisions.words[at + DECISION.views] !== 0;
  const asked = decisions.words[at + DECISION.asked]!;
  const isNone = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex] === RESIDENT_NONE;
  const leader = residents.words[RESIDENT.SIZE * i + RESIDENT.leader];
  if (isNone || leader !== i || (!seen && asked === 0)) return 0;
  const word = decisions.words[at + DECISION.word]!;
  const levels = (asked & 0xff) | (seen ? 1 << (word & DECIDED_LEVEL) : 0);
  const rates = (asked >>> ASKED_RATE_SHIFT) | (seen ? 1 << ((word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE) : 0);
  const level = lowestBit(levels);
  const asks = slots.words[SLOT.SIZE * i + SLOT.slot] === 0 || fitOf(views, i, level) !== 'good';
  const flags = DECIDED_SEEN | (asked !== 0 ? DECIDED_LEADS : 0) | (asks ? DECIDED_ASKS : 0);
  return level | (lowestBit(rates) << DECIDED_RATE_SHIFT) | flags;
}

/** The place of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function classOf({ residents, kinds }: CullViews, i: number, level: number): number {
  const type = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex]!;
  const first = kinds.types.words[TYPE.SIZE * type + TYPE.firstLevel]!;
  return kinds.levels.words[LEVEL.SIZE * (first + level) + LEVEL.slotClass]!;
}

/**
 * How a character's slot suits a level. A slot that is too large, or about to leave its class, matters only if another
 * one is free.
 */
function fitOf(views: CullViews, i: number, level: number): 'small' | 'good' | 'large' | 'moving' {
  const wanted = classOf(views, i, level);
  const { kinds, slots, classes } = views;
  const has = capacityOf(kinds, slots.words[SLOT.SIZE * i + SLOT.held]! & HELD_CLASS);
  const needs = capacityOf(kinds, wanted);
  if (has < needs) return 'small';
  if (classes.words[CLASS.SIZE * wanted + CLASS.count] === 0) return 'good';
  if (has > needs) return 'large';
  return isMoving(views, slots.words[SLOT.SIZE * i + SLOT.slot]!) ? 'moving' : 'good';
}

function capacityOf({ classes }: CullViews['kinds'], slotClass: number): number {
  return classes.words[SIZE_CLASS.SIZE * slotClass + SIZE_CLASS.vertexCapacity]!;
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
  const { residents, slots, decisions, classes, kinds } = views;
  const word = decisions.words[DECISION.SIZE * i + DECISION.word]!;
  const slot = slots.words[SLOT.SIZE * i + SLOT.slot]!;
  const type = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex]!;
  if ((word & DECIDED_SEEN) === 0) {
    // a follower keeps the row of its pose source
    const isLed = type !== RESIDENT_NONE && residents.words[RESIDENT.SIZE * i + RESIDENT.leader] !== i;
    if (slot !== 0 || !isLed) forget(views, i);
    return;
  }
  if (slot === 0) {
    const levels = kinds.types.words[TYPE.SIZE * type + TYPE.levelCount]!;
    const lacking = CLASS.SIZE * classOf(views, i, levels - 1) + CLASS.lacking;
    classes.words[lacking] = classes.words[lacking]! + 1;
    return;
  }
  const held = slots.words[SLOT.SIZE * i + SLOT.held]!;
  const isOwn = held >>> HELD_TYPE_SHIFT === type;
  const fits = fitOf(views, i, word & DECIDED_LEVEL) !== 'small';
  if (word & DECIDED_EVICTED || (!fits && !isOwn)) forget(views, i);
  else hold(views, i, fits ? word & DECIDED_LEVEL : (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL);
}

/** Draws a character from its slot, at a level. */
function hold(views: CullViews, i: number, level: number): void {
  const { params, residents, slots, decisions, classes } = views;
  const word = decisions.words[DECISION.SIZE * i + DECISION.word]!;
  const held = slots.words[SLOT.SIZE * i + SLOT.held]!;
  const resident = RESIDENT.SIZE * i;
  const type = residents.words[resident + RESIDENT.typeIndex]!;
  const frame = params.words[PARAMS.frame]!;
  const last = slots.words[SLOT.SIZE * i + SLOT.frame]!;
  const isOwn = held >>> HELD_TYPE_SHIFT === type && ((held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL) === level;
  const goesOn = isOwn && last + 1 === frame && last >= residents.words[resident + RESIDENT.freshFrame]!;
  // if not all characters can be posed at once, they take turns
  const listed = classes.words[CLASS.SIZE * params.words[PARAMS.classCount]! + CLASS.head]!;
  const turns = Math.ceil(listed / Math.max(1, params.words[PARAMS.poseCapacity]!));
  const period = Math.max(turns, 1 << ((word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE));
  const wasWhole = goesOn && (held & HELD_WHOLE) !== 0;
  const parts = resident + RESIDENT.parts;
  const hasAll = residents.words[parts] === 0xffffffff && residents.words[parts + 1] === 0xffffffff;
  const isWhole = (word & DECIDED_LEADS) !== 0 || hasAll;
  const fills = isWhole && !wasWhole;
  // a shared pose does not move: once posed it stays
  const isStill = i >= params.words[PARAMS.characterCount]! - params.words[PARAMS.sharedCount]!;
  const posed = !goesOn || (!isStill && ((frame + i) >>> 0) % period === 0) || fills;
  const lastCopy = (held >>> HELD_COPY_SHIFT) & HELD_COPY;
  const copy = posed ? (lastCopy + 1) % params.words[PARAMS.copyCount]! : lastCopy;
  const copies = (copy << HELD_COPY_SHIFT) | ((goesOn ? lastCopy : copy) << HELD_PREVIOUS_SHIFT);
  const whole = isWhole || (wasWhole && !posed) ? HELD_WHOLE : 0;
  const at = SLOT.SIZE * i;
  slots.words[at + SLOT.held] = (held & HELD_CLASS) | (level << HELD_LEVEL_SHIFT) | whole | copies | (type << HELD_TYPE_SHIFT); // prettier-ignore
  slots.words[at + SLOT.frame] = frame;
  slots.words[at + SLOT.visibleRow] = ROW_NONE;
  const flags = (posed ? DECIDED_POSED : 0) | (goesOn ? 0 : DECIDED_EMPTY) | (fills ? DECIDED_FILLS : 0);
  decisions.words[DECISION.SIZE * i + DECISION.word] = (word & ~(DECIDED_LEVEL | DECIDED_ASKS)) | level | flags;
}

function forget({ slots, decisions }: CullViews, i: number): void {
  const [slot, decision] = [SLOT.SIZE * i, DECISION.SIZE * i];
  const heldClass = slots.words[slot + SLOT.held]! & HELD_CLASS;
  decisions.words[decision + DECISION.asked] = slots.words[slot + SLOT.slot]!;
  const word = decisions.words[decision + DECISION.word]!;
  decisions.words[decision + DECISION.word] = (word & 0xffff) | (heldClass << DECIDED_CLASS_SHIFT);
  slots.words[slot + SLOT.slot] = 0;
  slots.words[slot + SLOT.held] = 0;
}
