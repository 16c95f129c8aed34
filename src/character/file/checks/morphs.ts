import { LOADER_MORPH, MORPH_DELTA_WORDS } from '../../format/geometry-layout.ts';
import { isUsable, type BatchRecord, type UncheckedBlob } from '../blob.ts';

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
