import { multiplyAffine } from '../../shaders/affine.ts';
import type { Box } from '../character.ts';
import { composeJoints, evaluatePose, restPose } from '../evaluate.ts';
import type { BindingModel, CharacterModel, ClipModel } from '../model.ts';
import { clipMoments, MOMENTS_PER_SECOND } from './clip-moments.ts';
import { joined, type Corner, type EntryBoxes, type Extent } from './entry-boxes.ts';

/** The most that looking at one clip may take: moments, and palette entries or joints at all of them. */
const MOST_MOMENTS = 20_000;
const MOST_TRANSFORMS = 2_000_000;

/** Palette entries or joints, at all moments, that are looked at for all clips of a character together. */
export class BoxWork {
  left = 4_000_000;
}

/**
 * A box that no vertex leaves while a clip plays.
 *
 * It holds the boxes of all palette entries' vertices, carried along by the clip's moments, and what the clip may do between
 * them: where three moments of a run stand p0, p1, p2, a curve strays from its chords by less than |p0 − 2 p1 + p2| / 2
 * (a parabola by an eighth of it). That holds for what is smooth, as tracks are between keys; steps and bends stand at keys,
 * where runs end, and there poses are looked at themselves.
 *
 * @param work What is left of it for this clip and the next ones.
 * @returns Undefined where the clip takes more moments than are looked at.
 */
export function clipBox(
  model: CharacterModel,
  clip: ClipModel,
  { entries, unmoved }: EntryBoxes,
  work: BoxWork,
): Box | undefined {
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
  const pose = restPose(model);
  const modelFromJoint = new Float64Array(12 * model.joints.length);
  const placesOf = (time: number, modelFromBox: Float64Array): Float64Array => {
    composeJoints(model, evaluatePose(model, clip, time, pose), modelFromJoint);
    shown.forEach(({ jointIndex, jointFromBox: frame }, e) => {
      multiplyAffine(modelFromJoint, 12 * jointIndex, frame, 0, modelFromBox, 12 * e);
    });
    return modelFromBox;
  };
  const places = [0, 1, 2].map(() => new Float64Array(12 * shown.length));
  for (const run of runs) {
    run.forEach((time, s) => {
      const now = placesOf(time, places[s % 3]!);
      sweep.add(now);
      if (s > 1) sweep.bend(places[(s + 1) % 3]!, places[(s + 2) % 3]!, now);
    });
  }
  return sweep.box();
}

/** From the cube −1 … 1 to a box of a mesh, and on to the joint that carries it. */
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

/** What boxes pass over, each given as `modelFromBox`: rows of half its axes and its centre. */
class Sweep {
  #extent: Extent | undefined;
  readonly #bend: Corner = [0, 0, 0];

  constructor(start: Extent | undefined) {
    this.#extent = start && joined(undefined, start.min, start.max);
  }

  add(places: Float64Array): void {
    const [low, high]: [Corner, Corner] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    for (let at = 0; at < places.length; at += 12) {
      for (let c = 0; c < 3; c++) {
        const row = at + 4 * c;
        const half = Math.abs(places[row]!) + Math.abs(places[row + 1]!) + Math.abs(places[row + 2]!);
        low[c] = places[row + 3]! - half;
        high[c] = places[row + 3]! + half;
      }
      this.#extent = joined(this.#extent, low, high);
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

  box(): Box {
    const { min, max } = this.#extent ?? { min: [0, 0, 0], max: [0, 0, 0] };
    return {
      min: min.map((low, c) => low - this.#bend[c]!),
      max: max.map((high, c) => high + this.#bend[c]!),
    };
  }
}
