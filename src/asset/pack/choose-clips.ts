import { error, fail, listed, ManipleError, quoted } from '../../errors.ts';
import { neededClips } from '../controller/references.ts';
import type { PackOptions } from './options.ts';

/**
 * Indices of the clips to pack: those that are selected, then those that the controller needs besides. Without a selection
 * all, or those that the controller needs.
 *
 * @param names Of all clips that there are.
 * @param path Name of the model, for errors.
 * @throws ManipleError CLIP_NOT_FOUND, an issue for each name or index that is not there
 */
export function chooseClips(
  names: readonly string[],
  { clips, controller }: Pick<PackOptions, 'clips' | 'controller'>,
  path: string,
): number[] {
  const needed = controller && neededClips(controller);
  const isNeeded = (name: string, index: number): boolean => needed!.has(name) && names.indexOf(name) === index;
  const indicesOf = (isChosen: (name: string, index: number) => boolean): number[] =>
    names.flatMap((name, index) => (isChosen(name, index) ? [index] : []));
  if (clips === undefined) return indicesOf(needed ? isNeeded : () => true);
  if (typeof clips !== 'function' && !Array.isArray(clips)) {
    const message = `\`clips\` is ${quoted(clips)}. Expected a list of names and indices, or a function.`;
    fail('USAGE', path, message);
  }
  const selected = typeof clips === 'function' ? indicesOf(clips) : clips.map((clip) => indexOf(names, clip));
  const missing = selected.flatMap((index, i) => (index < 0 ? [(clips as readonly (string | number)[])[i]!] : []));
  if (missing.length > 0) {
    const suggestion = `It has ${names.length}: ${listed(names)}`;
    const issues = missing.map((clip) =>
      error('CLIP_NOT_FOUND', path, `\`clips\` names ${quoted(clip)}, which the model lacks.`, suggestion),
    );
    throw new ManipleError(issues);
  }
  const added = needed ? indicesOf(isNeeded).filter((index) => !selected.includes(index)) : [];
  return [...selected, ...added];
}

/** −1: there is none. */
function indexOf(names: readonly string[], clip: string | number): number {
  if (typeof clip === 'string') return names.indexOf(clip);
  return clip in names ? clip : -1;
}
