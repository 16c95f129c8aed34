import type { SkinBatch } from '../geometry-layout.ts';
import { View, type Fields, type Struct } from '../../layout/index.ts';
import type { Report } from './report.ts';

/**
 * Numbers in tables are at most this large: the product of two still fits a 32-bit float. (Metres: a hundred light
 * years.) Importers treat anything over 1e18 as damage.
 */
export const MAGNITUDE_LIMIT: number = 2 ** 60;
/** Rates times the interval that they act in: differences of such numbers, which cubics take an eighth of. */
export const TANGENT_LIMIT: number = 2 ** 64;

/** A table of 16-byte rows that nobody has looked at yet: every look goes through checks that report what is wrong. */
export class UncheckedBlob {
  readonly floats: Float32Array<ArrayBuffer>;
  readonly #claimed: Uint8Array;

  constructor(
    /** What paths begin with. */
    readonly section: string,
    readonly words: Uint32Array<ArrayBuffer>,
    readonly report: Report,
  ) {
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.#claimed = new Uint8Array(words.length / 4);
  }

  /** Reports a problem with the word. */
  refuse(word: number, message: string): false {
    this.report.corrupt(`${this.section}+${4 * word}`, message);
    return false;
  }

  /** Whether the words lie inside the blob. */
  holds(what: string, word: number, count: number): boolean {
    if (word + count <= this.words.length) return true;
    const end = `${4 * (word + count)}, the blob at ${4 * this.words.length}`;
    return this.refuse(word, `${what} (${count} words) would end at ${end}.`);
  }

  /**
   * Takes the words for one purpose. False unless they begin on a row, lie inside the blob, and share no row with what
   * was taken before: so that all that is taken can be looked through in the time that the blob's size allows, however
   * many headers point at it.
   */
  claim(what: string, word: number, count: number): boolean {
    if (word % 4 !== 0) return this.refuse(word, `${what} does not begin on a row.`);
    if (!this.holds(what, word, count)) return false;
    for (let row = word / 4; row < (word + count) / 4; row++) {
      if (this.#claimed[row] !== 0) return this.refuse(4 * row, `${what} overlaps another table.`);
      this.#claimed[row] = 1;
    }
    return true;
  }

  /** Whether all floats are usable: `used` of every `stride`, from `word` on. The words have to be inside the blob. */
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

/** Neither NaN nor infinite nor absurd. */
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

/** A SkinBatch that nobody has looked at yet. */
export type BatchRecord = UncheckedRecord<(typeof SkinBatch)['fields']>;
