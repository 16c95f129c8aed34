import type { AnimationClip, Mesh, Object3D } from 'three';
import { fail, quoted } from '../../errors.ts';
import { isMesh, nameInFile } from './kinds.ts';

/** What three has loaded: a GLTF of GLTFLoader, an object with clips as FBXLoader loads it, or any object and clips that move it. */
export type ThreeSource = Object3D | ThreeScene;

/** An object, and clips that move it. */
export interface ThreeScene {
  /** Its own transform is left out, because characters are placed by crowds, unless a clip or a bone outside needs it. */
  readonly scene: Object3D;
  /** Default: those of the object. */
  readonly animations?: readonly AnimationClip[];
}

/** Names that tools give to whatever they export. */
const COMMON =
  /^((aux|root)?[_ ]?scene|root([_ ]?(node|joint))?|.*(armature|rig)|skeleton|mesh|object|node|cube|cylinder|plane|sphere|group|model|body|default|untitled|buffer|data|(sketchfab|gltf|osg).*)?([._ -]?\d+)*$/i;

/** @throws ManipleError THREE_UNSUPPORTED (nothing that three has loaded, or not yet) */
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
 * A name for messages. Loaders do not keep the file's; a glTF of several files names its buffer alike. Else the first that says
 * something: of the object, of what is in it, of its meshes.
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

/** The name of the largest mesh; before it, its first word if half of the meshes begin with that: Knight_Body, Knight_Head. */
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
