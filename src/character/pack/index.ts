import type { Character } from '../character.ts';
import type { CharacterModel } from '../model.ts';
import type { PackOptions } from './options.ts';
import { packSteps } from './pack-steps.ts';
import { finish } from './steps.ts';

export { chooseClips, namesOfOthers } from './choose-clips.ts';
export {
  checkPackOptions,
  type ClipSelection,
  DEFAULT_BUDGET_SHARE,
  type PackOptions,
  type PackProgress,
} from './options.ts';
export { packCharacterAsync, type PackAsyncOptions } from './pack-async.ts';
export { finish, inSlices, type Steps } from './steps.ts';
export type { ClipStats } from './pack-clip.ts';

/**
 * Packs a model into the tables that a crowd uses.
 *
 * Cost: tens of milliseconds for a typical clip; of all clips together some 5 s, unless `maxClipWork` is raised.
 * Coarser meshes of the model (those of the file, or made by `addLods` of maniple/import) are measured against the
 * finest: about a second for 7,000 triangles.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT (an invalid option), CHARACTER_NO_JOINTS, CHARACTER_TOO_MANY_JOINTS,
 * CHARACTER_MORPHS_UNMATCHED, CHARACTER_TOO_MANY_MORPHS, CHARACTER_TOO_LARGE, CHARACTER_LODS_UNMATCHED,
 * CHARACTER_CHANNELS, CHARACTER_VERTEX_FORMAT, CLIP_NOT_FOUND, CLIP_TOO_LONG; CLIP_ROOT_JOINT with `rootMotion`, and as
 * `compileController` with `controller`
 * @example const knight = packCharacter(await loadModel('knight.glb'));
 */
export function packCharacter(model: CharacterModel, options: PackOptions = {}): Character {
  return finish(packSteps(model, options));
}
