import type { Struct } from '../../src/layout/index.ts';

/** A record's integer fields by name. */
export type Fields = (key: string) => number;

/** Looks at words of a blob, and keeps what lies outside. */
export class Fetcher {
  constructor(
    readonly blob: string,
    readonly words: Uint32Array<ArrayBuffer>,
    readonly stray: Set<string>,
  ) {}

  /** `count` words at a place that counts in `unit` words; WGSL's integers wrap. */
  fetch(what: string, unit: 1 | 2 | 4, place: number, count: number = unit): number {
    const word = unit * (place >>> 0);
    if (word + count > this.words.length) this.stray.add(`${what} at ${this.blob}+${4 * word}`);
    return word;
  }

  /** A record at a row, as a function of its integer fields. */
  record({ name, size, offsets }: Struct, row: number): Fields {
    const word = this.fetch(name, 4, row, size / 4);
    return (key) => this.words[word + offsets[key]! / 4] ?? 0;
  }

  word(what: string, word: number): number {
    return this.words[this.fetch(what, 1, word)] ?? 0;
  }
}
