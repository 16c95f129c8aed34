import { TRACK_CONSTANT, TRACK_NONE } from '../rig-layout.ts';
import type { Channel, ChannelKind } from './channels.ts';

/** The LaneTracks pairs of a clip: where each lane finds its channels. */
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

/** The constants of a clip: four floats each, equal ones stored once. */
export class Constants {
  readonly #rows: number[][] = [];
  readonly #indices = new Map<string, number>();

  add(value: readonly number[]): number {
    const row = [0, 1, 2, 3].map((c) => Math.fround(value[c] ?? 0));
    const key = row.join();
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    this.#indices.set(key, this.#rows.length);
    return this.#rows.push(row) - 1;
  }

  get floats(): Float32Array {
    return Float32Array.from(this.#rows.flat());
  }
}

export interface SplitChannels {
  readonly animated: readonly Channel[];
  readonly constant: readonly { readonly channel: Channel; readonly value: readonly number[] }[];
}

/** How many animated channels come before translations and before scales in a row. */
export function channelBases(animated: readonly Channel[]): { translationBase: number; scaleBase: number } {
  const count = (kind: ChannelKind) => animated.filter((channel) => channel.kind === kind).length;
  const translationBase = count('rotation');
  return { translationBase, scaleBase: translationBase + count('translation') };
}
