import { LOADER_MORPH, LOADER_VARIABLE, MORPH_DELTA_WORDS } from '../../format/geometry-layout.ts';
import { isUsable, type BatchRecord, type UncheckedBlob } from '../blob.ts';

const ONE = 65535;
/** Float weights of a vertex sum to 1 within this. */
const WEIGHT_TOLERANCE = 1e-3;
/** Influences that fit the fixed form. */
const FIXED_COUNT = 4;

/** Checks influences of all batches: palette entries exist, and weights sum to 1 (or are all 0). */
export class InfluenceCheck {
  /** Pairs that headers may still name before they name more than the blob can hold. */
  #pairsLeft: number;
  /** True if some vertex of the batches so far has no influence. */
  anyUnmoved = false;

  constructor(
    readonly blob: UncheckedBlob,
    readonly pairWord: number,
    readonly paletteCount: number,
  ) {
    this.#pairsLeft = blob.words.length / 2;
  }

  /** Returns false, and reports, if the batch's influences cannot be trusted. */
  check(batch: BatchRecord, variant: number): boolean {
    const variable = (variant & LOADER_VARIABLE) !== 0;
    const vertexCount = batch.get('vertexCount');
    const first = (variable ? 1 : 4) * batch.get('influence');
    const held = variable
      ? this.blob.holds('influence headers', first, vertexCount)
      : this.blob.holds('influences', first, 4 * vertexCount);
    if (!held) return false;
    let most = 0;
    for (let v = 0; v < vertexCount; v++) {
      const count = variable ? this.#variable(first + v) : this.#fixed(first + 4 * v);
      if (count === undefined) return false;
      most = Math.max(most, count);
      this.anyUnmoved ||= count === 0;
    }
    if (variable) return batch.expect('influenceCount', most, 'the vertex with the most');
    // kernels read this count; a weight that was rounded to 0 may count
    return batch.expectRange('influenceCount', most, FIXED_COUNT);
  }

  /** Checks a vertex's row: four 16-bit entries, four 16-bit weights. Returns the number of weights above 0. */
  #fixed(at: number): number | undefined {
    const { words } = this.blob;
    const [e01, e23, w01, w23] = [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
    const [a, b, c, d] = [w01 & 0xffff, w01 >>> 16, w23 & 0xffff, w23 >>> 16];
    const sum = a + b + c + d;
    if (sum === 0) return 0;
    if (sum !== ONE) return this.#refuse(at + 2, `the weights of a vertex sum to ${sum}, not to ${ONE}.`);
    // kernels treat a first weight of 0 as a vertex without influence, and may stop after the batch's count
    if (a === 0 || (b === 0 && c + d > 0) || (c === 0 && d > 0)) {
      return this.#refuse(at + 2, `the weights of a vertex are ${a}, ${b}, ${c}, ${d}; those of 0 come last.`);
    }
    const entry = Math.max(e01 & 0xffff, e01 >>> 16, e23 & 0xffff, e23 >>> 16);
    if (entry < this.paletteCount) return 1 + Number(b > 0) + Number(c > 0) + Number(d > 0);
    return this.#refuse(at, `a vertex names palette entry ${entry} of ${this.paletteCount}.`);
  }

  /** Checks a vertex's header: count in the top 8 bits, first pair in the other 24. Returns the count. */
  #variable(at: number): number | undefined {
    const { words } = this.blob;
    const count = words[at]! >>> 24;
    const pair = this.pairWord + 2 * (words[at]! & 0xffffff);
    if (count === 0) return 0;
    if (!this.blob.holds('influences', pair, 2 * count)) return undefined;
    this.#pairsLeft -= count;
    if (this.#pairsLeft < 0) return this.#refuse(at, 'vertices name more influences than the blob can hold.');
    return this.#pairs(pair, count) ? count : undefined;
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

  #refuse(word: number, message: string): undefined {
    this.blob.refuse(word, message);
  }
}

/** Exponent bits of both halves of a word; all set means infinite or NaN. */
const HALF_EXPONENTS = [0x7c00, 0x7c000000] as const;

/** Checks morph targets of all batches: weights exist and deltas are usable. */
export class MorphCheck {
  /** Words of deltas that batches may still name before they name more than the blob can hold. */
  #wordsLeft: number;

  constructor(
    readonly blob: UncheckedBlob,
    readonly weightCount: number,
  ) {
    this.#wordsLeft = blob.words.length;
  }

  /** Checks a batch with deltas that a channel table names. */
  checkTargets(batch: BatchRecord, variant: number): void {
    batch.expect('morphWord', 0, 'its loader variant');
    batch.expect('morphStride', 0, 'its loader variant');
    if (variant & LOADER_MORPH) this.#weights(batch);
    else batch.expect('morphTargets', 0, 'its loader variant');
  }

  /** Checks a batch that names its deltas itself. */
  check(batch: BatchRecord): void {
    const count = this.#weights(batch);
    if (count === undefined) return;
    const vertexCount = batch.get('vertexCount');
    const stride = batch.get('morphStride');
    const first = batch.get('morphWord');
    const end = ((count - 1) * stride + vertexCount) * MORPH_DELTA_WORDS;
    if (!this.blob.holds('morph deltas', first, end)) return;
    this.#wordsLeft -= count * vertexCount * MORPH_DELTA_WORDS;
    if (this.#wordsLeft < 0) {
      batch.refuse('morphTargets', 'reads, with the batches before, more deltas than the blob can hold.');
      return;
    }
    for (let target = 0; target < count; target++) {
      if (!this.#deltas(first + target * stride * MORPH_DELTA_WORDS, vertexCount)) return;
    }
  }

  /** Number of targets. Returns undefined, and reports, if there are no weights for them. */
  #weights(batch: BatchRecord): number | undefined {
    const targets = batch.get('morphTargets');
    const [firstWeight, count] = [targets & 0xffff, targets >>> 16];
    if (count > 0 && firstWeight + count <= this.weightCount) return count;
    batch.refuse('morphTargets', `names weights ${firstWeight} to ${firstWeight + count} of ${this.weightCount}.`);
    return undefined;
  }

  #deltas(first: number, vertexCount: number): boolean {
    const { words, floats } = this.blob;
    for (let at = first; at < first + vertexCount * MORPH_DELTA_WORDS; at += MORPH_DELTA_WORDS) {
      for (let c = at; c < at + 3; c++) if (!isUsable(floats[c]!)) return this.blob.refuseFloat('morph delta', c);
      for (let c = at + 3; c < at + MORPH_DELTA_WORDS; c++) {
        if (HALF_EXPONENTS.some((bits) => (words[c]! & bits) === bits)) {
          return this.blob.refuse(c, 'a morph delta is a half that is not finite.');
        }
      }
    }
    return true;
  }
}
