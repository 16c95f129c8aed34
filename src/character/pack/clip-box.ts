import { multiplyAffine } from '../../math/affine.ts';
import type { Box } from '../character.ts';
import type { BindingModel, CharacterModel, ClipModel } from '../model.ts';
import { clipMoments, MOMENTS_PER_SECOND } from './clip-moments.ts';
import { type Corner, type EntryBoxes, type Extent } from './entry-boxes.ts';
import { ClipPoses } from './joint-chain.ts';
import type { Steps } from './steps.ts';

/** Limits of the work for one clip: moments, and palette entries or joints at all of them. */
const MOST_MOMENTS = 20_000;
const MOST_TRANSFORMS = 2_000_000;

/** Remaining work for all clips of a character: palette entries or joints, at all moments. */
export class BoxWork {
  left = 4_000_000;
}

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
  work: BoxWork,
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

/** Transform from the cube −1 … 1 to a box of a mesh, and on to the joint that moves it. */
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
