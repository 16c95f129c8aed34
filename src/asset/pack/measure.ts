import { fixedPhase } from '../../shaders/fixed.ts';
import { isUsable } from '../baked/blob.ts';
import type { RigTable } from '../clip-format.ts';
import { resolveMotion, sampleLane } from '../clip-format.ts';
import { POSE_STRIDE, composeJoints, evaluateMorphWeights, evaluatePose, restPose } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { WEIGHTS_PER_LANE } from './channels.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';

/** Bytes of the file's own matrices that are kept from one measurement to the next. */
const KEPT_BYTES = 2 ** 25;

/** What the file itself says at one time: twelve numbers per joint, and morph weights. */
interface Truth {
  readonly joints: Float64Array;
  readonly weights: Float64Array;
  readonly isUsable: boolean;
}

function areUsable(numbers: Float64Array): boolean {
  for (let i = 0; i < numbers.length; i++) if (!isUsable(numbers[i]!)) return false;
  return true;
}

/**
 * How far the packed clip strays from the file's own, in metres: the largest distance of a virtual vertex, six per
 * joint at its shell distance, carried through the whole chain; and what wrong morph weights move, on top.
 */
export class ErrorMeter {
  readonly #truths = new Map<number, Truth>();
  readonly #packed: Float64Array;
  readonly #packedPose: Float64Array;
  readonly #sourcePose: Float64Array;
  readonly #rest: Float64Array;
  readonly #restWeights: Float64Array;
  /** Index of the time at which `measure` stopped early. */
  #difficult = 0;
  readonly #lane = new Float64Array(POSE_STRIDE);

  constructor(
    readonly model: CharacterModel,
    readonly metrics: SkeletonMetrics,
    readonly clip: ClipModel,
  ) {
    const jointCount = model.joints.length;
    this.#packed = new Float64Array(jointCount * 12);
    this.#rest = restPose(model);
    this.#packedPose = restPose(model);
    this.#sourcePose = restPose(model);
    this.#restWeights = Float64Array.from(model.morphSets.flatMap((set) => set.weights));
  }

  /**
   * The largest error over the given times; infinite where the source itself cannot be computed with. Stops early once
   * it exceeds `enough`, and begins where it stopped last time: a clip has its difficult places.
   */
  measure(rig: RigTable, times: ArrayLike<number>, enough = Infinity): number {
    let worst = 0;
    this.#packedPose.set(this.#rest); // other packings may move other channels
    for (let s = 0; s < times.length && worst <= enough; s++) {
      const at = (this.#difficult + s) % times.length;
      worst = Math.max(worst, this.#at(rig, times[at]!));
      if (worst > enough) this.#difficult = at;
    }
    return worst;
  }

  #at(rig: RigTable, time: number): number {
    const { model, clip } = this;
    const phase = clip.duration > 0 ? fixedPhase(time / clip.duration) : 0;
    const motion = resolveMotion(rig, 0, 0, phase);
    const jointCount = model.joints.length;
    for (let j = 0; j < jointCount; j++) sampleLane(rig, motion, j, this.#packedPose, j * POSE_STRIDE);
    const truth = this.#truthAt(time);
    if (!truth.isUsable) return Infinity;
    composeJoints(model, this.#packedPose, this.#packed);
    let worst = 0;
    for (let j = 0; j < jointCount; j++) {
      const shell = this.metrics.shell[j]!;
      if (shell > 0) worst = Math.max(worst, largestDistance(truth.joints, this.#packed, j * 12, shell));
    }
    return worst + this.#morphError(rig, motion, truth.weights);
  }

  #truthAt(time: number): Truth {
    const known = this.#truths.get(time);
    if (known) return known;
    const { model, clip } = this;
    const joints = new Float64Array(model.joints.length * 12);
    composeJoints(model, evaluatePose(model, clip, time, this.#sourcePose), joints); // tracks write what they move, every time
    const weights = this.#restWeights.length > 0 ? evaluateMorphWeights(model, clip, time) : this.#restWeights;
    const truth = { joints, weights, isUsable: areUsable(joints) };
    if ((this.#truths.size + 1) * joints.byteLength <= KEPT_BYTES) this.#truths.set(time, truth);
    return truth;
  }

  #morphError(rig: RigTable, motion: ReturnType<typeof resolveMotion>, truth: Float64Array): number {
    const count = this.#restWeights.length;
    let error = 0;
    for (let w = 0; w < count; w += WEIGHTS_PER_LANE) {
      for (let c = 0; c < 3; c++) this.#lane[c] = this.#restWeights[w + c] ?? 0;
      sampleLane(rig, motion, this.model.joints.length + w / WEIGHTS_PER_LANE, this.#lane);
      for (let c = 0; c < Math.min(3, count - w); c++) {
        error += Math.abs(this.#lane[c]! - truth[w + c]!) * this.metrics.morphReach[w + c]!;
      }
    }
    return error;
  }
}

/** Over the six points at ±`shell` on the joint's axes: distance of their two images. */
function largestDistance(a: Float64Array, b: Float64Array, at: number, shell: number): number {
  let largest = 0;
  for (let axis = 0; axis < 3; axis++) {
    let plus = 0;
    let minus = 0;
    for (let row = 0; row < 12; row += 4) {
      const turn = (a[at + row + axis]! - b[at + row + axis]!) * shell;
      const shift = a[at + row + 3]! - b[at + row + 3]!;
      plus += (shift + turn) ** 2;
      minus += (shift - turn) ** 2;
    }
    largest = Math.max(largest, plus, minus);
  }
  return Math.sqrt(largest);
}
