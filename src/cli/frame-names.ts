import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../errors.ts';

/** A number in a name: `%d`, or `%04d` for four digits and more. */
const NUMBER = /%(?:0([1-9]))?d/;

/** Where the pictures of a sequence go: a pattern as it is; else a folder with the file's name, and numbers in it. */
export function framePattern(out: string): string {
  const { dir, base, name, ext } = path.parse(out);
  return NUMBER.test(base) ? out : path.join(dir, name, `%04d${ext || '.png'}`);
}

/** The name of a frame, from 1. */
export function frameName(pattern: string, number: number): string {
  const { dir, base } = path.parse(pattern);
  const name = base.replace(NUMBER, (_, digits: string | undefined) =>
    String(number).padStart(Number(digits ?? 1), '0'),
  );
  return path.join(dir, name);
}

/**
 * All files of a pattern, from 1 to `frames`; without a count, to the last that exists.
 * @throws ManipleError USAGE (no pattern, more frames than said), FILE_NOT_FOUND (none; some that are missing, by their
 *   numbers)
 */
export async function findFrames(pattern: string, frames?: number): Promise<readonly string[]> {
  if (!NUMBER.test(path.basename(pattern))) {
    fail('USAGE', pattern, 'The file name has no number.', 'Name frames as render writes them: out/battle/%04d.png.');
  }
  const numbers = (await frameNumbers(pattern)).sort((a, b) => a - b);
  if (numbers.length === 0)
    fail('FILE_NOT_FOUND', pattern, 'No file has such a name.', 'Check the path; frames count from 1.');
  const count = frames ?? numbers.at(-1)!;
  if (numbers.at(-1)! > count) {
    const message = `The sequence has ${frameName(pattern, numbers.at(-1)!)}, and ${count} frames are asked for.`;
    fail('USAGE', '--frames', message, 'Correct the count, or remove the frames after it.');
  }
  const gaps = gapsIn(numbers, count);
  if (gaps.length > 0) {
    const message = `${count - numbers.length} of ${count} frames are missing: ${gapText(gaps)}.`;
    const suggestion = 'Run the shards that draw them again; `maniple render --resume` draws only what is missing.';
    fail('FILE_NOT_FOUND', frameName(pattern, gaps[0]!.first), message, suggestion);
  }
  return numbers.map((number) => frameName(pattern, number));
}

/** Missing numbers between 1 and `count`, those that follow one another in one gap. */
function gapsIn(rising: readonly number[], count: number): { readonly first: number; readonly last: number }[] {
  return [...rising, count + 1].flatMap((number, i) => {
    const first = (rising[i - 1] ?? 0) + 1;
    return first < number ? [{ first, last: number - 1 }] : [];
  });
}

/** Gaps that are named. */
const MOST_GAPS = 8;

/** `3, 7 to 9, 12 and more` */
function gapText(gaps: ReturnType<typeof gapsIn>): string {
  const named = gaps
    .slice(0, MOST_GAPS)
    .map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
  return `${named.join(', ')}${gaps.length > MOST_GAPS ? ' and more' : ''}`;
}

/**
 * Checks that no frame of a longer, earlier sequence would remain. A video would show both.
 * @returns The numbers of the frames that are there, in any order.
 * @throws ManipleError USAGE
 */
export async function refuseLeftFrames(pattern: string, frames: number): Promise<readonly number[]> {
  const existing = await frameNumbers(pattern);
  const left = existing.filter((number) => number > frames);
  if (left.length === 0) return existing;
  const first = frameName(
    pattern,
    left.reduce((least, number) => Math.min(least, number)),
  );
  const [what, others] = left.length === 1 ? ['frame', ''] : ['frames', ` and ${left.length - 1} more`];
  const message = `${frames} frames are asked for, and a longer sequence has left ${first}${others}.`;
  return fail('USAGE', '--frames', message, `Remove the ${what} after ${frames}, or name another --out.`);
}

/** The numbers of the files of a pattern, in any order. */
async function frameNumbers(pattern: string): Promise<number[]> {
  const { dir, base } = path.parse(pattern);
  const [before, after] = base.split(NUMBER.exec(base)![0]) as [string, string];
  const names = await readdir(dir || '.').catch(() => []);
  return names.flatMap((name) => {
    const number = Number(name.slice(before.length, name.length - after.length));
    return number > 0 && path.basename(frameName(pattern, number)) === name ? [number] : [];
  });
}
