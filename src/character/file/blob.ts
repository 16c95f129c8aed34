import type { SkinBatch } from '../format/geometry-layout.ts';
import { View, type Fields, type Struct } from '../../layout/index.ts';
import type { Report } from './report.ts';

/**
 * Largest magnitude of numbers in tables: the product of two still fits a 32-bit float. (Metres: a hundred light
 * years.) Importers treat anything over 1e18 as damage.
 */
export const MAGNITUDE_LIMIT: number = 2 ** 60;
/** Limit of a rate times the interval that it acts in: differences of such numbers, which cubics take an eighth of. */
export const TANGENT_LIMIT: number = 2 ** 64;

/** A table of 16-byte rows that has not been checked yet. Every access goes through checks that report problems. */
export class UncheckedBlob {
  readonly floats: Float32Array<ArrayBuffer>;
  /** A byte per row: 1 where it is claimed. */
  readonly #claimed: Uint8Array;
  /** The rows that may be claimed now, beginning and end. */
  #open: readonly [number, number];

  constructor(
    /** Prefix of paths. */
    readonly section: string,
    readonly words: Uint32Array<ArrayBuffer>,
    readonly report: Report,
  ) {
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.#claimed = new Uint8Array(words.length / 4);
    this.#open = [0, words.length / 4];
  }

  /** Keeps rows from being claimed until they are opened. They have to lie inside the blob. */
  close([first, end]: readonly [number, number]): void {
    this.#claimed.fill(1, first, end);
  }

  /** From now on only these rows may be claimed, which were closed. */
  open(rows: readonly [number, number]): void {
    this.#claimed.fill(0, ...rows);
    this.#open = rows;
  }

  refuse(word: number, message: string): false {
    this.report.corrupt(`${this.section}+${4 * word}`, message);
    return false;
  }

  /** Returns true if the words lie inside the blob. */
  holds(what: string, word: number, count: number): boolean {
    if (word + count <= this.words.length) return true;
    const end = `${4 * (word + count)}, the blob at ${4 * this.words.length}`;
    return this.refuse(word, `${what} (${count} words) would end at ${end}.`);
  }

  /**
   * Claims the words for one purpose. Returns false unless they begin on a row, lie inside the blob, and share no row
   * with earlier claims. So checking everything takes time in proportion to the blob's size, however many headers point
   * at it.
   */
  claim(what: string, word: number, count: number): boolean {
    if (word % 4 !== 0) return this.refuse(word, `${what} does not begin on a row.`);
    if (!this.holds(what, word, count)) return false;
    const [from, to] = this.#open;
    for (let row = word / 4; row < (word + count) / 4; row++) {
      if (row < from || row >= to) return this.refuse(4 * row, `${what} is outside its clip's section.`);
      if (this.#claimed[row] !== 0) return this.refuse(4 * row, `${what} overlaps another table.`);
      this.#claimed[row] = 1;
    }
    return true;
  }

  /** Returns true if all floats are usable: `used` of every `stride`. The words have to be inside the blob. */
  areUsable(what: string, word: number, count: number, { used = 1, stride = 1 } = {}): boolean {
    for (let at = word; at < word + count; at += stride) {
      for (let c = at; c < at + used; c++) if (!isUsable(this.floats[c]!)) return this.refuseFloat(what, c);
    }
    return true;
  }

  refuseFloat(what: string, word: number): false {
    return this.refuse(word, `${what} is ${this.floats[word]!}; finite numbers up to 2^60 are allowed.`);
  }

  /** The fields of a record, which has to be inside the blob. */
  record<F extends Fields>(struct: Struct<F>, word: number): UncheckedRecord<F> {
    return new UncheckedRecord(this, struct, word);
  }
}

/** Returns true if the value is not NaN, not infinite and not absurdly large. */
export function isUsable(value: number): boolean {
  return Math.abs(value) <= MAGNITUDE_LIMIT;
}

type ScalarKeys<F extends Fields> = { [K in keyof F]: F[K] extends 'u32' | 'f32' ? K : never }[keyof F] & string;

/** One record of a blob. */
export class UncheckedRecord<F extends Fields> {
  readonly view: View<F>;

  constructor(
    readonly blob: UncheckedBlob,
    readonly struct: Struct<F>,
    readonly word: number,
  ) {
    this.view = new View(struct, blob.words.buffer, blob.words.byteOffset + 4 * word, 1);
    for (const key of Object.keys(struct.fields)) {
      if (key.startsWith('pad') && this.#raw(key) !== 0) this.refuse(key as ScalarKeys<F>, 'has to be 0.');
    }
  }

  get(key: ScalarKeys<F>): number {
    const { fields } = this.struct;
    return fields[key] === 'f32' ? this.view.floats[this.#index(key)]! : this.#raw(key);
  }

  refuse(key: ScalarKeys<F>, message: string): false {
    return this.blob.refuse(this.word + this.#index(key), `${this.struct.name}.${key} ${message}`);
  }

  /** Reports the field unless it has this value. */
  expect(key: ScalarKeys<F>, expected: number, why: string): boolean {
    const actual = this.get(key);
    return actual === expected || this.refuse(key, `is ${actual}; ${why} makes it ${expected}.`);
  }

  /** Reports the field unless it is in the range. */
  expectRange(key: ScalarKeys<F>, low: number, high: number): boolean {
    const actual = this.get(key);
    return (actual >= low && actual <= high) || this.refuse(key, `is ${actual}; ${low} to ${high} are allowed.`);
  }

  #raw(key: string): number {
    return this.view.words[this.#index(key)]!;
  }

  #index(key: string): number {
    return this.struct.offsets[key]! / 4;
  }
}

/** A SkinBatch that has not been checked yet. */
export type BatchRecord = UncheckedRecord<(typeof SkinBatch)['fields']>;
