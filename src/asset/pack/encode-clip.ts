import { View } from '../../layout/index.ts';
import { FIXED3_MAX, fixed3Unit, packFixed3, packQuaternion } from '../../shaders/packing.ts';
import { CLIP_LOOPS, ClipHeader, ClipInterval, INTERVAL_HOLD, INTERVAL_LINEAR } from '../rig-layout.ts';
import type { BlobBuilder } from './blob.ts';
import type { Channel } from './channels.ts';
import type { FittedInterval } from './fit.ts';
import { Constants, LaneTracks, channelBases, type SplitChannels } from './lane-tracks.ts';
import type { ClipSamples } from './samples.ts';

export type ClipHeaderView = View<(typeof ClipHeader)['fields']>;

/** What every form of a clip writes: its header, its tracks and its interval table. */
export interface ClipFrame {
  readonly duration: number;
  readonly loops: boolean;
  readonly laneCount: number;
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
  const units = channelUnits(animated, samples, intervals);
  const rowStride = animated.length;
  const values = new Uint32Array(2 * rowStride * rows.valueSamples.length);
  const tangents = new Uint32Array(2 * rowStride * rows.tangentEnds.length);
  animated.forEach((channel, i) => {
    const { value: unit, rate: rateUnit } = units.of(channel, i);
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
    flags: loops ? CLIP_LOOPS : 0,
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
  animated.forEach((channel, i) => {
    const base = channel.kind === 'rotation' ? 0 : channel.kind === 'translation' ? translationBase : scaleBase;
    tracks.setTrack(channel.lane, channel.kind, i - base);
    for (const [bit, shift] of units.shifts(channel, i)) tracks.setShift(channel.lane, bit, shift);
  });
  appendTracks(blob, header, tracks, constant);
  appendIntervals(blob, header, rows.starts, duration);
  return header;
}

/** One interval of the table: where it starts and which rows it reads. */
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

/** Gives every knot its value row; where the clip jumps, or ends in a jump, rows begin anew. */
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
    // The clip ends in a jump, or nothing moves: the last value stands alone.
    valueSamples.push(last);
    const startTime = previous ? samples.times[last]! : 0;
    starts.push({ startTime, valueRow: valueSamples.length - 1, tangentRow: INTERVAL_HOLD });
  }
  return { valueSamples, tangentEnds, starts };
}

/** Two cubics that meet smoothly keep one row of rates between them. */
function sharesRates(before: FittedInterval, after: FittedInterval): boolean {
  return before.rates?.every((rates, i) => [0, 1, 2].every((c) => rates[3 + c] === after.rates?.[i]?.[c])) ?? false;
}

/** Units of all packed numbers: one power of two per kind and clip, divided by a power of two per lane. */
function channelUnits(channels: readonly Channel[], samples: ClipSamples, intervals: readonly FittedInterval[]) {
  const values = channels.map((_, i) => samples.values[i]!.reduce((most, v) => Math.max(most, Math.abs(v)), 0));
  const rates = channels.map((_, i) =>
    intervals.reduce((most, { rates }) => rates?.[i]?.reduce((m, r) => Math.max(m, Math.abs(r)), most) ?? most, 0),
  );
  const most = (kind: Channel['kind'], list: number[]) =>
    fixed3Unit(Math.max(0, ...list.filter((_, i) => channels[i]!.kind === kind)));
  const units = {
    rotationRate: most('rotation', rates),
    translation: most('translation', values),
    translationRate: most('translation', rates),
    scale: most('scale', values),
    scaleRate: most('scale', rates),
  };
  const shiftOf = (unit: number, largest: number) =>
    Math.max(0, Math.min(15, largest > 0 ? Math.floor(Math.log2((unit * FIXED3_MAX) / largest)) : 15));
  const scaleShift = (i: number) => Math.min(shiftOf(units.scale, values[i]!), shiftOf(units.scaleRate, rates[i]!));
  const shifts = ({ kind }: Channel, i: number): (readonly [bit: number, shift: number])[] => {
    if (kind === 'rotation') return [[0, shiftOf(units.rotationRate, rates[i]!)]];
    if (kind === 'scale') return [[12, scaleShift(i)]];
    return [
      [4, shiftOf(units.translation, values[i]!)],
      [8, shiftOf(units.translationRate, rates[i]!)],
    ];
  };
  const of = (channel: Channel, i: number): { value: number; rate: number } => {
    const [first, second] = shifts(channel, i);
    if (channel.kind === 'rotation') return { value: 1, rate: units.rotationRate / 2 ** first![1] };
    if (channel.kind === 'scale') {
      return { value: units.scale / 2 ** first![1], rate: units.scaleRate / 2 ** first![1] };
    }
    return { value: units.translation / 2 ** first![1], rate: units.translationRate / 2 ** second![1] };
  };
  return { ...units, shifts, of };
}

export function appendTracks(
  blob: BlobBuilder,
  header: ClipHeaderView,
  tracks: LaneTracks,
  constant: SplitChannels['constant'],
): void {
  const constants = new Constants();
  for (const { channel, value } of constant) {
    tracks.setConstant(channel.lane, channel.kind, constants.add(value));
  }
  header.assign(0, { trackPair: 2 * blob.append(tracks.words), constantRow: blob.appendFloats(constants.floats) });
}

/** Writes the interval table and the hints that find an interval in one look-up and a short bisection. */
export function appendIntervals(
  blob: BlobBuilder,
  header: ClipHeaderView,
  starts: readonly IntervalRows[],
  duration: number,
): void {
  const table = new View(ClipInterval, starts.length);
  const phases = starts.map(({ startTime }) =>
    duration > 0 ? Math.min(0xffffffff, Math.round((startTime / duration) * 2 ** 32)) : 0,
  );
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
