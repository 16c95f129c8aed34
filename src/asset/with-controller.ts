import { type Issue, warning } from '../errors.ts';
import { View } from '../layout/index.ts';
import type { Character } from './character.ts';
import { compileController } from './controller/compile.ts';
import type { ControllerModel } from './controller/model.ts';
import { maskWeights } from './mask.ts';
import { CharacterType } from './rig-layout.ts';

/**
 * A packed character that runs a controller. For baked characters; `packCharacter` with `controller` does more: it packs
 * what additive layers need, mirrors motions, and knows clips' events and root motion. Here additive layers play clips
 * that were baked with a controller, and states that are mirrored play as they are.
 *
 * @throws ManipleError as `compileController`
 */
export function withController(character: Character, controller: ControllerModel): Character {
  const issues: Issue[] = [];
  const { clips, joints, rig } = character;
  const laneCount = new View(CharacterType, rig.buffer, rig.byteOffset, 1).get(0, 'laneCount');
  const indexOf = (name: string): number => clips.findIndex((clip) => clip.name === name);
  const compiled = compileController(controller, {
    resolve(reference, additive) {
      const index = indexOf(additive ? `${reference} (additive)` : reference);
      if (index < 0) return undefined;
      return { rigClip: index, length: clips[index]!.duration, loops: clips[index]!.loops };
    },
    mask(layer) {
      const { bytes, unmatched } = maskWeights(layer.mask!, joints, laneCount);
      if (unmatched.length > 0) {
        const message = `names no joint of ${character.name}: ${unmatched.slice(0, 10).join(', ')}.`;
        issues.push(warning('CONTROLLER_NAME_UNKNOWN', `${layer.name}/mask`, message));
      }
      return bytes;
    },
  });
  return { ...character, controller: compiled, issues: [...character.issues, ...issues, ...compiled.issues] };
}
