import { View } from '../layout/index.ts';
import { VisibleCharacter, MOTION_ROWS } from '../stages/layout.ts';
import type { PoseRun } from '../stages/pose-joints/plan.ts';
import type { SkinRun } from '../stages/skin-vertices/plan.ts';
import { RangePool, sizeClass } from './range-pool.ts';
import type { CrowdType } from './types.ts';

/** Where a character lives in its page. */
export interface Place {
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

/**
 * A part of the crowd that one set of bindings reaches: skinned vertices and palettes of some characters, and the list
 * of those that are visible. A slot never crosses a page; every stage runs one dispatch per page (and kernel variant).
 */
export class Page {
  readonly #vertices: RangePool;
  readonly #palettes: RangePool;
  readonly #members = new Map<CrowdType, number[]>();
  readonly #places = new Map<number, Place>();
  readonly #visibleIndex = new Map<number, number>();
  #visible: View<(typeof VisibleCharacter)['fields']> = new View(VisibleCharacter, 0);
  #runs: readonly VisibleRun[] = [];
  /** Grows with every change of the visible list. */
  version = 0;

  constructor(
    readonly size: PageSize,
    readonly motionCapacity: number,
  ) {
    this.#vertices = new RangePool(size.vertexCapacity);
    this.#palettes = new RangePool(size.paletteRowCapacity);
  }

  /** Gives a character its slot and palette; false when the page has no room for it. */
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
    const members = this.#members.get(type) ?? [];
    members.push(character);
    this.#members.set(type, members);
    this.#places.set(character, { vertexOffset, slotCapacity, paletteRow });
    return true;
  }

  remove(type: CrowdType, characters: ReadonlySet<number>): void {
    const members = this.#members.get(type) ?? [];
    this.#members.set(
      type,
      members.filter((character) => !characters.has(character)),
    );
    for (const character of characters) {
      const place = this.#places.get(character);
      if (!place) continue;
      this.#vertices.give(place.vertexOffset, SLOT_COPIES * place.slotCapacity);
      this.#palettes.give(place.paletteRow, placeSize(type).paletteRows);
      this.#places.delete(character);
      this.#visibleIndex.delete(character);
    }
    if (this.#places.size > 0) return;
    this.#vertices.reset();
    this.#palettes.reset();
  }

  place(character: number): Place | undefined {
    return this.#places.get(character);
  }

  /** Rewrites the visible list after characters came, went or changed what they show. */
  refresh(partsOf: (character: number) => readonly [number, number]): void {
    const count = this.#places.size;
    const visible = new View(VisibleCharacter, count);
    const runs: VisibleRun[] = [];
    let row = 0;
    this.#visibleIndex.clear();
    for (const [type, members] of this.#members) {
      if (members.length === 0) continue;
      runs.push({ type, firstVisible: row, visibleCount: members.length });
      for (const character of members) {
        const { vertexOffset, slotCapacity, paletteRow } = this.#places.get(character)!;
        visible.assign(row, {
          character,
          typeRow: type.typeRow,
          geometryRow: type.geometryRow,
          paletteRow,
          slotOffset: vertexOffset,
          slotCapacity,
          currentVertexOffset: vertexOffset,
          previousVertexOffset: vertexOffset,
          parts: partsOf(character),
          motionRow: row * this.motionCapacity * MOTION_ROWS,
        });
        this.#visibleIndex.set(character, row);
        row++;
      }
    }
    this.#visible = visible;
    this.#runs = runs;
    this.version++;
  }

  get visible(): View<(typeof VisibleCharacter)['fields']> {
    return this.#visible;
  }

  get visibleCount(): number {
    return this.#visible.count;
  }

  /** Visible characters by type, in the order of the visible list. */
  get runs(): readonly VisibleRun[] {
    return this.#runs;
  }

  /** Index of a character in the visible list, or −1. */
  visibleIndex(character: number): number {
    return this.#visibleIndex.get(character) ?? -1;
  }

  /** Type of the character at an index of the visible list. */
  typeAt(index: number): CrowdType {
    return this.#runs.find(({ firstVisible, visibleCount }) => index < firstVisible + visibleCount)!.type;
  }
}

export interface VisibleRun {
  readonly type: CrowdType;
  readonly firstVisible: number;
  readonly visibleCount: number;
}

export function poseRun({ type: { typeRow, laneCount, traits }, firstVisible, visibleCount }: VisibleRun): PoseRun {
  return { typeRow, laneCount, traits, firstVisible, visibleCount };
}

export function skinRun({ type, firstVisible, visibleCount }: VisibleRun): SkinRun {
  const { geometryRow, skinTraits, paletteCount, batchRuns } = type;
  return { geometryRow, skinTraits, paletteCount, batchRuns, firstVisible, visibleCount };
}
