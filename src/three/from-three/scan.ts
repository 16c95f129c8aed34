import type { BatchedMesh, Group, InstancedMesh, LOD, Mesh, Object3D, SkinnedMesh } from 'three';
import { threeName } from '../../character/names.ts';
import { IssueList, refuse } from '../../import/model-builder/issue-list.ts';

/** The parts of a scene that make up a character. */
export interface Scene {
  /** The object that defines the character's model space. Undefined for world space. */
  readonly space: Object3D | undefined;
  /** All drawn meshes, in three's order. */
  readonly meshes: readonly Mesh[];
  /** A number for every object, depth first from `space`. Without a space, from the tops of all object trees involved. */
  readonly indexOf: ReadonlyMap<Object3D, number>;
  readonly issues: IssueList;
}

/**
 * Finds the drawn meshes below a root, and the space that contains everything that moves them.
 * @param moved Objects that clips move.
 */
export function scanScene(
  root: Object3D,
  moved: ReadonlySet<Object3D>,
  isShown = ({ visible }: Object3D): boolean => visible,
): Scene {
  const issues = new IssueList();
  const meshes = drawnMeshes(root, isShown, issues);
  let space: Object3D | undefined = moved.has(root) ? (root.parent ?? undefined) : root;
  const bones = new Set(meshes.flatMap((mesh) => (isBound(mesh) ? bonesOf(mesh) : [])));
  for (const bone of bones) if (space) space = commonAncestor(space, bone);
  const tops = space ? [space] : new Set([root, ...bones].map(topOf));
  const indexOf = new Map<Object3D, number>();
  for (const top of tops) top.traverse((object) => indexOf.set(object, indexOf.size));
  return { space, meshes, indexOf, issues };
}

function bonesOf(mesh: BoundMesh): readonly Object3D[] {
  const { bones, boneInverses } = mesh.skeleton;
  const lost = bones.findIndex((bone: Object3D | undefined, i) => !bone || !boneInverses[i]);
  if (lost < 0) return bones;
  const message = `bone ${lost} of ${bones.length} is missing from its skeleton, or has no inverse`;
  return refuse('GLTF_JOINT_OUT_OF_RANGE', placeOf(mesh), message);
}

function drawnMeshes(root: Object3D, isShown: (object: Object3D) => boolean, issues: IssueList): Mesh[] {
  const meshes: Mesh[] = [];
  const visit = (object: Object3D): void => {
    const unsupported = unsupportedKind(object);
    if (unsupported) issues.warn('GLTF_PRIMITIVE_IGNORED', placeOf(object), unsupported);
    else if (isMesh(object)) meshes.push(object);
    // three automatically shows one level at a time
    const { isLOD, levels: ofLod = [] } = object as Partial<LOD>;
    const levels = isLOD ? ofLod.map((level) => level.object) : [];
    if (levels.length > 1) {
      const message = `of ${levels.length} levels of detail only the finest is taken`;
      issues.info('GLTF_LOD_IGNORED', placeOf(object), message, 'Have coarser ones made by addLods of maniple/import.');
    }
    for (const child of object.children) {
      const level = levels.indexOf(child);
      if (level < 0 && !isShown(child)) reportHidden(child, issues);
      else if (level <= 0) visit(child);
    }
  };
  visit(root);
  return meshes;
}

function reportHidden(object: Object3D, issues: IssueList): void {
  let count = 0;
  object.traverse((each) => (count += Number(isMesh(each))));
  if (count > 0) issues.info('GLTF_PRIMITIVE_IGNORED', placeOf(object), `it is not visible, with ${count} meshes`);
}

function commonAncestor(a: Object3D, b: Object3D): Object3D | undefined {
  const above = new Set<Object3D>();
  for (let object: Object3D | null = a; object; object = object.parent) above.add(object);
  for (let object: Object3D | null = b; object; object = object.parent) if (above.has(object)) return object;
  return undefined;
}

function topOf(object: Object3D): Object3D {
  let top = object;
  while (top.parent) top = top.parent;
  return top;
}

/** Path of an object for messages: names from the top down to it, or types of objects without names. */
export function placeOf(object: Object3D): string {
  const own = `/${object.name || object.type}`;
  return object.parent ? placeOf(object.parent) + own : own;
}

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
function unsupportedKind(object: Object3D): string | undefined {
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
