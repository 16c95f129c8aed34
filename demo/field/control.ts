import type { ControllerModel } from '../../src/asset/index.ts';
import { TOLERANT } from '../../src/cli/controller-clips.ts';
import { type Character, type Issue, withController } from '../../src/index.ts';

/** A character that runs a controller, and what was found on the way. */
export interface ControlledCharacter {
  readonly character: Character;
  /** Of the clips that the controller names, those that the character has. */
  readonly boundClips: number;
  readonly clips: number;
  readonly issues: readonly Issue[];
}

/**
 * The first of some characters that has clips which a controller names; if none has, the first one, which then rests while
 * its machine runs. @throws ManipleError CONTROLLER_…
 */
export function controlled(controller: ControllerModel, candidates: readonly Character[]): ControlledCharacter {
  const tried = candidates.map((base): ControlledCharacter => {
    const character = withController(base, controller, TOLERANT);
    const names = new Set(base.clips.map(({ name }) => name));
    const { clips } = character.controller!;
    const boundClips = clips.filter(({ reference }) => names.has(reference)).length;
    return { character, boundClips, clips: clips.length, issues: character.issues.slice(base.issues.length) };
  });
  return tried.reduce((best, next) => (next.boundClips > best.boundClips ? next : best));
}
