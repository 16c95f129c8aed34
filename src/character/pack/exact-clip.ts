import { fail } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { clamp } from '../../math/packing.ts';
import { alignQuaternion, logarithmQuaternion, multiplyQuaternion } from '../../math/quaternion.ts';
import { findKey, sampleTrack, trackWidth } from '../evaluate.ts';
import {
  CLIP_EXACT,
  CLIP_LOOPS,
  ClipHeader,
  INTERVAL_HOLD,
  INTERVAL_LIMIT,
  INTERVAL_LINEAR,
} from '../format/rig-layout.ts';
import type { ClipModel } from '../model.ts';
import type { BlobBuilder } from './blob.ts';
import { sampleChannel, type Channel } from './channels.ts';
import {
  appendIntervals,
  appendTracks,
  startPhaseOf,
  type ClipFrame,
  type ClipHeaderView,
  type IntervalRows,
  type SplitChannels,
} from './encode-clip.ts';
import { jumpTimes, keyTimes, tracksOf } from './samples.ts';

/**
 * Appends a clip in exact form: the union of all key times, and for every interval and channel the file's own curve in
 * floats. Each curve is a straight line, a slerp, a cubic or a constant. Nothing is merged, dropped or quantised.
 * @throws ManipleError CLIP_TOO_LONG
 */
export function encodeExactClip(
  blob: BlobBuilder,
  frame: ClipFrame,
  clip: ClipModel,
  split: SplitChannels,
): ClipHeaderView {
  const { animated } = split;
  const times = keyTimes(clip.duration, tracksOf(animated));
  const endsInJump = times.length < 2 || jumpTimes(animated).has(clip.duration);
  const intervalCount = times.length - 1 + (endsInJump ? 1 : 0);
  // checked before anything is allocated in proportion to the clip
  if (intervalCount > INTERVAL_LIMIT) {
    const message = `The unquantised clip has ${intervalCount} intervals between keys; the limit is ${INTERVAL_LIMIT}.`;
    fail('CLIP_TOO_LONG', clip.name, message, 'Raise the error budget, or split the clip.');
  }
  const rowFloats = 4 * animated.length;
  const floats = new Float32Array(intervalCount * 4 * rowFloats);
  const phases = times.subarray(0, intervalCount).map((time) => startPhaseOf(time, frame.duration));
  for (let k = 0; k < intervalCount; k++) {
    const stretch = {
      from: times[k]!,
      to: times[k + 1] ?? times[k]!,
      span: k + 1 < times.length ? (((phases[k + 1] ?? 2 ** 32) - phases[k]!) / 2 ** 32) * frame.duration : 0,
    };
    animated.forEach((channel, i) => {
      const at = (row: number) => (4 * k + row) * rowFloats + 4 * i;
      writeInterval(channel, stretch, floats, [at(0), at(1), at(2), at(3)]);
    });
  }
  const header = new View(ClipHeader, 1);
  header.assign(0, {
    duration: frame.duration,
    flags: CLIP_EXACT | (frame.loops ? CLIP_LOOPS : 0),
    rowStride: 2 * animated.length,
    valuePair: 2 * blob.appendFloats(floats),
  });
  appendTracks(blob, header, frame.laneCount, split, {
    shiftsOf: (index) => Number(index < animated.length && slerps(animated[index]!)),
    wordsOf: (_, __, value) => [...new Uint32Array(Float32Array.from([0, 1, 2, 3], (c) => value[c] ?? 0).buffer)],
  });
  const starts = Array.from({ length: intervalCount }, (_, k): IntervalRows => {
    const tangentRow = k < times.length - 1 ? INTERVAL_LINEAR : INTERVAL_HOLD;
    return { startTime: times[k]!, valueRow: 4 * k, tangentRow };
  });
  appendIntervals(blob, header, starts, frame.duration);
  return header;
}

/** Returns true if a channel is a rotation that turns at constant speed between keys: all rotations except cubics. */
function slerps({ kind, parts }: Channel): boolean {
  return kind === 'rotation' && parts[0]!.track.interpolation !== 'CUBICSPLINE';
}

/** Start and end of an interval, and its visible length. */
interface Stretch {
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
function writeInterval(
  channel: Channel,
  stretch: Stretch,
  out: Float32Array,
  rows: readonly [v0: number, v1: number, r0: number, r1: number],
): void {
  if (channel.kind === 'rotation' && !slerps(channel)) return writeCubic(channel.parts[0]!, stretch, out, rows);
  const [v0, v1, r0, r1] = rows;
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
    if (part.track.interpolation === 'CUBICSPLINE') writeCubic(part, stretch, out, rows);
  }
}

/** Writes a part of a cubic. It is the same cubic, so values and slopes at its ends determine it. */
function writeCubic(
  { track, from: component, to: first, count }: Channel['parts'][number],
  stretch: Stretch,
  out: Float32Array,
  rows: readonly [v0: number, v1: number, r0: number, r1: number],
): void {
  const [v0, v1, r0, r1] = rows.map((row) => row + first) as [number, number, number, number];
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
