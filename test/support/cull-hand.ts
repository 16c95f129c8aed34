import { writeViews, type CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { View } from '../../src/layout/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { playedViews } from './played-crowd.ts';
import {
  BinRecord,
  createKinds,
  CullParams,
  Decision,
  DECIDED_EMPTY,
  DECIDED_LEVEL,
  DECIDED_POSED,
  DECIDED_RATE,
  DECIDED_RATE_SHIFT,
  EXTRA_BINS,
  SlotClass,
  SlotExtent,
  SlotMove,
} from '../../src/stages/cull-characters/layout.ts';
import {
  cullCharacters,
  type CullViews,
  type OnMargin,
  type PlayedViews,
} from '../../src/stages/cull-characters/reference.ts';
import {
  HELD_CLASS,
  HELD_COPY,
  HELD_COPY_SHIFT,
  HELD_LEVEL,
  HELD_LEVEL_SHIFT,
  HELD_PREVIOUS_SHIFT,
  HELD_TYPE_SHIFT,
  Resident,
  RESIDENT_NONE,
  SLOT_PAGE_SHIFT,
  SLOT_UNIT,
  SlotState,
  Transform,
  VisibleCharacter,
} from '../../src/stages/layout.ts';

/** A type: its sphere, and its levels, the finest first, as size class and pixels that they are good for. */
export interface HandType {
  readonly center?: readonly [number, number, number];
  /** Default 1. */
  readonly radius?: number;
  readonly levels: readonly (readonly [slotClass: number, size?: number])[];
  /** Default 3. */
  readonly paletteStride?: number;
  /** Centre and half the edges of each clip's box; undefined: it has none. */
  readonly clips?: readonly (readonly [center: readonly number[], extent: readonly number[]] | undefined)[];
}

export interface HandOptions {
  readonly types: readonly HandType[];
  /** Vertices of one copy of a class's slots; default 64, 96, 160. */
  readonly classes?: readonly number[];
  /** Slots that the ring of a class has room for; default 8. */
  readonly ringCapacity?: number;
  readonly characters: number;
  readonly pages?: number;
  readonly poseCapacity?: number;
  readonly paletteCapacity?: number;
  readonly rateSizes?: readonly [number, number, number];
}

export const MOTION_ROWS = 24;
/** Extents that there is room for. */
const EXTENTS = 16;

/** At the origin, looks along −z, a right angle wide and high, 200 pixels: a metre at depth 1 takes 100 of them. */
export const AHEAD: CrowdView = {
  clipFromWorld: clipFromWorld({ eye: [0, 0, 0], target: [0, 0, -1], fovY: Math.PI / 2, near: 0.5 }, 1),
  height: 200,
};
/** The same to the other side. */
export const BEHIND: CrowdView = {
  clipFromWorld: clipFromWorld({ eye: [0, 0, 0], target: [0, 0, 1], fovY: Math.PI / 2, near: 0.5 }, 1),
  height: 200,
};

/** Where a sphere of radius 1 is so many pixels across, seen by AHEAD: its near side counts. */
export function sizedPlace(pixels: number): [number, number, number] {
  return [0, 0, -(1 + 200 / pixels)];
}

/** A crowd that is small enough to be worked out by hand, on the twin. */
/** Rows of the units that tests count slots in. */
export const UNIT_ROWS = 16;

export class HandCrowd {
  readonly views: CullViews;
  /** What plays on whom; all go by their spheres until `params.tightens` is set. */
  readonly played: PlayedViews;
  readonly #grants: [slotClass: number, slot: number][] = [];

  constructor({ types, classes = [64, 96, 160], ringCapacity = 8, characters, pages = 1, ...sizes }: HandOptions) {
    const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
    const boxCount = types.reduce((sum, { clips = [] }) => sum + clips.length, 0);
    const kinds = createKinds(types.length, levelCount, classes.length, boxCount);
    let [firstLevel, boxFirst] = [0, 0];
    types.forEach(({ center = [0, 0, 0], radius = 1, levels, paletteStride = 3, clips = [] }, t) => {
      const levelRow = kinds.levelRow + 2 * firstLevel;
      const boxRow = clips.length > 0 ? kinds.boxRow + 2 * boxFirst : 0;
      kinds.types.assign(t, { center, radius, levelRow, firstLevel, levelCount: levels.length, boxRow });
      for (const [middle, extent] of clips.map(
        (box) =>
          box ?? [
            [0, 0, 0],
            [-1, -1, -1],
          ],
      )) {
        kinds.boxes.assign(boxFirst++, { center: middle!, extent: extent! });
      }
      levels.forEach(([slotClass, size = 1e38], l) => {
        const rows = { typeRow: 100 + t, geometryRow: 200 + firstLevel + l };
        kinds.levels.assign(firstLevel + l, { ...rows, paletteStride, slotClass, size });
      });
      firstLevel += levels.length;
    });
    classes.forEach((vertexCapacity, c) =>
      kinds.classes.assign(c, { vertexCapacity, ringFirst: c * ringCapacity, ringCapacity }),
    );
    const binCount = 2 * pages * levelCount;
    const params = new View(CullParams, 1);
    const { poseCapacity = 1000, paletteCapacity = 10_000, rateSizes = [0, 0, 0] } = sizes;
    params.assign(0, {
      characterCount: characters,
      binCount,
      levelCount,
      classCount: classes.length,
      copyCount: 2,
      rowsPerPair: 4,
      motionRows: MOTION_ROWS,
      poseCapacity,
      paletteCapacity,
      rateSizes: [...rateSizes, 0],
      levelRow: kinds.levelRow,
      classRow: kinds.classRow,
    });
    writeViews(params, [AHEAD]);
    this.played = playedViews(characters);
    const residents = new View(Resident, characters);
    residents.words.fill(RESIDENT_NONE);
    this.views = {
      params,
      residents,
      transforms: new View(Transform, characters),
      kinds,
      grants: new Uint32Array(100),
      classes: new View(SlotClass, classes.length + 1),
      rings: new Uint32Array(classes.length * ringCapacity),
      extents: new View(SlotExtent, EXTENTS),
      moves: new View(SlotMove, 1),
      slots: new View(SlotState, characters),
      decisions: new View(Decision, characters),
      bins: new View(BinRecord, binCount + EXTRA_BINS),
      visible: new View(VisibleCharacter, characters),
    };
  }

  /** Somebody of a type comes, in the next frame, to where AHEAD sees them 20 pixels across. */
  come(i: number, type = 0, position: readonly number[] = sizedPlace(20)): void {
    const frame = this.views.params.get(0, 'frame') + 1;
    const look = { parts: [1, 2], views: 0xffffffff, tint: 0xffffffff };
    this.views.residents.assign(i, { typeIndex: type, leader: i, freshFrame: frame, bornFrame: frame, ...look });
    this.move(i, position);
  }

  move(i: number, position: readonly number[]): void {
    this.views.transforms.assign(i, { position, scale: 1, rotation: [0, 0, 0, 1] });
  }

  leave(i: number): void {
    this.views.residents.set(i, 'typeIndex', RESIDENT_NONE);
  }

  look(...views: CrowdView[]): void {
    writeViews(this.views.params, views);
  }

  /** Hands slots of a class out in the next frame: their first vertices / 16, of a page. */
  grant(slotClass: number, units: readonly number[], page = 0): void {
    const ratio = UNIT_ROWS / SLOT_UNIT;
    for (const unit of units) this.#grants.push([slotClass, 1 + ratio * unit + page * 2 ** SLOT_PAGE_SHIFT]);
  }

  /** Runs the next frame, or that one. */
  frame(frame: number = this.views.params.get(0, 'frame') + 1, onMargin?: OnMargin): void {
    const { params, grants } = this.views;
    const placed = new Map<number, number>();
    this.#grants.forEach(([slotClass, slot], g) => {
      const place = placed.get(slotClass) ?? 0;
      placed.set(slotClass, place + 1);
      grants.set([slotClass | (place << 8), slot], 2 * g);
    });
    params.assign(0, { frame, lastFrame: params.get(0, 'frame'), grantCount: this.#grants.length });
    this.#grants.length = 0;
    cullCharacters(this.views, onMargin, this.played);
  }

  /** What was decided of everyone: which views, and what became of level and rate. */
  decided(i: number): { views: number; level: number; rate: number; posed: boolean; empty: boolean } {
    const word = this.views.decisions.get(i, 'word');
    return {
      views: this.views.decisions.get(i, 'views'),
      level: word & DECIDED_LEVEL,
      rate: (word >>> DECIDED_RATE_SHIFT) & DECIDED_RATE,
      posed: (word & DECIDED_POSED) !== 0,
      empty: (word & DECIDED_EMPTY) !== 0,
    };
  }

  /** What a character has of vertex memory: its slot's first vertex / 16, and fields of `held`; undefined: nothing. */
  held(
    i: number,
  ): { unit: number; slotClass: number; level: number; copy: number; previous: number; type: number } | undefined {
    const [slot, held] = [this.views.slots.get(i, 'slot'), this.views.slots.get(i, 'held')];
    if (slot === 0) return undefined;
    return {
      unit: ((slot - 1) & (2 ** SLOT_PAGE_SHIFT - 1)) / (UNIT_ROWS / SLOT_UNIT),
      slotClass: held & HELD_CLASS,
      level: (held >>> HELD_LEVEL_SHIFT) & HELD_LEVEL,
      copy: (held >>> HELD_COPY_SHIFT) & HELD_COPY,
      previous: (held >>> HELD_PREVIOUS_SHIFT) & HELD_COPY,
      type: held >>> HELD_TYPE_SHIFT,
    };
  }

  /** Units of the slots of a class that are free, the next one first. */
  free(slotClass: number): number[] {
    const { kinds, classes, rings } = this.views;
    const [first, capacity] = [kinds.classes.get(slotClass, 'ringFirst'), kinds.classes.get(slotClass, 'ringCapacity')];
    return Array.from({ length: classes.get(slotClass, 'count') }, (_, k) => {
      const slot = rings[first + ((classes.get(slotClass, 'head') + k) % capacity)]!;
      return ((slot - 1) & (2 ** SLOT_PAGE_SHIFT - 1)) / (UNIT_ROWS / SLOT_UNIT);
    });
  }

  /** Characters of the visible list, in its order. */
  get listed(): number[] {
    const { bins, visible } = this.views;
    const count = bins.get(bins.count - 1, 'count');
    return Array.from({ length: count }, (_, row) => visible.get(row, 'character'));
  }

  /** One field of a character's row. */
  row<K extends keyof (typeof VisibleCharacter)['fields']>(i: number, field: K) {
    return this.views.visible.get(this.listed.indexOf(i), field);
  }
}
