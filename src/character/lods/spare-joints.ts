import { composeJoints, evaluateVertices, POSE_STRIDE, restPose } from '../evaluate.ts';
import type { CharacterModel, MeshModel } from '../model.ts';
import { transformPoint } from '../../math/affine.ts';
import type { SamplePose } from './sample-poses.ts';

/**
 * A joint that moves no vertex may still hold something, for instance a spear. It is tested with points at this
 * distance from it, as a share of the character's size.
 */
const HELD_REACH = 0.5;

/**
 * The joints that meshes need. Removes joints without children, one after the other, as long as no vertex strays
 * farther than the tolerance in any of the poses. A removed joint keeps its rest transform relative to its parent.
 *
 * @param options Diagonal of the character, and the largest error of a vertex: metres.
 * @returns Rising; contains the parent of each, and all roots.
 */
export function neededJoints(
  model: CharacterModel,
  meshes: readonly MeshModel[],
  poses: readonly SamplePose[],
  { size, tolerance }: { readonly size: number; readonly tolerance: number },
): number[] {
  const { joints } = model;
  const needed = new Uint8Array(joints.length).fill(1);
  const needsParent = new Uint8Array(joints.length);
  const moved = movedMeshes(model, meshes);
  const frozen = poses.map(({ local }) => local.slice());
  const rest = restPose(model);
  const composed = new Float64Array(12 * joints.length);
  for (let j = joints.length - 1; j >= 0; j--) {
    const parent = joints[j]!.parentIndex;
    if (parent >= 0 && needsParent[j] === 0 && canFreeze(j)) {
      needed[j] = 0;
      for (const local of frozen) freeze(local, j);
      moved[parent] = [...moved[parent]!, ...moved[j]!];
    } else if (parent >= 0) needsParent[parent] = 1;
  }
  return Array.from(needed.keys()).filter((joint) => needed[joint] === 1);

  function freeze(local: Float64Array, joint: number): void {
    const at = joint * POSE_STRIDE;
    local.set(rest.subarray(at, at + POSE_STRIDE), at);
  }

  function canFreeze(joint: number): boolean {
    return poses.every((pose, p) => {
      const local = frozen[p]!.slice();
      freeze(local, joint);
      composeJoints(model, local, composed);
      const meshes = moved[joint]!;
      const stray =
        meshes.length > 0
          ? strayOfVertices(model, meshes, pose, composed)
          : strayOfHeld(joint, HELD_REACH * size, pose.modelFromJoint, composed);
      return stray <= tolerance;
    });
  }
}

/** The largest distance by which vertices move from one set of `modelFromJoint` to another. */
function strayOfVertices(
  model: CharacterModel,
  meshes: readonly MeshModel[],
  { modelFromJoint, morphWeights }: SamplePose,
  composed: Float64Array,
): number {
  let most = 0;
  for (const mesh of meshes) {
    const before = evaluateVertices(model, mesh, modelFromJoint, morphWeights);
    const after = evaluateVertices(model, mesh, composed, morphWeights);
    for (let v = 0; v < before.length; v += 3) {
      most = Math.max(most, Math.hypot(...[v, v + 1, v + 2].map((c) => after[c]! - before[c]!)));
    }
  }
  return most;
}

/** The same for points that a joint holds, at a distance of `reach` in model space. */
function strayOfHeld(joint: number, reach: number, modelFromJoint: Float64Array, composed: Float64Array): number {
  const at = 12 * joint;
  const [before, after] = [[0, 0, 0], [0, 0, 0]]; // prettier-ignore
  let most = 0;
  for (let axis = 0; axis < 3; axis++) {
    const scale = Math.hypot(...[0, 4, 8].map((row) => modelFromJoint[at + row + axis]!));
    const point: [number, number, number] = [0, 0, 0];
    if (scale > 0) point[axis] = reach / scale;
    transformPoint(modelFromJoint, at, ...point, before, 0);
    transformPoint(composed, at, ...point, after, 0);
    most = Math.max(most, Math.hypot(...before.map((value, c) => after[c]! - value)));
  }
  return most;
}

/** Per joint, the vertices that it moves, as meshes without triangles. */
function movedMeshes(model: CharacterModel, meshes: readonly MeshModel[]): MeshModel[][] {
  const lists = model.joints.map((): MeshModel[] => []);
  for (const mesh of meshes) {
    const { offsets, bindings } = mesh.influences;
    const vertices = new Map<number, Set<number>>();
    for (let v = 0; v < mesh.vertexCount; v++) {
      for (let i = offsets[v]!; i < offsets[v + 1]!; i++) {
        const { jointIndex } = model.bindings[bindings[i]!]!;
        const list = vertices.get(jointIndex) ?? new Set();
        vertices.set(jointIndex, list.add(v));
      }
    }
    for (const [joint, list] of vertices) lists[joint]!.push(pick(mesh, [...list]));
  }
  return lists;
}

/** Some vertices of a mesh: positions, influences and morph targets. */
function pick(mesh: MeshModel, vertices: readonly number[]): MeshModel {
  const { offsets, bindings, weights } = mesh.influences;
  const three = (values: Float32Array) =>
    Float32Array.from(vertices.flatMap((v) => [...values.subarray(3 * v, 3 * v + 3)]));
  const places = vertices.map((v) => Array.from({ length: offsets[v + 1]! - offsets[v]! }, (_, i) => offsets[v]! + i));
  let end = 0;
  return {
    ...mesh,
    vertexCount: vertices.length,
    positions: three(mesh.positions),
    influences: {
      offsets: Uint32Array.from([0, ...places.map((list) => (end += list.length))]),
      bindings: Uint16Array.from(places.flat(), (i) => bindings[i]!),
      weights: Float32Array.from(places.flat(), (i) => weights[i]!),
    },
    targets: mesh.targets.map((target) => ({ ...target, positions: three(target.positions) })),
  };
}
