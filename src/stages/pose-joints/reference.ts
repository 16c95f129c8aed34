import {
  COVERS_ROTATION,
  COVERS_SCALE,
  COVERS_TRANSLATION,
  sampleLane,
  type RigTable,
} from '../../character/format/clip-format.ts';
import { POSE_STRIDE } from '../../character/evaluate.ts';
import { MIRROR_KEEPS, MirrorLane, RestLane, TYPE_LARGE } from '../../character/format/rig-layout.ts';
import { affineFromPose, multiplyAffine } from '../../math/affine.ts';
import { alignQuaternion, multiplyQuaternion, normalizeQuaternion } from '../../math/quaternion.ts';
import {
  LAYER_ADDITIVE,
  LAYER_SET,
  MASK_NONE,
  MOTION_END,
  MOTION_KIND,
  MOTION_LAYER,
  MOTION_ROWS,
  ROW_NONE,
} from '../layout.ts';
import { motionAt, readModifier, readMotion, type LaneModifier } from '../motion-record.ts';
import type { VisibleList } from '../visible-row.ts';

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

/** Where a lane's pose has its translation, rotation and scale. */
const TRANSLATION = 0;
const ROTATION = 3;
const SCALE = 7;

/**
 * Twin of pose-joints: every visible character's motion list becomes its palette. Joints are composed in order, each
 * after its parent.
 *
 * It reads the motion lists of gatherMotions, and skinVertices reads its palettes. Some 5 µs per joint and motion.
 */
export function poseJoints(views: PoseJointsViews): void {
  const { visible, visibleCount, motionCapacity, rig, skeletons, motions, palettes } = views;
  for (let i = 0; i < visibleCount; i++) {
    const typeRow = skeletons?.get(visible.get(i, 'geometryRow')) ?? visible.get(i, 'typeRow');
    const paletteRow = visible.get(i, 'paletteRow');
    if (paletteRow === ROW_NONE) continue;
    const type = rig.type(typeRow);
    const layers = readLayers(motions, visible.get(i, 'motionRow'), motionCapacity);
    const models = new Float64Array(type.jointCount * 12);
    const pose = new Float64Array(POSE_STRIDE);
    for (let lane = 0; lane < type.laneCount; lane++) {
      poseLane(rig, typeRow, layers, lane, pose);
      if (lane < type.jointCount) {
        affineFromPose(pose, 0, models, lane * 12);
        const parent = parentOf(rig, typeRow, lane);
        if (parent >= 0) multiplyAffine(models, parent * 12, models, lane * 12, models, lane * 12);
      } else {
        const row = paletteRow + 3 * type.paletteCount + lane - type.jointCount;
        palettes.set([...pose.subarray(TRANSLATION, TRANSLATION + 3), 0], 4 * row);
      }
    }
    for (let entry = 0; entry < type.paletteCount; entry++) {
      const joint = rig.words[2 * (2 * typeRow + type.bindJointPair) + entry]!;
      const bind = 4 * (typeRow + type.bindRow + 3 * entry);
      multiplyAffine(models, joint * 12, rig.floats, bind, palettes, 4 * (paletteRow + 3 * entry));
    }
  }
}

/** A run of a motion list: a layer's motions, or a modifier. */
interface Layer {
  readonly modifier?: LaneModifier;
  readonly additive: boolean;
  readonly weight: number;
  readonly maskPair: number;
  readonly motions: ReturnType<typeof readMotion>[];
}

/** A motion list as layers; the first is the base layer. */
function readLayers(motions: Uint32Array<ArrayBuffer>, motionRow: number, capacity: number): Layer[] {
  const layers: Layer[] = [{ additive: false, weight: 1, maskPair: MASK_NONE, motions: [] }];
  for (let m = 0; m < capacity; m++) {
    const row = motionRow + m * MOTION_ROWS;
    const record = motionAt(motions, row);
    const kind = record.get(0, 'kind') & MOTION_KIND;
    if (kind === MOTION_END) break;
    if (kind === MOTION_LAYER && record.get(0, 'value0') >= LAYER_SET) {
      const modifier = readModifier(motions, row);
      layers.push({ modifier, additive: false, weight: 0, maskPair: MASK_NONE, motions: [] });
    } else if (kind === MOTION_LAYER) {
      layers.push({
        additive: record.get(0, 'value0') === LAYER_ADDITIVE,
        weight: record.get(0, 'weight'),
        maskPair: record.get(0, 'trackPair'),
        motions: [],
      });
    } else layers.at(-1)!.motions.push(readMotion(motions, row));
  }
  return layers;
}

