import type { ControllerModel } from '../../src/controller/index.ts';
import { TOLERANT } from '../../src/cli/stand-in.ts';
import { type Character, type Issue, withController } from '../../src/index.ts';

/** A character that runs a controller, and counts of its clips. */
export interface ControlledCharacter {
  readonly character: Character;
  /** Number of clips that the controller names and the character has. */
  readonly boundClips: number;
  readonly clips: number;
  readonly issues: readonly Issue[];
}

/**
 * Returns the first candidate with a clip that the controller names. If no candidate has one, returns the first candidate,
 * which keeps its rest pose while its machine runs. @throws ManipleError CONTROLLER_…
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
