import { nameIndex } from '../character/names.ts';
import { fail, quoted } from '../errors.ts';
import type { Opened } from './load.ts';

/** Names of the clips of a file, in its order. */
export function clipNames(opened: Opened): readonly string[] {
  return (opened.kind === 'baked' ? opened.character : opened.model).clips.map(({ name }) => name);
}

/**
 * Index of a clip by its exact name, else by its index in file order, else by its name as three.js writes it.
 * @param place Prefix of the path of errors. @throws ManipleError CLIP_AMBIGUOUS, CLIP_NOT_FOUND with the names that there are
 */
export function findClip(names: readonly string[], clip: string, place = ''): number {
  const named = names.flatMap((name, index) => (name === clip ? [index] : []));
  if (named.length === 1) return named[0]!;
  if (named.length > 1) {
    fail(
      'CLIP_AMBIGUOUS',
      `${place}${clip}`,
      `${named.length} clips have this name.`,
      `Use an index: ${named.join(', ')}.`,
    );
  }
  const index = /^\d+$/.test(clip) ? Number(clip) : -1;
  if (index >= 0 && index < names.length) return index;
  const spelled = nameIndex(names, clip);
  if (spelled >= 0) return spelled;
  return fail(
    'CLIP_NOT_FOUND',
    `${place}${clip}`,
    'The file has no such clip.',
    names.length > 0 ? `It has ${names.map((name, i) => `${i} ${quoted(name)}`).join(', ')}.` : 'It has none.',
  );
}
