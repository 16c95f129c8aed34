import { fixedPhase } from '../../shaders/fixed.ts';
import { isUsable } from '../baked/blob.ts';
import type { RigTable } from '../clip-format.ts';
import { type ClipMotion, resolveMotion, sampleLane } from '../clip-format.ts';
import { evaluateMorphWeights, POSE_STRIDE } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { WEIGHTS_PER_LANE } from './channels.ts';
import { ClipPoses, JointChain } from './joint-chain.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';
import type { Steps } from './steps.ts';

/** Bytes of the file's own matrices that are kept from one measurement to the next. */
const KEPT_BYTES = 2 ** 25;
/** Times that are looked at in one step. */
const TIMES_PER_STEP = 64;

/** Numbers that one clip after the other may use: their content is left from the last one. */
export class Scratch {
  #floats = new Float64Array(0);

  take(length: number): Float64Array {
    if (this.#floats.length < length) this.#floats = new Float64Array(length);
    return this.#floats;
  }
}

/** A packed clip: the only one of a rig table. */
export interface MeasuredClip {
  readonly rig: RigTable;
  /** Joints that have animated channels in it. */
  readonly joints: readonly number[];
}

/**
 * How far the packed clip strays from the file's own, in metres: the largest distance of a virtual vertex, six per
 * joint at its shell distance, carried through the whole chain; and what wrong morph weights move, on top.
 */
export class ErrorMeter {
  readonly #model: CharacterModel;
  readonly #metrics: SkeletonMetrics;
  readonly #clip: ClipModel;
  readonly #times: Float64Array;
  /** Joints that move vertices. */
  readonly #shown: readonly number[];
  readonly #source: ClipPoses;
  readonly #packed: JointChain;
  readonly #packedMatrices: Float64Array;
  /**
   * The file's own matrices and morph weights, and 1 where they can be computed with: a slot for as many times as are kept, and
   * a last one for all others.
   */
  readonly #truths: Float64Array;
  readonly #truthLength: number;
  /** Per time its slot plus 1; 0 for those that have none yet. */
  readonly #slots: Int32Array;
  readonly #slotCount: number;
  #slotsUsed = 0;
  readonly #restWeights: Float64Array;
  /** Index of the time at which `measure` stopped early. */
  #difficult = 0;
  readonly #lane = new Float64Array(POSE_STRIDE);

  /**
   * @param times All at which `measure` may look, in seconds.
   * @param scratch Of this meter alone, as long as it is used.
   */
  constructor(model: CharacterModel, metrics: SkeletonMetrics, clip: ClipModel, times: Float64Array, scratch: Scratch) {
    const jointCount = model.joints.length;
    this.#model = model;
    this.#metrics = metrics;
    this.#clip = clip;
    this.#times = times;
    this.#shown = model.joints.flatMap((_, j) => (metrics.shell[j]! > 0 ? [j] : []));
    this.#source = new ClipPoses(model, clip);
    this.#packed = new JointChain(model, this.#shown);
    this.#packedMatrices = new Float64Array(12 * jointCount);
    this.#restWeights = Float64Array.from(model.morphSets.flatMap((set) => set.weights));
    this.#truthLength = 12 * jointCount + this.#restWeights.length + 1;
    this.#slotCount = Math.min(times.length, Math.floor(KEPT_BYTES / (8 * this.#truthLength)));
    this.#truths = scratch.take((this.#slotCount + 1) * this.#truthLength);
    this.#slots = new Int32Array(times.length);
  }

