import { View } from '../../layout/index.ts';
import {
  CLIP_LOOPS,
  CLIP_SAMPLED,
  ClipHeader,
  ClipInterval,
  SAMPLED_RUN_BITS,
  SAMPLED_STEPS_BITS,
  SAMPLED_WIDTH_BIAS,
  SampledChannel,
} from '../format/rig-layout.ts';
import { codeWidth, STEP_LOW, stepAndUnit, UNIT_HIGH } from '../format/sampled-form.ts';
import type { BlobBuilder } from './blob.ts';
import type { Channel } from './channels.ts';
import {
  appendIntervals,
  appendTracks,
  channelUnits,
  constantMagnitudes,
  packValue,
  type ClipFrame,
  type ClipHeaderView,
  type SplitChannels,
} from './encode-clip.ts';
import type { Steps } from './steps.ts';
import type { UniformSamples } from './uniform-samples.ts';

/** Lengths of segments that are tried, in steps. */
const LENGTHS = [12, 16, 24, 32, 48, 64, 96, 128] as const;
/** Ends of lines have 16 bits and a sign among them. They lie up to half a clip's range outside of its values. */
const LINE_MAX = 32767;
const LINE_ROOM = 1.5;
/** Bits of the longest code. */
const WIDTH_MAX = 17;

/** A clip in sampled form, not written yet. */
interface SampledPlan {
  /** Per channel: its word, as SampledChannel defines it. */
  readonly words: Uint32Array;
  readonly segments: readonly Segment[];
  readonly bytes: number;
  /** One of the lengths that were tried. */
  readonly length: number;
}

/** The lengths to try where a length was the best at another share. */
export function lengthsNear(length: number): readonly number[] {
  const index = LENGTHS.findIndex((each) => each === length);
  return LENGTHS.slice(Math.max(0, index - 1), index + 2);
}

interface Segment {
  /** Indices of its first and last sample. */
  readonly from: number;
  readonly to: number;
  readonly runBits: number;
  /** A SampledChannel per channel. */
  readonly channels: Uint32Array;
}

/**
 * The smallest sampled form in which every channel is within its tolerance. Undefined if some codes would be too long.
 *
 * @param error Metres of error allowed for a single channel.
 * @param lengths Lengths of segments to try, in steps.
 */
export function* planSampled(
  channels: readonly Channel[],
  samples: UniformSamples,
  error: number,
  lengths: readonly number[] = LENGTHS,
): Steps<SampledPlan | undefined> {
  const words = Uint32Array.from(channels, (channel, i) => channelWord(channel, samples.values[i]!, error));
  if (words.some((word) => stepAndUnit(word).unit > UNIT_HIGH)) return undefined;
  const steps = samples.count - 1;
  const lengthOf = new Map(lengths.map((length) => [Math.max(1, Math.round(steps / length)), length]));
  let best: SampledPlan | undefined;
  for (const [count, length] of lengthOf) {
    const segments: Segment[] = [];
    let isWhole = true;
    for (let k = 0; k < count && isWhole; k++) {
      const [from, to] = [k, k + 1].map((end) => Math.round((end * steps) / count)) as [number, number];
      isWhole = appendSegments(segments, channels, samples, words, from, to);
      yield;
    }
    const bytes = segments.reduce((sum, segment) => sum + segmentBytes(segment), 0);
    if (isWhole && !(best && best.bytes <= bytes)) best = { words, segments, bytes, length };
  }
  return best;
}

/** Appends a segment, or two halves of it where it cannot be one. Returns false if not even single steps can. */
function appendSegments(
  segments: Segment[],
  channels: readonly Channel[],
  samples: UniformSamples,
  words: Uint32Array,
  from: number,
  to: number,
): boolean {
  const segment = planSegment(channels, samples, words, from, to);
  if (segment) segments.push(segment);
  if (segment || to - from < 2) return segment !== undefined;
  const middle = (from + to) >> 1;
  return (
    appendSegments(segments, channels, samples, words, from, middle) &&
    appendSegments(segments, channels, samples, words, middle, to)
  );
}

/** Bytes of a segment: its interval, its channels and its codes. */
function segmentBytes(segment: Segment): number {
  return ClipInterval.size + segment.channels.byteLength + codeBytes(segment);
}

function codeBytes({ from, to, runBits }: Segment): number {
  return 16 * Math.ceil(((to - from + 1) * runBits) / 128);
}

