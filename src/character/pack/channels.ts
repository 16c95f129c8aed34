import { findKey, morphOffsets, sampleTrack, trackWidth } from '../evaluate.ts';
import { WEIGHTS_PER_LANE } from '../format/rig-layout.ts';
import type { CharacterModel, ClipModel, TrackModel } from '../model.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';

/** Kinds of channels, in their order in rows and in LaneTracks. */
export const CHANNEL_KINDS = ['rotation', 'translation', 'scale'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** One animated channel of a lane: a joint's rotation, translation or scale, or three morph weights (a translation). */
export interface Channel {
  readonly lane: number;
  readonly kind: ChannelKind;
  readonly width: 3 | 4;
  readonly parts: readonly ChannelPart[];
  /** Values where no track feeds a component: three morph weights may come from fewer tracks. */
  readonly rest: readonly number[];
  /**
   * Size of 1 m of error in model space, in the channel's own unit: radians for rotations, local units for
   * translations, a factor for scales, weights for morph lanes.
   */
  readonly unitsPerMetre: number;
}

interface ChannelPart {
  readonly track: TrackModel;
  /** Component of the track's value that feeds component `to`, for `count` components. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Joints, and lanes of morph weights. */
export function laneCountOf(model: Pick<CharacterModel, 'joints' | 'morphSets'>): number {
  return model.joints.length + Math.ceil(morphOffsets(model).at(-1)! / WEIGHTS_PER_LANE);
}

/** All channels that the clip's tracks feed, rotations first, then translations, then scales, by lane. */
export function clipChannels(model: CharacterModel, metrics: SkeletonMetrics, clip: ClipModel): Channel[] {
  const joints = clip.tracks.filter((track) => track.path !== 'weights').map((track) => jointChannel(metrics, track));
  const channels = [...joints, ...morphChannels(model, metrics, clip)];
  const order = ({ kind }: Channel) => CHANNEL_KINDS.indexOf(kind);
  return channels.sort((a, b) => order(a) - order(b) || a.lane - b.lane);
}

function jointChannel({ reach, parentScale }: SkeletonMetrics, track: TrackModel): Channel {
  const joint = track.targetIndex;
  const kind = track.path as ChannelKind;
  const width = kind === 'rotation' ? 4 : 3;
  return {
    lane: joint,
    kind,
    width,
    parts: [{ track, from: 0, to: 0, count: width }],
    rest: [0, 0, 0, 1],
    unitsPerMetre: kind === 'translation' ? 1 / Math.max(parentScale[joint]!, 1e-9) : 1 / reach[joint]!,
  };
}

function morphChannels(model: CharacterModel, { morphReach }: SkeletonMetrics, clip: ClipModel): Channel[] {
  const offsets = morphOffsets(model);
  const rest = model.morphSets.flatMap((set) => set.weights);
  const lanes = new Map<number, ChannelPart[]>();
  for (const track of clip.tracks) {
    if (track.path !== 'weights') continue;
    const first = offsets[track.targetIndex]!;
    for (let w = first; w < first + trackWidth(track); w++) {
      const lane = Math.floor(w / WEIGHTS_PER_LANE);
      const parts = lanes.get(lane) ?? [];
      parts.push({ track, from: w - first, to: w % WEIGHTS_PER_LANE, count: 1 });
      lanes.set(lane, parts);
    }
  }
  return Array.from(lanes, ([lane, parts]): Channel => {
    const weights = [0, 1, 2].map((c) => lane * WEIGHTS_PER_LANE + c);
    return {
      lane: model.joints.length + lane,
      kind: 'translation',
      width: 3,
      parts,
      rest: weights.map((w) => rest[w] ?? 0),
      unitsPerMetre: 1 / Math.max(1e-9, ...weights.map((w) => morphReach[w] ?? 0)),
    };
  });
}

const scratch = new Float64Array(1024);

/** The true value at a time, or just `before` it, which differs where a STEP track jumps. */
export function sampleChannel(
  channel: Channel,
  time: number,
  before: boolean,
  out: Float64Array | Float32Array,
  at: number,
): void {
  for (let c = 0; c < channel.width; c++) out[at + c] = channel.rest[c]!;
  for (const { track, from, to, count } of channel.parts) {
    const key = findKey(track.times, time);
    if (before && key > 0 && track.interpolation === 'STEP' && track.times[key] === time) {
      sampleTrack(track, track.times[key - 1]!, scratch, 0);
    } else sampleTrack(track, time, scratch, 0);
    for (let c = 0; c < count; c++) out[at + to + c] = scratch[from + c]!;
  }
}

/** A value within `tolerance` of every key, in the channel's own unit. Undefined if no value is. */
export function constantValue(channel: Channel, tolerance: number): number[] | undefined {
  const value = new Float64Array(4);
  sampleChannel(channel, 0, false, value, 0);
  const key = new Float64Array(4);
  for (const { track, from, to, count } of channel.parts) {
    const width = trackWidth(track);
    const cubic = track.interpolation === 'CUBICSPLINE';
    const longest = track.times.reduce((span, t, k) => (k ? Math.max(span, t - track.times[k - 1]!) : 0), 0);
    for (let k = 0; k < track.times.length; k++) {
      const start = (cubic ? 3 * k + 1 : k) * width + from;
      for (let c = 0; c < count; c++) {
        key[c] = track.values[start + c]!;
        // A Hermite segment strays from its ends by at most 4/27 of each tangent.
        const tangents = cubic
          ? Math.abs(track.values[start + c - width]!) + Math.abs(track.values[start + c + width]!)
          : 0;
        if (tangents * longest * (4 / 27) > tolerance / 2) return undefined;
      }
      if (distance(channel, value, to, key, count) > tolerance) return undefined;
    }
  }
  return Array.from(value.subarray(0, channel.width));
}

/** Distance of two values: the rotation angle of quaternions, the length of the difference of vectors. */
function distance(channel: Channel, a: Float64Array, at: number, b: Float64Array, count: number): number {
  if (channel.kind !== 'rotation') {
    let sum = 0;
    for (let c = 0; c < count; c++) sum += (a[at + c]! - b[c]!) ** 2;
    return Math.sqrt(sum);
  }
  const length = Math.hypot(b[0]!, b[1]!, b[2]!, b[3]!) || 1;
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += (a[c]! * b[c]!) / length;
  const sign = dot < 0 ? -1 : 1;
  let chord = 0;
  for (let c = 0; c < 4; c++) chord += (a[c]! - (sign * b[c]!) / length) ** 2;
  return 4 * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}
