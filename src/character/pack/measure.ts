import { fixedPhase } from '../../math/fixed.ts';
import { isUsable } from '../file/blob.ts';
import { type ClipMotion, resolveMotion, type RigTable, sampleLane } from '../format/clip-format.ts';
import { WEIGHTS_PER_LANE } from '../format/rig-layout.ts';
import { evaluateMorphWeights, POSE_STRIDE } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { ClipPoses, JointChain } from './joint-chain.ts';
import { ClipReader } from './clip-reader.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';
import type { Steps } from './steps.ts';

/** Bytes of the file's own matrices that are cached between measurements. */
const KEPT_BYTES = 2 ** 20;
/** Number of times that one step measures. */
const TIMES_PER_STEP = 64;

/** An array that clips use one after the other. It keeps the last clip's content. */
export class Scratch {
  #floats = new Float64Array(0);

  take(length: number): Float64Array {
    if (this.#floats.length < length) this.#floats = new Float64Array(length);
    return this.#floats;
  }
}

/** A packed clip: the only one of a rig table. */
interface MeasuredClip {
  readonly rig: RigTable;
  /** Joints that have animated channels in it. */
  readonly joints: readonly number[];
}

/**
 * Measures the distance of the packed clip from the file's own, in metres. It is the largest distance of a virtual
 * vertex, six per joint at its shell distance, through the whole chain of joints. The displacement from wrong morph
 * weights is added.
 */
export class ErrorMeter {
  /** Joints that move vertices. */
  readonly #shown: readonly number[];
  readonly #source: ClipPoses;
  readonly #packed: JointChain;
  readonly #packedMatrices: Float64Array;
  /** The file's matrices and morph weights, and 1 if they are finite: a slot per cached time, the last for others. */
  readonly #truths: Float64Array;
  readonly #truthLength: number;
  /** Slot of each time plus 1; 0 for times without one. */
  readonly #slots: Int32Array;
  readonly #slotCount: number;
  #slotsUsed = 0;
  readonly #restWeights: Float64Array;
  /** Index of the time at which `measure` stopped early. */
  #difficult = 0;
  readonly #lane = new Float64Array(POSE_STRIDE);

  /** @param scratch Used only by this meter, for as long as the meter is used. */
  constructor(
    readonly model: CharacterModel,
    readonly metrics: SkeletonMetrics,
    readonly clip: ClipModel,
    readonly times: Float64Array,
    scratch: Scratch,
  ) {
    const jointCount = model.joints.length;
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
   * The largest error over times, given by their indices. Infinite if the source itself is not finite. Stops early at
   * an error above `enough`, and begins where it stopped last time, because a clip has its difficult places.
   */
  *measure(packed: MeasuredClip, indices: Int32Array, enough = Infinity): Steps<number> {
    let worst = 0;
    const reader = new ClipReader(packed.rig, packed.joints);
    const first = resolveMotion(packed.rig, 0, 0, 0);
    // constants of packed clips are written once; other packings may have other constant channels
    this.#packed.reset((pose) => {
      for (let j = 0; j < this.model.joints.length; j++) sampleLane(packed.rig, first, j, pose, j * POSE_STRIDE);
    });
    for (let s = 0; s < indices.length && worst <= enough; s++) {
      const at = (this.#difficult + s) % indices.length;
      worst = Math.max(worst, this.#at(reader, indices[at]!));
      if (worst > enough) this.#difficult = at;
      if (s % TIMES_PER_STEP === 0) yield;
    }
    return worst;
  }

  #at(reader: ClipReader, index: number): number {
    const { duration } = this.clip;
    const truth = this.#truthAt(index);
    const truths = this.#truths;
    if (truths[truth + this.#truthLength - 1] === 0) return Infinity;
    const packed = this.#packedMatrices;
    const phase = duration > 0 ? fixedPhase(this.times[index]! / duration) : 0;
    const motion = reader.read(phase, this.#packed.pose);
    for (const j of reader.joints) this.#packed.update(j);
    this.#packed.compose(packed);
    let largest = 0;
    for (const j of this.#shown) {
      largest = Math.max(largest, squaredDistance(truths, truth + 12 * j, packed, 12 * j, this.metrics.shell[j]!));
    }
    return Math.sqrt(largest) + this.#morphError(reader.rig, motion, truth + 12 * this.model.joints.length);
  }

  /** Start of the source's data for a time. */
  #truthAt(index: number): number {
    const known = this.#slots[index]!;
    if (known > 0) return (known - 1) * this.#truthLength;
    const slot = Math.min(this.#slotsUsed, this.#slotCount);
    if (slot < this.#slotCount) this.#slots[index] = ++this.#slotsUsed;
    const time = this.times[index]!;
    const at = slot * this.#truthLength;
    const weights = at + 12 * this.model.joints.length;
    this.#source.compose(time, this.#truths, at);
    if (this.#restWeights.length > 0) {
      this.#truths.set(evaluateMorphWeights(this.model, this.clip, time), weights);
    }
    this.#truths[at + this.#truthLength - 1] = areUsable(this.#truths, at, weights) ? 1 : 0;
    return at;
  }

  #morphError(rig: RigTable, motion: ClipMotion, truth: number): number {
    const count = this.#restWeights.length;
    let error = 0;
    for (let w = 0; w < count; w += WEIGHTS_PER_LANE) {
      for (let c = 0; c < 3; c++) this.#lane[c] = this.#restWeights[w + c] ?? 0;
      sampleLane(rig, motion, this.model.joints.length + w / WEIGHTS_PER_LANE, this.#lane);
      for (let c = 0; c < Math.min(3, count - w); c++) {
        error += Math.abs(this.#lane[c]! - this.#truths[truth + w + c]!) * this.metrics.morphReach[w + c]!;
      }
    }
    return error;
  }
}

function areUsable(numbers: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isUsable(numbers[i]!)) return false;
  return true;
}

/** The largest squared distance between two images of the six points at ±`shell` on a joint's axes: |d ± s u|². */
function squaredDistance(a: Float64Array, atA: number, b: Float64Array, atB: number, shell: number): number {
  const x = a[atA + 3]! - b[atB + 3]!;
  const y = a[atA + 7]! - b[atB + 7]!;
  const z = a[atA + 11]! - b[atB + 11]!;
  let largest = 0;
  for (let axis = 0; axis < 3; axis++) {
    const u = (a[atA + axis]! - b[atB + axis]!) * shell;
    const v = (a[atA + axis + 4]! - b[atB + axis + 4]!) * shell;
    const w = (a[atA + axis + 8]! - b[atB + axis + 8]!) * shell;
    largest = Math.max(largest, u * u + v * v + w * w + 2 * Math.abs(x * u + y * v + z * w));
  }
  return largest + x * x + y * y + z * z;
}
