import {
  COVERS_ROTATION,
  COVERS_SCALE,
  COVERS_TRANSLATION,
  sampleLane,
  type RigTable,
} from '../../character/format/clip-format.ts';
import { POSE_STRIDE } from '../../character/evaluate.ts';
import type { MotionRecord } from '../motion-record.ts';
import { CHANNEL_SCALE, CHANNEL_TRANSLATION, type ClipRows, LANE_PLACES } from './clip-rows.ts';
import { mirrorRotation, mirrorSample, mirrorTranslation } from './mirror.ts';
import { type LaneLists, maskWeight, mirroredLane, type PoseTable, type Skeleton } from './skeletons.ts';

/** Where a lane's pose has its rotation and scale. Its translation is first. */
export const ROTATION = 3;
export const SCALE = 7;

/** Numbers of a list entry: see LaneLists. */
const ENTRY = 3;

/** Weighted sums of a layer's motions, for all lanes of a skeleton. Motions are added one by one. */
export class LayerSums {
  /** POSE_STRIDE numbers per lane. */
  values = new Float64Array(0);
  /** The weight that motions cover each channel with, LANE_PLACES per lane. */
  covered = new Float64Array(0);
  /** Translations and scales that motions cover, each once: lane, channel. There are few of them. */
  vectors = new Int32Array(0);
  /** Numbers of `vectors` that are in use. */
  vectorEnd = 0;
  /** False while nothing was added. */
  isUsed = false;

  /** Begins a layer. */
  clear(laneCount: number): void {
    this.isUsed = false;
    this.vectorEnd = 0;
    if (this.covered.length < LANE_PLACES * laneCount) {
      this.values = new Float64Array(POSE_STRIDE * laneCount);
      this.covered = new Float64Array(LANE_PLACES * laneCount);
      this.vectors = new Int32Array(4 * laneCount);
    }
  }

  /** @param maskPair Lanes of weight 0 may be left out. @param isDifference True for motions of an additive layer. */
  add(table: PoseTable, skeleton: Skeleton, motion: MotionRecord, maskPair: number, isDifference: boolean): void {
    if (!this.isUsed) {
      this.values.fill(0);
      this.covered.fill(0);
    }
    this.isUsed = true;
    const { rig } = table.rows;
    if (motion.exact) {
      this.#addExact(rig, skeleton, motion, maskPair, isDifference);
      return;
    }
    const clip = table.rows.clip(motion, skeleton.clipLaneCount);
    const lists = skeleton.lists(motion, clip, maskPair);
    if (motion.sampled) this.#addSampled(motion, clip, lists, isDifference);
    else this.#addPacked(motion, clip, lists, isDifference);
    this.#addConstants(motion, clip, lists, isDifference);
  }

