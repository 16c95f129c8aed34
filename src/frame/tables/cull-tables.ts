import { error, ManipleError } from '../../errors.ts';
import { roundUp } from '../../layout/index.ts';
import {
  BIN_LIMIT,
  CLASS_LIMIT,
  createKinds,
  EXTRA_BINS,
  LEAST_PARKED,
  LEVEL_LIMIT,
  type Kinds,
} from '../../stages/cull-characters/layout.ts';
import { SLOT_PAGE_SHIFT, SLOT_UNIT } from '../../stages/layout.ts';
import { isProvided, slotRows, type CrowdType } from './crowd-types.ts';

/** Copies of its vertices that a slot keeps by default: the current and the previous one. See ADR 0026. */
export const SLOT_COPIES = 2;
export const MOST_COPIES = 3;
/** Number of pages that a slot's word can address. */
const PAGE_LIMIT = 2 ** (32 - SLOT_PAGE_SHIFT) - 1;

/** Size limit, in pixels across, of a level without error. A character without bounds counts as larger than this. */
const ALWAYS_FINE = 1e38;

/** Size classes of slots. They do not change while a crowd keeps its shape. */
export type SlotClasses = ReturnType<typeof slotClasses>;

/** Maximum number of extents. It is limited because kernels loop over all of them. */
const EXTENT_LIMIT = 65536;

/** Words of the rings of all classes, and the index of the first waiting slot. */
export function ringWords({ ringCapacities, parkCapacity }: SlotClasses): { words: number; parkFirst: number } {
  const parkFirst = ringCapacities.reduce((sum, capacity) => sum + capacity, 0);
  return { words: roundUp(parkFirst + parkCapacity, 4), parkFirst };
}

/** Maximum number of levels of detail of all types of a crowd together. Each type has at least one. */
export const CROWD_LEVEL_LIMIT: number = Math.floor((BIN_LIMIT - EXTRA_BINS) / 2);

/** Checks types against the limits of cull-characters. @throws ManipleError CROWD_LIMIT, with an issue per exceeded limit */
export function checkKinds(types: readonly CrowdType[]): void {
  const issues = types
    .filter(({ levels }) => levels.length > LEVEL_LIMIT)
    .map(({ character: { name }, levels }) => {
      const message = `Got ${levels.length} levels of detail; the limit is ${LEVEL_LIMIT}.`;
      return error('CROWD_LIMIT', name, message, 'Give it fewer.');
    });
  const levelCount = levelCountOf(types);
  if (pageLimitOf(types) < 1) {
    const message = `Got ${levelCount} levels of detail in all; the limit is ${CROWD_LEVEL_LIMIT}.`;
    issues.push(error('CROWD_LIMIT', 'characters', message, 'Make several crowds, or give characters fewer levels.'));
  }
  const classCount = slotSizes(types).length;
  if (classCount > CLASS_LIMIT) {
    const message = `Got ${classCount} sizes of slots; the limit is ${CLASS_LIMIT}.`;
    issues.push(error('CROWD_LIMIT', 'characters', message, 'Make several crowds.'));
  }
  if (issues.length > 0) throw new ManipleError(issues);
}

function levelCountOf(types: readonly CrowdType[]): number {
  return types.reduce((sum, { levels }) => sum + levels.length, 0);
}

/** Distinct slot sizes that levels need, in rows of one copy, ascending. */
function slotSizes(types: readonly CrowdType[]): number[] {
  const sizes = new Set(types.flatMap((type) => type.levels.map((level) => sizeClass(slotRows(type, level)))));
  return [...sizes].sort((a, b) => a - b);
}

export function slotClasses(
  types: readonly CrowdType[],
  capacity: number,
  rowBudget: number,
  {
    copies = SLOT_COPIES,
    attributeWords = 1,
  }: { readonly copies?: number | undefined; readonly attributeWords?: number } = {},
) {
  const capacities = slotSizes(types);
  const rowsPerPair = 2 * copies + attributeWords * (copies === 2 ? 1 : copies);
  const slots = capacities.map((size) => (rowsPerPair * size) / 2);
  const limits = slots.map((rows) => Math.max(1, Math.min(capacity, Math.floor(rowBudget / rows))));
  // memory never moves with only one class
  const moves = capacities.length > 1;
  const [least, most] = [slots[0]!, slots.at(-1)!];
  const rows = Math.min(rowBudget, limits.reduce((sum, limit, c) => sum + limit * slots[c]!, 0)); // prettier-ignore
  const extentLength = Math.max(most, Math.ceil(rows / EXTENT_LIMIT));
  return {
    /** Vertices by class, ascending. The same number of rows holds a copy of their positions, or of a palette. */
    capacities,
    /** Rows of a slot of each class: positions of all copies, then attributes. */
    slots,
    rowsPerPair,
    attributeWords,
    /** Maximum slots of each class: more never fit the memory, or are never needed. */
    limits,
    copies,
    /** Ring capacity of each class, in slots. If memory moves between classes, it includes slots from other classes. */
    ringCapacities: limits.map((limit) => (moves ? 2 * limit : limit)),
    /** Capacity for slots that wait while they leave their class. They are stored after all rings. */
    parkCapacity: moves ? Math.max(LEAST_PARKED, Math.ceil((4 * extentLength) / least) + 1) : 0,
    /** Minimum length of an extent, in rows. An extent has up to four times as many. */
    extentLength,
    /** 0 if memory never moves between classes. Slots that are added one by one have extents of their own. */
    extentLimit: moves ? Math.min(EXTENT_LIMIT, 4 * Math.ceil(rows / extentLength) + 64) : 0,
  };
}

