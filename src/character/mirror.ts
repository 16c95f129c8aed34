import { View } from '../layout/index.ts';
import { multiplyQuaternion, normalizeQuaternion } from '../math/quaternion.ts';
import { MIRROR_KEEPS, MirrorLane } from './format/rig-layout.ts';

/** Motions with left and right exchanged: pairs of joints, and the conversion of a sample to the other side. */

/** Patterns that mark left and right in a joint's name. */
const MARKS = [
  // LeftArm, mixamorig:leftHand, hand_RIGHT
  /left|right/gi,
  // thigh_l, Thigh.L, L_Thigh, Bip01 L Thigh, thigh-r.001
  /(?<![a-z])[lr](?![a-z])/gi,
  // handL, lShin, LArm
  /(?<=[a-z])[LR](?![a-z])|(?<![A-Za-z])(?:[lr](?=[A-Z])|[LR](?=[A-Z][a-z]))/g,
];

/** The most marks of one kind in a name that are also tried one by one. */
const SINGLE_MARKS = 4;

/** Serial numbers that exporters append to make names unique: b_LeftArm_09 and b_RightArm_06. */
const SERIAL = /_\d+$/;

/**
 * Pairs left joints with right ones by their names: `LeftArm` and `RightArm`, `arm_L` and `arm_R`, `arm.l` and `arm.r`,
 * `L_arm` and `R_arm`, `armL` and `armR`, with any prefix. A pair needs both names, each exactly once. Joints without a
 * counterpart are tried again without a serial number at the end.
 *
 * @returns Per joint the index of its counterpart, or its own index if it has none.
 */
export function mirrorPairs(jointNames: readonly string[]): Int32Array {
  const pairs = pairsByName(jointNames);
  const left = jointNames.map((name, joint) => (pairs[joint] === joint ? name.replace(SERIAL, '') : ''));
  pairsByName(left).forEach((other, joint) => {
    if (other !== joint) pairs[joint] = other;
  });
  return pairs;
}

function pairsByName(names: readonly string[]): Int32Array {
  const indices = new Map<string, number>();
  names.forEach((name, joint) => indices.set(name, indices.has(name) ? -1 : joint));
  const found = names.map((name, joint) => {
    if (indices.get(name) !== joint) return joint;
    const other = otherNames(name).find((candidate) => candidate !== name && (indices.get(candidate) ?? -1) >= 0);
    return other === undefined ? joint : indices.get(other)!;
  });
  return Int32Array.from(found, (other, joint) => (found[other] === joint ? other : joint));
}

/** Possible names of a joint's counterpart, the likeliest first. */
function otherNames(name: string): string[] {
  const all = MARKS.reduce((text, marks) => text.replace(marks, swapped), name);
  const byKind = MARKS.map((marks) => name.replace(marks, swapped));
  const single = MARKS.flatMap((marks) =>
    Array.from({ length: SINGLE_MARKS }, (_, wanted) => {
      let at = 0;
      return name.replace(marks, (mark) => (at++ === wanted ? swapped(mark) : mark));
    }),
  );
  return [...byKind, all, ...single];
}

/** The opposite mark, written in the same case. */
function swapped(mark: string): string {
  const lower = mark.toLowerCase();
  const other = { l: 'r', r: 'l', left: 'right', right: 'left' }[lower]!;
  if (mark === lower) return other;
  return mark === mark.toUpperCase() ? other.toUpperCase() : other[0]!.toUpperCase() + other.slice(1);
}

export interface MirrorTable {
  readonly words: Uint32Array<ArrayBuffer>;
  /**
   * Joints that cannot be mirrored, because the counterpart of their parent is not the parent of their counterpart: for
   * instance a sword in the right hand. They, and all joints below, keep their own motion in their parent's space.
   */
  readonly unmirrored: readonly number[];
}

/**
 * Mirror data for each lane of a skeleton. Motions are reflected in the model's YZ plane, so that a symmetric skeleton
 * at rest stays at rest. If the rest pose is not symmetric, rotations still start from it, and translations are those
 * of the other side. Scales are copied unchanged, which is exact for uniform positive ones. Morph weights are not
 * exchanged.
 *
 * @param joints Parents before children; `rotation` is the local one at rest, x, y, z, w.
 * @param pairs From `mirrorPairs`. Entries that do not point back count as joints that cannot be mirrored.
 * @param laneCount Joints and morph lanes; lanes after the joints keep their samples.
 */
export function mirrorTable(
  joints: readonly { readonly parentIndex: number; readonly rotation: ArrayLike<number> }[],
  pairs: ArrayLike<number>,
  laneCount: number,
): MirrorTable {
  const modelFromJoint = restRotations(joints);
  const lanes = new View(MirrorLane, laneCount);
  const unmirrored: number[] = [];
  const keeps: boolean[] = [];
  joints.forEach(({ parentIndex: parent }, joint) => {
    const pair = pairs[joint]!;
    const pairsBack = joints[pair] !== undefined && pairs[pair] === joint;
    const fits = pairsBack && joints[pair]!.parentIndex === (parent < 0 ? -1 : pairs[parent]!);
    const follows = parent >= 0 && keeps[parent]!;
    keeps[joint] = follows || !fits;
    if (!fits && !follows) unmirrored.push(joint);
  });
  for (let lane = 0; lane < laneCount; lane++) {
    const mirrors = lane < joints.length && !keeps[lane]!;
    lanes.assign(lane, {
      pairLane: mirrors ? pairs[lane]! : lane,
      flags: mirrors ? 0 : MIRROR_KEEPS,
      pre: mirrors ? conjugate(cornerOf(modelFromJoint, pairs, joints[lane]!.parentIndex)) : IDENTITY,
      post: mirrors ? cornerOf(modelFromJoint, pairs, lane) : IDENTITY,
    });
  }
  return { words: lanes.words, unmirrored };
}

const IDENTITY = [0, 0, 0, 1];

/** Rotation from a joint's frame to its counterpart's, reflected: the turn that remains at rest. */
function cornerOf(modelFromJoint: readonly number[][], pairs: ArrayLike<number>, joint: number): number[] {
  if (joint < 0) return IDENTITY;
  const [x, y, z, w] = modelFromJoint[pairs[joint]!]! as [number, number, number, number];
  const corner: number[] = [];
  multiplyQuaternion(conjugate([x, -y, -z, w]), modelFromJoint[joint]!, corner);
  normalizeQuaternion(corner);
  return corner;
}

function restRotations(joints: readonly { parentIndex: number; rotation: ArrayLike<number> }[]): number[][] {
  const rotations: number[][] = [];
  for (const { parentIndex, rotation } of joints) {
    const model = Array.from(rotation);
    if (parentIndex >= 0) multiplyQuaternion(rotations[parentIndex]!, model, model);
    normalizeQuaternion(model);
    rotations.push(model);
  }
  return rotations;
}

function conjugate([x, y, z, w]: readonly number[]): number[] {
  return [-x!, -y!, -z!, w!];
}
