import type { Struct } from '../layout/index.ts';

type RecordOf<F> = { readonly [K in keyof F]?: number | readonly number[] };

/** A table of 16-byte rows that grows while it is written. `reserve` adds rows, `put` fills a record, `add` does both. */
export class Rows {
  #words = new Uint32Array(1024);
  #floats = new Float32Array(this.#words.buffer);
  #ints = new Int32Array(this.#words.buffer);
  #rowCount = 0;

  /** Adds `rowCount` rows of zeros. Returns the first. */
  reserve(rowCount: number): number {
    const first = this.#rowCount;
    this.#rowCount += rowCount;
    if (4 * this.#rowCount > this.#words.length) {
      const larger = new Uint32Array(8 * this.#rowCount);
      larger.set(this.#words);
      this.#words = larger;
      this.#floats = new Float32Array(larger.buffer);
      this.#ints = new Int32Array(larger.buffer);
    }
    return first;
  }

  /** Adds rows for `count` records. */
  reserveFor(struct: Struct, count: number): number {
    return this.reserve((struct.size / 16) * count);
  }

  /** Writes record `index` of those from `row` on. Fields that are not named stay 0. */
  put<F extends Struct['fields']>(struct: Struct<F>, row: number, index: number, values: RecordOf<F>): void {
    const at = 4 * row + (struct.size / 4) * index;
    for (const [name, value] of Object.entries(values) as [string, number | readonly number[]][]) {
      const word = at + struct.offsets[name]! / 4;
      const type = struct.fields[name] as string;
      const target = /f/.test(type) ? this.#floats : type.startsWith('i') ? this.#ints : this.#words;
      if (typeof value === 'number') target[word] = value;
      else value.forEach((v, c) => (target[word + c] = v));
    }
  }

  /** Adds records. Returns the first row. */
  add<F extends Struct['fields']>(struct: Struct<F>, records: readonly RecordOf<F>[]): number {
    const row = this.reserveFor(struct, records.length);
    records.forEach((record, i) => this.put(struct, row, i, record));
    return row;
  }

  /** Adds words, four to a row. Returns the first row. */
  addWords(words: ArrayLike<number>): number {
    const row = this.reserve(Math.ceil(words.length / 4));
    this.#words.set(words, 4 * row);
    return row;
  }

  setWord(row: number, word: number, value: number): void {
    this.#words[4 * row + word] = value;
  }

  setBytes(row: number, bytes: Uint8Array): void {
    new Uint8Array(this.#words.buffer, 16 * row, bytes.length).set(bytes);
  }

  get words(): Uint32Array<ArrayBuffer> {
    return this.#words.slice(0, 4 * this.#rowCount);
  }
}
