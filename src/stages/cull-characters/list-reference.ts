import { wordOffsets } from '../../layout/index.ts';
import {
  HELD_CLASS,
  HELD_COPY,
  HELD_COPY_SHIFT,
  HELD_LEVEL,
  HELD_LEVEL_SHIFT,
  HELD_PREVIOUS_SHIFT,
  HELD_WHOLE,
  Resident,
  RESIDENT_CARRIES,
  RESIDENT_NONE,
  ROW_NONE,
  SLOT_PAGE_SHIFT,
  SLOT_UNIT,
  SlotState,
  VISIBLE_NEW,
  VISIBLE_POSED,
  VISIBLE_PAGE_SHIFT,
  VISIBLE_WHOLE,
  VISIBLE_WORDS_SHIFT,
  VisibleCharacter,
} from '../layout.ts';
import {
  BinRecord,
  CullClass,
  CullLevel,
  CullParams,
  CullType,
  DECIDED_EMPTY,
  DECIDED_FILLS,
  DECIDED_POSED,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  DECIDED_UNSERVED,
  Decision,
  SUM_LIMIT,
} from './layout.ts';
import type { CullViews } from './views.ts';

const RESIDENT = /* @__PURE__ */ wordOffsets(Resident);
const DECISION = /* @__PURE__ */ wordOffsets(Decision);
const SLOT = /* @__PURE__ */ wordOffsets(SlotState);
const BIN = /* @__PURE__ */ wordOffsets(BinRecord);
const PARAMS = /* @__PURE__ */ wordOffsets(CullParams);
const TYPE = /* @__PURE__ */ wordOffsets(CullType);
const LEVEL = /* @__PURE__ */ wordOffsets(CullLevel);
const SIZE_CLASS = /* @__PURE__ */ wordOffsets(CullClass);
const VISIBLE = /* @__PURE__ */ wordOffsets(VisibleCharacter);
const BIN_NONE = -1;

/** By character: its bin, and its place in it. They are used again in every frame. */
let binsOf = new Int32Array(0);
let ranks = new Int32Array(0);

/** Lists the characters that are visible or posed for others: run after run, in each in the order of their indices. */
export function listCharacters(views: CullViews): void {
  const { params, bins, residents } = views;
  const count = params.words[PARAMS.characterCount]!;
  const binCount = params.words[PARAMS.binCount]!;
  if (binsOf.length < count) [binsOf, ranks] = [new Int32Array(count), new Int32Array(count)];
  for (let bin = 0; bin <= binCount; bin++) bins.words[BIN.SIZE * bin + BIN.count] = 0;
  for (let i = 0; i < count; i++) {
    const bin = binOf(views, i);
    binsOf[i] = bin;
    if (bin === BIN_NONE) continue;
    const members = BIN.SIZE * bin + BIN.count;
    ranks[i] = bins.words[members]!;
    bins.words[members] = ranks[i]! + 1;
  }
  placeBins(views, binCount);
  for (const followers of [false, true]) {
    for (let i = 0; i < count; i++) {
      const bin = binsOf[i]!;
      if (bin === BIN_NONE || bin === binCount) continue;
      const isFollower = residents.words[RESIDENT.SIZE * i + RESIDENT.leader] !== i;
      if (isFollower === followers) listOne(views, i, bin, ranks[i]!);
    }
  }
}

/** Where each bin begins, in the list and in the memory of poses, and how many of it are posed. */
function placeBins({ params, kinds, bins, classes }: CullViews, binCount: number): void {
  const levelCount = params.words[PARAMS.levelCount]!;
  const [poseCapacity, paletteCapacity] = [params.words[PARAMS.poseCapacity]!, params.words[PARAMS.paletteCapacity]!];
  let [first, firstPosed, firstPaletteRow, servedOfAll] = [0, 0, 0, 0];
  for (let bin = 0; bin < binCount; bin++) {
    const at = BIN.SIZE * bin;
    const members = bins.words[at + BIN.count]!;
    const posed = bin % 2 === 0 ? members : 0;
    const stride = kinds.levels.words[LEVEL.SIZE * ((bin >> 1) % levelCount) + LEVEL.paletteStride]!;
    const room = Math.floor(Math.max(0, paletteCapacity - firstPaletteRow) / stride);
    const served = Math.min(posed, Math.max(0, Math.min(poseCapacity - firstPosed, room)));
    bins.words[at + BIN.first] = first;
    bins.words[at + BIN.served] = served;
    bins.words[at + BIN.firstPosed] = firstPosed;
    bins.words[at + BIN.firstPaletteRow] = firstPaletteRow;
    first += members;
    firstPosed += posed;
    const rows = Math.min(posed, Math.floor(paletteCapacity / stride) + 1) * stride;
    firstPaletteRow = Math.min(SUM_LIMIT, firstPaletteRow + rows);
    servedOfAll += served;
  }
  const all = { count: first, served: first, firstPosed: servedOfAll, firstPaletteRow: firstPosed };
  bins.assign(binCount + 1, { first: 0, ...all });
  classes.set(params.words[PARAMS.classCount]!, 'head', first);
}