  /** Exact form: lane by lane, since channels are not packed. */
  #addExact(rig: RigTable, skeleton: Skeleton, motion: MotionRecord, maskPair: number, isDifference: boolean): void {
    const { mirrorRow } = motion;
    for (let lane = 0; lane < skeleton.laneCount; lane++) {
      const clipLane = skeleton.clipLanes[lane]!;
      if (maskWeight(rig, maskPair, clipLane) === 0) continue;
      const covers = sampleLane(rig, motion, mirrorRow < 0 ? clipLane : mirroredLane(rig, mirrorRow, clipLane), sample);
      if (mirrorRow >= 0) mirrorSample(rig, mirrorRow, clipLane, isDifference, sample);
      for (let c = 0; c < 4; c++) q[c] = sample[ROTATION + c]!;
      if (covers & COVERS_ROTATION) this.#addRotation(lane, motion);
      for (let c = 0; c < 3; c++) v[c] = sample[c]!;
      if (covers & COVERS_TRANSLATION) this.#addVector(lane, CHANNEL_TRANSLATION, motion);
      for (let c = 0; c < 3; c++) v[c] = sample[SCALE + c]!;
      if (covers & COVERS_SCALE) this.#addVector(lane, CHANNEL_SCALE, motion);
    }
  }

  /** As `sampledRotation` and `sampledVector` of sampled-form.ts. */
  #addSampled(motion: MotionRecord, clip: ClipRows, lists: LaneLists, isDifference: boolean): void {
    const { rotations, vectors } = lists;
    const a = clip.samples(motion, 0);
    const b = clip.samples(motion, 1);
    const f = motion.basis[2];
    if (motion.mirrorRow < 0) addBent(this, motion, rotations, a, b);
    else {
      for (let i = 0; i < rotations.length; i += ENTRY) {
        const at = rotations[i + 1]!;
        let square = 0;
        for (let c = 0; c < 4; c++) square += (b[at + c]! - a[at + c]!) ** 2;
        const bent = f + motion.basis[3] * square;
        for (let c = 0; c < 4; c++) q[c] = a[at + c]! + (b[at + c]! - a[at + c]!) * bent;
        normalize(q, 0);
        mirrorTo(lists, motion, rotations[i]!, isDifference);
        this.#addRotation(rotations[i]!, motion);
      }
    }
    for (let i = 0; i < vectors.length; i += ENTRY) {
      const at = vectors[i + 1]!;
      for (let c = 0; c < 3; c++) v[c] = a[at + c]! + (b[at + c]! - a[at + c]!) * f;
      if (motion.mirrorRow >= 0) mirrorVector(lists, motion, vectors[i]!, vectors[i + 2]!);
      this.#addVector(vectors[i]!, vectors[i + 2]!, motion);
    }
  }

  /** Hermite's sum of values and rates, as `sampleLane` has it. A rate of a rotation is q ω / 2. */
  #addPacked(motion: MotionRecord, clip: ClipRows, lists: LaneLists, isDifference: boolean): void {
    const { rotations, vectors } = lists;
    const { basis } = motion;
    const a = clip.values(motion, 0);
    const b = clip.values(motion, 1);
    const b0 = basis[0];
    const b1 = basis[1];
    const b2 = basis[2];
    const b3 = basis[3];
    const isCurved = b2 !== 0 || b3 !== 0;
    const rateA = isCurved ? clip.rates(motion, 0) : a;
    const rateB = isCurved ? clip.rates(motion, 1) : b;
    for (let i = 0; i < rotations.length; i += ENTRY) {
      const at = rotations[i + 1]!;
      const dot = a[at]! * b[at]! + a[at + 1]! * b[at + 1]! + a[at + 2]! * b[at + 2]! + a[at + 3]! * b[at + 3]!;
      const sign = dot >= 0 ? 1 : -1;
      for (let c = 0; c < 4; c++) q[c] = b0 * a[at + c]! + b1 * (sign * b[at + c]!);
      if (isCurved) {
        addTurn(a, rateA, at, b2);
        addTurn(b, rateB, at, b3 * sign);
      }
      normalize(q, 0);
      if (motion.mirrorRow >= 0) mirrorTo(lists, motion, rotations[i]!, isDifference);
      this.#addRotation(rotations[i]!, motion);
    }
    for (let i = 0; i < vectors.length; i += ENTRY) {
      const at = vectors[i + 1]!;
      for (let c = 0; c < 3; c++) v[c] = b0 * a[at + c]! + b1 * b[at + c]!;
      if (isCurved) for (let c = 0; c < 3; c++) v[c] = v[c]! + b2 * rateA[at + c]! + b3 * rateB[at + c]!;
      if (motion.mirrorRow >= 0) mirrorVector(lists, motion, vectors[i]!, vectors[i + 2]!);
      this.#addVector(vectors[i]!, vectors[i + 2]!, motion);
    }
  }

  #addConstants(motion: MotionRecord, { constants }: ClipRows, lists: LaneLists, isDifference: boolean): void {
    const { constantRotations, constantVectors } = lists;
    for (let i = 0; i < constantRotations.length; i += ENTRY) {
      for (let c = 0; c < 4; c++) q[c] = constants[constantRotations[i + 1]! + c]!;
      if (motion.mirrorRow >= 0) mirrorTo(lists, motion, constantRotations[i]!, isDifference);
      this.#addRotation(constantRotations[i]!, motion);
    }
    for (let i = 0; i < constantVectors.length; i += ENTRY) {
      for (let c = 0; c < 3; c++) v[c] = constants[constantVectors[i + 1]! + c]!;
      if (motion.mirrorRow >= 0) mirrorVector(lists, motion, constantVectors[i]!, constantVectors[i + 2]!);
      this.#addVector(constantVectors[i]!, constantVectors[i + 2]!, motion);
    }
  }

  /** Adds `q`: both signs are one rotation, and the one in the hemisphere of the sum counts. */
  #addRotation(lane: number, motion: MotionRecord): void {
    const { values, covered } = this;
    const at = POSE_STRIDE * lane + ROTATION;
    const { weight } = motion;
    const dot = q[0]! * values[at]! + q[1]! * values[at + 1]! + q[2]! * values[at + 2]! + q[3]! * values[at + 3]!;
    const factor = dot < 0 ? -weight : weight;
    values[at] = values[at]! + q[0]! * factor;
    values[at + 1] = values[at + 1]! + q[1]! * factor;
    values[at + 2] = values[at + 2]! + q[2]! * factor;
    values[at + 3] = values[at + 3]! + q[3]! * factor;
    covered[LANE_PLACES * lane] = covered[LANE_PLACES * lane]! + weight;
  }

  /** Adds `v`. */
  #addVector(lane: number, channel: number, motion: MotionRecord): void {
    const { values, covered } = this;
    const { weight } = motion;
    const at = POSE_STRIDE * lane + (channel === CHANNEL_SCALE ? SCALE : 0);
    if (covered[LANE_PLACES * lane + channel] === 0 && weight > 0) {
      this.vectors[this.vectorEnd++] = lane;
      this.vectors[this.vectorEnd++] = channel;
    }
    for (let c = 0; c < 3; c++) values[at + c] = values[at + c]! + v[c]! * weight;
    covered[LANE_PLACES * lane + channel] = covered[LANE_PLACES * lane + channel]! + weight;
  }
}