/** The step of a channel's codes and the unit of its lines: the codes are off by at most half a step. */
function channelWord({ kind, unitsPerMetre }: Channel, values: Float64Array, error: number): number {
  // the error of a quaternion is half the angle
  const step = Math.min(2 ** 40, Math.max(STEP_LOW, (kind === 'rotation' ? 1 : 2) * error * unitsPerMetre));
  const word = new Uint32Array(Float32Array.of(step).buffer)[0]! & 0xffff0000;
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  const bits = Math.ceil(Math.log2((LINE_ROOM * most) / stepAndUnit(word).step / LINE_MAX));
  return (word | Math.max(0, Math.min(31, bits))) >>> 0;
}

/** Undefined if a rotation has no component to leave out, or if codes would be too long. */
function planSegment(
  channels: readonly Channel[],
  { values }: UniformSamples,
  words: Uint32Array,
  from: number,
  to: number,
): Segment | undefined {
  if (to - from >= 2 ** SAMPLED_STEPS_BITS) return undefined;
  const planned = new Uint32Array((channels.length * SampledChannel.size) / 4);
  for (const [i, { width, kind }] of channels.entries()) {
    const left = kind === 'rotation' ? largestComponent(values[i]!, from, to) : 3;
    if (left < 0) return undefined;
    const sign = kind === 'rotation' && values[i]![4 * from + left]! < 0 ? -1 : 1;
    const { step, unit } = stepAndUnit(words[i]!);
    let codes = left * 2 ** 30;
    for (let c = 0; c < 3; c++) {
      const column = { values: values[i]!, width, component: c + Number(c >= left), sign };
      const line = fitLine(column, step, unit, from, to);
      if (!line) return undefined;
      planned[4 * i + c] = ((line.start & 0xffff) | (line.end << 16)) >>> 0;
      codes += line.width * 2 ** (SAMPLED_RUN_BITS + 4 * c);
    }
    planned[4 * i + 3] = codes;
  }
  const runBits = placeCodes(planned);
  return runBits < 2 ** SAMPLED_RUN_BITS ? { from, to, runBits, channels: planned } : undefined;
}

/** Bits of a pair, which holds the codes of one or more channels. */
const PAIR_BITS = 64;

/** Writes where each channel's codes begin in a run, so that none crosses the end of a pair. Returns the bits of a run. */
function placeCodes(planned: Uint32Array): number {
  const bitsOf = (i: number) => {
    const codes = planned[4 * i + 3]!;
    return [0, 4, 8].reduce((sum, shift) => sum + codeWidth((codes >>> (SAMPLED_RUN_BITS + shift)) & 15), 0);
  };
  const bits = Array.from({ length: planned.length / 4 }, (_, i) => bitsOf(i));
  // first fit, the longest first
  const order = [...bits.keys()].sort((a, b) => bits[b]! - bits[a]! || a - b);
  const used: number[] = [];
  for (const i of order) {
    if (bits[i] === 0) break;
    const found = used.findIndex((taken) => taken + bits[i]! <= PAIR_BITS);
    const pair = found < 0 ? used.push(0) - 1 : found;
    planned[4 * i + 3]! += PAIR_BITS * pair + used[pair]!;
    used[pair]! += bits[i]!;
  }
  return PAIR_BITS * used.length;
}

/**
 * The least that a left-out component may be. Its error is that of the others, times their length over its own: 3.9 times
 * at most.
 */
const LEAST_LEFT_OUT = 0.25;

/** The component that stays farthest from 0, or −1 if each is too near at some sample. */
function largestComponent(values: Float64Array, from: number, to: number): number {
  let most = LEAST_LEFT_OUT;
  let largest = -1;
  for (let c = 0; c < 4; c++) {
    let low = Infinity;
    let high = -Infinity;
    for (let s = from; s <= to; s++) {
      low = Math.min(low, values[4 * s + c]!);
      high = Math.max(high, values[4 * s + c]!);
    }
    const least = Math.max(low, -high);
    if (!(least > most)) continue;
    most = least;
    largest = c;
  }
  return largest;
}

/** One component of a channel. */
interface Column {
  readonly values: Float64Array;
  readonly width: number;
  readonly component: number;
  readonly sign: number;
}

