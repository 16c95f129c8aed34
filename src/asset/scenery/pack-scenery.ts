import type { Character } from '../character.ts';
import type { CharacterModel } from '../model.ts';
import { packCharacter } from '../pack/index.ts';
import { restModel } from './rest-model.ts';

/**
 * Packs a model that stands still, as it is at rest: a character without clips that no joint moves. All of its meshes are in the
 * standard layout, so that its position rows are what draws read of a skinned character.
 *
 * @throws ManipleError CHARACTER_TOO_LARGE, and whatever else `packCharacter` finds in the model
 * @example const rock = packScenery(await importGltf({ name: 'rock', bytes, resolve }));
 */
export function packScenery(model: CharacterModel): Character {
  return packCharacter(restModel(model), { vertexFormat: 'standard' });
}
