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
  if (!NUMBER.test(path.basename(pattern))) {
    fail('USAGE', pattern, 'has no number in its name.', 'Name frames as render writes them: out/battle/%04d.png.');
  }
  const numbers = await frameNumbers(pattern);
  const last = numbers.reduce((most, number) => Math.max(most, number), 0);
  const frames = Array.from({ length: last }, (_, i) => i + 1);
  if (last === 0) fail('FILE_NOT_FOUND', pattern, 'fits no file.', 'Check the path; frames count from 1.');
  const there = new Set(numbers);
  const missing = frames.find((number) => !there.has(number));
  if (missing !== undefined) {
    const suggestion = 'Draw the whole sequence first, all of its shards.';
    fail('FILE_NOT_FOUND', frameName(pattern, missing), 'there is no such frame.', suggestion);
  }
  return frames.map((number) => frameName(pattern, number));
}

/**
 * Checks that no frame of a longer sequence is left beside those that are about to be drawn: a video would show both.
 * @throws ManipleError USAGE
 */
export async function refuseLeftFrames(pattern: string, frames: number): Promise<void> {
  const left = (await frameNumbers(pattern)).filter((number) => number > frames);
  if (left.length === 0) return;
  const first = frameName(
    pattern,
    left.reduce((least, number) => Math.min(least, number)),
  );
  const [what, others] = left.length === 1 ? ['frame', ''] : ['frames', ` and ${left.length - 1} more`];
  const message = `${frames} frames are asked for, and a longer sequence has left ${first}${others}.`;
  fail('USAGE', '--frames', message, `Remove the ${what} after ${frames}, or name another --out.`);
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
