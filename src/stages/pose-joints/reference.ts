import type { RigTable } from '../../character/format/clip-format.ts';
import { POSE_STRIDE } from '../../character/evaluate.ts';
import { wordOffsets } from '../../layout/index.ts';
import {
  LAYER_ADDITIVE,
  LAYER_SET,
  MASK_NONE,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  ROW_NONE,
  VisibleCharacter,
} from '../layout.ts';
import { MotionRecord } from '../motion-record.ts';
import type { VisibleList } from '../visible-row.ts';
import { CHANNEL_SCALE, LANE_PLACES } from './clip-rows.ts';
import { LayerSums, normalize, ROTATION, SCALE } from './layer-sums.ts';
import { modifyLane } from './modify-lane.ts';
import { maskWeight, type PoseTable, poseTable, type Skeleton } from './skeletons.ts';

export interface PoseJointsViews extends VisibleList {
  /** Capacity of a list in motion records. A list that is not full ends with an end record. */
  readonly motionCapacity: number;
  readonly rig: RigTable;
  /** Rows of the skeletons that levels are posed by, by the row of their geometry header. Default: their types' own. */
  readonly skeletons?: ReadonlyMap<number, number> | undefined;
  /** Lists of records of four rows, a row of four words, each list from its character's `motionRow` on. */
  readonly motions: Uint32Array<ArrayBuffer>;
  /**
   * Written: rows of four floats from `paletteRow` on, three per palette entry (`modelFromMesh`, row-major, metres), then
   * one per three morph weights.
   */
  readonly palettes: Float32Array;
}

const VISIBLE = /* @__PURE__ */ wordOffsets(VisibleCharacter);

/**
 * Twin of pose-joints: every visible character's motion list becomes its palette. Joints are composed in order, each
 * after its parent.
 *
 * It reads the motion lists of gatherMotions, and skinVertices reads its palettes. Some 60 ns per joint, and 25 ns per joint and
 * motion. Rows of clips are unpacked once, and kept (`clip-rows.ts`).
 */
export function poseJoints(views: PoseJointsViews): void {
  const { visible, visibleCount, rig, skeletons, palettes } = views;
  const { words } = visible;
  const table = poseTable(rig);
  const list = listOf(views);
  for (let i = 0; i < visibleCount; i++) {
    const at = VISIBLE.SIZE * i;
    const paletteRow = words[at + VISIBLE.paletteRow]!;
    if (paletteRow === ROW_NONE) continue;
    const typeRow = words[at + VISIBLE.typeRow]!;
    const skeleton = table.skeleton(skeletons?.get(words[at + VISIBLE.geometryRow]!) ?? typeRow, typeRow);
    poses.blend(table, skeleton, list, words[at + VISIBLE.motionRow]!);
    poses.compose(skeleton);
    poses.writePalette(skeleton, palettes, 4 * paletteRow);
  }
}

/** Motion lists in both forms of their words. */
interface MotionLists {
  readonly words: Uint32Array;
  readonly floats: Float32Array;
  readonly capacity: number;
}

function listOf({ motions, motionCapacity }: PoseJointsViews): MotionLists {
  const floats = new Float32Array(motions.buffer, motions.byteOffset, motions.length);
  return { words: motions, floats, capacity: motionCapacity };
}

/** The pose of one character after the other. */
class Poses {
  /** Poses relative to parents, POSE_STRIDE numbers per lane. */
  #local = new Float64Array(0);
  /** Matrices `modelFromJoint`, twelve numbers each. */
  #models = new Float64Array(0);
  readonly #sums = new LayerSums();
  readonly #record = new MotionRecord();
  // the layer that is being summed
  #weight = 1;
  #isAdditive = false;
  #maskPair = MASK_NONE;

