import { View } from '../../layout/index.ts';
import { alignQuaternion, logarithmQuaternion, multiplyQuaternion } from '../../shaders/quaternion.ts';
import { findKey, sampleTrack, trackWidth } from '../evaluate.ts';
import type { ClipModel, TrackModel } from '../model.ts';
import { CLIP_EXACT, CLIP_LOOPS, ClipHeader, INTERVAL_HOLD, INTERVAL_LINEAR } from '../rig-layout.ts';
import type { BlobBuilder } from './blob.ts';
import { sampleChannel, type Channel } from './channels.ts';
import {
  appendIntervals,
  appendTracks,
  type ClipFrame,
  type ClipHeaderView,
  type IntervalRows,
} from './encode-clip.ts';
import { Constants, LaneTracks, channelBases, type SplitChannels } from './lane-tracks.ts';
import { jumpTimes, keyTimes } from './samples.ts';

/**
 * Appends a clip in exact form: the union of all key times, and for every interval and channel the file's own curve in
 * floats (a straight line, a slerp, a cubic or a constant). Nothing is merged, dropped or quantised.
 */
export function encodeExactClip(
  blob: BlobBuilder,
  frame: ClipFrame,
  clip: ClipModel,
  { animated, constant }: SplitChannels,
): ClipHeaderView {
  const times = keyTimes(clip, animated);
  const endsInJump = times.length < 2 || jumpTimes(animated).has(clip.duration);
  const intervalCount = times.length - 1 + (endsInJump ? 1 : 0);
  const rowFloats = 4 * animated.length;
  const floats = new Float32Array(intervalCount * 4 * rowFloats);
  for (let k = 0; k < intervalCount; k++) {
    const from = times[k]!;
    const to = times[k + 1] ?? from;
    animated.forEach((channel, i) => {
      const at = (row: number) => (4 * k + row) * rowFloats + 4 * i;
      writeInterval(channel, from, to, floats, [at(0), at(1), at(2), at(3)]);
    });
  }
  const header = new View(ClipHeader, 1);
  const { translationBase, scaleBase } = channelBases(animated);
  header.assign(0, {
    duration: frame.duration,
    flags: CLIP_EXACT | (frame.loops ? CLIP_LOOPS : 0),
    rowStride: 2 * animated.length,
    translationBase,
    scaleBase,
    valuePair: 2 * blob.appendFloats(floats),
  });
  const tracks = new LaneTracks(frame.laneCount);
  animated.forEach((channel, i) => {
    const base = channel.kind === 'rotation' ? 0 : channel.kind === 'translation' ? translationBase : scaleBase;
    tracks.setTrack(channel.lane, channel.kind, i - base);
    if (slerps(channel)) tracks.setShift(channel.lane, 0, 1);
  });
  const constants = new Constants();
  for (const { channel, value } of constant) {
    const floats = Float32Array.from([0, 1, 2, 3], (c) => value[c] ?? 0);
    const words = Array.from(new Uint32Array(floats.buffer));
    tracks.setConstant(channel.lane, channel.kind, constants.add(words));
  }
  appendTracks(blob, header, tracks, constants);
  const starts = Array.from({ length: intervalCount }, (_, k): IntervalRows => {
    const tangentRow = k < times.length - 1 ? INTERVAL_LINEAR : INTERVAL_HOLD;
    return { startTime: times[k]!, valueRow: 4 * k, tangentRow };
  });
  appendIntervals(blob, header, starts, frame.duration);
  return header;
}

function slerps({ kind, parts }: Channel): boolean {
  return kind === 'rotation' && parts[0]!.track.interpolation !== 'CUBICSPLINE';
}

/** Values at both ends and rates per second; for a slerp, half the rotation vector in place of the first rate. */
function writeInterval(
  channel: Channel,
  from: number,
  to: number,
  out: Float32Array,
  [v0, v1, r0, r1]: readonly [number, number, number, number],
): void {
  if (channel.kind === 'rotation' && !slerps(channel)) {
    writeCubic(channel.parts[0]!.track, 0, 4, from, to, out, [v0, v1, r0, r1]);
    return;
  }
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
    out[r0 + c] = out[r1 + c] = to > from ? (end[c]! - start[c]!) / (to - from) : 0;
  }
  for (const part of channel.parts) {
    if (part.track.interpolation !== 'CUBICSPLINE') continue;
    const at = (base: number) => base + part.to;
    writeCubic(part.track, part.from, part.count, from, to, out, [at(v0), at(v1), at(r0), at(r1)]);
  }
}

/** A stretch of a cubic between two of the union's knots: the same cubic, so its ends and slopes say it all. */
function writeCubic(
  track: TrackModel,
  component: number,
  count: number,
  from: number,
  to: number,
  out: Float32Array,
  [v0, v1, r0, r1]: readonly [number, number, number, number],
): void {
  const { times, values } = track;
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
    [out[v0 + c], out[r0 + c]] = evaluate(from, c);
    [out[v1 + c], out[r1 + c]] = evaluate(to, c);
  }
}