/**
 * Adds rotations between two samples, in locals from reading to adding: the innermost loop of most frames. As
 * `sampledRotation` of sampled-form.ts, then as `#addRotation`.
 */
function addBent(
  { values, covered }: LayerSums,
  { basis, weight }: MotionRecord,
  list: Int32Array,
  a: Float64Array,
  b: Float64Array,
): void {
  const f = basis[2];
  const bend = basis[3];
  for (let i = 0; i < list.length; i += ENTRY) {
    const from = list[i + 1]!;
    const x0 = a[from]!;
    const y0 = a[from + 1]!;
    const z0 = a[from + 2]!;
    const w0 = a[from + 3]!;
    const dx = b[from]! - x0;
    const dy = b[from + 1]! - y0;
    const dz = b[from + 2]! - z0;
    const dw = b[from + 3]! - w0;
    const bent = f + bend * (dx * dx + dy * dy + dz * dz + dw * dw);
    const x = x0 + dx * bent;
    const y = y0 + dy * bent;
    const z = z0 + dz * bent;
    const w = w0 + dw * bent;
    const lane = list[i]!;
    const to = POSE_STRIDE * lane + ROTATION;
    const sx = values[to]!;
    const sy = values[to + 1]!;
    const sz = values[to + 2]!;
    const sw = values[to + 3]!;
    const length = Math.sqrt(x * x + y * y + z * z + w * w);
    // two unit quaternions are never opposite in a segment: a length of 0 is that of numbers without meaning
    const share = length < 1e-15 ? 0 : weight / length;
    const factor = x * sx + y * sy + z * sz + w * sw < 0 ? -share : share;
    values[to] = sx + x * factor;
    values[to + 1] = sy + y * factor;
    values[to + 2] = sz + z * factor;
    values[to + 3] = sw + w * factor;
    covered[LANE_PLACES * lane] = covered[LANE_PLACES * lane]! + weight;
  }
}

/** A rotation and a vector that are being sampled, and a whole sample of exact form. */
const q = new Float64Array(4);
const v = new Float64Array(3);
const sample = new Float64Array(POSE_STRIDE);

function mirrorTo({ skeleton }: LaneLists, { mirrorRow }: MotionRecord, lane: number, isDifference: boolean): void {
  mirrorRotation(skeleton.rig, mirrorRow, skeleton.clipLanes[lane]!, isDifference, q);
}

function mirrorVector({ skeleton }: LaneLists, { mirrorRow }: MotionRecord, lane: number, channel: number): void {
  if (channel === CHANNEL_TRANSLATION) mirrorTranslation(skeleton.rig, mirrorRow, skeleton.clipLanes[lane]!, v);
}

/** Adds factor × r[at…] × (ω[at…], 0) to `q`. */
function addTurn(r: Float64Array, omega: Float64Array, at: number, factor: number): void {
  const x = r[at]!;
  const y = r[at + 1]!;
  const z = r[at + 2]!;
  const w = r[at + 3]!;
  const ox = omega[at]!;
  const oy = omega[at + 1]!;
  const oz = omega[at + 2]!;
  q[0] = q[0]! + factor * (w * ox + y * oz - z * oy);
  q[1] = q[1]! + factor * (w * oy + z * ox - x * oz);
  q[2] = q[2]! + factor * (w * oz + x * oy - y * ox);
  q[3] = q[3]! + factor * (-x * ox - y * oy - z * oz);
}

/** Normalises four numbers. A quaternion of length 0 becomes the identity. */
export function normalize(out: Float64Array, at: number): void {
  const x = out[at]!;
  const y = out[at + 1]!;
  const z = out[at + 2]!;
  const w = out[at + 3]!;
  const length = Math.sqrt(x * x + y * y + z * z + w * w);
  const share = length < 1e-15 ? 0 : 1 / length;
  out[at] = x * share;
  out[at + 1] = y * share;
  out[at + 2] = z * share;
  out[at + 3] = share === 0 ? 1 : w * share;
}
