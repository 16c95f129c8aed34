import type { ClipModel } from '../model.ts';
import { sampleChannel, type Channel } from './channels.ts';
import { alignRun, jumpTimes, keyTimes, tracksOf } from './samples.ts';
import type { Steps } from './steps.ts';
import { TrackReader } from './track-reader.ts';

/** A clip's source values at equal steps of time, from 0 to the duration. */
export interface UniformSamples {
  readonly count: number;
  /** Per channel, `width` numbers per sample; neighbouring quaternions lie in one hemisphere. */
  readonly values: readonly Float64Array[];
}

/** Largest distance of a key from the nearest step, in steps. Recorded times are rounded. */
const OFF_STEP = 0.02;
/** Samples at most, per key: keys may have been left out. */
const SAMPLES_PER_KEY = 2;

/** Clips with fewer samples are taken as keyed by hand. */
const FEWEST = 8;

/**
 * The samples of a clip with keys at equal steps of time, as recorded motion has them. Undefined if they are not, or if
 * a channel jumps or is a cubic.
 */
export function* uniformSamples(clip: ClipModel, channels: readonly Channel[]): Steps<UniformSamples | undefined> {
  const tracks = tracksOf(channels);
  if (clip.duration === 0 || channels.length === 0) return undefined;
  if (tracks.some(({ interpolation }) => interpolation === 'CUBICSPLINE')) return undefined;
  const count = stepCount(keyTimes(clip.duration, tracks)) + 1;
  if (count < FEWEST || jumpTimes(channels).size > 0) return undefined;
  const values: Float64Array[] = [];
  for (const channel of channels) {
    const { width, parts, kind } = channel;
    const out = new Float64Array(width * count);
    const reader = parts[0]!.count === width ? new TrackReader(parts[0]!.track) : undefined;
    for (let s = 0; s < count; s++) {
      const time = (clip.duration * s) / (count - 1);
      if (reader) reader.read(time, out, width * s);
      else sampleChannel(channel, time, false, out, width * s);
    }
    if (kind === 'rotation') alignRun(out, 0, count - 1);
    values.push(out);
    yield;
  }
  return { count, values };
}

/** Number of equal steps from the first time to the last that meet all times; 0 if none does, or if there are too many. */
function stepCount(times: Float64Array): number {
  const last = times.length - 1;
  let shortest = Infinity;
  for (let k = 1; k <= last; k++) shortest = Math.min(shortest, times[k]! - times[k - 1]!);
  const steps = Math.round(times[last]! / shortest);
  if (!(steps <= SAMPLES_PER_KEY * times.length)) return 0;
  const isOff = times.some((time) => {
    const step = (time * steps) / times[last]!;
    return Math.abs(step - Math.round(step)) > OFF_STEP;
  });
  return isOff ? 0 : steps;
}
