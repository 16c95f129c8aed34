import { View, type Fields, type Struct } from '../layout/index.ts';

/**
 * Rows of a struct that the host writes and the device follows: writes mark rows as changed, and the frame uploads
 * what changed since the last one.
 */
export class Column<F extends Fields> {
  readonly view: View<F>;
  #from = Infinity;
  #to = 0;

  constructor(struct: Struct<F>, count: number) {
    this.view = new View(struct, count);
  }

  /** Rows from … to − 1 have been written. */
  changed(from: number, to: number = from + 1): void {
    this.#from = Math.min(this.#from, from);
    this.#to = Math.max(this.#to, to);
  }

  /** The changed bytes and where they begin, once; undefined when there are none. */
  takeChanges(): { byteOffset: number; bytes: Uint8Array<ArrayBuffer> } | undefined {
    if (this.#from >= this.#to) return undefined;
    const { size } = this.view.struct;
    const byteOffset = this.#from * size;
    const { buffer, byteOffset: start } = this.view.words;
    const bytes = new Uint8Array(buffer, start + byteOffset, (this.#to - this.#from) * size);
    this.#from = Infinity;
    this.#to = 0;
    return { byteOffset, bytes };
  }
}
