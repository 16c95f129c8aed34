import { fail } from '../../errors.ts';

/**
 * Limit of the work for all clips of a character: some 5 s. A minute of a character with 65 joints, at 30 keys a
 * second, takes a tenth.
 */
export const CLIP_WORK_LIMIT = 10_000_000;

/** Counts the work of packing clips, so that a few bytes of keys that many channels share cannot take minutes. */
export class ClipWork {
  #left: number;

  constructor(readonly limit: number) {
    this.#left = limit;
  }

  /** The most samples of the next clip, if each is read on `width` joints, morph lanes and channels. */
  samplesLeft(width: number): number {
    return Math.floor(this.#left / width);
  }

  spend(samples: number, width: number): void {
    this.#left -= samples * width;
  }

  /** @throws ManipleError CLIP_TOO_LONG */
  refuse(clip: string): never {
    const message = `With this clip, packing reads over ${this.limit} values: samples × (joints + channels), over all clips.`;
    const suggestion = 'Keep fewer keys (30 a second do), split the clips among files, or raise `maxClipWork`.';
    return fail('CLIP_TOO_LONG', clip, message, suggestion);
  }
}
