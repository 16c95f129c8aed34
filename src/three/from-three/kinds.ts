import type { BatchedMesh, Group, InstancedMesh, LOD, Mesh, Object3D, SkinnedMesh } from 'three';
import { threeName } from '../../character/names.ts';

/**
 * Tests for kinds of objects. They use three's flags, not its classes, because a page may have loaded `three` twice, and
 * `three/webgpu` as well.
 */

/** A mesh with everything that skinning needs. */
export interface BoundMesh extends SkinnedMesh {
  readonly skeleton: SkinnedMesh['skeleton'];
}

export function isMesh(object: Object3D): object is Mesh {
  return (object as Partial<Mesh>).isMesh === true;
}

export function isSkinned(object: Object3D): object is SkinnedMesh {
  return (object as Partial<SkinnedMesh>).isSkinnedMesh === true;
}

/** Returns true if bones move it. A SkinnedMesh may have no skeleton, or no attributes with joints and weights. */
export function isBound(mesh: Mesh): mesh is BoundMesh {
  const { skinIndex, skinWeight } = mesh.geometry.attributes;
  return isSkinned(mesh) && (mesh.skeleton as unknown) !== undefined && Boolean(skinIndex && skinWeight);
}

/** Returns true if its bones' poses are relative to its bind transform and move with the mesh. Usually they are in world space. */
export function isDetached(mesh: BoundMesh): boolean {
  return mesh.bindMode === 'detached';
}

export function isLod(object: Object3D): object is LOD {
  return (object as Partial<LOD>).isLOD === true;
}

/**
 * Returns the object that names a mesh's part of the character: the mesh itself, or its group. GLTFLoader makes a group of a node if
 * its glTF mesh has several materials. The group has the node's name, and its meshes have numbered names.
 */
export function partOwner(mesh: Mesh): Object3D {
  const { parent } = mesh;
  if (!parent || (parent as Partial<Group>).isGroup !== true || !isOfNode(parent) || isOfNode(mesh)) return mesh;
  const isPrimitive = (object: Object3D) => isMesh(object) && !isOfNode(object) && areNumbered(object.name, mesh.name);
  return parent.children.filter(isPrimitive).length > 1 ? parent : mesh;
}

/** Returns true if GLTFLoader made it from a named node. The loader keeps the name from the file in `userData`. */
function isOfNode({ userData }: Object3D): boolean {
  return typeof userData['name'] === 'string';
}

/** Returns true if names differ only by the number that makes each unique: `Arm_2` and `Arm_2_1`, `Arm_1` and `Arm_2`. */
function areNumbered(a: string, b: string): boolean {
  const [shortA, shortB] = [a, b].map((name) => name.replace(/_\d+$/, ''));
  return shortA === shortB || shortA === b || a === shortB;
}

/**
 * Returns an object's name from its file, because loaders remove some characters. Loaders number names that would be equal; then this
 * returns the object's own name.
 */
export function nameInFile({ name, userData }: Object3D): string {
  const inFile: unknown = userData['name'] ?? userData['originalName'];
  return typeof inFile === 'string' && threeName(inFile) === name ? inFile : name;
}

/** Returns why an object cannot be part of a character. Undefined if it can, or if three does not draw it. */
export function unsupportedKind(object: Object3D): string | undefined {
  const { isPoints, isLine, isSprite } = object as { isPoints?: boolean; isLine?: boolean; isSprite?: boolean };
  if (isPoints || isLine || isSprite) return 'points, lines and sprites are not drawn';
  if (!isMesh(object)) return undefined;
  const { isInstancedMesh, isBatchedMesh } = object as Partial<InstancedMesh & BatchedMesh>;
  const { isInstancedBufferGeometry } = object.geometry as { isInstancedBufferGeometry?: boolean };
  if (isInstancedMesh || isBatchedMesh || isInstancedBufferGeometry) return 'instances cannot be part of a character';
  const { position } = object.geometry.attributes as { position?: { readonly isGLBufferAttribute?: boolean } };
  if (position?.isGLBufferAttribute) return 'its positions are only in a buffer of the GPU';
  return position ? undefined : 'its geometry has no positions';
}
