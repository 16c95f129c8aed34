import type { Character } from '../../asset/character.ts';
import type { CharacterModel } from '../../asset/model.ts';
import {
  checkPackOptions,
  chooseClips,
  inSlices,
  namesOfOthers,
  type PackAsyncOptions,
  packCharacter,
  packCharacterAsync,
  type PackOptions,
} from '../../asset/pack/index.ts';
import { fail, quoted } from '../../errors.ts';
import { sourceGeometries } from '../source-geometries.ts';
import { sourceOfMesh } from './meshes.ts';
import { modelFromThree, type ModelOptions, readThree } from './model-from-three.ts';
import { readSource, sourceName, type ThreeSource } from './source.ts';

/** How to make a character of what three has loaded. */
export interface CharacterFromGltfOptions extends PackOptions, ModelOptions {}

/** The same, for what is done in slices and in a worker. */
export interface CharacterFromGltfAsyncOptions extends PackAsyncOptions, ModelOptions {}

/**
 * Makes a character of what three has loaded: a GLTF of GLTFLoader, an object with clips as FBXLoader's, or `{ scene, animations }`. It remembers
 * three's materials and geometries, for a `ManipleCrowd` to draw it with; its vertices are, to 0.1 mm, those that three shows.
 *
 * Where the root stands is left out (crowds place characters), and how it is posed now is how it rests.
 *
 * Clips that are not packed are not read either: with a `controller` those that it does not name.
 *
 * Cost: as `packCharacter`, tens of milliseconds for each clip that is packed.
 *
 * @throws ManipleError as `modelFromThree` and `packCharacter`
 * @example const soldier = characterFromGltf(await new GLTFLoader().loadAsync('soldier.glb'), { name: 'soldier' });
 */
export function characterFromGltf(source: ThreeSource, options: CharacterFromGltfOptions = {}): Character {
  const { read, name, unreadClips } = choose(source, options);
  const model = { ...modelFromThree(read, { ...options, name }), unreadClips };
  return characterFromModel(model, { ...options, clips: () => true });
}

/**
 * `characterFromGltf` without blocking the page: what three has loaded is read in slices of 5 ms, and packed in a worker, as
 * `packCharacterAsync` does. Do not change the scene until the promise is resolved.
 *
 * @throws ManipleError as `characterFromGltf` and `packCharacterAsync`; the reason of an aborted signal
 * @example const soldier = await characterFromGltfAsync(gltf, { controller, onProgress: ({ done, total }) => show(done / total) });
 */
export async function characterFromGltfAsync(
  source: ThreeSource,
  options: CharacterFromGltfAsyncOptions = {},
): Promise<Character> {
  const { read, name, unreadClips } = choose(source, options);
  const { model } = await inSlices(readThree(read, { ...options, name }), options.signal);
  return characterFromModelAsync({ ...model, unreadClips }, { ...options, clips: () => true });
}

/** Packs a model that `modelFromThree` has made, with whatever was done to it since; see `characterFromGltf`. */
export function characterFromModel(model: CharacterModel, options: PackOptions = {}): Character {
  return remembered(packCharacter(model, options), model);
}

/** The same in a worker; see `packCharacterAsync`. */
export async function characterFromModelAsync(
  model: CharacterModel,
  options: PackAsyncOptions = {},
): Promise<Character> {
  return remembered(await packCharacterAsync(model, options), model);
}

/** Clips that are not packed are not read either. */
function choose(source: ThreeSource, options: CharacterFromGltfOptions) {
  checkPackOptions(options);
  const { scene, animations } = readSource(source);
  const clips = animations.map((clip) => clip.name);
  const name = options.name ?? sourceName(source, scene);
  if (clips.length === 0 && 'isObject3D' in source && Array.isArray(options.clips) && options.clips.length > 0) {
    const message = `The option \`clips\` names ${quoted(options.clips[0])}, and the object has no clips.`;
    fail('CLIP_NOT_FOUND', name, message, 'Pass what GLTFLoader loaded, which has them, not its scene.');
  }
  const chosen = chooseClips(clips, options, name);
  const read = { scene, animations: chosen.map((index) => animations[index]!) };
  return { read, name, unreadClips: namesOfOthers(clips, chosen) };
}

/** The character, which remembers three's geometries and materials. */
function remembered(character: Character, model: CharacterModel): Character {
  character.primitives.forEach((primitive, index) => {
    const source = sourceOfMesh.get(model.meshes[index]!);
    if (source) sourceGeometries.set(primitive, source);
  });
  return character;
}
