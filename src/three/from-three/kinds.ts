import type { BatchedMesh, Group, InstancedMesh, LOD, Mesh, Object3D, SkinnedMesh } from 'three';
import { threeName } from '../../asset/names.ts';

/**
 * What an object is. By three's flags, not by its classes: a page may well have loaded `three` twice, and `three/webgpu`
 * beside it.
 */

/** A mesh that has all that skinning takes. */
export interface BoundMesh extends SkinnedMesh {
  readonly skeleton: SkinnedMesh['skeleton'];
}

export function isMesh(object: Object3D): object is Mesh {
  return (object as Partial<Mesh>).isMesh === true;
}

export function isSkinned(object: Object3D): object is SkinnedMesh {
  return (object as Partial<SkinnedMesh>).isSkinnedMesh === true;
}

/** Whether bones move it: a SkinnedMesh may lack its skeleton, or the attributes that say which bone moves what. */
export function isBound(mesh: Mesh): mesh is BoundMesh {
  const { skinIndex, skinWeight } = mesh.geometry.attributes;
  return isSkinned(mesh) && (mesh.skeleton as unknown) !== undefined && Boolean(skinIndex && skinWeight);
}

/** Whether its bones' poses are seen from where it was bound, and move along with it: they are usually seen from the world. */
export function isDetached(mesh: BoundMesh): boolean {
  return mesh.bindMode === 'detached';
}

export function isLod(object: Object3D): object is LOD {
  return (object as Partial<LOD>).isLOD === true;
}

/**
 * Whose part of a character a mesh is: its own, or that of the node that GLTFLoader made a group of, as it does where a glTF mesh has
 * several materials. The group has the node's name; its meshes have numbered ones.
 */
export function partOwner(mesh: Mesh): Object3D {
  const { parent } = mesh;
  if (!parent || (parent as Partial<Group>).isGroup !== true || !isOfNode(parent) || isOfNode(mesh)) return mesh;
  const isPrimitive = (object: Object3D) => isMesh(object) && !isOfNode(object) && areNumbered(object.name, mesh.name);
  return parent.children.filter(isPrimitive).length > 1 ? parent : mesh;
}

/** Whether GLTFLoader made it of a node that has a name: it keeps that as it was in the file. */
function isOfNode({ userData }: Object3D): boolean {
  return typeof userData['name'] === 'string';
}

/** Whether two names differ by the number alone that makes each unique: `Arm_2` and `Arm_2_1`, `Arm_1` and `Arm_2`. */
function areNumbered(a: string, b: string): boolean {
  const [shortA, shortB] = [a, b].map((name) => name.replace(/_\d+$/, ''));
  return shortA === shortB || shortA === b || a === shortB;
}

/**
 * An object's name as its file has it: loaders leave out some characters. Where several names of a file would be alike, they number
 * them, and the object's own name is taken.
 */
export function nameInFile({ name, userData }: Object3D): string {
  const inFile: unknown = userData['name'] ?? userData['originalName'];
  return typeof inFile === 'string' && threeName(inFile) === name ? inFile : name;
}

/** Why three draws something that a character cannot have in it; undefined when it can, or when it draws nothing. */
export function unsupportedKind(object: Object3D): string | undefined {
  const { isPoints, isLine, isSprite } = object as { isPoints?: boolean; isLine?: boolean; isSprite?: boolean };
  if (isPoints || isLine || isSprite) return 'points, lines and sprites are not drawn';
  if (!isMesh(object)) return undefined;
  const { isInstancedMesh, isBatchedMesh } = object as Partial<InstancedMesh & BatchedMesh>;
  const { isInstancedBufferGeometry } = object.geometry as { isInstancedBufferGeometry?: boolean };
  if (isInstancedMesh || isBatchedMesh || isInstancedBufferGeometry) return 'instances cannot be part of a character';
  const { position } = object.geometry.attributes as { position?: { readonly isGLBufferAttribute?: boolean } };
  if (position?.isGLBufferAttribute) return 'its positions are in a buffer of the GPU alone';
  return position ? undefined : 'its geometry has no positions';
}
