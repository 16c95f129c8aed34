import {
  HELD_CLASS,
  HELD_COPY,
  HELD_COPY_SHIFT,
  HELD_LEVEL,
  HELD_LEVEL_SHIFT,
  HELD_PREVIOUS_SHIFT,
  HELD_WHOLE,
  RESIDENT_CARRIES,
  RESIDENT_NONE,
  ROW_NONE,
  SLOT_PAGE_SHIFT,
  SLOT_UNIT,
  VISIBLE_NEW,
  VISIBLE_POSED,
  VISIBLE_PAGE_SHIFT,
  VISIBLE_WHOLE,
  VISIBLE_WORDS_SHIFT,
} from '../layout.ts';
import {
  DECIDED_EMPTY,
  DECIDED_FILLS,
  DECIDED_POSED,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  DECIDED_UNSERVED,
  SUM_LIMIT,
} from './layout.ts';
import type { CullViews } from './views.ts';

/** Lists the characters that are visible or posed for others: run after run, in each in the order of their indices. */
export function listCharacters(views: CullViews): void {
  const { params, kinds, bins, residents } = views;
  const [binCount, levelCount] = [params.get(0, 'binCount'), params.get(0, 'levelCount')];
  const [poseCapacity, paletteCapacity] = [params.get(0, 'poseCapacity'), params.get(0, 'paletteCapacity')];
  const members = Array.from({ length: binCount + 1 }, (): number[] => []);
  for (let i = 0; i < params.get(0, 'characterCount'); i++) {
    const bin = binOf(views, i);
    if (bin !== undefined) members[bin]!.push(i);
  }
  let [first, firstPosed, firstPaletteRow, servedOfAll] = [0, 0, 0, 0];
  const lists = members.slice(0, binCount);
  lists.forEach((list, bin) => {
    const posed = bin % 2 === 0 ? list.length : 0;
    const stride = kinds.levels.get((bin >> 1) % levelCount, 'paletteStride');
    const room = Math.floor(Math.max(0, paletteCapacity - firstPaletteRow) / stride);
    const served = Math.min(posed, Math.max(0, Math.min(poseCapacity - firstPosed, room)));
    bins.assign(bin, { first, count: list.length, served, firstPosed, firstPaletteRow });
    first += list.length;
    firstPosed += posed;
    const rows = Math.min(posed, Math.floor(paletteCapacity / stride) + 1) * stride;
    firstPaletteRow = Math.min(SUM_LIMIT, firstPaletteRow + rows);
    servedOfAll += served;
  });
  bins.assign(binCount, { count: members[binCount]!.length });
  const all = { count: first, served: first, firstPosed: servedOfAll, firstPaletteRow: firstPosed };
  bins.assign(binCount + 1, { first: 0, ...all });
  views.classes.set(params.get(0, 'classCount'), 'head', first);
  for (const followers of [false, true]) {
    lists.forEach((list, bin) =>
      list.forEach((i, rank) => {
        if ((residents.get(i, 'leader') !== i) === followers) listOne(views, i, bin, rank);
      }),
    );
  }
}

/** The run that a character belongs to: for each page and level the posed characters, then the others. */
function binOf({ params, residents, kinds, slots, decisions }: CullViews, i: number): number | undefined {
  const type = residents.get(i, 'typeIndex');
  if (type === RESIDENT_NONE) return undefined;
  const leader = residents.get(i, 'leader');
  const posed = leader === i && (decisions.get(i, 'word') & DECIDED_POSED) !== 0;
  if (decisions.get(i, 'views') === 0 && !posed) return undefined;
  const slot = slots.get(leader, 'slot');
  if (slot === 0) return params.get(0, 'binCount');
  const level = kinds.types.get(type, 'firstLevel') + ((slots.get(leader, 'held') >>> HELD_LEVEL_SHIFT) & HELD_LEVEL);
  const page = (slot - 1) >>> SLOT_PAGE_SHIFT;
  return 2 * (page * params.get(0, 'levelCount') + level) + (posed ? 0 : 1);
}

