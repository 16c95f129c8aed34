import { fail } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { RigTable } from '../format/clip-format.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import {
  CLIP_CUBIC,
  CLIP_EXACT,
  CLIP_SAMPLED,
  CharacterType,
  ClipHeader,
  ClipInterval,
  SAMPLED_STEPS_BITS,
} from '../format/rig-layout.ts';
import { BlobBuilder } from './blob.ts';
import { clipChannels, constantValue, type Channel } from './channels.ts';
import type { ClipFrame, ClipHeaderView, SplitChannels } from './encode-clip.ts';
import { encodeExactClip } from './exact-clip.ts';
import { clipForms, leastCost, type Form } from './clip-forms.ts';
import { ErrorMeter, type Scratch } from './measure.ts';
import { sampleClip } from './samples.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';
import type { Steps } from './steps.ts';

/** Packing statistics of a clip: its size and error, and those of the source. */
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
  /**
   * Straight lines between knots, cubics too, samples at equal steps of time (each a knot), or the file's own keys
   * unquantised.
   */
  readonly form: 'linear' | 'cubic' | 'sampled' | 'exact';
  /** Bytes of the packed form, its header included. */
  readonly bytes: number;
  /** Bytes of times and values in the source, as floats. */
  readonly sourceBytes: number;
  /** Metres in model space, at six virtual vertices around every joint, over all keys and points between. */
  readonly maxError: number;
}

/** Model and precision of all clips of a rig. */
export interface ClipSetup {
  /** Its meshes are not read. */
  readonly model: CharacterModel;
  readonly metrics: SkeletonMetrics;
  /** Metres of error allowed in model space; 0 keeps keys unquantised. */
  readonly errorBudget: number;
  readonly laneCount: number;
  /** Scale channels are left out: rest scales and scale tracks are all 1. */
  readonly unitScale: boolean;
  /** The most work for all clips. */
  readonly maxClipWork: number | undefined;
}

interface PackClipOptions {
  readonly work: ClipWork;
  readonly scratch: Scratch;
}

export interface PackedClip {
  readonly stats: ClipStats;
  /** Header with offsets from the section's first row. */
  readonly header: ClipHeaderView;
  readonly words: Uint32Array<ArrayBuffer>;
  /** Work that it took, as `maxClipWork` counts it. */
  readonly work: number;
}

/** A packed clip as workers send it: views cannot be sent. */
export type SentClip = Omit<PackedClip, 'header'> & { readonly header: Uint32Array<ArrayBuffer> };

export function sentClip(clip: PackedClip): SentClip {
  return { ...clip, header: clip.header.words.slice() };
}

export function receivedClip({ header, ...clip }: SentClip): PackedClip {
  return { ...clip, header: new View(ClipHeader, header.buffer) };
}

/** Some 5 s for all clips of a character. A minute with 65 joints, at 30 keys a second, takes a tenth. */
export const CLIP_WORK_LIMIT = 10_000_000;

/** Counts the work of packing clips, so that a few bytes of keys that many channels share cannot take minutes. */
export class ClipWork {
  #left: number;

  constructor(readonly limit: number = CLIP_WORK_LIMIT) {
    this.#left = limit;
  }

