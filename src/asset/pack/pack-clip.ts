import { fail } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { RigTable } from '../clip-format.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { CLIP_CUBIC, CLIP_EXACT, CharacterType, ClipHeader, INTERVAL_LIMIT } from '../rig-layout.ts';
import { BlobBuilder } from './blob.ts';
import type { ClipWork } from './clip-work.ts';
import { clipChannels, constantValue, type Channel } from './channels.ts';
import { shareRates } from './cubic.ts';
import { encodeClip, type ClipFrame, type ClipHeaderView } from './encode-clip.ts';
import { encodeExactClip } from './exact-clip.ts';
import { fitIntervals } from './fit.ts';
import type { SplitChannels } from './lane-tracks.ts';
import { ErrorMeter } from './measure.ts';
import { sampleClip, type ClipSamples } from './samples.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';

/** What packing did to a clip: its size and error, beside those of the source. */
export interface ClipStats {
  readonly name: string;
  /** Seconds; 0 for a pose. */
  readonly duration: number;
  /** Tracks, and keys of all tracks, in the source. */
  readonly tracks: number;
  readonly keys: number;
  /** Knots (intervals + 1) and animated channels of the packed form. */
  readonly knots: number;
  readonly channels: number;
  /** Straight lines between knots, cubics too, or the file's own keys unquantised. */
  readonly form: 'linear' | 'cubic' | 'exact';
  /** Bytes of the packed form, its header included. */
  readonly bytes: number;
  /** Bytes of times and values in the source, as floats. */
  readonly sourceBytes: number;
  /** Metres in model space, at six virtual vertices around every joint, over all keys and points between. */
  readonly maxError: number;
}

export interface PackClipOptions {
  /** Metres of error allowed in model space; 0 keeps keys unquantised. */
  readonly errorBudget: number;
  readonly laneCount: number;
  /** Scale channels are left out: rest scales and scale tracks are all 1. */
  readonly unitScale: boolean;
  readonly work: ClipWork;
}

export interface PackedClip {
  readonly stats: ClipStats;
  /** Header whose offsets count from the section's first row. */
  readonly header: ClipHeaderView;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** Share of the budget that a channel may lose by being held constant. */
const CONSTANT_SHARE = 0.05;
/** While searching, long clips are judged at this many times; the final verdict looks at all. */
const SEARCH_TIMES = 1200;
const ATTEMPTS = 7;
/** Seconds. Floats have fewer bits below it, and a GPU may take them for 0: so does packing. */
const SHORTEST = 2 ** -126;

/**
 * Packs one clip inside its error budget. The share of the budget that a single channel may use is found by trial:
 * errors add up along a chain of joints in ways that only the measurement knows. Falls back to the exact form where
 * no packed form is good enough.
 * @throws ManipleError CLIP_TOO_LONG, CHARACTER_TOO_LARGE
 */
export function packClip(
  model: CharacterModel,
  metrics: SkeletonMetrics,
  source: ClipModel,
  options: PackClipOptions,
): PackedClip {
  const clip = Math.fround(source.duration) < SHORTEST ? { ...source, duration: 0 } : source;
  const exact = options.errorBudget === 0;
  const channels = clipChannels(model, metrics, clip).filter(({ kind }) => !(options.unitScale && kind === 'scale'));
  const split = splitChannels(channels, exact ? 0 : options.errorBudget * CONSTANT_SHARE);
  const frame = { duration: clip.duration, loops: clip.loops ?? true, laneCount: options.laneCount };
  const meter = new ErrorMeter(model, metrics, clip);
  const width = options.laneCount + split.animated.length;
  const samples = sampleClip(clip, split.animated, options.work.samplesLeft(width));
  if (!samples) return options.work.refuse(clip.name);
  options.work.spend(samples.times.length, width);
  const packed = exact ? undefined : packWithin(frame, split, samples, meter, options.errorBudget);
  const attempt = packed ?? packExactly(frame, clip, channels, samples, meter);
  if (!Number.isFinite(attempt.maxError)) {
    const message = 'its keys carry joints farther than can be computed with.';
    fail('CHARACTER_TOO_LARGE', clip.name, message, 'Scale its translations and scales down, or leave the clip out.');
  }
  return { header: attempt.header, words: attempt.words, stats: clipStats(clip, attempt) };
}

interface Attempt {
  readonly channelCount: number;
  readonly header: ClipHeaderView;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly maxError: number;
}

/** The roughest packing that keeps the budget, by bisection over the share that one channel may use. */
function packWithin(
  frame: ClipFrame,
  split: SplitChannels,
  samples: ClipSamples,
  meter: ErrorMeter,
  budget: number,
): Attempt | undefined {
  const judged = withMidpoints(samples.times);
  const searched = thin(judged, SEARCH_TIMES);
  let best: Attempt | undefined;
  let low = 0;
  let high = 1;
  let share = 0.5;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const tried = tryShare(share);
    const good = tried !== undefined && tried.maxError <= budget;
    if (good && (!best || tried.words.length <= best.words.length)) best = tried;
    // with too many intervals there is nothing to measure; only a larger share makes them fewer
    const larger = good || !tried;
    if (larger) low = share;
    else high = share;
    if (split.animated.length === 0 || (larger && share === 1) || (good && tried.maxError > 0.75 * budget)) break;
    share = larger && attempt === 0 ? 1 : low === 0 ? share / 4 : Math.sqrt(low * high);
  }
  return best;

