import { View } from '../../layout/index.ts';
import {
  FIXED3_MAX,
  fixed3Unit,
  packFixed3,
  packQuaternion,
  writeFixed3,
  writeQuaternion,
} from '../../math/packing.ts';
import { findKey } from '../evaluate.ts';
import {
  CLIP_CUBIC,
  CLIP_LOOPS,
  ClipHeader,
  ClipInterval,
  INTERVAL_HOLD,
  INTERVAL_LINEAR,
  TRACK_CONSTANT,
  TRACK_NONE,
} from '../format/rig-layout.ts';
import type { BlobBuilder } from './blob.ts';
import { CHANNEL_KINDS, type Channel, type ChannelKind } from './channels.ts';
import type { FittedInterval } from './fit.ts';
import type { ClipSamples } from './samples.ts';

export type ClipHeaderView = View<(typeof ClipHeader)['fields']>;

/** Data that every form of a clip writes: its header, its tracks and its interval table. */
export interface ClipFrame {
  readonly duration: number;
  readonly loops: boolean;
  readonly laneCount: number;
  /** Lanes from this one on are morph weights. */
  readonly jointCount: number;
}

export interface SplitChannels {
  readonly animated: readonly Channel[];
  readonly constant: readonly { readonly channel: Channel; readonly value: readonly number[] }[];
}

export function encodeClip(
  blob: BlobBuilder,
  { duration, loops, laneCount }: ClipFrame,
  split: SplitChannels,
  samples: ClipSamples,
  intervals: readonly FittedInterval[],
): ClipHeaderView {
  const { animated, constant } = split;
  const rows = layOutRows(samples, intervals);
  const units = channelUnits([
    ...animated.map(({ kind }, i) => ({
      kind,
      value: largest(samples.values[i]!),
      rate: intervals.reduce((most, { rates }) => Math.max(most, rates ? largest(rates, 6 * i, 6 * i + 6) : 0), 0),
    })),
    ...constantMagnitudes(constant),
  ]);
  const rowStride = animated.length;
  const values = new Uint32Array(2 * rowStride * rows.valueSamples.length);
  const tangents = new Uint32Array(2 * rowStride * rows.tangentEnds.length);
  animated.forEach(({ kind, width }, i) => {
    const unit = units.channels[i]!;
    const source = samples.values[i]!;
    rows.valueSamples.forEach((sample, row) => {
      const to = 2 * (row * rowStride + i);
      if (kind === 'rotation') writeQuaternion(source, sample * width, values, to);
      else writeFixed3(source, sample * width, unit.value, values, to);
    });
    rows.tangentEnds.forEach(({ interval, end }, row) => {
      writeFixed3(interval.rates!, 6 * i + 3 * end, unit.rate, tangents, 2 * (row * rowStride + i));
    });
  });
  const header = new View(ClipHeader, 1);
  header.assign(0, {
    duration,
    flags: (loops ? CLIP_LOOPS : 0) | (rows.tangentEnds.length > 0 ? CLIP_CUBIC : 0),
    rowStride,
    valuePair: 2 * blob.append(values),
    tangentPair: 2 * blob.append(tangents),
    rotationRateUnit: units.rotation.rate,
    translationUnit: units.translation.value,
    translationRateUnit: units.translation.rate,
    scaleUnit: units.scale.value,
    scaleRateUnit: units.scale.rate,
  });
  appendTracks(blob, header, laneCount, split, {
    shiftsOf: (index) => units.channels[index]!.shifts,
    wordsOf: (index, kind, value) => packValue(kind, value, 0, units.channels[index]!.value),
  });
  appendIntervals(blob, header, rows.starts, duration);
  return header;
}

export function packValue(kind: ChannelKind, values: ArrayLike<number>, at: number, unit: number): [number, number] {
  return kind === 'rotation' ? packQuaternion(values, at) : packFixed3(values, at, unit);
}

export interface IntervalRows {
  readonly startTime: number;
  readonly valueRow: number;
  readonly tangentRow: number;
}