/** The run that a character belongs to: for each page and level the posed characters, then the others. */
function binOf({ params, residents, kinds, slots, decisions }: CullViews, i: number): number {
  const type = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex]!;
  if (type === RESIDENT_NONE) return BIN_NONE;
  const leader = residents.words[RESIDENT.SIZE * i + RESIDENT.leader]!;
  const posed = leader === i && (decisions.words[DECISION.SIZE * i + DECISION.word]! & DECIDED_POSED) !== 0;
  if (decisions.words[DECISION.SIZE * i + DECISION.views] === 0 && !posed) return BIN_NONE;
  const slot = slots.words[SLOT.SIZE * leader + SLOT.slot]!;
  if (slot === 0) return params.words[PARAMS.binCount]!;
  const held = slots.words[SLOT.SIZE * leader + SLOT.held]!;
  const level = kinds.types.words[TYPE.SIZE * type + TYPE.firstLevel]! + ((held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL);
  const page = (slot - 1) >>> SLOT_PAGE_SHIFT;
  return 2 * (page * params.words[PARAMS.levelCount]! + level) + (posed ? 0 : 1);
}

function listOne(views: CullViews, i: number, bin: number, rank: number): void {
  const { params, residents, kinds, slots, decisions, bins, visible } = views;
  const resident = RESIDENT.SIZE * i;
  const leader = residents.words[resident + RESIDENT.leader]!;
  const isFollower = leader !== i;
  const held = slots.words[SLOT.SIZE * leader + SLOT.held]!;
  const levelIndex = (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL;
  const type = TYPE.SIZE * residents.words[resident + RESIDENT.typeIndex]!;
  const level = LEVEL.SIZE * (kinds.types.words[type + TYPE.firstLevel]! + levelIndex);
  const slot = slots.words[SLOT.SIZE * leader + SLOT.slot]! - 1;
  const firstRow = (slot & ((1 << SLOT_PAGE_SHIFT) - 1)) * SLOT_UNIT;
  const capacity = kinds.classes.words[SIZE_CLASS.SIZE * (held & HELD_CLASS) + SIZE_CLASS.vertexCapacity]!;
  const word = decisions.words[DECISION.SIZE * leader + DECISION.word]!;
  const isServed = bin % 2 === 0 && rank < bins.words[BIN.SIZE * bin + BIN.served]!;
  const isUnserved = isFollower ? (word & DECIDED_UNSERVED) !== 0 : bin % 2 === 0 && !isServed;
  const lastCopy = (held >>> HELD_PREVIOUS_SHIFT) & HELD_COPY;
  // a character that could not be posed keeps its vertices; without vertices it is not drawn
  const copy = isUnserved ? lastCopy : (held >>> HELD_COPY_SHIFT) & HELD_COPY;
  const current = firstRow + copy * capacity;
  // with two copies no other frame reads attributes, and one copy of them is enough
  const [copyCount, attributes] = [params.words[PARAMS.copyCount]!, params.words[PARAMS.attributeWords]!];
  const attributeCopy = copyCount === 2 ? 0 : copy;
  const born = (residents.words[resident + RESIDENT.bornFrame]! & ~RESIDENT_CARRIES) >>> 0;
  const isNew = born > params.words[PARAMS.lastFrame]!;
  const goesOn = !isFollower || followsOn(views, i, leader);
  const isWhole = (held & HELD_WHOLE) !== 0;
  const flags = (isServed ? VISIBLE_POSED : 0) | (isNew ? VISIBLE_NEW : 0) | (isWhole ? VISIBLE_WHOLE : 0);
  const row = bins.words[BIN.SIZE * bin + BIN.first]! + rank;
  const posedPlace = bins.words[BIN.SIZE * bin + BIN.firstPosed]! + rank;
  const stride = kinds.levels.words[level + LEVEL.paletteStride]!;
  const paletteRow = bins.words[BIN.SIZE * bin + BIN.firstPaletteRow]! + rank * stride;
  // parts that a pose source has only begun to skin for others are missing, too
  const lost = DECIDED_EMPTY | (isFollower ? DECIDED_FILLS : 0);
  const isLost = isUnserved && (word & lost) !== 0;
  const rate = (word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE;
  const { words } = visible;
  const at = VISIBLE.SIZE * row;
  words[at + VISIBLE.character] = i;
  words[at + VISIBLE.typeRow] = kinds.levels.words[level + LEVEL.typeRow]!;
  words[at + VISIBLE.geometryRow] = kinds.levels.words[level + LEVEL.geometryRow]!;
  words[at + VISIBLE.paletteRow] = isServed ? paletteRow : ROW_NONE;
  words[at + VISIBLE.motionRow] = isServed ? posedPlace * params.words[PARAMS.motionRows]! : ROW_NONE;
  words[at + VISIBLE.views] = isLost ? 0 : decisions.words[DECISION.SIZE * i + DECISION.views]!;
  words[at + VISIBLE.currentVertexOffset] = current;
  words[at + VISIBLE.previousVertexOffset] = goesOn && !isNew ? firstRow + lastCopy * capacity : current;
  words[at + VISIBLE.parts] = residents.words[resident + RESIDENT.parts]!;
  words[at + VISIBLE.parts + 1] = residents.words[resident + RESIDENT.parts + 1]!;
  words[at + VISIBLE.attributeWord] = 2 * (firstRow + copyCount * capacity) + attributeCopy * attributes * capacity;
  const page = (slot >>> SLOT_PAGE_SHIFT) << VISIBLE_PAGE_SHIFT;
  words[at + VISIBLE.detail] = levelIndex | (rate << 8) | flags | (attributes << VISIBLE_WORDS_SHIFT) | page;
  keepState(views, i, row, isUnserved);
}

/** Returns true if a follower showed this pose source in the last frame, too. */
function followsOn({ params, residents, slots }: CullViews, i: number, leader: number): boolean {
  const at = SLOT.SIZE * i;
  const lastFrame = slots.words[at + SLOT.frame]!;
  const isRecent = lastFrame + 1 === params.words[PARAMS.frame];
  const isFresh = lastFrame < residents.words[RESIDENT.SIZE * i + RESIDENT.freshFrame]!;
  return isRecent && !isFresh && slots.words[at + SLOT.held] === leader + 1;
}

/** Keeps the state of a listed character for the next frame. */
function keepState(
  { params, residents, slots, decisions }: CullViews,
  i: number,
  row: number,
  isUnserved: boolean,
): void {
  const at = SLOT.SIZE * i;
  slots.words[at + SLOT.visibleRow] = row;
  const leader = residents.words[RESIDENT.SIZE * i + RESIDENT.leader]!;
  if (leader !== i) {
    slots.words[at + SLOT.held] = leader + 1;
    slots.words[at + SLOT.frame] = params.words[PARAMS.frame]!;
  } else if (isUnserved) {
    const decided = DECISION.SIZE * i + DECISION.word;
    const word = decisions.words[decided]!;
    const held = slots.words[at + SLOT.held]!;
    decisions.words[decided] = word | DECIDED_UNSERVED;
    const previous = (held >>> HELD_PREVIOUS_SHIFT) & HELD_COPY;
    const lost = (HELD_COPY << HELD_COPY_SHIFT) | (word & DECIDED_FILLS ? HELD_WHOLE : 0);
    slots.words[at + SLOT.held] = (held & ~lost) | (previous << HELD_COPY_SHIFT);
    // a character that is not drawn has no history in the next frame
    if (word & DECIDED_EMPTY) slots.words[at + SLOT.frame] = 0;
  }
}
