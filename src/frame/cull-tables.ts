import { error, ManipleError } from '../errors.ts';
import { createKinds, type Kinds } from '../stages/cull-characters/kinds.ts';
import { roundUp } from '../layout/index.ts';
import { BIN_LIMIT, CLASS_LIMIT, EXTRA_BINS, LEAST_PARKED, LEVEL_LIMIT } from '../stages/cull-characters/layout.ts';
import { SLOT_PAGE_SHIFT } from '../stages/layout.ts';
import { sizeClass } from './size-class.ts';
import { isProvided, slotRows, type CrowdType } from './types.ts';

/** Copies of its vertices that a slot keeps by default: the one being written and last frame's. See ADR 0026. */
export const SLOT_COPIES = 2;
export const MOST_COPIES = 3;
/** Pages that a slot's word can name. */
const PAGE_LIMIT = 2 ** (32 - SLOT_PAGE_SHIFT) - 1;

/** Pixels across up to which a level is fine enough that is no worse than the finest. Who has no bounds counts for more. */
const ALWAYS_FINE = 1e38;

/** What does not change about slots while a crowd lives. */
export interface SlotClasses {
  /** Rows of one copy, rising: a vertex each, or rows of a palette. */
  readonly capacities: readonly number[];
  /** Slots that there can be of each: more never fit the memory, or are never needed. */
  readonly limits: readonly number[];
  /** Copies that a slot keeps. */
  readonly copies: number;
  /** Slots that the ring of each class has room for: where memory moves between classes, that which comes from others as well. */
  readonly ringCapacities: readonly number[];
  /** Slots that can wait while they leave their class, behind all rings. */
  readonly parkCapacity: number;
  /** Vertices that an extent has at least, up to four times as many; and extents that there can be: 0 where nothing moves. */
  readonly extentLength: number;
  readonly extentLimit: number;
}

/** Extents that are told apart, at most: kernels go through all of them. */
const EXTENT_LIMIT = 65536;

/** Words of the rings of all classes, and where those begin that wait. */
export function ringWords({ ringCapacities, parkCapacity }: SlotClasses): { words: number; parkFirst: number } {
  const parkFirst = ringCapacities.reduce((sum, capacity) => sum + capacity, 0);
  return { words: roundUp(parkFirst + parkCapacity, 4), parkFirst };
}

/** Levels of detail that all types of a crowd can have together; each has one at least. */
export const CROWD_LEVEL_LIMIT: number = Math.floor((BIN_LIMIT - EXTRA_BINS) / 2);

/** Whether cull-characters can tell all of it apart. @throws ManipleError CROWD_LIMIT, with all that it cannot */
export function checkKinds(types: readonly CrowdType[]): void {
  const issues = types
    .filter(({ levels }) => levels.length > LEVEL_LIMIT)
    .map(({ character: { name }, levels }) =>
      error(
        'CROWD_LIMIT',
        name,
        `has ${levels.length} levels of detail; ${LEVEL_LIMIT} are allowed.`,
        'Give it fewer.',
      ),
    );
  const levelCount = levelCountOf(types);
  if (pageLimitOf(types) < 1) {
    const message = `have ${levelCount} levels of detail together; a crowd has room for ${CROWD_LEVEL_LIMIT}.`;
    issues.push(error('CROWD_LIMIT', 'characters', message, 'Make several crowds, or give characters fewer levels.'));
  }
  const classCount = slotSizes(types).length;
  if (classCount > CLASS_LIMIT) {
    const message = `need slots of ${classCount} sizes; a crowd has room for ${CLASS_LIMIT}.`;
    issues.push(error('CROWD_LIMIT', 'characters', message, 'Make several crowds.'));
  }
  if (issues.length > 0) throw new ManipleError(issues);
}

function levelCountOf(types: readonly CrowdType[]): number {
  return types.reduce((sum, { levels }) => sum + levels.length, 0);
}

