import { multiplyAffine } from '../../math/affine.ts';
import type { Box } from '../character.ts';
import { findKey } from '../evaluate.ts';
import type { BindingModel, CharacterModel, ClipModel, TrackModel } from '../model.ts';
import { type Corner, type EntryBoxes, type Extent } from './entry-boxes.ts';
import { ClipPoses } from './joint-chain.ts';
import { keyTimes } from './samples.ts';
import type { Steps } from './steps.ts';
import { controlPoints, isStill } from './track-reader.ts';

/** Limits of the work for one clip: moments, and palette entries or joints at all of them. */
const MOST_MOMENTS = 20_000;
const MOST_TRANSFORMS = 2_000_000;

/** The same limit for all clips of a character. */
export const ALL_TRANSFORMS = 4_000_000;

/**
 * A box that contains every vertex while a clip plays.
 *
 * It contains the boxes of all palette entries' vertices at the clip's moments, and a margin for the motion between
 * them. Let p0, p1, p2 be three consecutive moments of a run. A curve strays from its chords by less than |p0 − 2 p1 +
 * p2| / 2 (a parabola by an eighth of it). That holds for smooth motion, such as tracks between keys. Steps and bends
 * are at keys, where runs end, and the poses there are sampled directly.
 *
 * @param work Remaining work for this clip and the next ones.
 * @returns Undefined if the clip needs more moments than the limit.
 */
export function* clipBox(
  model: CharacterModel,
  clip: ClipModel,
  { entries, unmoved }: EntryBoxes,
  work: { left: number },
): Steps<Box | undefined> {
  const shown = model.bindings.flatMap((binding, b) => {
    const extent = entries[b];
    return extent ? [{ jointIndex: binding.jointIndex, jointFromBox: jointFromBox(binding, extent) }] : [];
  });
  const width = Math.max(1, shown.length, model.joints.length);
  const most = Math.min(MOST_MOMENTS, Math.floor(Math.min(MOST_TRANSFORMS, work.left) / width));
  if (MOMENTS_PER_SECOND * clip.duration > most) return undefined;
  const runs = clipMoments(model, clip, most);
  work.left -= width * (runs?.reduce((sum, run) => sum + run.length, 0) ?? most);
  if (!runs) return undefined;
  const sweep = new Sweep(unmoved);
  const poses = new ClipPoses(
    model,
    clip,
    shown.map(({ jointIndex }) => jointIndex),
  );
  const modelFromJoint = new Float64Array(12 * model.joints.length);
  const placesOf = (time: number, modelFromBox: Float64Array): Float64Array => {
    poses.compose(time, modelFromJoint);
    shown.forEach(({ jointIndex, jointFromBox: frame }, e) => {
      multiplyAffine(modelFromJoint, 12 * jointIndex, frame, 0, modelFromBox, 12 * e);
    });
    return modelFromBox;
  };
  const places = [0, 1, 2].map(() => new Float64Array(12 * shown.length));
  for (const run of runs) {
    for (let s = 0; s < run.length; s++) {
      const now = placesOf(run[s]!, places[s % 3]!);
      sweep.add(now);
      if (s > 1) sweep.bend(places[(s + 1) % 3]!, places[(s + 2) % 3]!, now);
    }
    yield;
  }
  return sweep.box();
}

/** Transform from the cube −1 … 1 to a box of a mesh, then to its joint. */
function jointFromBox({ jointFromMesh }: BindingModel, { min, max }: Extent): Float64Array {
  const meshFromBox = new Float64Array(12);
  for (let c = 0; c < 3; c++) {
    meshFromBox[5 * c] = (max[c]! - min[c]!) / 2;
    meshFromBox[4 * c + 3] = (max[c]! + min[c]!) / 2;
  }
  const out = new Float64Array(12);
  multiplyAffine(jointFromMesh, 0, meshFromBox, 0, out, 0);
  return out;
}

/** Box around all boxes that are added, each given as `modelFromBox`: rows of half its axes and its centre. */
class Sweep {
  readonly #low: Corner = [Infinity, Infinity, Infinity];
  readonly #high: Corner = [-Infinity, -Infinity, -Infinity];
  readonly #bend: Corner = [0, 0, 0];

  constructor(start: Extent | undefined) {
    if (!start) return;
    this.#low = [...start.min];
    this.#high = [...start.max];
  }

  add(places: Float64Array): void {
    for (let c = 0; c < 3; c++) {
      let low = this.#low[c]!;
      let high = this.#high[c]!;
      for (let row = 4 * c; row < places.length; row += 12) {
        const half = Math.abs(places[row]!) + Math.abs(places[row + 1]!) + Math.abs(places[row + 2]!);
        low = Math.min(low, places[row + 3]! - half);
        high = Math.max(high, places[row + 3]! + half);
      }
      this.#low[c] = low;
      this.#high[c] = high;
    }
  }

  /** Second differences of corners: of a sum of axes and centre, with the worst of all signs. */
  bend(before: Float64Array, last: Float64Array, now: Float64Array): void {
    for (let row = 0; row < now.length; row += 4) {
      let second = 0;
      for (let i = row; i < row + 4; i++) second += Math.abs(before[i]! - 2 * last[i]! + now[i]!);
      const c = (row / 4) % 3;
      this.#bend[c] = Math.max(this.#bend[c]!, second / 2);
    }
  }

  /** All 0 if nothing was added. */
  box(): Box {
    const isEmpty = this.#low[0] === Infinity;
    return {
      min: this.#low.map((low, c) => (isEmpty ? 0 : low - this.#bend[c]!)),
      max: this.#high.map((high, c) => (isEmpty ? 0 : high + this.#bend[c]!)),
    };
  }
}

const MOMENTS_PER_SECOND = 60;
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
function clipMoments(model: CharacterModel, clip: ClipModel, most: number): Float64Array[] | undefined {
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
  /** Per joint: the polynomial degrees of its translation and scale, and the radians by which it turns. */
  readonly #own: Float64Array;
  /** The same for the joint with all joints above it. */
  readonly #chain: Float64Array;
  readonly #parents: Int32Array;
  readonly #tracks: readonly TrackModel[];

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