  /**
   * The largest error over times, given by their indices; infinite where the source itself cannot be computed with. Stops early
   * once it exceeds `enough`, and begins where it stopped last time: a clip has its difficult places.
   */
  *measure(packed: MeasuredClip, indices: Int32Array, enough = Infinity): Steps<number> {
    let worst = 0;
    const first = this.#motionAt(packed.rig, 0);
    // what packed clips hold constant is written once; other packings may hold other channels
    this.#packed.reset((pose) => {
      for (let j = 0; j < this.#model.joints.length; j++) sampleLane(packed.rig, first, j, pose, j * POSE_STRIDE);
    });
    for (let s = 0; s < indices.length && worst <= enough; s++) {
      const at = (this.#difficult + s) % indices.length;
      worst = Math.max(worst, this.#at(packed, indices[at]!));
      if (worst > enough) this.#difficult = at;
      if (s % TIMES_PER_STEP === 0) yield;
    }
    return worst;
  }

  #motionAt(rig: RigTable, time: number): ClipMotion {
    const { duration } = this.#clip;
    return resolveMotion(rig, 0, 0, duration > 0 ? fixedPhase(time / duration) : 0);
  }

  #at({ rig, joints }: MeasuredClip, index: number): number {
    const motion = this.#motionAt(rig, this.#times[index]!);
    const truth = this.#truthAt(index);
    const truths = this.#truths;
    if (truths[truth + this.#truthLength - 1] === 0) return Infinity;
    const packed = this.#packedMatrices;
    for (const j of joints) {
      sampleLane(rig, motion, j, this.#packed.pose, j * POSE_STRIDE);
      this.#packed.update(j);
    }
    this.#packed.compose(packed);
    let largest = 0;
    for (const j of this.#shown) {
      largest = Math.max(largest, squaredDistance(truths, truth + 12 * j, packed, 12 * j, this.#metrics.shell[j]!));
    }
    return Math.sqrt(largest) + this.#morphError(rig, motion, truth + 12 * this.#model.joints.length);
  }

  /** Where the truth about a time begins. */
  #truthAt(index: number): number {
    const known = this.#slots[index]!;
    if (known > 0) return (known - 1) * this.#truthLength;
    const slot = Math.min(this.#slotsUsed, this.#slotCount);
    if (slot < this.#slotCount) this.#slots[index] = ++this.#slotsUsed;
    const time = this.#times[index]!;
    const at = slot * this.#truthLength;
    const weights = at + 12 * this.#model.joints.length;
    this.#source.compose(time, this.#truths, at);
    if (this.#restWeights.length > 0) {
      this.#truths.set(evaluateMorphWeights(this.#model, this.#clip, time), weights);
    }
    this.#truths[at + this.#truthLength - 1] = areUsable(this.#truths, at, weights) ? 1 : 0;
    return at;
  }

  #morphError(rig: RigTable, motion: ClipMotion, truth: number): number {
    const count = this.#restWeights.length;
    let error = 0;
    for (let w = 0; w < count; w += WEIGHTS_PER_LANE) {
      for (let c = 0; c < 3; c++) this.#lane[c] = this.#restWeights[w + c] ?? 0;
      sampleLane(rig, motion, this.#model.joints.length + w / WEIGHTS_PER_LANE, this.#lane);
      for (let c = 0; c < Math.min(3, count - w); c++) {
        error += Math.abs(this.#lane[c]! - this.#truths[truth + w + c]!) * this.#metrics.morphReach[w + c]!;
      }
    }
    return error;
  }
}

function areUsable(numbers: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isUsable(numbers[i]!)) return false;
  return true;
}

/** Over the six points at ±`shell` on a joint's axes: the squared distance of their two images. */
function squaredDistance(a: Float64Array, atA: number, b: Float64Array, atB: number, shell: number): number {
  const x = a[atA + 3]! - b[atB + 3]!;
  const y = a[atA + 7]! - b[atB + 7]!;
  const z = a[atA + 11]! - b[atB + 11]!;
  let largest = 0;
  for (let axis = 0; axis < 3; axis++) {
    const u = (a[atA + axis]! - b[atB + axis]!) * shell;
    const v = (a[atA + axis + 4]! - b[atB + axis + 4]!) * shell;
    const w = (a[atA + axis + 8]! - b[atB + axis + 8]!) * shell;
    const plus = (x + u) ** 2 + (y + v) ** 2 + (z + w) ** 2;
    const minus = (x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2;
    largest = Math.max(largest, plus, minus);
  }
  return largest;
}
