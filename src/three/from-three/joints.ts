import type { Object3D } from 'three';
import { composeJoints, restPose } from '../../character/evaluate.ts';
import type { JointModel, Vec3 } from '../../character/model.ts';
import { type IssueList, refuse } from '../../import/model-builder/issue-list.ts';
import { MAX_JOINTS } from '../../import/model-builder/limits.ts';
import { decompose, type Trs, unitRotation } from '../../import/model-builder/node-transforms.ts';
import { checkRestTransforms } from '../../import/model-builder/rest-pose.ts';
import { type BoundMesh, isBound, isDetached, nameInFile, placeOf, type Scene } from './scan.ts';

/** The skeleton of a scene. */
export type Joints = ReturnType<typeof readJoints>;

/** A joint that the tracks of an object move, and what is added to the translations of these tracks. */
interface MovedJoint {
  readonly jointIndex: number;
  readonly offset: Vec3;
}

const STILL: Vec3 = [0, 0, 0];
const NOWHERE: Trs = { translation: STILL, rotation: [0, 0, 0, 1], scale: [1, 1, 1] };

/** An object's transform in its parent: outer × inner. */
interface LocalTransform {
  readonly outer: Trs;
  readonly inner?: { readonly trs: Trs; readonly name: string };
  /** Added to the translations of tracks, which move the outer one. Undefined if tracks do not move the object. */
  readonly offset?: Vec3;
}

/**
 * Chooses the joints, depth first: every bone of the skeletons that meshes use, every mesh that no bones move, and all their ancestors
 * up to the scene's space. `others` are joints as well. A detached mesh has a second copy of its skeleton below itself. In three the
 * bones pose such a mesh in world space, and the result then moves from its bind transform to its current one.
 *
 * @throws ManipleError CHARACTER_TOO_MANY_JOINTS, GLTF_INVALID (unusable transforms)
 */
export function readJoints({ space, meshes, indexOf, issues }: Scene, others: readonly Object3D[] = []) {
  const joints: JointModel[] = [];
  const moved = new Map<Object3D, MovedJoint[]>();
  const plain = new Map<Object3D, number>();
  const detached = new Map<BoundMesh, Map<Object3D, number>>();

  const add = (name: string, nodeIndex: number, parentIndex: number, trs: Trs): number => {
    if (joints.length === MAX_JOINTS) {
      const message = `the character has more than ${MAX_JOINTS} joints, which is the limit`;
      refuse('CHARACTER_TOO_MANY_JOINTS', placeOf(meshes[0] ?? others[0]!), message);
    }
    return joints.push({ name, parentIndex, nodeIndex, ...trs }) - 1;
  };
  const addObject = (object: Object3D, known: Map<Object3D, number>, root: number): number => {
    const found = known.get(object);
    if (found !== undefined) return found;
    const { parent } = object;
    const isTop = object === space || !parent || parent === space;
    const parentIndex = isTop ? root : addObject(parent, known, root);
    const { outer, inner, offset }: LocalTransform =
      object === space ? { outer: NOWHERE } : localTransform(object, issues);
    const nodeIndex = indexOf.get(object)!;
    const name = nameInFile(object);
    const first = add(inner ? `${name} (${inner.name})` : name, inner ? -1 : nodeIndex, parentIndex, outer);
    const own = inner ? add(name, nodeIndex, first, inner.trs) : first;
    known.set(object, own);
    if (offset) moved.set(object, [...(moved.get(object) ?? []), { jointIndex: first, offset }]);
    return own;
  };

  for (const object of plainObjects(meshes, others, indexOf)) addObject(object, plain, -1);
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

  const restFromJoint = composeJoints({ joints }, restPose({ joints }));
  const objects = [...indexOf.keys()];
  checkRestTransforms({ joints, restFromJoint }, issues, (node) => (objects[node] ? placeOf(objects[node]) : ''));
  issues.throwIfErrors();
  return {
    joints,
    /** The model-space matrix of every joint in the rest pose: 12 numbers each, three rows of four. */
    restFromJoint,
    /** Returns the joint of an object, or −1. With a detached mesh, the joint in that mesh's own copy of the skeleton. */
    jointOf: (object: Object3D, mesh?: BoundMesh) => (mesh ? detached.get(mesh) : plain)?.get(object) ?? -1,
    /** Returns the joints that an object's tracks move. A bone of detached meshes has one for each mesh. */
    movedBy: (object: Object3D) => moved.get(object) ?? [],
  };
}

/** Objects that need a joint, depth first. `addObject` adds joints for their ancestors. */
function plainObjects(meshes: Scene['meshes'], others: readonly Object3D[], indexOf: Scene['indexOf']): Object3D[] {
  const wanted = new Set(others);
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
    return inner ? { outer, inner: { trs: { ...NOWHERE, rotation: inner }, name: 'shear' } } : { outer };
  }
  const { position, quaternion, scale, pivot } = object;
  const offset: Vec3 = pivot ? [pivot.x, pivot.y, pivot.z] : STILL;
  const outer: Trs = {
    translation: [position.x + offset[0], position.y + offset[1], position.z + offset[2]],
    rotation: unitRotation(quaternion.toArray(), `${placeOf(object)}/quaternion`, issues),
    scale: [scale.x, scale.y, scale.z],
  };
  if (!pivot) return { outer, offset };
  const back: Trs = { ...NOWHERE, translation: [-pivot.x, -pivot.y, -pivot.z] };
  return { outer, inner: { trs: back, name: 'pivot' }, offset };
}