/** Rows of one copy of the slots that levels need, rising. */
function slotSizes(types: readonly CrowdType[]): number[] {
  const sizes = new Set(types.flatMap((type) => type.levels.map((level) => sizeClass(slotRows(type, level)))));
  return [...sizes].sort((a, b) => a - b);
}

/** Sizes of slots that types need. */
export function slotClasses(
  types: readonly CrowdType[],
  capacity: number,
  vertexBudget: number,
  copies: number = SLOT_COPIES,
): SlotClasses {
  const capacities = slotSizes(types);
  const limits = capacities.map((size) => Math.max(1, Math.min(capacity, Math.floor(vertexBudget / (copies * size)))));
  // nothing moves where there is one class
  const moves = capacities.length > 1;
  const slots = capacities.map((size) => copies * size);
  const [least, most] = [slots[0]!, slots.at(-1)!];
  const vertices = Math.min(vertexBudget, limits.reduce((sum, limit, c) => sum + limit * slots[c]!, 0)); // prettier-ignore
  const extentLength = Math.max(most, Math.ceil(vertices / EXTENT_LIMIT));
  return {
    capacities,
    limits,
    copies,
    ringCapacities: limits.map((limit) => (moves ? 2 * limit : limit)),
    parkCapacity: moves ? Math.max(LEAST_PARKED, Math.ceil((4 * extentLength) / least) + 1) : 0,
    extentLength,
    // slots that come one by one have extents of their own
    extentLimit: moves ? Math.min(EXTENT_LIMIT, 4 * Math.ceil(vertices / extentLength) + 64) : 0,
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

/** Share of the sphere's radius by which boxes are larger than clips say: for rounding, and what weighs too little to be told. */
const BOX_SLACK = 1e-4;
/**
 * Share of its error by which vertices of a level that lacks joints may be off for that: a quarter in all poses that were
 * measured (`docs/adr/0019-joints-that-levels-drop.md`), and what others may add.
 */
const JOINT_SHARE = 0.3;
const NO_BOX = { center: [0, 0, 0], extent: [-1, -1, -1] };

/**
 * The boxes of a type's clips, grown by what levels that lack joints may add. None where there is nothing to be won, and where
 * vertices do not stay where joints put them: spheres are large enough to hide a breeze, boxes are not.
 */
function clipBoxes(type: CrowdType, providerCount: number): readonly (typeof NO_BOX)[] {
  const { reach, clips, controller } = type.character;
  // upper layers hardly ever weigh nothing: asking each character whether they do costs more than boxes win
  if (controller && controller.layers.length > 1) return [];
  if (!reach || isProvided(type, providerCount) || !clips.some(({ bounds }) => bounds)) return [];
  const fewer = type.levels.map(({ skeleton, error }) => (skeleton ? error : 0));
  const margin = JOINT_SHARE * Math.max(...fewer) + BOX_SLACK * reach.radius;
  return clips.map(({ bounds }) => {
    if (!bounds) return NO_BOX;
    const { min, max } = bounds;
    const center = min.map((low, c) => Math.fround((low + max[c]!) / 2));
    return { center, extent: center.map((middle, c) => Math.max(max[c]! - middle, middle - min[c]!) + margin) };
  });
}

/**
 * Pages that a crowd of these types can have: the visible list has two runs for each page and level.
 * @param binLimit Runs that can be counted, those included that nobody draws.
 */
export function pageLimitOf(types: readonly CrowdType[], binLimit: number = BIN_LIMIT): number {
  return Math.min(PAGE_LIMIT, Math.floor((Math.min(BIN_LIMIT, binLimit) - EXTRA_BINS) / (2 * levelCountOf(types))));
}

/** Runs of the visible list. */
export function binCountOf(pageCount: number, types: readonly CrowdType[]): number {
  return 2 * Math.max(1, pageCount) * levelCountOf(types);
}