/** A joint's parent is its nearest ancestor: distance 1, the first round of the ancestor table. */
function parentOf(rig: RigTable, typeRow: number, joint: number): number {
  const type = rig.type(typeRow);
  if (type.roundCount === 0) return -1;
  const first = 2 * (2 * typeRow + type.ancestorPair);
  const ancestor = type.flags & TYPE_LARGE ? rig.words[first + joint]! | 0 : rig.words[first + 2 * joint]! & 0xff;
  return type.flags & TYPE_LARGE || ancestor !== 0xff ? ancestor : -1;
}

const sample = new Float64Array(POSE_STRIDE);
const sums = new Float64Array(POSE_STRIDE);
const step = new Float64Array(4);

/** Blends the layers of a skeleton's lane over its rest pose. */
function poseLane(
  rig: RigTable,
  typeRow: number,
  layers: readonly Layer[],
  laneOfSkeleton: number,
  out: Float64Array,
): void {
  const rest = 4 * (typeRow + rig.type(typeRow).restRow) + (laneOfSkeleton * RestLane.size) / 4;
  const lane = laneOfSkeleton + rig.words[rest + RestLane.offsets.skipped / 4]!;
  for (let c = 0; c < 3; c++) {
    out[TRANSLATION + c] = rig.floats[rest + RestLane.offsets.translation / 4 + c]!;
    out[SCALE + c] = rig.floats[rest + RestLane.offsets.scale / 4 + c]!;
  }
  for (let c = 0; c < 4; c++) out[ROTATION + c] = rig.floats[rest + RestLane.offsets.rotation / 4 + c]!;
  for (const layer of layers) {
    if (layer.modifier) {
      if (layer.modifier.lane === lane) modifyLane(out, layer.modifier);
      continue;
    }
    const weight = layer.weight * maskWeight(rig, layer.maskPair, lane);
    const covered = sumMotions(rig, layer, lane);
    if (layer.additive) addLayer(out, weight, covered);
    else overrideLayer(out, weight, covered);
  }
}

function maskWeight(rig: RigTable, maskPair: number, lane: number): number {
  if (maskPair === MASK_NONE) return 1;
  return ((rig.words[2 * maskPair + (lane >> 2)]! >>> (8 * (lane & 3))) & 0xff) / 255;
}

/** The weight that a layer's motions cover each channel with. */
interface Covered {
  rotation: number;
  translation: number;
  scale: number;
}

/** Weighted sums of the layer's samples in `sums`. */
function sumMotions(rig: RigTable, { motions, additive }: Layer, lane: number): Covered {
  sums.fill(0);
  const covered: Covered = { rotation: 0, translation: 0, scale: 0 };
  for (const { motion, weight, mirrorRow } of motions) {
    const covers = sampleLane(rig, motion, mirrorRow === undefined ? lane : mirroredLane(rig, mirrorRow, lane), sample);
    if (mirrorRow !== undefined) mirrorSample(rig, mirrorRow, lane, additive, sample);
    if (covers & COVERS_ROTATION) {
      let dot = 0;
      for (let c = ROTATION; c < ROTATION + 4; c++) dot += sample[c]! * sums[c]!;
      addScaled(ROTATION, 4, dot < 0 ? -weight : weight);
      covered.rotation += weight;
    }
    if (covers & COVERS_TRANSLATION) {
      addScaled(TRANSLATION, 3, weight);
      covered.translation += weight;
    }
    if (covers & COVERS_SCALE) {
      addScaled(SCALE, 3, weight);
      covered.scale += weight;
    }
  }
  return covered;
}

function addScaled(from: number, width: number, factor: number): void {
  for (let c = from; c < from + width; c++) sums[c]! += sample[c]! * factor;
}

/** The effective weight of a layer in a channel that its motions cover with weight `covered`. */
function shownOf(weight: number, covered: number): number {
  return weight * Math.min(1, covered);
}

function overrideLayer(out: Float64Array, weight: number, covered: Covered): void {
  mix(out, TRANSLATION, 3, covered.translation, shownOf(weight, covered.translation));
  mix(out, SCALE, 3, covered.scale, shownOf(weight, covered.scale));
  const shown = shownOf(weight, covered.rotation);
  if (shown <= 0) return;
  const over = sums.subarray(ROTATION, ROTATION + 4);
  const under = out.subarray(ROTATION, ROTATION + 4);
  normalizeQuaternion(over);
  alignQuaternion(under, over);
  mix(out, ROTATION, 4, 1, shown);
  normalizeQuaternion(under);
}