  /** The most samples of the next clip, if each is read on `width` joints, morph lanes and channels. */
  samplesLeft(width: number): number {
    return Math.floor(this.#left / width);
  }

  spend(work: number): void {
    this.#left -= work;
  }

  /** @throws ManipleError CLIP_TOO_LONG */
  refuse(clip: string): never {
    const message = `With this clip, packing reads over ${this.limit} values: samples × (joints + channels), over all clips.`;
    const suggestion = 'Keep fewer keys (30 a second do), split the clips among files, or raise `maxClipWork`.';
    return fail('CLIP_TOO_LONG', clip, message, suggestion);
  }
}

/** Share of the budget that a channel may use by being held constant. */
const CONSTANT_SHARE = 0.05;
/** A packing is first measured at this many times. One that is within the budget there is then measured at all. */
const SEARCH_TIMES = 120;
const ATTEMPTS = 7;
/** Clips in exact form are measured at this many times, which only finds numbers that are not finite. */
const EXACT_TIMES = 1200;
/** The search ends where shares that are too small and too large are this close. */
const NARROW = 1.12;
/** The search ends where a smaller share leaves this much of an error that was too large. */
const STUCK = 0.9;
/** Budgets: up to this error another trial may be within the budget by chance. */
const AWAY = 1.5;
/** Budgets: measuring stops at this error. */
const FAR = 16;
/** Seconds. Below it floats have fewer bits, and a GPU may treat them as 0. So does packing. */
const SHORTEST = 2 ** -126;

/**
 * Packs one clip within its error budget. The share of the budget for a single channel is found by trial, because
 * errors add up along a chain of joints in ways that only measuring shows. Falls back to the exact form if no packed
 * form is good enough.
 * @throws ManipleError CLIP_TOO_LONG, CHARACTER_TOO_LARGE
 */
export function* packClip(
  { model, metrics, ...setup }: ClipSetup,
  source: ClipModel,
  { work: allowed, scratch }: PackClipOptions,
): Steps<PackedClip> {
  const clip = Math.fround(source.duration) < SHORTEST ? { ...source, duration: 0 } : source;
  const exact = setup.errorBudget === 0;
  const channels = clipChannels(model, metrics, clip).filter(({ kind }) => !(setup.unitScale && kind === 'scale'));
  const split = splitChannels(channels, exact ? 0 : setup.errorBudget * CONSTANT_SHARE);
  const frame = {
    duration: clip.duration,
    loops: clip.loops ?? true,
    laneCount: setup.laneCount,
    jointCount: model.joints.length,
  };
  const width = setup.laneCount + split.animated.length;
  yield;
  const samples = yield* sampleClip(clip, split.animated, allowed.samplesLeft(width));
  if (!samples) return allowed.refuse(clip.name);
  const work = samples.times.length * width;
  allowed.spend(work);
  const judged = withMidpoints(samples.times);
  const meter = new ErrorMeter(model, metrics, clip, judged, scratch);
  const searched = thin(judged.length, SEARCH_TIMES);
  const forms = exact ? [] : yield* clipForms(clip, frame, split, samples, { ...setup, model, metrics });
  const packed = yield* packBest(frame, split, forms, { meter, searched }, setup.errorBudget);
  const attempt = packed ?? (yield* packExactly(frame, clip, channels, meter));
  if (!Number.isFinite(attempt.maxError)) {
    const message = 'The keys move joints beyond the range of numbers.';
    fail('CHARACTER_TOO_LARGE', clip.name, message, 'Scale its translations and scales down, or leave the clip out.');
  }
  return { header: attempt.header, words: attempt.words, stats: clipStats(clip, attempt), work };
}

interface Attempt extends ReturnType<typeof packingOf> {
  readonly maxError: number;
}

/** The meter of a clip, and the indices of the times that it measures first. */
interface Trial {
  readonly meter: ErrorMeter;
  readonly searched: Int32Array;
}

/** The better of both packed forms within the budget, by bytes and weight; a form that cannot be the better one is not searched. */
function* packBest(
  frame: ClipFrame,
  split: SplitChannels,
  forms: readonly Form[],
  trial: Trial,
  budget: number,
): Steps<Attempt | undefined> {
  let best: Attempt | undefined;
  let least = Infinity;
  for (const form of forms) {
    if (least <= leastCost(form)) break;
    const packed = yield* packWithin(frame, split, form, trial, budget);
    const cost = packed ? form.weight * packed.words.byteLength : Infinity;
    if (cost < least) [best, least] = [packed, cost];
  }
  return best;
}

/**
 * The coarsest packing within the budget, by trials of the share for one channel. Error grows about as the share does, so
 * each trial says where to look next.
 */
function* packWithin(
  frame: ClipFrame,
  split: SplitChannels,
  { encode, search }: Form,
  { meter, searched }: Trial,
  budget: number,
): Steps<Attempt | undefined> {
  const first = new Set(searched);
  const rest = new Int32Array(meter.times.length).map((_, i) => i).filter((i) => !first.has(i));
  let best: Attempt | undefined;
  let low = 0;
  let high = Infinity;
  let failed = Infinity;
  let share = search.first;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const tried = yield* tryShare(share);
    const good = tried !== undefined && tried.maxError <= budget;
    if (good && (!best || tried.words.length <= best.words.length)) best = tried;
    // without a packing there is nothing to measure; only a larger share helps
    const larger = good || !tried;
    if (larger) low = share;
    else high = share;
    if (split.animated.length === 0 || (larger && share === 1) || (good && tried.maxError > search.enough * budget))
      break;
    if (best && high < NARROW * low) break;
    // what is left is not from the shares: a curve that the form cannot follow
    if (tried && !good && !best && tried.maxError > Math.max(STUCK * failed, AWAY * budget)) break;
    if (tried && !good) failed = tried.maxError;
    share = nextShare(share, (tried ? tried.maxError / budget : 0) / search.aim, low, high);
  }
  return best;

