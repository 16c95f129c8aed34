import type { CharacterModel, TrackModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { Random } from './random.ts';
import { moteModel } from '../format/mote.ts';

/** A character with many clips of about the same size: every joint turns in each of them, at random. */
export function manyClipsCharacter(count: number) {
  const mote = moteModel();
  const random = new Random(count);
  const clips = Array.from({ length: count }, (_, index): CharacterModel['clips'][number] => {
    const tracks = mote.joints.map((_, targetIndex): TrackModel => {
      const keys = 21;
      const times = Float32Array.from({ length: keys }, (__, k) => k / (keys - 1));
      const angles = Array.from({ length: keys }, () => random.range(-0.4, 0.4));
      const values = Float32Array.from(angles.flatMap((angle) => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)]));
      return { path: 'rotation', targetIndex, interpolation: 'LINEAR', times, values };
    });
    return { name: `clip ${index}`, duration: 1 + index / 10, loops: true, tracks };
  });
  return packCharacter({ ...mote, clips: [...clips, ...mote.clips] });
}

/** Bytes of a file that arrive when a test says so. */
export class Tap {
  readonly #file: Uint8Array;
  #at = 0;
  #open = 0;
  #wake: () => void = () => undefined;

  constructor(
    file: Uint8Array,
    readonly piece = 1009,
  ) {
    this.#file = file;
  }

  readonly next = async (): Promise<Uint8Array | undefined> => {
    if (this.#at === this.#file.length) return undefined;
    while (this.#at >= this.#open) await new Promise<void>((resolve) => (this.#wake = resolve));
    const from = this.#at;
    this.#at = Math.min(from + this.piece, this.#open);
    return this.#file.slice(from, this.#at);
  };

  /** Lets the file through up to a byte, and waits until all of that was read. */
  async openTo(end: number): Promise<void> {
    this.#open = Math.min(end, this.#file.length);
    this.#wake();
    for (let turn = 0; turn < 1000 && (this.#at < this.#open || turn < 5); turn++)
      await new Promise((r) => setTimeout(r));
  }
}
