import { createKinds, type Kinds } from '../stages/cull-characters/kinds.ts';
import { BIN_LIMIT, CLASS_LIMIT, EXTRA_BINS, LEVEL_LIMIT } from '../stages/cull-characters/layout.ts';
import { SLOT_PAGE_SHIFT } from '../stages/layout.ts';
import { sizeClass } from './size-class.ts';
import type { CrowdType } from './types.ts';

/** Copies of its vertices that a slot keeps: the one being written and last frame's. */
export const SLOT_COPIES = 2;
/** Pages that a slot's word can name. */
const PAGE_LIMIT = 2 ** (32 - SLOT_PAGE_SHIFT) - 1;

/** What does not change about slots while a crowd lives. */
export interface SlotClasses {
  /** Vertices of one copy, rising. */
  readonly capacities: readonly number[];
  /** Slots that there can be of each: more never fit the memory, or are never needed. */
  readonly limits: readonly number[];
}

/** Sizes of slots that types need. */
export function slotClasses(types: readonly CrowdType[], capacity: number, vertexBudget: number): SlotClasses {
  const sizes = new Set(types.flatMap(({ levels }) => levels.map(({ vertexCount }) => sizeClass(vertexCount))));
  const capacities = [...sizes].sort((a, b) => a - b).slice(0, CLASS_LIMIT);
  const limits = capacities.map((size) =>
    Math.max(1, Math.min(capacity, Math.floor(vertexBudget / (SLOT_COPIES * size)))),
  );
  return { capacities, limits };
}

/**
 * The table of types, levels and size classes that cull-characters reads.
 * @param levelTolerance Pixels by which a level's surface may be off.
 */
export function cullKinds(types: readonly CrowdType[], classes: SlotClasses, levelTolerance: number): Kinds {
  const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
  const kinds = createKinds(types.length, levelCount, classes.capacities.length);
  for (const { index, character, typeRow, firstLevel, levels, paletteStride } of types) {
    const { reach } = character;
    const radius = reach ? reach.radius : -1;
    const levelRow = kinds.levelRow + firstLevel * 2;
    kinds.types.assign(index, {
      center: reach?.center ?? [0, 0, 0],
      radius,
      levelRow,
      firstLevel,
      levelCount: Math.min(levels.length, LEVEL_LIMIT),
    });
    levels.forEach(({ geometryRow, vertexCount, error }, l) => {
      const size = error > 0 ? Math.min(3e38, (2 * radius * levelTolerance) / error) : 3e38;
      const slotClass = classes.capacities.indexOf(sizeClass(vertexCount));
      kinds.levels.assign(firstLevel + l, { typeRow, geometryRow, paletteStride, slotClass, size });
    });
  }
  let ringFirst = 0;
  classes.capacities.forEach((vertexCapacity, c) => {
    const ringCapacity = classes.limits[c]!;
    kinds.classes.assign(c, { vertexCapacity, ringFirst, ringCapacity });
    ringFirst += ringCapacity;
  });
  return kinds;
}

/** Pages that a crowd of these types can have: the visible list has two runs for each page and level. */
export function pageLimitOf(types: readonly CrowdType[]): number {
  const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
  return Math.min(PAGE_LIMIT, Math.floor((BIN_LIMIT - EXTRA_BINS) / (2 * levelCount)));
}

/** Runs of the visible list. */
export function binCountOf(pageCount: number, types: readonly CrowdType[]): number {
  return 2 * Math.max(1, pageCount) * types.reduce((sum, { levels }) => sum + levels.length, 0);
}
