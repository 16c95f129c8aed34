import { INTERVAL_LIMIT } from '../format/rig-layout.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import type { BlobBuilder } from './blob.ts';
import { channelShares } from './channel-shares.ts';
import { encodeClip, splineBytes, type ClipFrame, type ClipHeaderView, type SplitChannels } from './encode-clip.ts';
import { encodeSampled, lengthsNear, planSampled } from './encode-sampled.ts';
import { fitIntervals, type FittedInterval } from './fit.ts';
import type { ClipSamples } from './samples.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';
import type { Steps } from './steps.ts';
import { uniformSamples } from './uniform-samples.ts';

/** Search for the share of the budget for one channel. */
interface ShareSearch {
  /** Share of the first trial. No clip's depends on another's, so that clips may be packed in any order. */
  readonly first: number;
  /** Shares of the budget: an error that ends the search, and the error that the next trial aims at. */
  readonly enough: number;
  readonly aim: number;
}

/** A spline's error moves in leaps, from knot to knot. */
const SPLINE_SEARCH: ShareSearch = { first: 0.5, enough: 0.75, aim: 0.88 };
const SAMPLED_SEARCH: ShareSearch = { first: 0.5, enough: 0.86, aim: 0.94 };

/** A packed form that a clip can take. */
export interface Form {
  /** Appends the clip, with a share of the budget for each channel. Returns undefined if it cannot. */
  readonly encode: (blob: BlobBuilder, share: number) => Steps<ClipHeaderView | undefined>;
  /** Bytes of its intervals and their values with the largest share that any clip takes. */
  readonly leastBytes: number;
  /** Factor of its bytes where forms are compared: a form that is slower to pose has to be that much smaller. */
  readonly weight: number;
  readonly search: ShareSearch;
}

interface FormOptions {
  readonly model: CharacterModel;
  readonly metrics: SkeletonMetrics;
  /** Metres, above 0. */
  readonly errorBudget: number;
}

/** On an H100, sampled clips are posed at 16 to 17.3 G joints/s, linear ones at 21: a byte saved is worth less than a joint. */
const SAMPLED_WEIGHT = 1.65;

/** Channels are seldom within the budget together if each has more than this share: quantising adds errors at every sample. */
const MOST_SAMPLED_SHARE = 0.9;

/** Least bytes of a form, by its weight. */
export const leastCost = ({ leastBytes, weight }: Form): number => weight * leastBytes;

/** The packed forms that a clip can take, the best first if each took its least bytes. */
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
  return leastCost(sampled) < leastCost(spline) ? [sampled, spline] : [spline, sampled];
}

/**
 * Knots of all channels, with straight lines and cubics between.
 * @param isMeasured True if `leastBytes` is needed; else it is 0.
 */
function* splineForm(
  frame: ClipFrame,
  split: SplitChannels,
  samples: ClipSamples,
  { errorBudget }: FormOptions,
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
  return { encode, leastBytes, weight: 1, search: SPLINE_SEARCH };
}

/** Samples at equal steps of time, if the keys are. */
function* sampledForm(
  clip: ClipModel,
  frame: ClipFrame,
  split: SplitChannels,
  { model, metrics, errorBudget }: FormOptions,
): Steps<Form | undefined> {
  const uniform = yield* uniformSamples(clip, split.animated);
  if (!uniform) return undefined;
  const samples = uniform;
  const shares = channelShares(model, metrics, split.animated);
  const animated = split.animated.map((channel, c) => ({ ...channel, unitsPerMetre: shares[c]! }));
  const least = yield* planSampled(animated, samples, errorBudget * MOST_SAMPLED_SHARE);
  if (!least) return undefined;
  const lengths = lengthsNear(least.length);
  function* encode(blob: BlobBuilder, share: number): Steps<ClipHeaderView | undefined> {
    const plan = yield* planSampled(animated, samples, errorBudget * share, lengths);
    return plan && encodeSampled(blob, frame, split, samples, plan);
  }
  return { encode, leastBytes: least.bytes, weight: SAMPLED_WEIGHT, search: SAMPLED_SEARCH };
}
