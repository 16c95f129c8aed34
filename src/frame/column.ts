import { struct, View, type Fields, type Struct } from '../layout/index.ts';

/** A column of plain words: floats, integers, flags. */
export const Word = struct('Word', { value: 'u32' });

/** Blocks that changes are told apart by; what is uploaded for one changed row is a block, a 1,024th of the column. */
const BLOCKS = 1024;

/** A run of changed rows: their bytes, and where they begin in the column. */
export interface Change {
  readonly byteOffset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Rows of a struct that the host writes and the device follows: writes mark rows as changed, and the frame uploads
 * what changed since the last one.
 */
export class Column<F extends Fields> {
  readonly view: View<F>;
  /** Told of every change: rows from … to − 1. */
  watch: ((from: number, to: number) => void) | undefined;
  readonly #blockRows: number;
  /** A byte per block; in exact columns also one per row. */
  readonly #dirtyBlocks: Uint8Array;
  #dirtyRows: Uint8Array | undefined;
  #anyDirty = false;

  /** @param exact Nothing but changed rows may be uploaded: the device writes the others. */
  constructor(struct: Struct<F>, count: number, exact = false) {
    this.view = new View(struct, count);
    this.#blockRows = Math.max(1, Math.ceil(count / BLOCKS));
    this.#dirtyBlocks = new Uint8Array(Math.ceil(count / this.#blockRows));
    if (exact) this.#dirtyRows = new Uint8Array(count);
  }

  /**
   * From now on nothing but changed rows may be uploaded, and each run of them is an upload of its own. What has changed before
   * is still uploaded with what stands beside it: the device has not written that yet.
   */
  becomeExact(): void {
    if (this.#dirtyRows) return;
    const dirty = new Uint8Array(this.view.count);
    for (let row = 0; row < dirty.length; row++) dirty[row] = Number(this.isChanged(row));
    this.#dirtyRows = dirty;
  }

  /** Rows from … to − 1 have been written. */
  changed(from: number, to: number = from + 1): void {
    if (to <= from) return;
    this.#dirtyBlocks.fill(1, Math.floor(from / this.#blockRows), Math.ceil(to / this.#blockRows));
    this.#dirtyRows?.fill(1, from, to);
    this.#anyDirty = true;
    this.watch?.(from, to);
  }

  /** Every row is uploaded again: whoever reads the column has another copy of it. */
  renew(): void {
    this.#dirtyBlocks.fill(1);
    this.#dirtyRows?.fill(1);
    this.#anyDirty = this.view.count > 0;
  }

  /** Whether a row may have changed since changes were last taken; exact where the column is. */
  isChanged(row: number): boolean {
    if (this.#dirtyRows) return this.#dirtyRows[row] === 1;
    return this.#dirtyBlocks[Math.floor(row / this.#blockRows)] === 1;
  }

  /** The same rows, and more behind them, or fewer; as exact as before. What has changed is still to be uploaded. */
  grown(count: number): Column<F> {
    const { struct, words, count: known } = this.view;
    const column = new Column(struct, count, this.#dirtyRows !== undefined);
    column.view.words.set(words.subarray(0, column.view.words.length));
    for (let row = 0; row < Math.min(known, count); row++) if (this.isChanged(row)) column.changed(row);
    return column;
  }

  /**
   * What changed since it was last asked for, in runs; at most half as many as there are blocks, or rows of an exact
   * column. Cost: in proportion to the blocks, 1,024 at most, and to what changed.
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