/** A line below all samples, in units, and the stored width of the codes above it. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

function fitLine(column: Column, step: number, unit: number, from: number, to: number): Line | undefined {
  const { values, width, component, sign } = column;
  const at = (s: number) => Math.round((sign * values[width * s + component]!) / unit);
  return lineUnder(column, at(from), at(to), step, unit, from, to) ?? lineUnder(column, 0, 0, step, unit, from, to);
}

/** The line through two ends, moved so that samples lie above it. Undefined where it leaves its range. */
function lineUnder(
  { values, width, component, sign }: Column,
  start: number,
  end: number,
  step: number,
  unit: number,
  from: number,
  to: number,
): Line | undefined {
  const slope = (end - start) / (to - from);
  let low = Infinity;
  let high = -Infinity;
  for (let s = from; s <= to; s++) {
    const above = sign * values[width * s + component]! - (start + slope * (s - from)) * unit;
    low = Math.min(low, above);
    high = Math.max(high, above);
  }
  const middle = Math.round((low + high) / 2 / unit);
  const isFlat = high - middle * unit <= step / 2 && low - middle * unit >= -step / 2;
  const shift = isFlat ? middle : Math.floor((low + step / 2) / unit);
  if (!(Math.max(start + shift, end + shift) <= LINE_MAX && Math.min(start + shift, end + shift) >= -LINE_MAX)) {
    return undefined;
  }
  const bits = isFlat ? 0 : Math.max(3, Math.ceil(Math.log2(Math.round((high - shift * unit) / step) + 1)));
  if (!(bits <= WIDTH_MAX)) return undefined;
  return { start: start + shift, end: end + shift, width: bits === 0 ? 0 : bits - SAMPLED_WIDTH_BIAS };
}

/** Appends a clip in sampled form. */
export function encodeSampled(
  blob: BlobBuilder,
  { duration, loops, laneCount }: ClipFrame,
  split: SplitChannels,
  samples: UniformSamples,
  { words, segments }: SampledPlan,
): ClipHeaderView {
  const { animated, constant } = split;
  const units = channelUnits(constantMagnitudes(constant));
  const first = { row: -1 };
  const starts = segments.map((segment) => {
    const row = blob.append(segment.channels);
    if (first.row < 0) first.row = row;
    blob.append(segmentCodes(animated, samples, words, segment));
    return {
      startTime: (segment.from / (samples.count - 1)) * duration,
      valueRow: row - first.row,
      tangentRow: ((segment.to - segment.from) | (segment.runBits << SAMPLED_STEPS_BITS)) >>> 0,
    };
  });
  const header = new View(ClipHeader, 1);
  header.assign(0, {
    duration,
    flags: CLIP_SAMPLED | (loops ? CLIP_LOOPS : 0),
    rowStride: animated.length,
    valuePair: 2 * first.row,
    tangentPair: 2 * blob.append(words),
    rotationRateUnit: units.rotation.rate,
    translationUnit: units.translation.value,
    translationRateUnit: units.translation.rate,
    scaleUnit: units.scale.value,
    scaleRateUnit: units.scale.rate,
  });
  appendTracks(blob, header, laneCount, split, {
    shiftsOf: (index) => (index < animated.length ? 0 : units.channels[index - animated.length]!.shifts),
    wordsOf: (index, kind, value) => packValue(kind, value, 0, units.channels[index - animated.length]!.value),
  });
  appendIntervals(blob, header, starts, duration);
  return header;
}

/** The codes of all samples of a segment, run after run. */
function segmentCodes(
  channels: readonly Channel[],
  { values }: UniformSamples,
  words: Uint32Array,
  segment: Segment,
): Uint32Array {
  const { from, to, runBits, channels: planned } = segment;
  const out = new Uint32Array(codeBytes(segment) / 4);
  channels.forEach(({ width, kind }, i) => {
    const { step, unit } = stepAndUnit(words[i]!);
    const codes = planned[4 * i + 3]!;
    const left = codes >>> 30;
    const sign = kind === 'rotation' && values[i]![4 * from + left]! < 0 ? -1 : 1;
    let offset = codes & (2 ** SAMPLED_RUN_BITS - 1);
    for (let c = 0; c < 3; c++) {
      const bits = codeWidth((codes >>> (SAMPLED_RUN_BITS + 4 * c)) & 15);
      const start = (planned[4 * i + c]! << 16) >> 16;
      const slope = ((planned[4 * i + c]! >> 16) - start) / (to - from);
      const component = c + Number(c >= left);
      for (let s = from; s <= to; s++) {
        const above = sign * values[i]![width * s + component]! - (start + slope * (s - from)) * unit;
        const code = Math.max(0, Math.min(2 ** bits - 1, Math.round(above / step)));
        writeBits(out, (s - from) * runBits + offset, code, bits);
      }
      offset += bits;
    }
  });
  return out;
}

function writeBits(out: Uint32Array, bit: number, value: number, width: number): void {
  if (width === 0) return;
  const word = Math.floor(bit / 32);
  const shift = bit % 32;
  out[word] = (out[word]! | (value << shift)) >>> 0;
  if (shift + width > 32) out[word + 1] = (out[word + 1]! | (value >>> (32 - shift))) >>> 0;
}
