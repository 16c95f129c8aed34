import type { GatheredLayers } from '../../controller/eval/motion-list.ts';

/** Entries of a list: motions by their index, and layer records below 0. */
const LAYER = -1;

/**
 * Layer records and motions that fit into a list, in their order. A motion beyond the capacity replaces the lightest one if
 * that is lighter. Weight is multiplied by layer weight; of equal ones the last is the lightest.
 */
export class FittedList {
  count = 0;
  /** Number of motions that were left out. */
  dropped = 0;
  #entries = new Int32Array(16);
  #hefts = new Float64Array(16);

  /** @param onMargin Called for every dropped motion: how much heavier the next one was. Equal ones are not near ties. */
  fit(
    { controller, motions, ends, weights }: GatheredLayers,
    capacity: number,
    onMargin?: (margin: number) => void,
  ): void {
    if (this.#entries.length < capacity) {
      this.#entries = new Int32Array(capacity);
      this.#hefts = new Float64Array(capacity);
    }
    this.count = this.dropped = 0;
    const { layers } = controller;
    let m = 0;
    for (let l = 0; l < layers.length; l++) {
      let isBegun = layers[l]!.isPlain;
      for (; m < ends[l]!; m++) {
        const heft = Math.fround(motions.weights[m]! * weights[l]!);
        if (!this.#makeRoom(isBegun ? 1 : 2, heft, capacity, onMargin)) continue;
        if (!isBegun) this.#push(LAYER - l, Infinity);
        isBegun = true;
        this.#push(m, heft);
      }
    }
  }

  /** Index of the motion at a place, or −1 for a layer record. */
  motion(place: number): number {
    return Math.max(-1, this.#entries[place]!);
  }

  /** The layer of the layer record at a place. */
  layer(place: number): number {
    return LAYER - this.#entries[place]!;
  }

  #push(entry: number, heft: number): void {
    this.#entries[this.count] = entry;
    this.#hefts[this.count++] = heft;
  }

  #makeRoom(needed: number, heft: number, capacity: number, onMargin: ((margin: number) => void) | undefined): boolean {
    while (this.count + needed > capacity) {
      this.dropped++;
      const lightest = this.#lightest(heft);
      onMargin?.(this.#margin(heft));
      if (lightest < 0) return false;
      this.#entries.copyWithin(lightest, lightest + 1, this.count);
      this.#hefts.copyWithin(lightest, lightest + 1, this.count);
      this.count--;
    }
    return true;
  }

  /** The last of the lightest motions that are lighter than `heft`; −1 if none is. */
  #lightest(heft: number): number {
    let lightest = -1;
    for (let i = 0; i < this.count; i++) {
      if (this.#entries[i]! < 0) continue;
      const least = lightest < 0 ? heft : this.#hefts[lightest]!;
      if (this.#hefts[i]! < least || (lightest >= 0 && this.#hefts[i] === least)) lightest = i;
    }
    return lightest;
  }

  #margin(heft: number): number {
    const hefts = [heft, ...this.#hefts.subarray(0, this.count)];
    const least = Math.min(...hefts);
    return Math.min(...hefts.filter((each) => each > least)) - least;
  }
}
