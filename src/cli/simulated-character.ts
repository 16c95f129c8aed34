import type { Character } from '../character/character.ts';
import type { CharacterModel } from '../character/model.ts';
import { packCharacter, type PackOptions } from '../character/pack/index.ts';
import { withController } from '../character/bind-controller.ts';
import { type Issue, warning } from '../errors.ts';
import { findHumanoid } from '../humanoid/index.ts';
import { clipsByFacts, standIn, TOLERANT, withoutMasks } from './stand-in.ts';
import { boundTo, type FoundClip, unbound } from './load-clips.ts';
import type { OpenedController } from './load-controller.ts';
import { openFile, packOpened, type Opened } from './load.ts';

/**
 * The character of a file, with a controller and its clips. Without a file it is a fallback.
 *
 * @param issues What the clips leave to be said is added; what the character does stays with it.
 * @throws ManipleError as `openFile`, `packCharacter`, `withController`
 */
export async function simulatedCharacter(
  { model, clips }: OpenedController,
  { character: file, errorBudget }: { readonly character?: string; readonly errorBudget?: number | undefined },
  issues: Issue[],
): Promise<Character> {
  if (file === undefined) {
    const known = [...clips.map(unbound), ...clipsByFacts(model, clips)];
    return packCharacter(standIn(known), { controller: withoutMasks(model), ...TOLERANT });
  }
  return controlledCharacter({ model, clips }, await openFile(file), { errorBudget }, issues);
}

/** The character of an opened file, with a controller and the clips that it plays. @param issues As above. @throws as above */
export async function controlledCharacter(
  { model, clips }: Pick<OpenedController, 'model' | 'clips'>,
  opened: Opened,
  { errorBudget, ...rest }: Pick<PackOptions, 'onProgress'> & { readonly errorBudget: number | undefined },
  issues: Issue[],
): Promise<Character> {
  if (opened.kind === 'baked') {
    issues.push(...clips.flatMap(rootLeftOut));
    return withController(await packOpened(opened, { errorBudget }), model, TOLERANT);
  }
  const bound = clips.map((clip) => boundTo(clip, opened.model));
  issues.push(...bound.flatMap((clip) => clip.issues));
  // the first of a name is taken: what the map says wins over the character's own
  const whole = { ...withBones(opened.model), clips: [...bound.map(({ clip }) => clip), ...opened.model.clips] };
  return packOpened({ ...opened, model: whole }, { ...rest, ...TOLERANT, errorBudget, controller: model });
}

/** The model with the bones that are found, for masks of body parts. */
function withBones(model: CharacterModel): CharacterModel {
  const { map, confidence } = findHumanoid(model);
  return confidence > 0 ? { ...model, humanoid: map } : model;
}

/** A baked character takes no further clips: their lengths and events are known, their motion is not. */
function rootLeftOut({ name, source }: FoundClip): Issue[] {
  if (!source.clip.root) return [];
  const suggestion = 'Pass the glTF that the character was baked from.';
  const message = 'The root motion is left out: a baked character takes no further clips.';
  return [warning('CONTROLLER_SIMPLIFIED', `clips/${name}`, message, suggestion)];
}
