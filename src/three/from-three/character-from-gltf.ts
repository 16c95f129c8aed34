import type { Character } from '../../asset/character.ts';
import type { CharacterModel } from '../../asset/model.ts';
import { chooseClips, packCharacter, type PackOptions } from '../../asset/pack/index.ts';
import { sourceGeometries } from '../source-geometries.ts';
import type { ThreeSource } from './kinds.ts';
import { sourceOfMesh } from './meshes.ts';
import { modelFromThree, type ModelOptions } from './model-from-three.ts';

/** How to make a character of what three has loaded. */
export interface CharacterFromGltfOptions extends PackOptions, ModelOptions {}

/**
 * Makes a character of what three has loaded: a GLTF of GLTFLoader, or any object with clips (FBXLoader's, say). It remembers
 * three's materials and geometries, for a `ManipleCrowd` to draw it with; its vertices are, to 0.1 mm, those that three shows.
 *
 * Where the root stands is left out (crowds place characters), and how it is posed now is how it rests.
 *
 * Clips that are not packed are not read either: with a `controller` those that it does not name.
 *
 * Cost: as `packCharacter`, tens of milliseconds for each clip that is packed.
 *
 * @throws ManipleError as `modelFromThree` and `packCharacter`
 * @example const soldier = characterFromGltf(await new GLTFLoader().loadAsync('soldier.glb'));
 */
export function characterFromGltf(source: ThreeSource, options: CharacterFromGltfOptions = {}): Character {
  const { scene, animations = [] } = source;
  const names = animations.map(({ name }) => name);
  const chosen = chooseClips(names, options, options.name ?? scene.name);
  // no others are read
  const model = modelFromThree({ scene, animations: chosen.map((index) => animations[index]!) }, options);
  const character = characterFromModel(model, { ...options, clips: () => true });
  const unpackedClips = names.filter((_, index) => !chosen.includes(index));
  return unpackedClips.length > 0 ? { ...character, unpackedClips } : character;
}

/** Packs a model that `modelFromThree` has made, with whatever was done to it since; see `characterFromGltf`. */
export function characterFromModel(model: CharacterModel, options: PackOptions = {}): Character {
  const character = packCharacter(model, options);
  character.primitives.forEach((primitive, index) => {
    const source = sourceOfMesh.get(model.meshes[index]!);
    if (source) sourceGeometries.set(primitive, source);
  });
  return character;
}
