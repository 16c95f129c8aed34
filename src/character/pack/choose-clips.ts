import { error, ManipleError, quoted } from '../../errors.ts';
import { neededClips } from '../../controller/references.ts';
import { listedByNearness, nameIndex } from '../names.ts';
import { checkPackOptions, type PackOptions } from './options.ts';

/**
 * Indices of the clips to pack: the selected ones, then others that the controller needs. Without a selection: all, or
 * those that the controller needs.
 *
 * @param names Names of all clips of the model.
 * @param path Name of the model, for errors.
 * @throws ManipleError CROWD_BAD_ARGUMENT, for an invalid option; CLIP_NOT_FOUND, an issue for each missing name or
 * index
 */
export function chooseClips(names: readonly string[], options: PackOptions, path: string): number[] {
  checkPackOptions(options);
  const { clips, controller } = options;
  const indicesOf = (isChosen: (name: string, index: number) => boolean): number[] =>
    names.flatMap((name, index) => (isChosen(name, index) ? [index] : []));
  const needed = controller && new Set([...neededClips(controller)].map((name) => nameIndex(names, name)));
  if (clips === undefined) return indicesOf((_, index) => needed?.has(index) ?? true);
  const selected = typeof clips === 'function' ? indicesOf(clips) : clips.map((clip) => indexOf(names, clip));
  const missing = selected.flatMap((index, i) => (index < 0 ? [(clips as readonly (string | number)[])[i]!] : []));
  if (missing.length > 0) {
    const issues = missing.map((clip) => {
      const nearest = `The nearest of its ${names.length} clips: ${listedByNearness(names, clip)}.`;
      const message = `The option \`clips\` names ${quoted(clip)}, which the model lacks.`;
      return error('CLIP_NOT_FOUND', path, message, names.length > 0 ? nearest : 'It has no clips.');
    });
    throw new ManipleError(issues);
  }
  const added = indicesOf((_, index) => needed?.has(index) ?? false);
  return [...new Set([...selected, ...added])];
}

export function namesOfOthers(names: readonly string[], chosen: readonly number[]): string[] {
  const indices = new Set(chosen);
  return names.filter((_, index) => !indices.has(index));
}

/** Index of a clip; −1 if it is missing. */
function indexOf(names: readonly string[], clip: string | number): number {
  if (typeof clip === 'string') return nameIndex(names, clip);
  return clip in names ? clip : -1;
}
