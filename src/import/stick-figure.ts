import { expectModel } from '../character/arguments.ts';
import { composeJoints, restPose } from '../character/evaluate.ts';
import type { BindingModel, CharacterModel, MeshModel } from '../character/model.ts';
import type { Issue } from '../errors.ts';
import { invertAffine } from './model-builder/node-transforms.ts';

/** Width of a bone as a share of its length, and at most as a share of the longest bone. */
const WIDTH = { ofBone: 0.12, ofLongest: 0.08 } as const;
/** Where a bone is widest, as a share of its length. */
const WAIST = 0.2;
const FACES = 8;

const NO_MESH: Issue = {
  code: 'MODEL_NO_MESH',
  severity: 'info',
  path: '',
  message: 'The file has no meshes, so its skeleton has the body of a stick figure.',
  suggestion: 'Its clips can be played on another character.',
};

/** From a joint to its child, in the rest pose. */
interface Bone {
  readonly jointIndex: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly length: number;
}

/**
 * Gives a model without meshes a body: an octahedron from each joint to each of its children, moved by the joint. So a
 * skeleton or a file of clips can be looked at. A model with meshes, or with all joints in one place, is returned
 * unchanged. Otherwise MODEL_NO_MESH is among its issues.
 *
 * @example const model = addStickFigure(await loadModel('dance.bvh'));
 */
export function addStickFigure(model: CharacterModel): CharacterModel {
  expectModel(model);
  if (model.meshes.length > 0) return model;
  const modelFromJoint = composeJoints(model, restPose(model));
  const bones = findBones(model, modelFromJoint);
  const longest = bones.reduce((most, { length }) => Math.max(most, length), 0);
  const bindings: BindingModel[] = [];
  const bindingOf = new Map<number, number>();
  const corners: number[] = [];
  const bound: number[] = [];
  for (const bone of bones) {
    const { jointIndex } = bone;
    if (!bindingOf.has(jointIndex)) {
      const jointFromMesh = invertAffine(modelFromJoint.subarray(12 * jointIndex, 12 * jointIndex + 12));
      bindingOf.set(jointIndex, bindings.push({ jointIndex, jointFromMesh }) - 1);
    }
    corners.push(...octahedron(bone, Math.min(WIDTH.ofBone * bone.length, WIDTH.ofLongest * longest)));
    for (let i = 0; i < 3 * FACES; i++) bound.push(bindingOf.get(jointIndex)!);
  }
  if (corners.length === 0) return model;
  const issues = [...model.issues.filter(({ code }) => code !== 'GLTF_NO_MESH'), NO_MESH];
  return { ...model, bindings, meshes: [meshOf(corners, bound)], issues };
}

/**
 * All bones with a length. Two kinds are left out if there are others. One leads from the ground to the hips, below
 * joints with one child each. The other leads from the hips straight to a leaf, such as Biped's footsteps.
 */
function findBones({ joints }: CharacterModel, modelFromJoint: Float64Array): Bone[] {
  const at = (joint: number) => [3, 7, 11].map((row) => modelFromJoint[12 * joint + row]!);
  const children = joints.map(() => 0);
  for (const { parentIndex } of joints) if (parentIndex >= 0) children[parentIndex]!++;
  /** True for the first joint with several children, and for those above it. */
  const isTop: boolean[] = [];
  const limbs: Bone[] = [];
  const bones = joints.flatMap(({ parentIndex }, joint): Bone[] => {
    isTop.push(parentIndex < 0 || (isTop[parentIndex]! && children[parentIndex] === 1));
    if (parentIndex < 0) return [];
    const [from, to] = [at(parentIndex), at(joint)];
    const length = Math.hypot(...to.map((value, axis) => value - from[axis]!));
    if (!(length > 0 && Number.isFinite(length))) return [];
    const bone = { jointIndex: parentIndex, from, to, length };
    if (!isTop[parentIndex] || (children[parentIndex]! > 1 && children[joint]! > 0)) limbs.push(bone);
    return [bone];
  });
  const belowRoots = bones.filter(({ jointIndex }) => joints[jointIndex]!.parentIndex >= 0);
  return [limbs, belowRoots].find((list) => list.length > 0) ?? bones;
}

/** Corners of the triangles of a bone, 3 × 3 numbers each, counter-clockwise from outside. */
function octahedron({ from, to, length }: Bone, width: number): number[] {
  const along = from.map((value, axis) => (to[axis]! - value) / length);
  // the axis that the bone follows least gives the best side
  const least = along.reduce((best, value, axis) => (Math.abs(value) < Math.abs(along[best]!) ? axis : best), 0);
  const side = unit(
    cross(
      along,
      [0, 1, 2].map((axis) => (axis === least ? 1 : 0)),
    ),
  );
  const up = cross(along, side);
  const ring = [side, up, side.map((value) => -value), up.map((value) => -value)].map((outward) =>
    outward.map((value, axis) => from[axis]! + WAIST * length * along[axis]! + width * value),
  );
  return ring.flatMap((corner, i) => {
    const next = ring[(i + 1) % 4]!;
    return [...to, ...corner, ...next, ...from, ...next, ...corner];
  });
}

function meshOf(corners: readonly number[], bound: readonly number[]): MeshModel {
  const vertexCount = bound.length;
  const normals = new Float32Array(3 * vertexCount);
  for (let i = 0; i < corners.length; i += 9) {
    const edge = (corner: number) => [0, 1, 2].map((axis) => corners[i + 3 * corner + axis]! - corners[i + axis]!);
    const normal = unit(cross(edge(1), edge(2)));
    for (let corner = 0; corner < 3; corner++) normals.set(normal, i + 3 * corner);
  }
  const each = Uint32Array.from(bound, (_, vertex) => vertex);
  return {
    name: 'stick figure',
    nodeIndex: 0,
    nodeName: 'stick figure',
    primitiveIndex: 0,
    materialIndex: -1,
    vertexCount,
    positions: new Float32Array(corners),
    normals,
    tangents: undefined,
    texcoords: undefined,
    colors: undefined,
    indices: each,
    influences: {
      offsets: Uint32Array.from({ length: vertexCount + 1 }, (_, vertex) => vertex),
      bindings: new Uint16Array(bound),
      weights: new Float32Array(vertexCount).fill(1),
    },
    morphSetIndex: -1,
    targets: [],
    vertexOfSource: each,
  };
}

function cross([a, b, c]: readonly number[], [d, e, f]: readonly number[]): number[] {
  return [b! * f! - c! * e!, c! * d! - a! * f!, a! * e! - b! * d!];
}

function unit(v: readonly number[]): number[] {
  const length = Math.hypot(...v);
  return v.map((value) => value / length);
}
