import { LOADER_VARIABLE } from '../geometry-layout.ts';
import type { UncheckedBlob } from './blob.ts';
import type { BatchRecord } from './check-geometry.ts';

const ONE = 65535;
/** Float weights of a vertex sum to 1 within this. */
const WEIGHT_TOLERANCE = 1e-3;

/** Influences of all batches: palette entries that exist, weights that sum to 1 (or none at all). */
export class InfluenceCheck {
  /** Pairs that headers may name before they name more than the blob can hold. */
  #pairsLeft: number;

  constructor(
    readonly blob: UncheckedBlob,
    readonly pairWord: number,
    readonly paletteCount: number,
  ) {
    this.#pairsLeft = blob.words.length / 2;
  }

  check(batch: BatchRecord, variant: number): void {
    if (variant & LOADER_VARIABLE) this.#variable(batch);
    else this.#fixed(batch);
  }

  /** A row per vertex: four 16-bit entries, four 16-bit weights. */
  #fixed(batch: BatchRecord): void {
    const { words } = this.blob;
    const vertexCount = batch.get('vertexCount');
    const first = 4 * batch.get('influence');
    if (!this.blob.holds('influences', first, 4 * vertexCount)) return;
    for (let at = first; at < first + 4 * vertexCount; at += 4) {
      const [a, b, c, d] = [
        words[at + 2]! & 0xffff,
        words[at + 2]! >>> 16,
        words[at + 3]! & 0xffff,
        words[at + 3]! >>> 16,
      ];
      const sum = a + b + c + d;
      if (sum === 0) continue;
      if (sum !== ONE) {
        this.blob.refuse(at + 2, `the weights of a vertex sum to ${sum}, not to ${ONE}.`);
        return;
      }
      const [e01, e23] = [words[at]!, words[at + 1]!];
      const entry = Math.max(e01 & 0xffff, e01 >>> 16, e23 & 0xffff, e23 >>> 16);
      if (entry >= this.paletteCount) {
        this.blob.refuse(at, `a vertex names palette entry ${entry} of ${this.paletteCount}.`);
        return;
      }
    }
  }

  /** A header per vertex: count in the top 8 bits, first pair in the other 24. */
  #variable(batch: BatchRecord): void {
    const { words } = this.blob;
    const vertexCount = batch.get('vertexCount');
    const first = batch.get('influence');
    if (!this.blob.holds('influence headers', first, vertexCount)) return;
    for (let at = first; at < first + vertexCount; at++) {
      const count = words[at]! >>> 24;
      const pair = this.pairWord + 2 * (words[at]! & 0xffffff);
      if (count === 0) continue;
      if (!this.blob.holds('influences', pair, 2 * count)) return;
      this.#pairsLeft -= count;
      if (this.#pairsLeft < 0) {
        this.blob.refuse(at, 'vertices name more influences than the blob can hold.');
        return;
      }
      if (!this.#pairs(pair, count)) return;
    }
  }

  #pairs(first: number, count: number): boolean {
    const { words, floats } = this.blob;
    let sum = 0;
    for (let at = first; at < first + 2 * count; at += 2) {
      const weight = floats[at + 1]!;
      if (words[at]! >= this.paletteCount) {
        return this.blob.refuse(at, `an influence names palette entry ${words[at]} of ${this.paletteCount}.`);
      }
      if (!(weight > 0 && weight <= 1)) {
        return this.blob.refuse(at + 1, `a weight is ${weight}; more than 0 and at most 1 are allowed.`);
      }
      sum += weight;
    }
    if (Math.abs(sum - 1) <= WEIGHT_TOLERANCE) return true;
    return this.blob.refuse(first, `the weights of a vertex sum to ${sum}, not to 1.`);
  }
}
