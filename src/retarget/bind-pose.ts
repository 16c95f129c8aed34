import { composeJoints, type LocalPose, POSE_STRIDE, restPose } from '../character/evaluate.ts';
import type { CharacterModel } from '../character/model.ts';
import { multiplyAffine } from '../math/affine.ts';
import { inverse, multiply, NO_ROTATION, type Rotation, rotationOfAffine } from '../math/rotations.ts';

/**
 * The pose in which a model's meshes were bound to its joints, or undefined if skins bind few of the
 * joints. Files may rest in the pose of a clip; meshes are bound in a T- or A-pose.
 */
export function bindPose(model: CharacterModel): LocalPose | undefined {
  const rest = composeJoints(model, restPose(model));
  const bound = boundTransforms(model, rest);
  if (bound.size < 0.4 * model.joints.length || bound.size < 8) return undefined;
  const pose = restPose(model);
  const globals: Float64Array[] = [];
  const rotations: Rotation[] = [];
  model.joints.forEach(({ parentIndex: parent }, joint) => {
    const modelFromJoint = bound.get(joint);
    const above = parent < 0 ? identity() : globals[parent]!;
    const aboveRotation = parent < 0 ? NO_ROTATION : rotations[parent]!;
    const at = joint * POSE_STRIDE;
    if (modelFromJoint) {
      const local = new Float64Array(12);
      multiplyAffine(inverseAffine(above), 0, modelFromJoint, 0, local, 0);
      pose.set([local[3]!, local[7]!, local[11]!], at);
      pose.set(multiply(inverse(aboveRotation), rotationOfAffine(modelFromJoint)), at + 3);
    }
    const local: Rotation = [pose[at + 3]!, pose[at + 4]!, pose[at + 5]!, pose[at + 6]!];
    rotations.push(multiply(aboveRotation, local));
    globals.push(composed(model, pose, joint, above));
  });
  return pose;
}

/**
 * `modelFromJoint` of joints that skins bind. Bindings that meshes share are one skin, in one space. A mesh with a single binding
 * is a rigid part, and says nothing about a pose.
 */
function boundTransforms(model: CharacterModel, rest: Float64Array): Map<number, Float64Array> {
  const bound = new Map<number, Float64Array>();
  for (const skin of skinsOf(model)) {
    const joints = new Map(skin.map((binding) => {
      const { jointIndex, jointFromMesh } = model.bindings[binding]!;
      return [jointIndex, inverseAffine(jointFromMesh)] as const;
    })); // prettier-ignore
    const space = meshSpace(model, rest, joints, bound);
    for (const [joint, meshFromJoint] of joints) {
      const m = new Float64Array(12);
      multiplyAffine(space, 0, meshFromJoint, 0, m, 0);
      if (!bound.has(joint)) bound.set(joint, m);
    }
  }
  return bound;
}

/** Bindings of three or more joints that meshes use together, the largest sets first. */
function skinsOf({ meshes }: CharacterModel): number[][] {
  const skins: Set<number>[] = [];
  for (const { influences } of meshes) {
    let skin = new Set(influences.bindings);
    for (const other of skins.filter((each) => [...skin].some((binding) => each.has(binding)))) {
      skin = new Set([...skin, ...other]);
      skins.splice(skins.indexOf(other), 1);
    }
    skins.push(skin);
  }
  return skins
    .filter(({ size }) => size >= 3)
    .map((skin) => [...skin])
    .toSorted((a, b) => b.length - a.length);
}

/** `modelFromMesh`: where other skins have a joint already, else of the joints above the one that puts most where they rest. */
function meshSpace(
  model: CharacterModel,
  rest: Float64Array,
  joints: ReadonlyMap<number, Float64Array>,
  bound: ReadonlyMap<number, Float64Array>,
): Float64Array {
  const known = [...joints.keys()].find((joint) => bound.has(joint));
  const out = new Float64Array(12);
  if (known !== undefined) {
    multiplyAffine(bound.get(known)!, 0, inverseAffine(joints.get(known)!), 0, out, 0);
    return out;
  }
  const candidates = [identity()];
  const first = Math.min(...joints.keys());
  for (let at = model.joints[first]!.parentIndex; at >= 0; at = model.joints[at]!.parentIndex)
    candidates.push(rest.slice(12 * at, 12 * at + 12));
  const error = (space: Float64Array): number => {
    let sum = 0;
    for (const [joint, meshFromJoint] of joints) {
      multiplyAffine(space, 0, meshFromJoint, 0, out, 0);
      for (const c of [3, 7, 11]) sum += Math.abs(out[c]! - rest[12 * joint + c]!);
    }
    return sum;
  };
  return candidates.reduce((a, b) => (error(b) < error(a) * 0.999 ? b : a));
}

function composed(model: CharacterModel, pose: LocalPose, joint: number, above: Float64Array): Float64Array {
  const own = composeJoints(
    { joints: [{ ...model.joints[joint]!, parentIndex: -1 }] },
    pose.slice(joint * POSE_STRIDE, (joint + 1) * POSE_STRIDE),
  );
  const out = new Float64Array(12);
  multiplyAffine(above, 0, own, 0, out, 0);
  return out;
}

const identity = (): Float64Array => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/** The inverse of an affine transform that can be inverted; the identity's for others. */
export function inverseAffine(m: ArrayLike<number>, at = 0): Float64Array {
  const v = (row: number, column: number): number => m[at + 4 * row + column]!;
  const cofactor = (r: number, c: number): number => {
    const [r0, r1, c0, c1] = [(r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3] as const;
    return v(r0, c0) * v(r1, c1) - v(r0, c1) * v(r1, c0);
  };
  const determinant = v(0, 0) * cofactor(0, 0) + v(0, 1) * cofactor(0, 1) + v(0, 2) * cofactor(0, 2);
  if (Math.abs(determinant) < 1e-30) return identity();
  const out = new Float64Array(12);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) out[4 * r + c] = cofactor(c, r) / determinant;
    out[4 * r + 3] = -(out[4 * r]! * v(0, 3) + out[4 * r + 1]! * v(1, 3) + out[4 * r + 2]! * v(2, 3));
  }
  return out;
}
