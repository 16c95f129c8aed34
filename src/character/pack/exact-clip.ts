import { fail } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import type { ClipModel } from '../model.ts';
import {
  CLIP_EXACT,
  CLIP_LOOPS,
  ClipHeader,
  INTERVAL_HOLD,
  INTERVAL_LIMIT,
  INTERVAL_LINEAR,
} from '../format/rig-layout.ts';
import type { BlobBuilder } from './blob.ts';
import {
  appendIntervals,
  appendTracks,
  startPhaseOf,
  type ClipFrame,
  type ClipHeaderView,
  type IntervalRows,
} from './encode-clip.ts';
import { slerps, writeInterval } from './exact-interval.ts';
import { Constants, LaneTracks, channelBases, type SplitChannels } from './lane-tracks.ts';
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
  { animated, constant }: SplitChannels,
): ClipHeaderView {
  const times = keyTimes(clip.duration, tracksOf(animated));
  const endsInJump = times.length < 2 || jumpTimes(animated).has(clip.duration);
  const intervalCount = times.length - 1 + (endsInJump ? 1 : 0);
  // checked before anything is allocated in proportion to the clip
  if (intervalCount > INTERVAL_LIMIT) {
    fail(
      'CLIP_TOO_LONG',
      clip.name,
      `The unquantised clip has ${intervalCount} intervals between keys; the limit is ${INTERVAL_LIMIT}.`,
      'Raise the error budget, or split the clip.',
    );
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
