import { TRACK_CONSTANT, TRACK_NONE } from '../format/rig-layout.ts';
import type { Channel, ChannelKind } from './channels.ts';

/** The LaneTracks pairs of a clip: indices of each lane's channels. */
export class LaneTracks {
  readonly words: Uint32Array<ArrayBuffer>;

  constructor(laneCount: number) {
    this.words = new Uint32Array(2 * laneCount).fill(TRACK_NONE | (TRACK_NONE << 16));
    for (let lane = 0; lane < laneCount; lane++) this.words[2 * lane + 1] = TRACK_NONE;
  }

  setTrack(lane: number, kind: ChannelKind, track: number): void {
    if (kind === 'rotation') this.#set(2 * lane, 0, track);
    else if (kind === 'translation') this.#set(2 * lane, 16, track);
    else this.#set(2 * lane + 1, 0, track);
  }

  setConstant(lane: number, kind: ChannelKind, constant: number): void {
    this.setTrack(lane, kind, TRACK_CONSTANT | constant);
  }

  /** Adds bits to the lane's `shifts` field. */
  setShift(lane: number, bit: number, value: number): void {
    this.words[2 * lane + 1]! |= value << (16 + bit);
  }

  #set(word: number, bit: number, value: number): void {
    this.words[word] = (this.words[word]! & ~(0xffff << bit)) | (value << bit);
  }
}

/** The constants of a clip, in the form of its channels. Equal ones are stored once. */
export class Constants {
  readonly #words: number[] = [];
  readonly #indices = new Map<string, number>();

  /** @param words One pair (packed form) or two (exact form). */
  add(words: readonly number[]): number {
    const key = words.join();
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const index = this.#words.length / words.length;
    this.#indices.set(key, index);
    this.#words.push(...words);
    return index;
  }

  get words(): Uint32Array {
    return new Uint32Array(this.#words);
  }
}

export interface SplitChannels {
  readonly animated: readonly Channel[];
  readonly constant: readonly { readonly channel: Channel; readonly value: readonly number[] }[];
}

/** Numbers of animated channels before translations and before scales in a row. */
export function channelBases(animated: readonly Channel[]): { translationBase: number; scaleBase: number } {
  const count = (kind: ChannelKind) => animated.filter((channel) => channel.kind === kind).length;
  const translationBase = count('rotation');
  return { translationBase, scaleBase: translationBase + count('translation') };
}
