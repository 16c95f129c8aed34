import { fail, type IssueCode, listed, quoted, shortened } from '../errors.ts';

export type Named = string | { readonly name: string };

/** By list: the index of each name in three.js's spelling; −1 if several names have the same spelling. */
const threeNames = new WeakMap<readonly Named[], ReadonlyMap<string, number>>();

/** A name as GLTFLoader writes it: underscores for spaces, and no characters that have a meaning in names of tracks. */
export function threeName(name: string): string {
  return name.replace(/\s/g, '_').replace(/[[\].:/]/g, '');
}

/**
 * Index of the first entry with a name, spelled as in its file or as three.js writes it: `hand.r` and `handr` are the
 * same. The exact spelling wins. −1 if no name matches, or if several do.
 *
 * @param list Cached with its names in three's spelling: pass the same list again, and do not change it.
 */
export function nameIndex(list: readonly Named[], name: string): number {
  const exact = list.findIndex((entry) => nameOf(entry) === name);
  if (exact >= 0 || typeof name !== 'string') return exact;
  let known = threeNames.get(list);
  if (!known) threeNames.set(list, (known = indexByThreeName(list)));
  return known.get(threeName(name)) ?? -1;
}

/** Index of a joint, by its name in either spelling or by its index. @throws ManipleError of that code, with the nearest names */
export function findJoint(
  { name, joints }: { readonly name: string; readonly joints: readonly { readonly name: string }[] },
  joint: string | number,
  code: IssueCode = 'CROWD_BAD_ARGUMENT',
): number {
  const index = typeof joint === 'number' ? joint : nameIndex(joints, joint);
  if (joints[index]) return index;
  const { length } = joints;
  const suggestion =
    typeof joint === 'number'
      ? `Its joints are 0 to ${length - 1}.`
      : `The nearest of its ${length} joints: ${listedByNearness(joints, joint)}.`;
  return fail(code, name, `There is no joint ${quoted(joint)}.`, suggestion);
}

/** Names for an error's suggestion, nearest to the missing name first. */
export function listedByNearness(list: readonly Named[], name: unknown): string {
  const wanted = typeof name === 'string' ? comparable(name) : '';
  // shortened first: sets compare long texts of the same length with each other
  const names = [...new Set(list.map((entry) => shortened(nameOf(entry))))].filter((known) => known !== '');
  const far = new Map(names.map((known) => [known, distance(wanted, comparable(known))]));
  return listed(names.sort((a, b) => far.get(a)! - far.get(b)!));
}

function indexByThreeName(list: readonly Named[]): Map<string, number> {
  const indices = new Map<string, number>();
  list.forEach((entry, index) => {
    const name = threeName(nameOf(entry));
    const known = indices.get(name);
    if (known === undefined) indices.set(name, index);
    else if (known >= 0 && nameOf(list[known]!) !== nameOf(entry)) indices.set(name, -1);
  });
  return indices;
}

function nameOf(entry: Named): string {
  return typeof entry === 'string' ? entry : entry.name;
}

/** Normalises a name, so that case and separators count for little. */
function comparable(name: string): string {
  return shortened(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Number of letters to insert, remove or replace; less than one if `b` contains `a`. */
function distance(a: string, b: string): number {
  if (a !== '' && b.includes(a)) return 1 - a.length / b.length;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
