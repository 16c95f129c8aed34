import { struct, View, type Fields, type Struct } from '../../layout/index.ts';

/** A column of plain words: floats, integers, flags. */
export const Word = /* @__PURE__ */ struct('Word', { value: 'u32' });

export type RowValues<F extends Fields> = Parameters<View<F>['assign']>[1];

/** A view of new rows. */
export function viewOf<F extends Fields>(struct: Struct<F>, rows: readonly RowValues<F>[]): View<F> {
  const view = new View(struct, rows.length);
  rows.forEach((values, row) => view.assign(row, values));
  return view;
}

/** Blocks of a column with a dirty flag each. One changed row uploads its block, a 1,024th of the column. */
const BLOCKS = 1024;

/** A run of changed rows: their bytes, and their offset in the column. */
export interface Change {
  readonly byteOffset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Rows of a struct that the CPU writes and each frame uploads. Writes mark rows as dirty, and a frame uploads the rows
 * that changed since the last one.
 */
export class Column<F extends Fields> {
  readonly view: View<F>;
  /** Called for every change, with rows `from` to `to` − 1. */
  watch: ((from: number, to: number) => void) | undefined;
  readonly #blank: number;
  readonly #blockRows: number;
  /** A byte per block. Exact columns also have a byte per row. */
  readonly #dirtyBlocks: Uint8Array;
  #dirtyRows: Uint8Array | undefined;
  #anyDirty = false;

  /**
   * @param exact Uploads only changed rows, because the GPU writes the others.
   * @param blank First word of an unused row. Its other words are 0.
   */
  constructor(struct: Struct<F>, count: number, exact = false, blank = 0) {
    this.view = new View(struct, count);
    this.#blank = blank;
    if (blank !== 0) this.clear(0, count);
    this.#blockRows = Math.max(1, Math.ceil(count / BLOCKS));
    this.#dirtyBlocks = new Uint8Array(Math.ceil(count / this.#blockRows));
    if (exact) this.#dirtyRows = new Uint8Array(count);
  }

  /**
   * From now on only changed rows are uploaded, one upload per run. Rows that are dirty already are still uploaded with
   * their whole blocks: the GPU has not written those yet.
   */
  becomeExact(): void {
    if (this.#dirtyRows) return;
    const dirty = new Uint8Array(this.view.count);
    for (let row = 0; row < dirty.length; row++) dirty[row] = Number(this.isChanged(row));
    this.#dirtyRows = dirty;
  }

  /** Marks rows `from` to `to` − 1 as changed. */
  changed(from: number, to: number = from + 1): void {
    if (to <= from) return;
    this.#dirtyBlocks.fill(1, Math.floor(from / this.#blockRows), Math.ceil(to / this.#blockRows));
    this.#dirtyRows?.fill(1, from, to);
    this.#anyDirty = true;
    this.watch?.(from, to);
  }

  /** Makes rows `from` to `to` − 1 unused, so that nothing of their content is left. Does not mark them as changed. */
  clear(from: number, to: number = from + 1): void {
    const words = this.view.struct.size / 4;
    this.view.words.fill(0, from * words, to * words);
    for (let row = from; row < to; row++) this.view.words[row * words] = this.#blank;
  }

  /** Marks every row as changed, because the reader has a new copy of the column. */
  renew(): void {
    this.#dirtyBlocks.fill(1);
    this.#dirtyRows?.fill(1);
    this.#anyDirty = this.view.count > 0;
  }

  /** Returns true if a row may have changed since changes were last taken. The result is exact if the column is exact. */
  isChanged(row: number): boolean {
    if (this.#dirtyRows) return this.#dirtyRows[row] === 1;
    return this.#dirtyBlocks[Math.floor(row / this.#blockRows)] === 1;
  }

  /** Returns a copy with `count` rows, more or fewer. Exactness and dirty rows are kept. */
  grown(count: number): Column<F> {
    const { struct, words, count: known } = this.view;
    const column = new Column(struct, count, this.#dirtyRows !== undefined, this.#blank);
    column.view.words.set(words.subarray(0, column.view.words.length));
    for (let row = 0; row < Math.min(known, count); row++) if (this.isChanged(row)) column.changed(row);
    return column;
  }

  /**
   * Returns runs of rows that changed since the last call, and marks all rows as unchanged. There are at most half as many
   * runs as blocks, or as rows of an exact column. Cost: proportional to the blocks (at most 1,024) and to the changes.
   */
  takeChanges(): Change[] {
    if (!this.#anyDirty) return [];
    const changes: Change[] = [];
    for (let block = 0; block < this.#dirtyBlocks.length; block++) {
      if (this.#dirtyBlocks[block] === 0) continue;
      const first = block;
      while (this.#dirtyBlocks[block + 1] === 1) block++;
      const [from, to] = [first * this.#blockRows, Math.min((block + 1) * this.#blockRows, this.view.count)];
      if (this.#dirtyRows) this.#takeRows(this.#dirtyRows, from, to, changes);
      else changes.push(this.#rows(from, to));
    }
    this.#dirtyBlocks.fill(0);
    this.#anyDirty = false;
    return changes;
  }

  #takeRows(dirty: Uint8Array, from: number, to: number, changes: Change[]): void {
    for (let row = from; row < to; row++) {
      if (dirty[row] === 0) continue;
      const first = row;
      while (row + 1 < to && dirty[row + 1] === 1) row++;
      changes.push(this.#rows(first, row + 1));
    }
    dirty.fill(0, from, to);
  }

  #rows(from: number, to: number): Change {
    const { size } = this.view.struct;
    const { buffer, byteOffset } = this.view.words;
    return { byteOffset: from * size, bytes: new Uint8Array(buffer, byteOffset + from * size, (to - from) * size) };
  }
}
