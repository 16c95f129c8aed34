import type { AnimationClip, Bone, Mesh, Object3D } from 'three';
import type { CharacterModel } from '../../character/model.ts';
import { finish, type Steps } from '../../character/pack/index.ts';
import { fail, quoted } from '../../errors.ts';
import { refuse } from '../../import/model-builder/issue-list.ts';
import { readClips, targetTracks } from './clips.ts';
import { readJoints } from './joints.ts';
import { readMeshes } from './meshes.ts';
import { isMesh, nameInFile, placeOf, type Scene, scanScene } from './scan.ts';

/** Something loaded by three: GLTFLoader's GLTF, an object with clips as from FBXLoader, or any object with clips that move it. */
export type ThreeSource = Object3D | ThreeScene;

/** An object, and clips that move it. */
export interface ThreeScene {
  /** Its own transform is left out, because crowds place characters. It is kept if a clip or a bone outside needs it. */
  readonly scene: Object3D;
  /** Default: the object's `animations`. */
  readonly animations?: readonly AnimationClip[];
}

/** Options for reading a scene. */
export interface ModelOptions {
  /** Returns true if an object and its descendants are drawn. Default: its `visible` flag. */
  readonly isShown?: (object: Object3D) => boolean;
  /**
   * Name of the character in messages. Candidates for the default are the names of a `.gltf` file's buffer, the scene, its children and
   * its largest mesh. The first one that is not a generic name of an export tool is used. three's loaders do not keep the file's name.
   */
  readonly name?: string;
}

/**
 * Converts what three has loaded to a model of a character: skeleton, palette, meshes, morph targets, clips, materials. The current
 * pose becomes the rest pose. `packCharacter`, or better `characterFromModel`, makes a character from it. To add coarser meshes, call
 * `addLods` of maniple/import before that.
 *
 * Reads skinned, rigid and morphed meshes with any storage format of attributes, and tracks of positions, rotations, scales and morph
 * weights. Unsupported things are left out and listed in `issues`: instances, points and lines, tracks of colours or visibility.
 *
 * Cost: some milliseconds for a character of 10,000 vertices.
 *
 * @throws ManipleError THREE_UNSUPPORTED (not something that three has loaded), GLTF_NO_MESH, GLTF_INVALID, GLTF_JOINT_OUT_OF_RANGE, GLTF_INDEX_OUT_OF_RANGE, CHARACTER_TOO_MANY_JOINTS
 * @example const model = modelFromThree(await new GLTFLoader().loadAsync('knight.glb'));
 */
export function modelFromThree(source: ThreeSource, options: ModelOptions = {}): CharacterModel {
  return finish(readThree(source, options)).model;
}

/**
 * Does the same in steps, and also returns the scene.
 *
 * @param needsMesh False for a file of clips: without a mesh, its bones and moved objects are the joints.
 */
export function* readThree(
  source: ThreeSource,
  options: ModelOptions,
  needsMesh = true,
): Steps<{ readonly model: CharacterModel; readonly scene: Scene }> {
  const { scene: root, animations } = readSource(source);
  const clips = yield* targetTracks(animations, root);
  const targets = clips.flatMap(({ tracks }) => tracks.map(({ target }) => target));
  const moved = new Set(
    targets.flatMap((target) => (typeof target === 'string' || target.path === 'weights' ? [] : [target.object])),
  );
  const scene = scanScene(root, moved, options.isShown);
  const { issues } = scene;
  const isDrawn = scene.meshes.length > 0;
  if (!isDrawn && needsMesh) {
    issues.error('GLTF_NO_MESH', placeOf(root), 'The object has no mesh that can be drawn');
    issues.throwIfErrors();
  }
  const isJoint = (object: Object3D): boolean => moved.has(object) || (object as Partial<Bone>).isBone === true;
  const joints = readJoints(scene, isDrawn ? [] : [...scene.indexOf.keys()].filter(isJoint));
  const { meshes, bindings, morphSets, materials, morphSetOf } = yield* readMeshes(scene, joints);
  if (meshes.length === 0 && needsMesh) refuse('GLTF_NO_MESH', placeOf(root), 'none of its meshes draws anything');
  const model: CharacterModel = {
    name: options.name ?? sourceName(source, root),
    joints: joints.joints,
    bindings,
    meshes,
    morphSets,
    clips: yield* readClips(clips, { joints, morphSets, morphSetOf }, issues),
    materials,
    images: [],
    issues: issues.list(),
  };
  return { model, scene };
}

/** Generic names that tools give to everything they export. */
const COMMON =
  /^((aux|root)?[_ ]?scene|root([_ ]?(node|joint))?|.*(armature|rig)|skeleton|mesh|object|node|cube|cylinder|plane|sphere|group|model|body|default|untitled|buffer|data|(sketchfab|gltf|osg).*)?([._ -]?\d+)*$/i;

/** @throws ManipleError THREE_UNSUPPORTED (not something that three has loaded, or a promise of it) */
export function readSource(source: ThreeSource): { scene: Object3D; animations: readonly AnimationClip[] } {
  const scene = (isObject(source) ? source : (source as Partial<ThreeScene> | undefined)?.scene) as unknown;
  if (isObject(scene)) {
    const { animations = scene.animations } = source as ThreeScene;
    return { scene, animations };
  }
  const isPromise = typeof (source as unknown as { then?: unknown } | undefined)?.then === 'function';
  const message = `Got ${isPromise ? 'a promise' : quoted(source)}; expected what a loader of three.js has loaded.`;
  const suggestion = isPromise
    ? 'Await it: characterFromGltf(await new GLTFLoader().loadAsync(url)).'
    : 'Pass the result of GLTFLoader or FBXLoader, or { scene, animations }. Files: packCharacter(await loadModel(url)).';
  return fail('THREE_UNSUPPORTED', 'characterFromGltf', message, suggestion);
}

/**
 * Returns a name for messages: the first one that is not generic, of the file, the object, its children and its meshes. Loaders do not
 * keep the file's name, but a glTF in several files usually has a buffer of the same name.
 */
export function sourceName(source: ThreeSource, scene: Object3D): string {
  const { parser } = source as {
    readonly parser?: { readonly json?: { readonly buffers?: readonly { uri?: string }[] } };
  };
  const uri = parser?.json?.buffers?.[0]?.uri ?? '';
  const file = uri.startsWith('data:') ? '' : uri.replace(/^.*\//, '').replace(/\.\w+$/, '');
  const meshes: Mesh[] = [];
  scene.traverse((object) => {
    if (isMesh(object)) meshes.push(object);
  });
  const named = [file, nameInFile(scene), ...scene.children.map(nameInFile), ...meshNames(meshes)];
  return named.find((name) => !COMMON.test(name)) ?? named.find((name) => name !== '') ?? 'three';
}

/** The name of the largest mesh. If half of the meshes begin with its first word, that word is first: Knight_Body, Knight_Head. */
function meshNames(meshes: readonly Mesh[]): string[] {
  const vertexCount = ({ geometry }: Mesh) => geometry.attributes.position?.count ?? 0;
  const [largest] = meshes.toSorted((a, b) => vertexCount(b) - vertexCount(a));
  if (!largest) return [];
  const name = nameInFile(largest) || largest.geometry.name;
  const [word = ''] = name.split(/[_ .-]/);
  const alike = meshes.filter((mesh) => nameInFile(mesh).startsWith(word)).length;
  return meshes.length > 1 && 2 * alike >= meshes.length ? [word, name] : [name];
}

function isObject(value: unknown): value is Object3D {
  return (value as Partial<Object3D> | undefined | null)?.isObject3D === true;
}
