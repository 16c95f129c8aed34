import { angleBetween, type Quat, slerp, unit } from '../math/quat.ts';
import { distance, mix, type Vec3 } from '../math/vec.ts';

/** One joint's animated value at every frame, already rounded to what the file will hold. */
export interface Channel {
  readonly jointIndex: number;
  /** Degrees that a rotation may be off between keys. */
  readonly tolerance: number;
  readonly path: 'rotation' | 'translation';
  /** Rotations as 32,767ths, translations in metres. */
  readonly values: readonly (readonly number[])[];
}

export interface ReducedChannel extends Channel {
  /** The frames kept. */
  readonly keys: readonly number[];
}

const MAX_METRES = 0.0002;

/** Bytes that a further list of key times costs in the file beside its times. */
const ACCESSOR_BYTES = 112;
const GRIDS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15];

/**
 * Chooses the keys of all channels of a clip. Between them values run straight, and no frame may be off by more than
 * the tolerance. Channels are drawn to lists of times that others use too, since a list of times has its own price.
 */
export function reduceChannels(channels: readonly Channel[]): ReducedChannel[] {
  const last = (channels[0]?.values.length ?? 1) - 1;
  const grids = GRIDS.map((step) => gridKeys(last, step));
  const options = channels.map((channel) => {
    if (isConstant(channel)) return [[0]];
    return [fewestKeys(channel), ...grids].filter((keys) => worstFrame(channel, keys).error <= 1);
  });
  const uses = new Map<string, number>();
  let chosen: (readonly number[])[] = [];
  // a list is cheaper once other channels share it, so choose again
  for (let round = 0; round < 6; round++) {
    chosen = options.map((lists) => cheapest(channels, lists, uses));
    uses.clear();
    for (const keys of chosen) uses.set(keys.join(), (uses.get(keys.join()) ?? 0) + 1);
  }
  return channels.map((channel, i) => ({ ...channel, keys: chosen[i]! }));
}

function cheapest(
  channels: readonly Channel[],
  lists: readonly (readonly number[])[],
  uses: Map<string, number>,
): readonly number[] {
  // at first, assume that all channels use the regular lists
  const price = (keys: readonly number[]): number => {
    const known = uses.get(keys.join()) ?? 0;
    const sharers = uses.size === 0 && isRegular(keys) ? channels.length : Math.max(1, known);
    return keys.length * 8 + (ACCESSOR_BYTES + keys.length * 4) / sharers;
  };
  return lists.reduce((best, keys) => (price(keys) < price(best) ? keys : best));
}

function gridKeys(last: number, step: number): number[] {
  const keys = [];
  for (let frame = 0; frame < last; frame += step) keys.push(frame);
  return [...keys, last];
}

const isRegular = (keys: readonly number[]): boolean =>
  keys.every((frame, i) => i === keys.length - 1 || frame === i * keys[1]!);

const isConstant = ({ values }: Channel): boolean =>
  values.every((value) => value.every((x, i) => Math.abs(x - values[0]![i]!) <= (Number.isInteger(x) ? 4 : 5e-5)));

/** The shortest way from the first frame to the last over spans that stay within the tolerance. */
function fewestKeys(channel: Channel): number[] {
  const count = channel.values.length;
  const steps = [0];
  const from = [0];
  for (let frame = 1; frame < count; frame++) {
    steps[frame] = steps[frame - 1]! + 1;
    from[frame] = frame - 1;
    for (let start = frame - 2; start >= 0 && worstFrame(channel, [start, frame]).error <= 1; start--) {
      if (steps[start]! + 1 >= steps[frame]!) continue;
      steps[frame] = steps[start]! + 1;
      from[frame] = start;
    }
  }
  const keys = [count - 1];
  while (keys[0]! > 0) keys.unshift(from[keys[0]!]!);
  return keys;
}

/** The frame furthest from the straight line between its keys; 1 is as far as is allowed. */
function worstFrame(channel: Channel, keys: readonly number[]): { frame: number; error: number } {
  let worst = { frame: 0, error: 0 };
  for (let k = 0; k + 1 < keys.length; k++) {
    const [from, to] = [keys[k]!, keys[k + 1]!];
    for (let frame = from + 1; frame < to; frame++) {
      const error = straightError(channel, from, to, frame);
      if (error > worst.error) worst = { frame, error };
    }
  }
  return worst;
}

function straightError({ path, values, tolerance }: Channel, from: number, to: number, frame: number): number {
  const t = (frame - from) / (to - from);
  if (path === 'translation') {
    const place = mix(values[from] as unknown as Vec3, values[to] as unknown as Vec3, t);
    return distance(place, values[frame] as unknown as Vec3) / MAX_METRES;
  }
  const turn = (at: number): Quat => unit(values[at] as unknown as Quat);
  return angleBetween(slerp(turn(from), turn(to), t), turn(frame)) / tolerance;
}
