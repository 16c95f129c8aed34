import type { Object3D } from 'three';
import { composeJoints } from '../../character/evaluate.ts';
import type { JointModel, Vec3 } from '../../character/model.ts';
import { type IssueList, refuse } from '../../import/model-builder/issue-list.ts';
import { MAX_JOINTS } from '../../import/model-builder/limits.ts';
import { decompose, type Trs, unitRotation } from '../../import/model-builder/node-transforms.ts';
import { checkRestTransforms } from '../../import/model-builder/rest-pose.ts';
import { type BoundMesh, isBound, isDetached, nameInFile } from './kinds.ts';
import { placeOf, type Scene } from './scan.ts';

/** A joint that the tracks of an object move. */
export interface MovedJoint {
  readonly jointIndex: number;
  /** Added to the translations of its tracks. */
  readonly offset: Vec3;
}

/** The skeleton of a scene. */
export interface Joints {
  readonly joints: readonly JointModel[];
  /** The model-space matrix of every joint in the rest pose: 12 numbers each, three rows of four. */
  readonly restFromJoint: Float64Array;
  /** Returns the joint of an object, or −1. With `detached`, the joint in that mesh's own copy of the skeleton. */
  readonly jointOf: (object: Object3D, detached?: BoundMesh) => number;
  /** Returns the joints that an object's tracks move. A bone of detached meshes has one for each mesh. */
  readonly movedBy: (object: Object3D) => readonly MovedJoint[];
}

const STILL: Vec3 = [0, 0, 0];
const UNTURNED = [0, 0, 0, 1] as const;
const UNSCALED: Vec3 = [1, 1, 1];
const NOWHERE: Trs = { translation: STILL, rotation: UNTURNED, scale: UNSCALED };

/** An object's transform in its parent: outer × inner. */
interface LocalTransform {
  readonly outer: Trs;
  readonly inner?: { readonly trs: Trs; readonly name: string };
  /** The one that tracks move, if any. */
  readonly moved: 'outer' | undefined;
  readonly offset: Vec3;
}

/**
 * Chooses the joints, depth first: every bone of the skeletons that meshes use, every mesh that no bones move, and all their ancestors
 * up to the scene's space. A detached mesh has a second copy of its skeleton below itself. In three the
 * bones pose such a mesh in world space, and the result then moves from its bind transform to its current one.
 *
 * @throws ManipleError CHARACTER_TOO_MANY_JOINTS, GLTF_INVALID (unusable transforms)
 */
export function readJoints({ space, meshes, indexOf, issues }: Scene): Joints {
  const joints: JointModel[] = [];
  const moved = new Map<Object3D, MovedJoint[]>();
  const plain = new Map<Object3D, number>();
  const detached = new Map<BoundMesh, Map<Object3D, number>>();

  const add = (name: string, nodeIndex: number, parentIndex: number, trs: Trs): number => {
    if (joints.length === MAX_JOINTS) {
      const message = `the character has more than ${MAX_JOINTS} joints, which is the limit`;
      refuse('CHARACTER_TOO_MANY_JOINTS', placeOf(meshes[0]!), message);
    }
    return joints.push({ name, parentIndex, nodeIndex, ...trs }) - 1;
  };
  const addObject = (object: Object3D, known: Map<Object3D, number>, root: number): number => {
    const found = known.get(object);
    if (found !== undefined) return found;
    const { parent } = object;
    const isTop = object === space || !parent || parent === space;
    const parentIndex = isTop ? root : addObject(parent, known, root);
    const local = object === space ? undefined : localTransform(object, issues);
    const { outer = NOWHERE, inner, offset = STILL } = local ?? {};
    const nodeIndex = indexOf.get(object)!;
    const name = nameInFile(object);
    const first = add(inner ? `${name} (${inner.name})` : name, inner ? -1 : nodeIndex, parentIndex, outer);
    const own = inner ? add(name, nodeIndex, first, inner.trs) : first;
    known.set(object, own);
    if (local?.moved) moved.set(object, [...(moved.get(object) ?? []), { jointIndex: first, offset }]);
    return own;
  };

  for (const object of plainObjects(meshes, indexOf)) addObject(object, plain, -1);
  for (const mesh of meshes) {
    if (!isBound(mesh) || !isDetached(mesh)) continue;
    const known = new Map<Object3D, number>();
    detached.set(mesh, known);
    const { outer, inner } = decompose(mesh.bindMatrix.clone().invert().elements);
    const at = add(`${nameInFile(mesh)} (bound)`, -1, plain.get(mesh)!, outer);
    const root = inner ? add(`${nameInFile(mesh)} (bound, shear)`, -1, at, { ...NOWHERE, rotation: inner }) : at;
    const byIndex = (a: Object3D, b: Object3D) => indexOf.get(a)! - indexOf.get(b)!;
    for (const bone of [...mesh.skeleton.bones].sort(byIndex)) addObject(bone, known, root);
  }

  const rest = joints.flatMap(({ translation, rotation, scale }) => [...translation, ...rotation, ...scale]);
  const restFromJoint = composeJoints({ joints }, new Float64Array(rest));
  const objects = [...indexOf.keys()];
  checkRestTransforms({ joints, restFromJoint }, issues, (node) => (objects[node] ? placeOf(objects[node]) : ''));
  issues.throwIfErrors();
  return {
    joints,
    restFromJoint,
    jointOf: (object, mesh) => (mesh ? detached.get(mesh) : plain)?.get(object) ?? -1,
    movedBy: (object) => moved.get(object) ?? [],
  };
}

/** Objects that need a joint, depth first. `addObject` adds joints for their ancestors. */
function plainObjects(meshes: Scene['meshes'], indexOf: Scene['indexOf']): Object3D[] {
  const wanted = new Set<Object3D>();
  for (const mesh of meshes) {
    if (!isBound(mesh) || isDetached(mesh)) wanted.add(mesh);
    else for (const bone of mesh.skeleton.bones) wanted.add(bone);
  }
  return [...wanted].sort((a, b) => indexOf.get(a)! - indexOf.get(b)!);
}

/** Does what three's `updateMatrix` does: uses position, rotation and scale, or the matrix itself if the application writes it. */
function localTransform(object: Object3D, issues: IssueList): LocalTransform {
  if (!object.matrixAutoUpdate) {
    const { outer, inner } = decompose(object.matrix.elements);
    if (!inner) return { outer, moved: undefined, offset: STILL };
    return { outer, inner: { trs: { ...NOWHERE, rotation: inner }, name: 'shear' }, moved: undefined, offset: STILL };
  }
  const { position, quaternion, scale, pivot } = object;
  const offset: Vec3 = pivot ? [pivot.x, pivot.y, pivot.z] : STILL;
  const outer: Trs = {
    translation: [position.x + offset[0], position.y + offset[1], position.z + offset[2]],
    rotation: unitRotation(quaternion.toArray(), `${placeOf(object)}/quaternion`, issues),
    scale: [scale.x, scale.y, scale.z],
  };
  if (!pivot) return { outer, moved: 'outer', offset };
  const back: Trs = { ...NOWHERE, translation: [-pivot.x, -pivot.y, -pivot.z] };
  return { outer, inner: { trs: back, name: 'pivot' }, moved: 'outer', offset };
}
