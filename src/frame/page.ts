import { Column } from './column.ts';
import { VisibleCharacter, MOTION_ROWS } from '../stages/layout.ts';
import type { PoseRun } from '../stages/pose-joints/plan.ts';
import type { SkinRun } from '../stages/skin-vertices/plan.ts';
import { RangePool, sizeClass } from './range-pool.ts';
import type { CrowdType } from './types.ts';

/** Where a character lives in its page. */
export interface Place {
  readonly type: CrowdType;
  readonly vertexOffset: number;
  /** Vertices of one copy. */
  readonly slotCapacity: number;
  readonly paletteRow: number;
}

export interface PageSize {
  readonly vertexCapacity: number;
  readonly paletteRowCapacity: number;
  /** Characters that can be visible at once. */
  readonly visibleCapacity: number;
}

/** Copies of its vertices that a slot keeps: the one being written and last frame's. */
export const SLOT_COPIES = 2;

/** What a character of a type takes of a page. */
export function placeSize({ character, paletteStride }: CrowdType): { slotCapacity: number; paletteRows: number } {
  return { slotCapacity: sizeClass(character.vertexCount), paletteRows: paletteStride };
}

/** Consecutive rows of a visible list: characters of one type. */
export interface VisibleRun {
  readonly type: CrowdType;
  readonly firstVisible: number;
  readonly visibleCount: number;
}

type Run = { -readonly [K in keyof VisibleRun]: VisibleRun[K] };

/**
 * A part of the crowd that one set of bindings reaches: skinned vertices and palettes of some characters, and the list
 * of those that are visible. A slot never crosses a page; every stage runs one dispatch per page (and kernel variant).
 *
 * In the list characters of a type stand together. Who comes or goes moves one row of each type that stands behind.
 */
export class Page {
  /** The visible list, `visibleCount` rows of it. */
  readonly visible: Column<(typeof VisibleCharacter)['fields']>;
  readonly #vertices: RangePool;
  readonly #palettes: RangePool;
  readonly #places = new Map<number, Place>();
  readonly #rows = new Map<number, number>();
  readonly #runs: Run[] = [];
  /** Grows with every change of `runs`. */
  version = 0;

  constructor(
    readonly size: PageSize,
    readonly motionCapacity: number,
  ) {
    this.visible = new Column(VisibleCharacter, size.visibleCapacity);
    this.#vertices = new RangePool(size.vertexCapacity);
    this.#palettes = new RangePool(size.paletteRowCapacity);
  }

  get visibleCount(): number {
    return this.#places.size;
  }

  /** Visible characters by type, in the order of the visible list. */
  get runs(): readonly VisibleRun[] {
    return this.#runs;
  }

  /** Gives a character its slot and palette, with all parts shown; false when the page has no room for it. */
  add(type: CrowdType, character: number): boolean {
    if (this.#places.size === this.size.visibleCapacity) return false;
    const { slotCapacity, paletteRows } = placeSize(type);
    const vertexOffset = this.#vertices.take(SLOT_COPIES * slotCapacity);
    if (vertexOffset === undefined) return false;
    const paletteRow = this.#palettes.take(paletteRows);
    if (paletteRow === undefined) {
      this.#vertices.give(vertexOffset, SLOT_COPIES * slotCapacity);
      return false;
    }
    const row = this.#openRow(type);
    this.#places.set(character, { type, vertexOffset, slotCapacity, paletteRow });
    this.#rows.set(character, row);
    this.visible.view.assign(row, {
      character,
      typeRow: type.typeRow,
      geometryRow: type.geometryRow,
      paletteRow,
      slotOffset: vertexOffset,
      slotCapacity,
      currentVertexOffset: vertexOffset,
      previousVertexOffset: vertexOffset,
      parts: [0xffffffff, 0xffffffff],
      motionRow: this.#motionRow(row),
    });
    this.visible.changed(row);
    return true;
  }

  remove(character: number): void {
    const { type, vertexOffset, slotCapacity, paletteRow } = this.#places.get(character)!;
    this.#closeRow(type, this.#rows.get(character)!);
    this.#places.delete(character);
    this.#rows.delete(character);
    this.#vertices.give(vertexOffset, SLOT_COPIES * slotCapacity);
    this.#palettes.give(paletteRow, placeSize(type).paletteRows);
    if (this.#places.size > 0) return;
    // nobody is left: ranges of any size can be had again
    this.#vertices.reset();
    this.#palettes.reset();
    this.#runs.length = 0;
  }

  place(character: number): Place | undefined {
    return this.#places.get(character);
  }

  /** Index of a character in the visible list, or −1. */
  visibleIndex(character: number): number {
    return this.#rows.get(character) ?? -1;
  }

  /** A bit per part that the character shows, in two words. */
  parts(character: number): readonly number[] {
    return this.visible.view.get(this.#rows.get(character)!, 'parts');
  }

  setParts(character: number, parts: readonly [number, number]): void {
    const row = this.#rows.get(character)!;
    this.visible.view.set(row, 'parts', parts);
    this.visible.changed(row);
  }

  /** A free row at the end of the type's run: every run behind it hands its first row on to its end. */
  #openRow(type: CrowdType): number {
    let index = this.#runs.findIndex((run) => run.type === type);
    if (index < 0) {
      index = this.#runs.length;
      this.#runs.push({ type, firstVisible: this.visibleCount, visibleCount: 0 });
    }
    let free = this.visibleCount;
    for (let behind = this.#runs.length - 1; behind > index; behind--) {
      const run = this.#runs[behind]!;
      this.#moveRow(run.firstVisible, free);
      free = run.firstVisible++;
    }
    this.#runs[index]!.visibleCount++;
    this.version++;
    return free;
  }

  /** Fills a row that has become free from the end of its run, and that gap from the end of each run behind it. */
  #closeRow(type: CrowdType, row: number): void {
    const index = this.#runs.findIndex((run) => run.type === type);
    let free = row;
    for (let at = index; at < this.#runs.length; at++) {
      const run = this.#runs[at]!;
      const last = run.firstVisible + run.visibleCount - 1;
      this.#moveRow(last, free);
      if (at > index) run.firstVisible--;
      free = last;
    }
    this.#runs[index]!.visibleCount--;
    if (this.#runs[index]!.visibleCount === 0) this.#runs.splice(index, 1);
    this.version++;
  }

  #moveRow(from: number, to: number): void {
    if (from === to) return;
    const { view } = this.visible;
    const words = VisibleCharacter.size / 4;
    view.words.copyWithin(to * words, from * words, (from + 1) * words);
    view.set(to, 'motionRow', this.#motionRow(to));
    this.#rows.set(view.get(to, 'character'), to);
    this.visible.changed(to);
  }

  #motionRow(row: number): number {
    return row * this.motionCapacity * MOTION_ROWS;
  }
}

export function poseRun({ type: { typeRow, laneCount, traits }, firstVisible, visibleCount }: VisibleRun): PoseRun {
  return { typeRow, laneCount, traits, firstVisible, visibleCount };
}

export function skinRun({ type, firstVisible, visibleCount }: VisibleRun): SkinRun {
  const { geometryRow, skinTraits, paletteCount, batchRuns } = type;
  return { geometryRow, skinTraits, paletteCount, batchRuns, firstVisible, visibleCount };
}