  /** Undefined with more intervals than a clip can have. */
  function tryShare(share: number): Attempt | undefined {
    const error = budget * share;
    const fitted = shareRates(split.animated, samples, fitIntervals(split.animated, samples, error), error);
    if (fitted.length >= INTERVAL_LIMIT) return undefined;
    const blob = new BlobBuilder();
    const header = encodeClip(blob, frame, split, samples, fitted);
    const words = blob.finish();
    const rig = lonelyRig(header, words);
    const first = meter.measure(rig, searched, budget);
    const isFinal = searched === judged || first > budget;
    const maxError = isFinal ? first : Math.max(first, meter.measure(rig, samples.times));
    return { channelCount: split.animated.length, header, words, maxError };
  }
}

function packExactly(
  frame: ClipFrame,
  clip: ClipModel,
  channels: readonly Channel[],
  samples: ClipSamples,
  meter: ErrorMeter,
): Attempt {
  const blob = new BlobBuilder();
  const split = splitChannels(channels, 0);
  const header = encodeExactClip(blob, frame, clip, split);
  const words = blob.finish();
  const maxError = meter.measure(lonelyRig(header, words), thin(withMidpoints(samples.times), SEARCH_TIMES));
  return { channelCount: split.animated.length, header, words, maxError };
}

/** @param error Metres that a channel may cost by being held constant. */
function splitChannels(channels: readonly Channel[], error: number): SplitChannels {
  const animated: Channel[] = [];
  const constant: { channel: Channel; value: number[] }[] = [];
  for (const channel of channels) {
    const value = constantValue(channel, error * channel.unitsPerMetre);
    if (value) constant.push({ channel, value });
    else animated.push(channel);
  }
  return { animated, constant };
}

/** A rig table with one type and one clip, to measure the clip in. */
function lonelyRig(header: ClipHeaderView, words: Uint32Array): RigTable {
  const blob = new BlobBuilder();
  const typeRow = blob.reserve(CharacterType, 1);
  const clipRow = blob.reserve(ClipHeader, 1);
  const first = blob.append(words);
  const type = new View(CharacterType, 1);
  type.set(0, 'clipRow', clipRow);
  blob.fill(typeRow, type);
  blob.fill(clipRow, relocated(header, first));
  return new RigTable(blob.finish());
}

const ROW_FIELDS = ['intervalRow'] as const;
const PAIR_FIELDS = ['hintPair', 'valuePair', 'tangentPair', 'trackPair', 'constantPair'] as const;

/** The header of a section that was moved to `row`. */
export function relocated(header: ClipHeaderView, row: number): ClipHeaderView {
  const moved = new View(ClipHeader, header.words.slice().buffer);
  for (const field of ROW_FIELDS) moved.set(0, field, header.get(0, field) + row);
  for (const field of PAIR_FIELDS) moved.set(0, field, header.get(0, field) + 2 * row);
  return moved;
}

/** Fitting looks at the samples; judging also looks between them. */
function withMidpoints(times: Float64Array): Float64Array {
  return Float64Array.from({ length: Math.max(1, 2 * times.length - 1) }, (_, i) =>
    i % 2 === 0 ? times[i / 2]! : (times[(i - 1) / 2]! + times[(i + 1) / 2]!) / 2,
  );
}

/** At most `count` of the times, evenly spread, ends included. */
function thin(times: Float64Array, count: number): Float64Array {
  if (times.length <= count) return times;
  return Float64Array.from({ length: count }, (_, i) => times[Math.round((i * (times.length - 1)) / (count - 1))]!);
}

function clipStats(clip: ClipModel, { channelCount, header, words, maxError }: Attempt): ClipStats {
  return {
    name: clip.name,
    duration: clip.duration,
    tracks: clip.tracks.length,
    keys: clip.tracks.reduce((sum, track) => sum + track.times.length, 0),
    knots: header.get(0, 'intervalCount') + 1,
    channels: channelCount,
    form: header.get(0, 'flags') & CLIP_EXACT ? 'exact' : header.get(0, 'flags') & CLIP_CUBIC ? 'cubic' : 'linear',
    bytes: words.byteLength + ClipHeader.size,
    sourceBytes: clip.tracks.reduce((sum, track) => sum + track.times.byteLength + track.values.byteLength, 0),
    maxError,
  };
}