/** Assigns a value row to every knot. A new run of rows begins where the clip jumps, or ends in a jump. */
function layOutRows(samples: ClipSamples, intervals: readonly FittedInterval[]) {
  /** The sample that each value row holds. */
  const valueSamples: number[] = [];
  const tangentEnds: { interval: FittedInterval; end: 0 | 1 }[] = [];
  const starts: IntervalRows[] = [];
  let previous: FittedInterval | undefined;
  for (const interval of intervals) {
    if (previous?.to !== interval.from) valueSamples.push(interval.from);
    const valueRow = valueSamples.length - 1;
    valueSamples.push(interval.to);
    let tangentRow = INTERVAL_LINEAR;
    if (interval.rates) {
      if (previous?.to === interval.from && sharesRates(previous, interval)) tangentEnds.pop();
      tangentRow = tangentEnds.push({ interval, end: 0 }) - 1;
      tangentEnds.push({ interval, end: 1 });
    }
    starts.push({ startTime: samples.times[interval.from]!, valueRow, tangentRow });
    previous = interval;
  }
  const last = samples.times.length - 1;
  if (previous?.to !== last) {
    // The clip ends in a jump, or nothing moves: the last value has an interval of its own.
    valueSamples.push(last);
    const startTime = previous ? samples.times[last]! : 0;
    starts.push({ startTime, valueRow: valueSamples.length - 1, tangentRow: INTERVAL_HOLD });
  }
  return { valueSamples, tangentEnds, starts };
}

/** Bytes of the rows and intervals that a clip of `channels` channels would take. */
export function splineBytes(samples: ClipSamples, intervals: readonly FittedInterval[], channels: number): number {
  const { valueSamples, tangentEnds, starts } = layOutRows(samples, intervals);
  return 8 * channels * (valueSamples.length + tangentEnds.length) + ClipInterval.size * starts.length;
}

/** Returns true if two cubics meet smoothly, so that they share one row of rates. */
function sharesRates(before: FittedInterval, after: FittedInterval): boolean {
  if (!before.rates || !after.rates) return false;
  for (let at = 0; at < before.rates.length; at += 6) {
    for (let c = 0; c < 3; c++) if (before.rates[at + 3 + c] !== after.rates[at + c]) return false;
  }
  return true;
}

export interface Magnitude {
  readonly kind: ChannelKind;
  /** Largest component of its values, and of its rates. */
  readonly value: number;
  readonly rate: number;
}

/** Units of packed numbers: a power of two per kind and clip, divided by one per lane. Rotations have only rates. */
export function channelUnits(magnitudes: readonly Magnitude[]) {
  const most = (kind: ChannelKind, key: 'value' | 'rate') =>
    fixed3Unit(magnitudes.reduce((largest, m) => (m.kind === kind ? Math.max(largest, m[key]) : largest), 0));
  const unitsOf = (kind: ChannelKind) => ({ value: most(kind, 'value'), rate: most(kind, 'rate') });
  const kinds = { rotation: unitsOf('rotation'), translation: unitsOf('translation'), scale: unitsOf('scale') };
  const shiftOf = (unit: number, largest: number) =>
    Math.max(0, Math.min(15, largest > 0 ? Math.floor(Math.log2((unit * FIXED3_MAX) / largest)) : 15));
  const channels = magnitudes.map(({ kind, value, rate }) => {
    const units = kinds[kind];
    let [v, r] = [shiftOf(units.value, value), shiftOf(units.rate, rate)];
    if (kind === 'scale') v = r = Math.min(v, r);
    return {
      value: units.value / 2 ** v,
      rate: units.rate / 2 ** r,
      /** The channel's part of its lane's `shifts`. */
      shifts: kind === 'rotation' ? r : kind === 'translation' ? (v << 4) | (r << 8) : v << 12,
    };
  });
  return { ...kinds, channels };
}

