import { View } from '../../layout/index.ts';
import { FIXED3_MAX, fixed3Unit, packFixed3, packQuaternion } from '../../math/packing.ts';
import {
  CLIP_CUBIC,
  CLIP_LOOPS,
  ClipHeader,
  ClipInterval,
  INTERVAL_HOLD,
  INTERVAL_LINEAR,
} from '../format/rig-layout.ts';
import type { BlobBuilder } from './blob.ts';
import type { Channel } from './channels.ts';
import type { FittedInterval } from './fitted-interval.ts';
import { Constants, LaneTracks, channelBases, type SplitChannels } from './lane-tracks.ts';
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

/** Appends a clip in packed form to the blob and returns its header. */
export function encodeClip(
  blob: BlobBuilder,
  { duration, loops, laneCount }: ClipFrame,
  { animated, constant }: SplitChannels,
  samples: ClipSamples,
  intervals: readonly FittedInterval[],
): ClipHeaderView {
  const rows = layOutRows(samples, intervals);
  const units = channelUnits([
    ...animated.map((channel, i) => ({
      channel,
      value: largest(samples.values[i]!),
      rate: intervals.reduce((most, { rates }) => Math.max(most, largest(rates?.[i] ?? [])), 0),
    })),
    ...constant.map(({ channel, value }) => ({ channel, value: largest(value), rate: 0 })),
  ]);
  const rowStride = animated.length;
  const values = new Uint32Array(2 * rowStride * rows.valueSamples.length);
  const tangents = new Uint32Array(2 * rowStride * rows.tangentEnds.length);
  animated.forEach((channel, i) => {
    const { value: unit, rate: rateUnit } = units.of(i);
    rows.valueSamples.forEach((sample, row) => {
      const at = sample * channel.width;
      const v = samples.values[i]!;
      values.set(
        channel.kind === 'rotation' ? packQuaternion(v, at) : packFixed3(v, at, unit),
        2 * (row * rowStride + i),
      );
    });
    rows.tangentEnds.forEach(({ interval, end }, row) => {
      tangents.set(packFixed3(interval.rates![i]!, 3 * end, rateUnit), 2 * (row * rowStride + i));
    });
  });
  const header = new View(ClipHeader, 1);
  const { translationBase, scaleBase } = channelBases(animated);
  header.assign(0, {
    duration,
    flags: (loops ? CLIP_LOOPS : 0) | (rows.tangentEnds.length > 0 ? CLIP_CUBIC : 0),
    rowStride,
    translationBase,
    scaleBase,
    valuePair: 2 * blob.append(values),
    tangentPair: 2 * blob.append(tangents),
    rotationRateUnit: units.rotationRate,
    translationUnit: units.translation,
    translationRateUnit: units.translationRate,
    scaleUnit: units.scale,
    scaleRateUnit: units.scaleRate,
  });
  const tracks = new LaneTracks(laneCount);
  const constants = new Constants();
  animated.forEach((channel, i) => {
    const base = channel.kind === 'rotation' ? 0 : channel.kind === 'translation' ? translationBase : scaleBase;
    tracks.setTrack(channel.lane, channel.kind, i - base);
    for (const [bit, shift] of units.shifts(i)) tracks.setShift(channel.lane, bit, shift);
  });
  constant.forEach(({ channel, value }, i) => {
    const at = animated.length + i;
    const words = channel.kind === 'rotation' ? packQuaternion(value) : packFixed3(value, 0, units.of(at).value);
    tracks.setConstant(channel.lane, channel.kind, constants.add(words));
    for (const [bit, shift] of units.shifts(at)) tracks.setShift(channel.lane, bit, shift);
  });
  appendTracks(blob, header, tracks, constants);
  appendIntervals(blob, header, rows.starts, duration);
  return header;
}

/** One interval of the table: its start time and the rows that it reads. */
export interface IntervalRows {
  readonly startTime: number;
  readonly valueRow: number;
  readonly tangentRow: number;
}

interface Rows {
  /** The sample that each value row holds. */
  readonly valueSamples: readonly number[];
  readonly tangentEnds: readonly { readonly interval: FittedInterval; readonly end: 0 | 1 }[];
  readonly starts: readonly IntervalRows[];
}

/** Assigns a value row to every knot. A new run of rows begins where the clip jumps, or ends in a jump. */
function layOutRows(samples: ClipSamples, intervals: readonly FittedInterval[]): Rows {
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

/** Returns true if two cubics meet smoothly, so that they share one row of rates. */
function sharesRates(before: FittedInterval, after: FittedInterval): boolean {
  return before.rates?.every((rates, i) => [0, 1, 2].every((c) => rates[3 + c] === after.rates?.[i]?.[c])) ?? false;
}

interface Magnitude {
  readonly channel: Channel;
  /** Largest component of its values, and of its rates. */
  readonly value: number;
  readonly rate: number;
}

/** Units of all packed numbers: one power of two per kind and clip, divided by a power of two per lane. */
function channelUnits(magnitudes: readonly Magnitude[]) {
  const most = (kind: Channel['kind'], key: 'value' | 'rate') =>
    fixed3Unit(magnitudes.reduce((largest, m) => (m.channel.kind === kind ? Math.max(largest, m[key]) : largest), 0));
  const units = {
    rotationRate: most('rotation', 'rate'),
    translation: most('translation', 'value'),
    translationRate: most('translation', 'rate'),
    scale: most('scale', 'value'),
    scaleRate: most('scale', 'rate'),
  };
  const shiftOf = (unit: number, largest: number) =>
    Math.max(0, Math.min(15, largest > 0 ? Math.floor(Math.log2((unit * FIXED3_MAX) / largest)) : 15));
  /** Bit offset in the lane's `shifts` and shift, of the channel's values (rates for rotations) and of its rates. */
  const shifts = (i: number): (readonly [bit: number, shift: number])[] => {
    const { channel, value, rate } = magnitudes[i]!;
    if (channel.kind === 'rotation') return [[0, shiftOf(units.rotationRate, rate)]];
    if (channel.kind === 'scale') return [[12, Math.min(shiftOf(units.scale, value), shiftOf(units.scaleRate, rate))]];
    return [
      [4, shiftOf(units.translation, value)],
      [8, shiftOf(units.translationRate, rate)],
    ];
  };
  const of = (i: number): { value: number; rate: number } => {
    const { kind } = magnitudes[i]!.channel;
    const [first, second] = shifts(i);
    const divided = (unit: number, [, shift]: readonly [number, number]) => unit / 2 ** shift;
    if (kind === 'rotation') return { value: 1, rate: divided(units.rotationRate, first!) };
    if (kind === 'scale') return { value: divided(units.scale, first!), rate: divided(units.scaleRate, first!) };
    return { value: divided(units.translation, first!), rate: divided(units.translationRate, second!) };
  };
  return { ...units, shifts, of };
}

function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}

export function appendTracks(
  blob: BlobBuilder,
  header: ClipHeaderView,
  tracks: LaneTracks,
  constants: Constants,
): void {
  header.assign(0, { trackPair: 2 * blob.append(tracks.words), constantPair: 2 * blob.append(constants.words) });
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
  const lastAt = (phase: number) => {
    let low = 0;
    let high = phases.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (phases[middle]! <= phase) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  hints.forEach((_, s) => {
    const from = s * 2 ** (32 - bits);
    hints[s] = lastAt(from) | (lastAt(from + 2 ** (32 - bits) - 1) << 16);
  });
  header.assign(0, {
    intervalCount: starts.length,
    intervalRow: blob.appendView(table),
    hintPair: 2 * blob.append(hints),
    hintShift: 32 - bits,
  });
}
