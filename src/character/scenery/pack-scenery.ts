import type { Character } from '../character.ts';
import type { CharacterModel } from '../model.ts';
import { packCharacter } from '../pack/index.ts';
import { restModel } from './rest-model.ts';

/**
 * Packs a static model in its rest pose: a character without clips, with one joint that moves no vertex. All of its
 * meshes are in the standard layout, so its position rows have the same form that draws read for a skinned character.
 *
 * @throws ManipleError CHARACTER_TOO_LARGE, and other errors of `packCharacter`
 * @example const rock = packScenery(await importGltf({ name: 'rock', bytes, resolve }));
 */
export function packScenery(model: CharacterModel): Character {
  return packCharacter(restModel(model), { vertexFormat: 'standard' });
}