  /** Blends the layers of a motion list over the rest pose, and applies modifiers. */
  blend(table: PoseTable, skeleton: Skeleton, list: MotionLists, motionRow: number): void {
    if (this.#local.length < skeleton.rest.length) this.#local = new Float64Array(skeleton.rest.length);
    this.#local.set(skeleton.rest);
    this.#begin(skeleton, 1, false, MASK_NONE);
    const record = this.#record;
    for (let m = 0; m < list.capacity; m++) {
      const at = 4 * (motionRow + m * MOTION_ROWS);
      record.read(list.words, list.floats, at);
      if (record.kind === MOTION_END) break;
      if (record.kind !== MOTION_LAYER) {
        if (this.#weight !== 0) this.#sums.add(table, skeleton, record, this.#maskPair, this.#isAdditive);
        continue;
      }
      this.#finish(table.rows.rig, skeleton);
      if (record.value0 >= LAYER_SET) this.#modify(skeleton, list, at);
      else this.#begin(skeleton, record.weight, record.value0 === LAYER_ADDITIVE, record.trackPair);
    }
    this.#finish(table.rows.rig, skeleton);
  }

  #begin(skeleton: Skeleton, weight: number, isAdditive: boolean, maskPair: number): void {
    [this.#weight, this.#isAdditive, this.#maskPair] = [weight, isAdditive, maskPair];
    this.#sums.clear(skeleton.laneCount);
  }

  /** Motions after a modifier, before the next layer, count for nothing. */
  #modify(skeleton: Skeleton, { words, floats }: MotionLists, at: number): void {
    const lane = skeleton.clipLanes.indexOf(this.#record.trackPair);
    if (lane >= 0) modifyLane(this.#local, POSE_STRIDE * lane, words, floats, at);
    this.#begin(skeleton, 0, false, MASK_NONE);
  }

  /** Applies the layer's sums to what lies below. */
  #finish(rig: RigTable, skeleton: Skeleton): void {
    const sums = this.#sums;
    if (!sums.isUsed) return;
    const isMasked = this.#maskPair !== MASK_NONE;
    const weightOf = (lane: number) =>
      isMasked ? this.#weight * maskWeight(rig, this.#maskPair, skeleton.clipLanes[lane]!) : this.#weight;
    for (let lane = 0; lane < skeleton.laneCount; lane++) {
      const covered = sums.covered[LANE_PLACES * lane]!;
      if (covered <= 0) continue;
      const shown = weightOf(lane) * Math.min(1, covered);
      if (shown <= 0) continue;
      if (this.#isAdditive) appendTurn(this.#local, sums.values, POSE_STRIDE * lane + ROTATION, shown);
      else overrideTurn(this.#local, sums.values, POSE_STRIDE * lane + ROTATION, shown);
    }
    for (let i = 0; i < sums.vectorEnd; i += 2) {
      const lane = sums.vectors[i]!;
      const channel = sums.vectors[i + 1]!;
      const covered = sums.covered[LANE_PLACES * lane + channel]!;
      const shown = weightOf(lane) * Math.min(1, covered);
      if (shown <= 0) continue;
      const at = POSE_STRIDE * lane + (channel === CHANNEL_SCALE ? SCALE : 0);
      if (!this.#isAdditive) mixVector(this.#local, sums.values, at, covered, shown);
      else if (channel === CHANNEL_SCALE) multiplyScale(this.#local, sums.values, at, covered, shown);
      else addOffset(this.#local, sums.values, at, covered, shown);
    }
    sums.clear(skeleton.laneCount);
  }

  /** Turns poses into matrices of the model's space. */
  compose({ jointCount, parents }: Skeleton): void {
    if (this.#models.length < 12 * jointCount) this.#models = new Float64Array(12 * jointCount);
    for (let joint = 0; joint < jointCount; joint++) composeJoint(this.#local, this.#models, joint, parents[joint]!);
  }

  writePalette(
    { jointCount, laneCount, paletteCount, bindJoints, binds }: Skeleton,
    out: Float32Array,
    to: number,
  ): void {
    for (let entry = 0; entry < paletteCount; entry++) {
      writeEntry(this.#models, 12 * bindJoints[entry]!, binds, 12 * entry, out, to + 12 * entry);
    }
    let at = to + 12 * paletteCount;
    for (let lane = jointCount; lane < laneCount; lane++, at += 4) {
      for (let c = 0; c < 3; c++) out[at + c] = this.#local[POSE_STRIDE * lane + c]!;
      out[at + 3] = 0;
    }
  }
}

// The effective weight of a layer in a channel, `shown`, is its own times the weight that its motions cover, at most 1.

function overrideTurn(pose: Float64Array, sums: Float64Array, at: number, shown: number): void {
  normalize(sums, at);
  const x = sums[at]!;
  const y = sums[at + 1]!;
  const z = sums[at + 2]!;
  const w = sums[at + 3]!;
  if (shown >= 1) {
    pose[at] = x;
    pose[at + 1] = y;
    pose[at + 2] = z;
    pose[at + 3] = w;
    return;
  }
  const dot = pose[at]! * x + pose[at + 1]! * y + pose[at + 2]! * z + pose[at + 3]! * w;
  const rest = dot >= 0 ? 1 - shown : shown - 1;
  pose[at] = pose[at]! * rest + x * shown;
  pose[at + 1] = pose[at + 1]! * rest + y * shown;
  pose[at + 2] = pose[at + 2]! * rest + z * shown;
  pose[at + 3] = pose[at + 3]! * rest + w * shown;
  normalize(pose, at);
}

function mixVector(pose: Float64Array, sums: Float64Array, at: number, covered: number, shown: number): void {
  for (let c = at; c < at + 3; c++) pose[c] = pose[c]! * (1 - shown) + (sums[c]! / covered) * shown;
}

/** Additive samples are differences: offsets, rotations to append, factors. */
function addOffset(pose: Float64Array, sums: Float64Array, at: number, covered: number, shown: number): void {
  for (let c = at; c < at + 3; c++) pose[c] = pose[c]! + (sums[c]! / covered) * shown;
}

function multiplyScale(pose: Float64Array, sums: Float64Array, at: number, covered: number, shown: number): void {
  for (let c = at; c < at + 3; c++) pose[c] = pose[c]! * (1 + (sums[c]! / covered - 1) * shown);
}

/** Multiplies a rotation by a share of a difference: of the way from the identity to it. */
function appendTurn(pose: Float64Array, sums: Float64Array, at: number, share: number): void {
  normalize(sums, at);
  const factor = sums[at + 3]! >= 0 ? share : -share;
  const x = sums[at]! * factor;
  const y = sums[at + 1]! * factor;
  const z = sums[at + 2]! * factor;
  const w = sums[at + 3]! * factor + 1 - share;
  const scale = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
  const ax = pose[at]! * scale;
  const ay = pose[at + 1]! * scale;
  const az = pose[at + 2]! * scale;
  const aw = pose[at + 3]! * scale;
  pose[at] = aw * x + w * ax + ay * z - az * y;
  pose[at + 1] = aw * y + w * ay + az * x - ax * z;
  pose[at + 2] = aw * z + w * az + ax * y - ay * x;
  pose[at + 3] = aw * w - ax * x - ay * y - az * z;
}

/**
 * Writes the matrix of a joint: that of its pose, as `affineFromPose`, after its parent's. Numbers are in locals, since this is the
 * innermost work of a frame.
 */
function composeJoint(pose: Float64Array, models: Float64Array, joint: number, parent: number): void {
  const p = POSE_STRIDE * joint;
  const x = pose[p + 3]!;
  const y = pose[p + 4]!;
  const z = pose[p + 5]!;
  const w = pose[p + 6]!;
  const sx = pose[p + 7]!;
  const sy = pose[p + 8]!;
  const sz = pose[p + 9]!;
  const b0 = (1 - 2 * (y * y + z * z)) * sx;
  const b1 = 2 * (x * y - w * z) * sy;
  const b2 = 2 * (x * z + w * y) * sz;
  const b4 = 2 * (x * y + w * z) * sx;
  const b5 = (1 - 2 * (x * x + z * z)) * sy;
  const b6 = 2 * (y * z - w * x) * sz;
  const b8 = 2 * (x * z - w * y) * sx;
  const b9 = 2 * (y * z + w * x) * sy;
  const b10 = (1 - 2 * (x * x + y * y)) * sz;
  const b3 = pose[p]!;
  const b7 = pose[p + 1]!;
  const b11 = pose[p + 2]!;
  const to = 12 * joint;
  for (let row = 0; row < 12; row += 4) {
    const from = 12 * parent + row;
    const isRoot = parent < 0;
    const a0 = isRoot ? Number(row === 0) : models[from]!;
    const a1 = isRoot ? Number(row === 4) : models[from + 1]!;
    const a2 = isRoot ? Number(row === 8) : models[from + 2]!;
    const a3 = isRoot ? 0 : models[from + 3]!;
    models[to + row] = a0 * b0 + a1 * b4 + a2 * b8;
    models[to + row + 1] = a0 * b1 + a1 * b5 + a2 * b9;
    models[to + row + 2] = a0 * b2 + a1 * b6 + a2 * b10;
    models[to + row + 3] = a0 * b3 + a1 * b7 + a2 * b11 + a3;
  }
}

/** out[to…] = models[a…] × binds[b…]: an entry of the palette. */
function writeEntry(
  models: Float64Array,
  a: number,
  binds: Float64Array,
  b: number,
  out: Float32Array,
  to: number,
): void {
  const b0 = binds[b]!;
  const b1 = binds[b + 1]!;
  const b2 = binds[b + 2]!;
  const b3 = binds[b + 3]!;
  const b4 = binds[b + 4]!;
  const b5 = binds[b + 5]!;
  const b6 = binds[b + 6]!;
  const b7 = binds[b + 7]!;
  const b8 = binds[b + 8]!;
  const b9 = binds[b + 9]!;
  const b10 = binds[b + 10]!;
  const b11 = binds[b + 11]!;
  for (let row = 0; row < 12; row += 4) {
    const a0 = models[a + row]!;
    const a1 = models[a + row + 1]!;
    const a2 = models[a + row + 2]!;
    out[to + row] = a0 * b0 + a1 * b4 + a2 * b8;
    out[to + row + 1] = a0 * b1 + a1 * b5 + a2 * b9;
    out[to + row + 2] = a0 * b2 + a1 * b6 + a2 * b10;
    out[to + row + 3] = a0 * b3 + a1 * b7 + a2 * b11 + models[a + row + 3]!;
  }
}

const poses = new Poses();
