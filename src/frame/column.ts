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
  readonly #blockRows: number;
  readonly #dirty: Uint8Array;
  readonly #exact: boolean;
  #anyDirty = false;

  /** @param exact Nothing but changed rows may be uploaded: the device writes the others. */
  constructor(struct: Struct<F>, count: number, exact = false) {
    this.view = new View(struct, count);
    this.#exact = exact;
    this.#blockRows = exact ? 1 : Math.max(1, Math.ceil(count / BLOCKS));
    this.#dirty = new Uint8Array(Math.ceil(count / this.#blockRows));
  }

  /** The same with room for more rows: what has changed since the last frame still has. */
  grown(count: number): Column<F> {
    const { struct, words } = this.view;
    const larger = new Column(struct, count, this.#exact);
    larger.view.words.set(words);
    for (const { byteOffset, bytes } of this.takeChanges()) {
      larger.changed(byteOffset / struct.size, (byteOffset + bytes.length) / struct.size);
    }
    return larger;
  }

  /** Rows from … to − 1 have been written. */
  changed(from: number, to: number = from + 1): void {
    if (to <= from) return;
    this.#dirty.fill(1, Math.floor(from / this.#blockRows), Math.ceil(to / this.#blockRows));
    this.#anyDirty = true;
  }

  /** What changed since it was last asked for, in runs; at most half as many as there are blocks. */
  takeChanges(): Change[] {
    if (!this.#anyDirty) return [];
    const changes: Change[] = [];
    for (let block = 0; block < this.#dirty.length; block++) {
      if (this.#dirty[block] === 0) continue;
      const first = block;
      while (this.#dirty[block + 1] === 1) block++;
      changes.push(this.#rows(first * this.#blockRows, Math.min((block + 1) * this.#blockRows, this.view.count)));
    }
    this.#dirty.fill(0);
    this.#anyDirty = false;
    return changes;
  }

  #rows(from: number, to: number): Change {
    const { size } = this.view.struct;
    const { buffer, byteOffset } = this.view.words;
    return { byteOffset: from * size, bytes: new Uint8Array(buffer, byteOffset + from * size, (to - from) * size) };
  }
}