export function constantMagnitudes(constant: SplitChannels['constant']): Magnitude[] {
  return constant.map(({ channel: { kind }, value }) => ({ kind, value: largest(value), rate: 0 }));
}

function largest(values: ArrayLike<number>, from = 0, to = values.length): number {
  let most = 0;
  for (let i = from; i < to; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}

/** Contents of the tracks of a clip. Channels are counted from the animated ones to the constant ones. */
interface TrackForm {
  /** The channel's part of its lane's `shifts`. */
  readonly shiftsOf: (index: number) => number;
  /** A constant: one pair (packed form) or two (exact form). */
  readonly wordsOf: (index: number, kind: ChannelKind, value: readonly number[]) => readonly number[];
}

/** Appends the LaneTracks of a clip, and its constants. Equal constants are stored once. */
export function appendTracks(
  blob: BlobBuilder,
  header: ClipHeaderView,
  laneCount: number,
  { animated, constant }: SplitChannels,
  { shiftsOf, wordsOf }: TrackForm,
): void {
  // per lane a field for each kind, then its shifts
  const tracks = new Uint16Array(4 * laneCount);
  for (let lane = 0; lane < laneCount; lane++) tracks.fill(TRACK_NONE, 4 * lane, 4 * lane + 3);
  const setTrack = ({ lane, kind }: Channel, index: number, track: number): void => {
    tracks[4 * lane + CHANNEL_KINDS.indexOf(kind)] = track;
    tracks[4 * lane + 3]! |= shiftsOf(index);
  };
  const count = (kind: ChannelKind) => animated.filter((channel) => channel.kind === kind).length;
  const translationBase = count('rotation');
  const scaleBase = translationBase + count('translation');
  const bases = { rotation: 0, translation: translationBase, scale: scaleBase };
  animated.forEach((channel, i) => setTrack(channel, i, i - bases[channel.kind]));
  const constants: number[] = [];
  const known = new Map<string, number>();
  constant.forEach(({ channel, value }, i) => {
    const words = wordsOf(animated.length + i, channel.kind, value);
    const key = words.join();
    if (!known.has(key)) {
      known.set(key, constants.length / words.length);
      constants.push(...words);
    }
    setTrack(channel, animated.length + i, TRACK_CONSTANT | known.get(key)!);
  });
  header.assign(0, {
    translationBase,
    scaleBase,
    trackPair: 2 * blob.append(new Uint32Array(tracks.buffer)),
    constantPair: 2 * blob.append(Uint32Array.from(constants)),
  });
}

/** The phase at which an interval begins. Intervals that begin within 2⁻³² of the duration share one. */
export function startPhaseOf(startTime: number, duration: number): number {
  return duration > 0 ? Math.min(0xffffffff, Math.round((startTime / duration) * 2 ** 32)) : 0;
}

/** Writes the interval table and the hints that find an interval in one look-up and a short bisection. */
export function appendIntervals(
  blob: BlobBuilder,
  header: ClipHeaderView,
  starts: readonly IntervalRows[],
  duration: number,
): void {
  const table = new View(ClipInterval, starts.length);
  const phases = starts.map(({ startTime }) => startPhaseOf(startTime, duration));
  starts.forEach(({ valueRow, tangentRow }, k) => {
    const span = (phases[k + 1] ?? 2 ** 32) - phases[k]!;
    table.assign(k, { startPhase: phases[k]!, inversePhaseSpan: 1 / Math.max(1, span), valueRow, tangentRow });
  });
  const bits = Math.min(12, Math.max(1, Math.ceil(Math.log2(starts.length))));
  const hints = new Uint32Array(2 ** bits);
  hints.forEach((_, s) => {
    const from = s * 2 ** (32 - bits);
    hints[s] = findKey(phases, from) | (findKey(phases, from + 2 ** (32 - bits) - 1) << 16);
  });
  header.assign(0, {
    intervalCount: starts.length,
    intervalRow: blob.appendView(table),
    hintPair: 2 * blob.append(hints),
    hintShift: 32 - bits,
  });
}
