import type { Character } from '../../asset/character.ts';
import type { CharacterModel } from '../../asset/model.ts';
import { packCharacter, type PackOptions } from '../../asset/pack/index.ts';
import { sourceGeometries } from '../source-geometries.ts';
import { sourceOfMesh } from './meshes.ts';
import { modelFromThree, type ModelOptions } from './model-from-three.ts';
import type { ThreeSource } from './source.ts';

/** How to make a character of what three has loaded. */
export interface CharacterFromGltfOptions extends PackOptions, ModelOptions {}

/**
 * Makes a character of what three has loaded: a GLTF of GLTFLoader, an object with clips as FBXLoader's, or `{ scene, animations }`. It remembers
 * three's materials and geometries, for a `ManipleCrowd` to draw it with; its vertices are, to 0.1 mm, those that three shows.
 *
 * Where the root stands is left out (crowds place characters), and how it is posed now is how it rests.
 *
 * Cost: as `packCharacter`, tens of milliseconds for each clip.
 *
 * @throws ManipleError as `modelFromThree` and `packCharacter`
 * @example const soldier = characterFromGltf(await new GLTFLoader().loadAsync('soldier.glb'), { name: 'soldier' });
 */
export function characterFromGltf(source: ThreeSource, options: CharacterFromGltfOptions = {}): Character {
  return characterFromModel(modelFromThree(source, options), options);
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
