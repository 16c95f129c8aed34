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
 * All files of a pattern, from 1 to the last that is there.
 * @throws ManipleError USAGE (no pattern), FILE_NOT_FOUND (none, or one amid them: a shard that has not run)
 */
export async function findFrames(pattern: string): Promise<readonly string[]> {
  const { dir, base } = path.parse(pattern);
  if (!NUMBER.test(base)) {
    fail('USAGE', pattern, 'has no number in its name.', 'Name frames as render writes them: out/battle/%04d.png.');
  }
  const there = new Set(await readdir(dir || '.').catch(() => []));
  const nameOf = (number: number) => path.basename(frameName(pattern, number));
  const [before, after] = base.split(NUMBER.exec(base)![0]) as [string, string];
  const last = [...there].reduce((most, name) => {
    const number = Number(name.slice(before.length, name.length - after.length));
    return number > most && nameOf(number) === name ? number : most;
  }, 0);
  const frames = Array.from({ length: last }, (_, i) => i + 1);
  if (last === 0) fail('FILE_NOT_FOUND', pattern, 'fits no file.', 'Check the path; frames count from 1.');
  const missing = frames.find((number) => !there.has(nameOf(number)));
  if (missing !== undefined) {
    const suggestion = 'Draw the whole sequence first, all of its shards.';
    fail('FILE_NOT_FOUND', frameName(pattern, missing), 'there is no such frame.', suggestion);
  }
  return frames.map((number) => frameName(pattern, number));
}