function mix(out: Float64Array, from: number, width: number, covered: number, shown: number): void {
  if (shown <= 0) return;
  for (let c = from; c < from + width; c++) out[c] = out[c]! * (1 - shown) + (sums[c]! / covered) * shown;
}

/** Additive samples are differences: offsets, rotations to append, factors. */
function addLayer(out: Float64Array, weight: number, covered: Covered): void {
  const moved = shownOf(weight, covered.translation);
  const scaled = shownOf(weight, covered.scale);
  for (let c = 0; c < 3; c++) {
    if (moved > 0) out[TRANSLATION + c]! += (sums[TRANSLATION + c]! / covered.translation) * moved;
    if (scaled > 0) out[SCALE + c]! *= 1 + (sums[SCALE + c]! / covered.scale - 1) * scaled;
  }
  const turned = shownOf(weight, covered.rotation);
  if (turned <= 0) return;
  const difference = sums.subarray(ROTATION, ROTATION + 4);
  normalizeQuaternion(difference);
  alignQuaternion(difference, [0, 0, 0, 1]);
  for (let c = 0; c < 4; c++) step[c] = difference[c]! * turned + (c === 3 ? 1 - turned : 0);
  normalizeQuaternion(step);
  const rotation = out.subarray(ROTATION, ROTATION + 4);
  multiplyQuaternion(rotation, step, rotation);
  normalizeQuaternion(rotation);
}

/**
 * Twin of `modifier.wesl`.
 * @param pose The lane's pose: translation in 0…2, rotation in 3…6.
 */
function modifyLane(pose: Float64Array, { mode, weight, rotation, translation }: LaneModifier): void {
  const share = Math.min(Math.max(weight, 0), 1);
  if (share === 0) return;
  translation?.forEach((held, c) => {
    if (held === undefined) return;
    pose[c] = mode === LAYER_SET ? pose[c]! * (1 - share) + held * share : pose[c]! + held * share;
  });
  if (!rotation) return;
  const held = Float64Array.from(rotation);
  normalizeQuaternion(held);
  const local = pose.subarray(3, 7);
  // both modes go a share of the way to the held rotation: from the pose, or from the identity
  const from = mode === LAYER_SET ? local.slice() : Float64Array.of(0, 0, 0, 1);
  alignQuaternion(from, held);
  const reached = from.map((value, c) => value * (1 - share) + held[c]! * share);
  normalizeQuaternion(reached);
  if (mode === LAYER_SET) local.set(reached);
  else {
    multiplyQuaternion(local, reached, local);
    normalizeQuaternion(local);
  }
}

const turn = new Float64Array(4);
const inverse = new Float64Array(4);

/**
 * The lane that a lane takes its sample from, where left and right are exchanged. MirrorLane records begin at `mirrorRow`
 * of the rig table.
 */
export function mirroredLane(rig: RigTable, mirrorRow: number, lane: number): number {
  return rig.words[wordOf(mirrorRow, lane, 'pairLane')]!;
}

/**
 * Turns the sample of a lane's pair into the lane's own space.
 * @param isDifference True for motions of an additive layer: the rotation is multiplied to the right of the one it is added to.
 */
export function mirrorSample(
  rig: RigTable,
  mirrorRow: number,
  lane: number,
  isDifference: boolean,
  sample: Float64Array,
): void {
  if (rig.words[wordOf(mirrorRow, lane, 'flags')]! & MIRROR_KEEPS) return;
  const read = (key: 'pre' | 'post') => {
    const word = wordOf(mirrorRow, lane, key);
    return rig.floats.subarray(word, word + 4);
  };
  const [pre, post] = [read('pre'), read('post')];

  const rotation = sample.subarray(3, 7);
  rotation[1] = -rotation[1]!;
  rotation[2] = -rotation[2]!;
  conjugate(post, inverse);
  multiplyQuaternion(isDifference ? inverse : pre, rotation, rotation);
  multiplyQuaternion(rotation, post, rotation);

  // p ↦ pre p pre⁻¹, with p as a quaternion
  turn.set([-sample[0]!, sample[1]!, sample[2]!, 0]);
  conjugate(pre, inverse);
  multiplyQuaternion(pre, turn, turn);
  multiplyQuaternion(turn, inverse, turn);
  sample.set(turn.subarray(0, 3));
}

function conjugate(q: ArrayLike<number>, out: Float64Array): void {
  for (let c = 0; c < 4; c++) out[c] = c < 3 ? -q[c]! : q[c]!;
}

function wordOf(mirrorRow: number, lane: number, key: keyof typeof MirrorLane.offsets): number {
  return 4 * mirrorRow + (lane * MirrorLane.size + MirrorLane.offsets[key]) / 4;
}
