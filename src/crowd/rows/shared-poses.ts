import { Column, Word } from '../../frame/tables/column.ts';
import type { CrowdLayout } from '../../frame/tables/crowd-layout.ts';
import { firstSharedRow } from '../../frame/tables/sharing.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { SHARES_NONE } from '../../stages/cull-characters/layout.ts';
import { RESIDENT_NONE } from '../../stages/layout.ts';
import type { CharacterRows } from './character-rows.ts';
import type { Players } from './players.ts';

/** Columns that have rows of shared poses. */
interface Columns {
  readonly residents: CharacterRows;
  readonly playback: Players;
}

/** CPU side of poses that far characters share: invisible rows, each at a moment of a clip, and the characters that may share them. */
export class SharedPoses {
  #column: Column<typeof Word.fields>;
  #shape: CrowdLayout;
  readonly #columns: Columns;
  /** Rows to decide again: may they share? */
  readonly #touched = new Set<number>();

  constructor(shape: CrowdLayout, columns: Columns) {
    this.#shape = shape;
    this.#columns = columns;
    this.#column = nobody(shape);
    this.#settle();
  }

  /** Slots of vertex memory for `count` characters of a type and their shared poses. A frame in which a character changes between them holds both. */
  slots({ index }: CrowdType, count: number): number {
    return count + Math.min(count, this.#shape.sharing!.countOf[index]!);
  }

  /** Upper bound of poses that `count` characters share. */
  most(count: number): number {
    return Math.min(count, this.#shape.sharing!.count);
  }

  /** Something has changed about a row that sharing depends on. */
  touch(row: number): void {
    this.#touched.add(row);
  }

  /**
   * By character the row of its type's first shared pose, up to date.
   * @param typeOf Type of a row's character, unless it needs a pose of its own.
   */
  take(typeOf: (row: number) => CrowdType | undefined): Column<typeof Word.fields> {
    for (const row of this.#touched) {
      const type = typeOf(row);
      this.#column.view.set(row, 'value', type ? firstSharedRow(this.#shape, type.index) : SHARES_NONE);
      this.#column.changed(row);
    }
    this.#touched.clear();
    return this.#column;
  }

  /** The next frame uploads again which characters share. */
  renew(): void {
    this.#column.renew();
  }

  /** Before another shape: frees the rows of shared poses. */
  leave(): void {
    const { residents, playback } = this.#columns;
    const [first, end] = this.#rows();
    residents.column.view.words.fill(RESIDENT_NONE, (residents.column.view.words.length / end) * first);
    playback.column.clear(first * playback.places, end * playback.places);
  }

  /** Takes another shape, after the columns have it. Call `touch` for every living character after it. */
  resize(shape: CrowdLayout): void {
    this.#shape = shape;
    this.#column = nobody(shape);
    this.#settle();
    // kernels wrote leaders that are elsewhere now
    this.#columns.residents.column.changed(0, shape.capacity);
  }

  #rows(): [first: number, end: number] {
    const { capacity, sharing } = this.#shape;
    return [capacity - sharing!.count, capacity];
  }

  /** Each holds the middle of its part of its clip. */
  #settle(): void {
    const { residents, playback } = this.#columns;
    const { phases, countOf } = this.#shape.sharing!;
    countOf.forEach((count, typeIndex) => {
      const first = firstSharedRow(this.#shape, typeIndex);
      for (let k = 0; k < count; k++) {
        const [row, bin] = [first + k, k % phases];
        const look = { parts: [0xffffffff, 0xffffffff], views: 0, tint: 0xffffffff };
        residents.column.view.assign(row, { typeIndex, leader: row, freshFrame: 0, bornFrame: 0, ...look });
        const place = row * playback.places;
        playback.column.clear(place);
        const startPhase = Math.floor(((bin + 0.5) / phases) * 2 ** 32);
        playback.column.view.assign(place, { clip: Math.floor(k / phases), startPhase, weightFrom: 1, weightTo: 1 });
      }
    });
    const [first, end] = this.#rows();
    residents.column.changed(first, end);
    playback.column.changed(first * playback.places, end * playback.places);
  }
}

function nobody({ capacity }: CrowdLayout): Column<typeof Word.fields> {
  const column = new Column(Word, capacity, false, SHARES_NONE);
  column.changed(0, capacity);
  return column;
}
