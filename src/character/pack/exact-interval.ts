import { clamp } from '../../math/packing.ts';
import { alignQuaternion, logarithmQuaternion, multiplyQuaternion } from '../../math/quaternion.ts';
import { findKey, sampleTrack, trackWidth } from '../evaluate.ts';
import type { TrackModel } from '../model.ts';
import { sampleChannel, type Channel } from './channels.ts';

/** Returns true if a channel is a rotation that turns at constant speed between keys: all rotations except cubics. */
export function slerps({ kind, parts }: Channel): boolean {
  return kind === 'rotation' && parts[0]!.track.interpolation !== 'CUBICSPLINE';
}

/** Start and end of an interval, and its visible length. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Seconds between the phases of its ends; 0 where a value holds, or keys share a phase. */
  readonly span: number;
}

const FLOAT_MAX = 3.4028234663852886e38;
/** Limit of a rate's sum over its interval: far above any difference of usable numbers. */
const STEP_LIMIT = 2 ** 63;

/** Limits a rate. Neighbouring keys may be 10⁻³⁹ s apart, so their slope need not fit a float. */
function usableRate(rate: number, { span }: Stretch): number {
  if (span === 0) return 0;
  const limit = Math.min(FLOAT_MAX, STEP_LIMIT / span);
  return clamp(rate, -limit, limit);
}

/** Writes values at both ends and rates per second. For a slerp, half the rotation vector replaces the first rate. */
export function writeInterval(
  channel: Channel,
  stretch: Stretch,
  out: Float32Array,
  [v0, v1, r0, r1]: readonly [number, number, number, number],
): void {
  if (channel.kind === 'rotation' && !slerps(channel)) {
    writeCubic(channel.parts[0]!.track, 0, 4, stretch, out, [v0, v1, r0, r1]);
    return;
  }
  const { from, to } = stretch;
  const start = new Float64Array(4);
  const end = new Float64Array(4);
  sampleChannel(channel, from, false, start, 0);
  sampleChannel(channel, to, true, end, 0);
  if (channel.kind === 'rotation') {
    const step = [0, 0, 0, 0];
    alignQuaternion(end, start);
    multiplyQuaternion([-start[0]!, -start[1]!, -start[2]!, start[3]!], end, step);
    const half = [0, 0, 0];
    logarithmQuaternion(step, half);
    out.set(half, r0);
    out.set(start, v0);
    out.set(end, v1);
    return;
  }
  for (let c = 0; c < 3; c++) {
    out[v0 + c] = start[c]!;
    out[v1 + c] = end[c]!;
    out[r0 + c] = out[r1 + c] = usableRate((end[c]! - start[c]!) / (to - from), stretch);
  }
  for (const part of channel.parts) {
    if (part.track.interpolation !== 'CUBICSPLINE') continue;
    const at = (base: number) => base + part.to;
    writeCubic(part.track, part.from, part.count, stretch, out, [at(v0), at(v1), at(r0), at(r1)]);
  }
}

/**
 * Writes a part of a cubic between two of the union's knots. It is the same cubic, so values and slopes at its ends
 * determine it.
 */
function writeCubic(
  track: TrackModel,
  component: number,
  count: number,
  stretch: Stretch,
  out: Float32Array,
  [v0, v1, r0, r1]: readonly [number, number, number, number],
): void {
  const { times, values } = track;
  const { from, to } = stretch;
  const width = trackWidth(track);
  const key = findKey(times, from);
  if (key < 0 || key >= times.length - 1) {
    const held = new Float64Array(width);
    sampleTrack(track, from, held, 0);
    for (let c = 0; c < count; c++) {
      out[v0 + c] = out[v1 + c] = held[component + c]!;
      out[r0 + c] = out[r1 + c] = 0;
    }
    return;
  }
  const span = times[key + 1]! - times[key]!;
  const value = (k: number, part: 0 | 1 | 2, c: number) => values[(3 * k + part) * width + component + c]!;
  const evaluate = (t: number, c: number): [value: number, rate: number] => {
    const f = (t - times[key]!) / span;
    const p0 = value(key, 1, c);
    const p1 = value(key + 1, 1, c);
    const m0 = value(key, 2, c) * span;
    const m1 = value(key + 1, 0, c) * span;
    return [
      (2 * f ** 3 - 3 * f ** 2 + 1) * p0 +
        (f ** 3 - 2 * f ** 2 + f) * m0 +
        (3 * f ** 2 - 2 * f ** 3) * p1 +
        (f ** 3 - f ** 2) * m1,
      ((6 * f ** 2 - 6 * f) * (p0 - p1) + (3 * f ** 2 - 4 * f + 1) * m0 + (3 * f ** 2 - 2 * f) * m1) / span,
    ];
  };
  for (let c = 0; c < count; c++) {
    const [start, end] = [evaluate(from, c), evaluate(to, c)];
    [out[v0 + c], out[r0 + c]] = [start[0], usableRate(start[1], stretch)];
    [out[v1 + c], out[r1 + c]] = [end[0], usableRate(end[1], stretch)];
  }
}