/**
 * The table of types, levels, size classes and clips' boxes that cull-characters reads.
 * @param levelTolerance Pixels by which a level's surface may be off.
 * @param providerCount Vertex providers of the crowd.
 */
export function cullKinds(
  types: readonly CrowdType[],
  classes: SlotClasses,
  levelTolerance: number,
  providerCount = 0,
): Kinds {
  const boxes = types.map((type) => clipBoxes(type, providerCount));
  const kinds = createKinds(types.length, levelCountOf(types), classes.capacities.length, boxes.flat().length);
  let boxFirst = 0;
  for (const type of types) {
    const { index, character, typeRow, firstLevel, levels, paletteStride } = type;
    const { reach } = character;
    const radius = reach ? reach.radius : -1;
    const levelRow = kinds.levelRow + firstLevel * 2;
    kinds.types.assign(index, {
      center: reach?.center ?? [0, 0, 0],
      radius,
      levelRow,
      firstLevel,
      levelCount: levels.length,
      boxRow: boxes[index]!.length > 0 ? kinds.boxRow + 2 * boxFirst : 0,
    });
    for (const box of boxes[index]!) kinds.boxes.assign(boxFirst++, box);
    levels.forEach((level, l) => {
      const { geometryRow, error } = level;
      const size = error > 0 ? Math.min(ALWAYS_FINE, (2 * radius * levelTolerance) / error) : ALWAYS_FINE;
      const slotClass = classes.capacities.indexOf(sizeClass(slotRows(type, level)));
      kinds.levels.assign(firstLevel + l, { typeRow, geometryRow, paletteStride, slotClass, size });
    });
  }
  let ringFirst = 0;
  classes.capacities.forEach((vertexCapacity, c) => {
    const ringCapacity = classes.ringCapacities[c]!;
    const isCoarsest = Number(types.some((type) => sizeClass(slotRows(type, type.levels.at(-1)!)) === vertexCapacity));
    kinds.classes.assign(c, { vertexCapacity, ringFirst, ringCapacity, isCoarsest });
    ringFirst += ringCapacity;
  });
  return kinds;
}

/** Margin of boxes, as a share of the sphere's radius. It covers rounding, and weights too small to count. */
const BOX_SLACK = 1e-4;
/**
 * Vertex displacement by dropped joints of a level, as a share of the level's error. It is a quarter in all measured poses
 * (`docs/adr/0019-joints-that-levels-drop.md`), plus a margin for other poses.
 */
const JOINT_SHARE = 0.3;
const NO_BOX = { center: [0, 0, 0], extent: [-1, -1, -1] };

const least = (a: readonly number[], b: readonly number[]) => a.map((value, c) => Math.min(value, b[c]!));
const most = (a: readonly number[], b: readonly number[]) => a.map((value, c) => Math.max(value, b[c]!));

/**
 * The boxes of a type's clips, with a margin for levels that drop joints. Empty if boxes gain nothing, or if providers move
 * vertices: spheres are large enough to contain small motion such as a breeze, boxes are not.
 */
function clipBoxes(type: CrowdType, providerCount: number): readonly (typeof NO_BOX)[] {
  const { reach, clips, controller, arrivals, bounds: rest } = type.character;
  // upper layers almost always have weight: testing it for each character costs more than boxes save
  if (controller && controller.layers.length > 1) return [];
  if (!reach || isProvided(type, providerCount) || !clips.some(({ bounds }) => bounds)) return [];
  const fewer = type.levels.map(({ skeleton, error }) => (skeleton ? error : 0));
  const margin = JOINT_SHARE * Math.max(...fewer) + BOX_SLACK * reach.radius;
  return clips.map(({ bounds }) => {
    if (!bounds) return NO_BOX;
    // until a clip has arrived, it holds the rest pose
    const [min, max] = arrivals ? [least(bounds.min, rest.min), most(bounds.max, rest.max)] : [bounds.min, bounds.max];
    const center = min.map((low, c) => Math.fround((low + max[c]!) / 2));
    return { center, extent: center.map((middle, c) => Math.max(max[c]! - middle, middle - min[c]!) + margin) };
  });
}

/**
 * Maximum number of pages of a crowd of these types. The visible list has two runs for each page and level.
 * @param binLimit Maximum number of runs, including the runs that are not drawn.
 */
export function pageLimitOf(types: readonly CrowdType[], binLimit: number = BIN_LIMIT): number {
  return Math.min(PAGE_LIMIT, Math.floor((Math.min(BIN_LIMIT, binLimit) - EXTRA_BINS) / (2 * levelCountOf(types))));
}

export function binCountOf(pageCount: number, types: readonly CrowdType[]): number {
  return 2 * Math.max(1, pageCount) * levelCountOf(types);
}

const SMALLEST_CLASS = 64;

/** Classes are multiples of it: then any slot is a whole number of SLOT_UNITs. */
const LEAST_STEP = 2 * SLOT_UNIT;

/**
 * The smallest size class that holds `count` vertices: eight to an octave from 128 on, multiples of 16 below. It is at most an eighth
 * larger than `count`, below 128 a quarter.
 */
export function sizeClass(count: number): number {
  const power = 2 ** Math.floor(Math.log2(Math.max(SMALLEST_CLASS, count - 1)));
  const step = Math.max(LEAST_STEP, power / 8);
  return Math.max(SMALLEST_CLASS, step * Math.ceil(count / step));
}
