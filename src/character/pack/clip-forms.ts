import { INTERVAL_LIMIT } from '../format/rig-layout.ts';
import type { ClipModel } from '../model.ts';
import type { BlobBuilder } from './blob.ts';
import { encodeClip, splineBytes, type ClipFrame, type ClipHeaderView, type SplitChannels } from './encode-clip.ts';
import { encodeSampled, lengthsNear, planSampled } from './encode-sampled.ts';
import { fitIntervals, type FittedInterval } from './fit.ts';
import type { ClipSamples } from './samples.ts';
import type { Steps } from './steps.ts';
import { uniformSamples } from './uniform-samples.ts';

/** The share of the budget for one channel that the last clip took: clips of one skeleton are alike. */
interface ShareSearch {
  share: number;
}

export interface ShareSearches {
  readonly spline: ShareSearch;
  readonly sampled: ShareSearch;
}

/** Where the search of the first clip of a skeleton begins. */
export function firstSearches(): ShareSearches {
  return { spline: { share: 0.5 }, sampled: { share: 0.25 } };
}

/** A packed form that a clip can take. */
export interface Form {
  /** Appends the clip, with a share of the budget for each channel. Returns undefined if it cannot. */
  readonly encode: (blob: BlobBuilder, share: number) => Steps<ClipHeaderView | undefined>;
  /** Bytes of its intervals and their values with the largest share that any clip takes. */
  readonly leastBytes: number;
  readonly search: ShareSearch;
}

interface FormOptions {
  /** Metres, above 0. */
  readonly errorBudget: number;
  readonly searches: ShareSearches;
}

/** Channels are seldom within the budget together if each has more than this share: quantising adds errors at every sample. */
const MOST_SAMPLED_SHARE = 0.5;

/** The packed forms that a clip can take, the smallest first if each took its least bytes. */
export function* clipForms(
  clip: ClipModel,
  frame: ClipFrame,
  split: SplitChannels,
  samples: ClipSamples,
  options: FormOptions,
): Steps<readonly Form[]> {
  const sampled = yield* sampledForm(clip, frame, split, options);
  yield;
  const spline = yield* splineForm(frame, split, samples, options, sampled !== undefined);
  if (!sampled) return [spline];
  return sampled.leastBytes < spline.leastBytes ? [sampled, spline] : [spline, sampled];
}

/**
 * Knots of all channels, with straight lines and cubics between.
 * @param isMeasured True if `leastBytes` is needed; else it is 0.
 */
function* splineForm(
  frame: ClipFrame,
  split: SplitChannels,
  samples: ClipSamples,
  { errorBudget, searches }: FormOptions,
  isMeasured: boolean,
): Steps<Form> {
  const { animated } = split;
  let coarsest: readonly FittedInterval[] | undefined;
  let leastBytes = 0;
  if (isMeasured) {
    coarsest = yield* fitIntervals(animated, samples, errorBudget);
    leastBytes = splineBytes(samples, coarsest, animated.length);
  }
  function* encode(blob: BlobBuilder, share: number): Steps<ClipHeaderView | undefined> {
    const fitted = share === 1 && coarsest ? coarsest : yield* fitIntervals(animated, samples, errorBudget * share);
    return fitted.length < INTERVAL_LIMIT ? encodeClip(blob, frame, split, samples, fitted) : undefined;
  }
  return { encode, leastBytes, search: searches.spline };
}

/** Samples at equal steps of time, if the keys are. */
function* sampledForm(
  clip: ClipModel,
  frame: ClipFrame,
  split: SplitChannels,
  { errorBudget, searches }: FormOptions,
): Steps<Form | undefined> {
  const { animated } = split;
  const samples = yield* uniformSamples(clip, animated);
  const least = samples && (yield* planSampled(animated, samples, errorBudget * MOST_SAMPLED_SHARE));
  if (!samples || !least) return undefined;
  const lengths = lengthsNear(least.length);
  function* encode(blob: BlobBuilder, share: number): Steps<ClipHeaderView | undefined> {
    const plan = yield* planSampled(animated, samples!, errorBudget * share, lengths);
    return plan && encodeSampled(blob, frame, split, samples!, plan);
  }
  return { encode, leastBytes: least.bytes, search: searches.sampled };
}