function listOne(views: CullViews, i: number, bin: number, rank: number): void {
  const { params, residents, kinds, slots, decisions, bins, visible } = views;
  const leader = residents.get(i, 'leader');
  const isFollower = leader !== i;
  const held = slots.get(leader, 'held');
  const levelIndex = (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL;
  const level = kinds.types.get(residents.get(i, 'typeIndex'), 'firstLevel') + levelIndex;
  const slot = slots.get(leader, 'slot') - 1;
  const firstRow = (slot & ((1 << SLOT_PAGE_SHIFT) - 1)) * SLOT_UNIT;
  const capacity = kinds.classes.get(held & HELD_CLASS, 'vertexCapacity');
  const word = decisions.get(leader, 'word');
  const isServed = bin % 2 === 0 && rank < bins.get(bin, 'served');
  const isUnserved = isFollower ? (word & DECIDED_UNSERVED) !== 0 : bin % 2 === 0 && !isServed;
  const lastCopy = (held >>> HELD_PREVIOUS_SHIFT) & HELD_COPY;
  // a character that could not be posed keeps its vertices; without vertices it is not drawn
  const copy = isUnserved ? lastCopy : (held >>> HELD_COPY_SHIFT) & HELD_COPY;
  const [last, current] = [lastCopy, copy].map((index) => firstRow + index * capacity) as [number, number];
  // with two copies no other frame reads attributes, and one copy of them is enough
  const [copyCount, words] = [params.get(0, 'copyCount'), params.get(0, 'attributeWords')];
  const attributeCopy = copyCount === 2 ? 0 : copy;
  const frame = params.get(0, 'frame');
  const lastFrame = slots.get(i, 'frame');
  const goesOn =
    !isFollower ||
    (lastFrame + 1 === frame && lastFrame >= residents.get(i, 'freshFrame') && slots.get(i, 'held') === leader + 1);
  const rate = (word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE;
  const isNew = (residents.get(i, 'bornFrame') & ~RESIDENT_CARRIES) >>> 0 > params.get(0, 'lastFrame');
  const isWhole = (held & HELD_WHOLE) !== 0;
  const flags = (isServed ? VISIBLE_POSED : 0) | (isNew ? VISIBLE_NEW : 0) | (isWhole ? VISIBLE_WHOLE : 0);
  const row = bins.get(bin, 'first') + rank;
  const posedPlace = bins.get(bin, 'firstPosed') + rank;
  const paletteRow = bins.get(bin, 'firstPaletteRow') + rank * kinds.levels.get(level, 'paletteStride');
  // parts that a pose source has only begun to skin for others are missing, too
  const lost = DECIDED_EMPTY | (isFollower ? DECIDED_FILLS : 0);
  visible.assign(row, {
    character: i,
    typeRow: kinds.levels.get(level, 'typeRow'),
    geometryRow: kinds.levels.get(level, 'geometryRow'),
    paletteRow: isServed ? paletteRow : ROW_NONE,
    motionRow: isServed ? posedPlace * params.get(0, 'motionRows') : ROW_NONE,
    views: isUnserved && word & lost ? 0 : decisions.get(i, 'views'),
    currentVertexOffset: current,
    previousVertexOffset: goesOn && !isNew ? last : current,
    parts: residents.get(i, 'parts'),
    attributeWord: 2 * (firstRow + copyCount * capacity) + attributeCopy * words * capacity,
    detail:
      (levelIndex |
        (rate << 8) |
        flags |
        (words << VISIBLE_WORDS_SHIFT) |
        ((slot >>> SLOT_PAGE_SHIFT) << VISIBLE_PAGE_SHIFT)) >>>
      0,
  });
  slots.set(i, 'visibleRow', row);
  if (isFollower) slots.assign(i, { held: leader + 1, frame });
  else if (isUnserved) {
    decisions.set(i, 'word', (word | DECIDED_UNSERVED) >>> 0);
    const previous = (held >>> HELD_PREVIOUS_SHIFT) & HELD_COPY;
    const lost = (HELD_COPY << HELD_COPY_SHIFT) | (word & DECIDED_FILLS ? HELD_WHOLE : 0);
    slots.set(i, 'held', ((held & ~lost) | (previous << HELD_COPY_SHIFT)) >>> 0);
    // a character that is not drawn has no history in the next frame
    if (word & DECIDED_EMPTY) slots.set(i, 'frame', 0);
  }
}
