import type { AnimationClip, KeyframeTrack, Material, Mesh, Object3D } from 'three';
import { finish } from '../../character/pack/index.ts';
import { targetTracks } from './clips.ts';
import { isBound, isMesh } from './scan.ts';

type Look = (material: Material) => unknown;
/** Object index in a root → properties that clips move. */
type MovedPaths = ReadonlyMap<number, ReadonlySet<string>>;

/** Finds roots with equal structure. */
export class Structures {
  readonly #look: Look;
  readonly #identities = new Identities();
  /** Cache by the key of `#names`. The value depends on nothing else. */
  readonly #moved = new Map<string, MovedPaths>();
  readonly #trackNodes = new Map<readonly AnimationClip[], ReadonlySet<string>>();

  /** @param look Returns the key of a material. */
  constructor(look: Look) {
    this.#look = look;
  }

  /**
   * Returns a key that is equal for roots that can share one character type. They have the same objects with the same transforms,
   * geometries, materials and skeletons, moved by the same clips. Properties that clips move are ignored.
   */
  key(root: Object3D, clips: readonly AnimationClip[]): string {
    const objects = objectsOf(root);
    const indexOf = new Map(objects.map((object, index) => [object, index]));
    const names = this.#names(objects, indexOf, clips);
    const moved = this.#moved.get(names) ?? movedPaths(root, clips, indexOf);
    this.#moved.set(names, moved);
    const words: unknown[] = [names];
    objects.forEach((object, index) => {
      const own = moved.get(index);
      const { position, quaternion, scale, matrix, matrixAutoUpdate } = object;
      words.push(matrixAutoUpdate);
      // if clips do not move the root, its transform only places the character
      const isPlace = object === root && own === undefined;
      if (!isPlace && matrixAutoUpdate) {
        if (!own?.has('translation')) words.push(...position.toArray());
        if (!own?.has('rotation') && !own?.has('euler')) words.push(...quaternion.toArray());
        if (!own?.has('scale')) words.push(...scale.toArray());
      } else if (!isPlace) words.push(...matrix.elements);
      if (isMesh(object)) words.push(...meshWords(object, indexOf, own?.has('weights') === true, this.#look));
    });
    return this.#identities.key(words);
  }

  /** Key of everything that tracks are bound by: hierarchy, names, and the objects that clips refer to by uuid. */
  #names(
    objects: readonly Object3D[],
    indexOf: ReadonlyMap<Object3D, number>,
    clips: readonly AnimationClip[],
  ): string {
    const nodes = this.#trackNodes.get(clips) ?? new Set(clips.flatMap(({ tracks }) => tracks.map(nodeOfTrack)));
    this.#trackNodes.set(clips, nodes);
    const words = objects.flatMap(({ parent, name, uuid }) => [indexOf.get(parent!) ?? -1, name, nodes.has(uuid)]);
    return this.#identities.key([...clips, ...words]);
  }
}

function nodeOfTrack({ name }: KeyframeTrack): string {
  return name.slice(0, name.indexOf('.'));
}

/** All objects of a root, in the same order for all roots of one structure. */
export function objectsOf(root: Object3D): Object3D[] {
  const objects: Object3D[] = [];
  root.traverse((object) => objects.push(object));
  return objects;
}

function meshWords(mesh: Mesh, indexOf: ReadonlyMap<Object3D, number>, isMorphed: boolean, look: Look): unknown[] {
  const materials = Array.isArray(mesh.material) ? mesh.material : [mesh.material];
  const words: unknown[] = [mesh.geometry, materials.length, ...materials.map(look)];
  if (!isMorphed) words.push(...(mesh.morphTargetInfluences ?? []));
  if (!isBound(mesh)) return words;
  const { bones, boneInverses } = mesh.skeleton;
  words.push(mesh.bindMode, ...mesh.bindMatrix.elements, bones.length);
  // bones outside the root are compared by identity
  for (const bone of bones) words.push(indexOf.get(bone) ?? bone);
  for (const inverse of boneInverses) words.push(...inverse.elements);
  return words;
}

function movedPaths(
  root: Object3D,
  clips: readonly AnimationClip[],
  indexOf: ReadonlyMap<Object3D, number>,
): MovedPaths {
  const moved = new Map<number, Set<string>>();
  for (const { tracks } of finish(targetTracks(clips, root))) {
    for (const { target } of tracks) {
      if (typeof target === 'string') continue;
      const index = indexOf.get(target.object) ?? -1;
      const paths = moved.get(index) ?? new Set();
      moved.set(index, paths.add(target.path));
    }
  }
  return moved;
}

/** Assigns a number to each distinct value. */
class Identities {
  readonly #known = new Map<unknown, number>();

  /** Returns a text that is equal only for lists of equal values. */
  key(words: readonly unknown[]): string {
    return words.map((word) => this.#number(word)).join(' ');
  }

  #number(word: unknown): number {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    this.#known.set(word, this.#known.size);
    return this.#known.size - 1;
  }
}
