import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { Channel } from './channels.ts';
import type { FittedInterval } from './fitted-interval.ts';
import type { ClipSamples } from './samples.ts';
import type { Steps } from './steps.ts';

/** Limit for the chord between unit quaternions, with which rotations are compared: half the angle, if it is small. */
export function chordLimit({ kind }: Channel, tolerance: number): number {
  return kind === 'rotation' ? tolerance / 2 : tolerance;
}

const ends = [new Float64Array(4), new Float64Array(4)] as const;
const point = new Float64Array(4);

/**
 * Returns true if the cubic with these rates (as the decoder evaluates it) stays within `limit` of every sample
 * between.
 */
export function cubicFits(
  { kind, width }: Channel,
  v: Float32Array,
  times: Float64Array,
  from: number,
  to: number,
  rates: Float64Array,
  limit: number,
): boolean {
  const span = times[to]! - times[from]!;
  tangentsOf(kind, v, from, to, rates, span);
  const [start, end] = ends;
  for (let s = from + 1; s < to; s++) {
    const f = (times[s]! - times[from]!) / span;
    const h01 = f * f * (3 - 2 * f);
    const h10 = f * (1 - f) * (1 - f);
    const h11 = f * f * (f - 1);
    let square = 0;
    for (let c = 0; c < width; c++) {
      const a = v[width * from + c]!;
      const value = a + (v[width * to + c]! - a) * h01 + start[c]! * h10 + end[c]! * h11;
      point[c] = value;
      square += value * value;
    }
    const length = kind === 'rotation' ? Math.sqrt(square) : 1;
    let error = 0;
    for (let c = 0; c < width; c++) {
      const off = point[c]! / length - v[width * s + c]!;
      error += off * off;
    }
    if (error > limit * limit) return false;
  }
  return true;
}

/** Tangents over the span: rates × span, for rotations q ω / 2 × span. */
function tangentsOf(
  kind: Channel['kind'],
  v: Float32Array,
  from: number,
  to: number,
  rates: Float64Array,
  span: number,
): void {
  for (let end = 0; end < 2; end++) {
    const tangent = ends[end]!;
    for (let c = 0; c < 3; c++) tangent[c] = rates[3 * end + c]! * (kind === 'rotation' ? span / 2 : span);
    if (kind !== 'rotation') continue;
    tangent[3] = 0;
    const at = 4 * (end === 0 ? from : to);
    for (let c = 0; c < 4; c++) point[c] = v[at + c]!;
    multiplyQuaternion(point, tangent, tangent);
  }
}

/**
 * Merges the rates of two adjacent cubics into one row if both stay within tolerance with the mean. Most joints between
 * cubics are smooth.
 */
export function* shareRates(
  channels: readonly Channel[],
  samples: ClipSamples,
  intervals: readonly FittedInterval[],
  error: number,
): Steps<FittedInterval[]> {
  const out = [...intervals];
  for (let k = 1; k < out.length; k++) {
    const before = out[k - 1]!;
    const after = out[k]!;
    if (!before.rates || !after.rates || before.to !== after.from) continue;
    const joined = joinRates(channels, samples, before, after, error);
    if (joined) [out[k - 1], out[k]] = joined;
    yield;
  }
  return out;
}

function joinRates(
  channels: readonly Channel[],
  samples: ClipSamples,
  before: FittedInterval,
  after: FittedInterval,
  error: number,
): [FittedInterval, FittedInterval] | undefined {
  const pairs: [Float64Array, Float64Array][] = [];
  for (let i = 0; i < channels.length; i++) {
    const channel = channels[i]!;
    const limit = chordLimit(channel, channel.unitsPerMetre * error);
    const a = before.rates![i]!.slice();
    const b = after.rates![i]!.slice();
    for (let c = 0; c < 3; c++) a[3 + c] = b[c] = (a[3 + c]! + b[c]!) / 2;
    const v = samples.values[i]!;
    if (!cubicFits(channel, v, samples.times, before.from, before.to, a, limit)) return undefined;
    if (!cubicFits(channel, v, samples.times, after.from, after.to, b, limit)) return undefined;
    pairs.push([a, b]);
  }
  return [
    { ...before, rates: pairs.map(([a]) => a) },
    { ...after, rates: pairs.map(([, b]) => b) },
  ];
}
