/** Words of a table, and the index of the first one. */
export interface PlacedBlob {
  readonly first: number;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** Creates a table of `length` words that contains the blobs. */
export function tableOf(length: number, blobs: readonly PlacedBlob[]): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(length);
  for (const { first, words } of blobs) table.set(words, first);
  return table;
}

/** Allocates ranges of a table: the first gap that is large enough, or the end. */
export class BlobAllocator {
  readonly #taken: (readonly [first: number, count: number])[];

  constructor(taken: readonly PlacedBlob[]) {
    this.#taken = taken.map(({ first, words }) => [first, words.length] as const).sort(([a], [b]) => a - b);
  }

  get end(): number {
    return this.#taken.reduce((end, [first, count]) => Math.max(end, first + count), 0);
  }

  take(count: number): number {
    let [at, index] = [0, 0];
    for (; index < this.#taken.length && this.#taken[index]![0] - at < count; index++) {
      at = this.#taken[index]![0] + this.#taken[index]![1];
    }
    this.#taken.splice(index, 0, [at, count]);
    return at;
  }
}