  function* tryShare(share: number): Steps<Attempt | undefined> {
    const blob = new BlobBuilder();
    const header = yield* encode(blob, share);
    if (!header) return undefined;
    const packing = packingOf(blob, header, frame, split);
    yield;
    const error = yield* meter.measure(packing, searched, FAR * budget);
    if (error > budget) return { ...packing, maxError: error };
    return { ...packing, maxError: Math.max(error, yield* meter.measure(packing, rest, budget)) };
  }
}

/** The share for the error that is aimed at, from one for `error` times as much. */
function nextShare(share: number, error: number, low: number, high: number): number {
  const guess = Math.max(share / 8, share / Math.max(error, 1 / 8));
  if (guess > low && guess < high) return Math.min(guess, 1);
  if (low === 0) return share / 4;
  return high === Infinity ? Math.min(2 * share, 1) : Math.sqrt(low * high);
}

function* packExactly(
  frame: ClipFrame,
  clip: ClipModel,
  channels: readonly Channel[],
  meter: ErrorMeter,
): Steps<Attempt> {
  const blob = new BlobBuilder();
  const split = splitChannels(channels, 0);
  const packing = packingOf(blob, encodeExactClip(blob, frame, clip, split), frame, split);
  yield;
  return { ...packing, maxError: yield* meter.measure(packing, thin(meter.times.length, EXACT_TIMES)) };
}

/** A packed clip, and what it takes to measure it. */
function packingOf(blob: BlobBuilder, header: ClipHeaderView, frame: ClipFrame, { animated }: SplitChannels) {
  const words = blob.finish();
  const joints = [...new Set(animated.map(({ lane }) => lane))].filter((lane) => lane < frame.jointCount);
  return { channelCount: animated.length, header, words, rig: lonelyRig(header, words), joints };
}

/** @param error Metres of error allowed for holding a channel constant. */
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

/** A rig table with one type and one clip, for measuring the clip. */
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

const PAIR_FIELDS = ['hintPair', 'valuePair', 'tangentPair', 'trackPair', 'constantPair'] as const;

/** The header of a section after a move to `row`. */
export function relocated(header: ClipHeaderView, row: number): ClipHeaderView {
  const moved = new View(ClipHeader, header.words.slice().buffer);
  moved.set(0, 'intervalRow', header.get(0, 'intervalRow') + row);
  for (const field of PAIR_FIELDS) moved.set(0, field, header.get(0, field) + 2 * row);
  return moved;
}

/** Times for measuring: fitting uses the samples, measuring also uses the points between them. */
function withMidpoints(times: Float64Array): Float64Array {
  const all = new Float64Array(2 * times.length - 1);
  times.forEach((time, s) => {
    all[2 * s] = time;
    if (s > 0) all[2 * s - 1] = (times[s - 1]! + time) / 2;
  });
  return all;
}

/** At most `count` indices of `length` times, evenly spread, ends included. */
function thin(length: number, count: number): Int32Array {
  const indices = new Int32Array(Math.min(length, count));
  const most = Math.max(1, indices.length - 1);
  return indices.map((_, i) => Math.round((i * (length - 1)) / most));
}

function clipStats(clip: ClipModel, { channelCount, header, words, maxError }: Attempt): ClipStats {
  return {
    name: clip.name,
    duration: clip.duration,
    tracks: clip.tracks.length,
    keys: clip.tracks.reduce((sum, track) => sum + track.times.length, 0),
    knots: knotCount(header, words),
    channels: channelCount,
    form: formOf(header.get(0, 'flags')),
    bytes: words.byteLength + ClipHeader.size,
    sourceBytes: clip.tracks.reduce((sum, track) => sum + track.times.byteLength + track.values.byteLength, 0),
    maxError,
  };
}

function formOf(flags: number): ClipStats['form'] {
  if (flags & CLIP_EXACT) return 'exact';
  if (flags & CLIP_SAMPLED) return 'sampled';
  return flags & CLIP_CUBIC ? 'cubic' : 'linear';
}

/** Ends of intervals; in sampled form of all steps. */
function knotCount(header: ClipHeaderView, words: Uint32Array): number {
  const intervals = header.get(0, 'intervalCount');
  if (!(header.get(0, 'flags') & CLIP_SAMPLED)) return intervals + 1;
  let steps = 0;
  for (let k = 0; k < intervals; k++) {
    const word = 4 * (header.get(0, 'intervalRow') + k) + ClipInterval.offsets.tangentRow / 4;
    steps += words[word]! & (2 ** SAMPLED_STEPS_BITS - 1);
  }
  return steps + 1;
}
