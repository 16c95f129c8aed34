import {
  COVERS_ROTATION,
  COVERS_SCALE,
  COVERS_TRANSLATION,
  sampleLane,
  type RigTable,
} from '../../asset/clip-format.ts';
import { RestLane, TYPE_LARGE } from '../../asset/rig-layout.ts';
import { View } from '../../layout/index.ts';
import { affineFromPose, multiplyAffine } from '../../shaders/affine.ts';
import { alignQuaternion, multiplyQuaternion, normalizeQuaternion } from '../../shaders/quaternion.ts';
import {
  LAYER_ADDITIVE,
  MASK_NONE,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  Motion,
  type VisibleCharacter,
} from '../layout.ts';
import { readMotion } from '../motion-record.ts';

export interface PoseJointsViews {
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly visibleCount: number;
  readonly motionCapacity: number;
  readonly rig: RigTable;
  readonly motions: Uint32Array<ArrayBuffer>;
  readonly palettes: Float32Array;
}

/**
 * Twin of pose-joints: every visible character's motion list becomes its palette. Joints are composed in order, each
 * after its parent.
 */
export function poseJoints({ visible, visibleCount, motionCapacity, rig, motions, palettes }: PoseJointsViews): void {
  for (let i = 0; i < visibleCount; i++) {
    const typeRow = visible.get(i, 'typeRow');
    const paletteRow = visible.get(i, 'paletteRow');
    const type = rig.type(typeRow);
    const layers = readLayers(motions, visible.get(i, 'motionRow'), motionCapacity);
    const models = new Float64Array(type.jointCount * 12);
    const pose = new Float64Array(10);
    for (let lane = 0; lane < type.laneCount; lane++) {
      poseLane(rig, typeRow, layers, lane, pose);
      if (lane < type.jointCount) {
        affineFromPose(pose, 0, models, lane * 12);
        const parent = parentOf(rig, typeRow, lane);
        if (parent >= 0) multiplyAffine(models, parent * 12, models, lane * 12, models, lane * 12);
      } else {
        const row = paletteRow + 3 * type.paletteCount + lane - type.jointCount;
        palettes.set([pose[0]!, pose[1]!, pose[2]!, 0], 4 * row);
      }
    }
    for (let entry = 0; entry < type.paletteCount; entry++) {
      const joint = rig.words[2 * (2 * typeRow + type.bindJointPair) + entry]!;
      const bind = 4 * (typeRow + type.bindRow + 3 * entry);
      multiplyAffine(models, joint * 12, rig.floats, bind, palettes, 4 * (paletteRow + 3 * entry));
    }
  }
}

interface Layer {
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
    const record = new View(Motion, motions.buffer, motions.byteOffset + row * 16, 1);
    const kind = record.get(0, 'kind');
    if (kind === MOTION_END) break;
    if (kind === MOTION_LAYER) {
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

const sample = new Float64Array(10);
const sums = new Float64Array(10);
const step = new Float64Array(4);

/** Blends a lane's layers over its rest pose. */
function poseLane(rig: RigTable, typeRow: number, layers: readonly Layer[], lane: number, out: Float64Array): void {
  const rest = 4 * (typeRow + rig.type(typeRow).restRow) + (lane * RestLane.size) / 4;
  for (let c = 0; c < 3; c++) {
    out[c] = rig.floats[rest + RestLane.offsets.translation / 4 + c]!;
    out[7 + c] = rig.floats[rest + RestLane.offsets.scale / 4 + c]!;
  }
  for (let c = 0; c < 4; c++) out[3 + c] = rig.floats[rest + c]!;
  for (const layer of layers) {
    const weight = layer.weight * maskWeight(rig, layer.maskPair, lane);
    const [rotation, translation, scale] = sumMotions(rig, layer, lane);
    if (layer.additive) addLayer(out, weight, rotation, translation, scale);
    else overrideLayer(out, weight, rotation, translation, scale);
  }
}

function maskWeight(rig: RigTable, maskPair: number, lane: number): number {
  if (maskPair === MASK_NONE) return 1;
  return ((rig.words[2 * maskPair + (lane >> 2)]! >>> (8 * (lane & 3))) & 0xff) / 255;
}

/** Weighted sums of the layer's samples in `sums`; returns the weight that covers each channel. */
function sumMotions(
  rig: RigTable,
  { motions }: Layer,
  lane: number,
): [rotation: number, translation: number, scale: number] {
  sums.fill(0);
  let [rotation, translation, scale] = [0, 0, 0];
  for (const { motion, weight } of motions) {
    const covers = sampleLane(rig, motion, lane, sample);
    if (covers & COVERS_ROTATION) {
      let dot = 0;
      for (let c = 3; c < 7; c++) dot += sample[c]! * sums[c]!;
      addScaled(3, 7, dot < 0 ? -weight : weight);
      rotation += weight;
    }
    if (covers & COVERS_TRANSLATION) {
      addScaled(0, 3, weight);
      translation += weight;
    }
    if (covers & COVERS_SCALE) {
      addScaled(7, 10, weight);
      scale += weight;
    }
  }
  return [rotation, translation, scale];
}

function addScaled(from: number, to: number, factor: number): void {
  for (let c = from; c < to; c++) sums[c]! += sample[c]! * factor;
}

function overrideLayer(out: Float64Array, weight: number, rotation: number, translation: number, scale: number): void {
  const shown = (covered: number) => weight * Math.min(1, covered);
  if (shown(translation) > 0) mix(out, 0, 3, translation, shown(translation));
  if (shown(scale) > 0) mix(out, 7, 10, scale, shown(scale));
  if (shown(rotation) > 0) {
    const over = sums.subarray(3, 7);
    const under = out.subarray(3, 7);
    normalizeQuaternion(over);
    alignQuaternion(under, over);
    mix(out, 3, 7, 1, shown(rotation));
    normalizeQuaternion(under);
  }
}

function mix(out: Float64Array, from: number, to: number, covered: number, shown: number): void {
  for (let c = from; c < to; c++) out[c] = out[c]! * (1 - shown) + (sums[c]! / covered) * shown;
}

/** Additive samples are differences: offsets, rotations to append, factors. */
function addLayer(out: Float64Array, weight: number, rotation: number, translation: number, scale: number): void {
  const shown = (covered: number) => weight * Math.min(1, covered);
  for (let c = 0; c < 3; c++) {
    if (shown(translation) > 0) out[c]! += (sums[c]! / translation) * shown(translation);
    if (shown(scale) > 0) out[7 + c]! *= 1 + (sums[7 + c]! / scale - 1) * shown(scale);
  }
  if (shown(rotation) > 0) {
    const difference = sums.subarray(3, 7);
    normalizeQuaternion(difference);
    alignQuaternion(difference, [0, 0, 0, 1]);
    for (let c = 0; c < 4; c++) step[c] = difference[c]! * shown(rotation) + (c === 3 ? 1 - shown(rotation) : 0);
    normalizeQuaternion(step);
    const turned = out.subarray(3, 7);
    multiplyQuaternion(turned, step, turned);
    normalizeQuaternion(turned);
  }
}
