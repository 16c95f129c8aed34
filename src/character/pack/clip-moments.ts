import { findKey } from '../evaluate.ts';
import type { CharacterModel, ClipModel, TrackModel } from '../model.ts';
import { controlPoints } from './control-points.ts';
import { keyTimes } from './samples.ts';
import { isStill } from './track-reader.ts';

export const MOMENTS_PER_SECOND = 60;
/** Limit of the radians by which all joints of a chain together turn from one moment to the next. */
const TURN_PER_MOMENT = Math.PI / 8;
/** Distance of an interval's last moment from the next key, as a share of the interval: a step still holds there. */
const BEFORE_KEY = 1e-6;

/**
 * Moments at which a clip is sampled, in runs. A run goes from each key of any track to just before the next, so that
 * tracks are smooth within a run and jumps are sampled on both sides. The last one is the clip's end. Moments of a run
 * are equally spaced, at least three of them. They are close enough to bound the motion of joints between them.
 *
 * @param most The most moments: ascending seconds from 0 to the duration.
 * @returns Undefined if more are needed.
 */
export function clipMoments(model: CharacterModel, clip: ClipModel, most: number): Float64Array[] | undefined {
  const tracks = clip.tracks.filter(({ path }) => path !== 'weights');
  const ends = keyTimes(clip.duration, tracks);
  // others have one value over the whole run
  const strides = new Strides(
    model,
    tracks.filter((track) => track.interpolation !== 'STEP' && !isStill(track)),
  );
  const runs: Float64Array[] = [];
  let count = 1;
  for (let k = 1; k < ends.length; k++) {
    const [from, to] = [ends[k - 1]!, ends[k]!];
    const steps = Math.max(2, Math.ceil(MOMENTS_PER_SECOND * (to - from)), strides.between(from, to));
    count += steps + 1;
    if (count > most) return undefined;
    const step = ((to - from) * (1 - BEFORE_KEY)) / steps;
    runs.push(Float64Array.from({ length: steps + 1 }, (_, s) => from + s * step));
  }
  return [...runs, Float64Array.of(clip.duration)];
}

/** Motion of a skeleton's joints between two keys. */
class Strides {
  /**
   * Three numbers per joint: the polynomial degrees of its translation and scale, and the radians by which it turns.
   */
  readonly #own: Float64Array;
  /** The same for the joint with all joints above it. */
  readonly #chain: Float64Array;
  readonly #parents: Int32Array;
  readonly #tracks: readonly TrackModel[];

  /** @param tracks All tracks that change between keys. */
  constructor({ joints }: CharacterModel, tracks: readonly TrackModel[]) {
    this.#own = new Float64Array(3 * joints.length);
    this.#chain = new Float64Array(3 * joints.length);
    this.#parents = Int32Array.from(joints, ({ parentIndex }) => parentIndex);
    this.#tracks = tracks;
  }

  /**
   * Number of steps that determines the motion of joints between two times. Without turns, points move along
   * polynomials. For degree d, 2 (d − 1) steps have enough second differences to bound the motion between them. Turns
   * add steps of their own.
   */
  between(from: number, to: number): number {
    const own = this.#own;
    const chain = this.#chain;
    own.fill(0);
    for (const track of this.#tracks) {
      const { path, targetIndex, times } = track;
      const key = findKey(times, from);
      const points = key < 0 ? [] : controlPoints(track, key);
      if (points.every((point) => point.every((value, c) => value === points[0]![c]))) continue;
      if (path === 'rotation') {
        own[3 * targetIndex + 2] = (turnBetween(track, points) * (to - from)) / (times[key + 1]! - times[key]!);
      } else own[3 * targetIndex + (path === 'translation' ? 0 : 1)] = points.length - 1;
    }
    let steps = 0;
    for (let j = 0; j < this.#parents.length; j++) {
      const at = 3 * j;
      const above = 3 * this.#parents[j]!;
      const isRoot = above < 0;
      chain[at] = Math.max(isRoot ? 0 : chain[above]!, (isRoot ? 0 : chain[above + 1]!) + own[at]!);
      for (let c = 1; c < 3; c++) chain[at + c] = (isRoot ? 0 : chain[above + c]!) + own[at + c]!;
      const straight = 2 * (Math.max(chain[at]!, chain[at + 1]!) - 1);
      steps = Math.max(steps, Math.max(0, straight) + Math.ceil(chain[at + 2]! / TURN_PER_MOMENT));
    }
    return steps;
  }
}

/**
 * Radians of a turn. For a slerp: its angle. For a cubic: its fastest rate, over the whole interval. A cubic that may
 * pass through 0, where rotations are undefined, has no fastest rate.
 */
function turnBetween({ interpolation }: TrackModel, points: readonly number[][]): number {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, c) => sum + value * b[c]!, 0);
  const first = points[0]!;
  const last = points.at(-1)!;
  if (interpolation === 'LINEAR') {
    return 2 * Math.acos(Math.min(1, Math.abs(dot(first, last)) / (Math.hypot(...first) * Math.hypot(...last))));
  }
  const sum = first.map((_, c) => points.reduce((total, point) => total + point[c]!, 0));
  const nearest = Math.min(...points.map((point) => dot(point, sum))) / Math.hypot(...sum);
  if (!(nearest > 0)) return Infinity;
  const longest = points.slice(1).map((point, i) => Math.hypot(...point.map((value, c) => value - points[i]![c]!)));
  return (6 * Math.max(...longest)) / nearest;
}
