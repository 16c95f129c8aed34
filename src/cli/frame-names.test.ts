import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { ManipleError } from '../errors.ts';
import { findFrames, frameName, framePattern } from './frame-names.ts';

test.each([
  ['out/battle.png', 'out/battle/%04d.png'],
  ['battle', 'battle/%04d.png'],
  ['out/%d.png', 'out/%d.png'],
  ['out/battle-%06d.png', 'out/battle-%06d.png'],
  ['out/%d/a.png', 'out/%d/a/%04d.png'], // folders are no patterns
])('--out %s: %s', (out, pattern) => expect(framePattern(out)).toBe(path.normalize(pattern)));

test.each([
  ['out/%04d.png', 7, 'out/0007.png'],
  ['out/%04d.png', 12345, 'out/12345.png'],
  ['a-%d-b.png', 40, 'a-40-b.png'],
  ['%d/%03d.png', 1, '%d/001.png'],
])('%s, frame %i: %s', (pattern, number, name) => expect(frameName(pattern, number)).toBe(path.normalize(name)));

const folder = temporaryFolder();

test('finds frames by number, whatever else is there, and says which one is missing', async () => {
  const pattern = path.join(folder, 'f%02d.png');
  const write = (...names: string[]) => names.forEach((name) => writeFileSync(path.join(folder, name), ''));
  write('f01.png', 'f02.png', 'f10.png', 'f.png', 'f0.png', 'f3.png', 'f+4.png', 'f99.jpg', 'other.png');
  mkdirSync(path.join(folder, 'f05'));
  const missing = path.join(folder, 'f03.png');
  const message = '7 of 10 frames are missing: 3 to 9.';
  await expect(findFrames(pattern)).rejects.toMatchObject({
    issues: [{ code: 'FILE_NOT_FOUND', path: missing, message }],
  });
  write(...[3, 4, 5, 6, 7, 8, 9].map((number) => `f0${number}.png`));
  const found = await findFrames(pattern);
  expect(found).toEqual(Array.from({ length: 10 }, (_, i) => frameName(pattern, i + 1)));
});

test('refuses names without a pattern, and patterns that fit no file', async () => {
  await expect(findFrames(path.join(folder, 'f01.png'))).rejects.toMatchObject({ code: 'USAGE' });
  await expect(findFrames(path.join(folder, 'none/%d.png'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
});

test('a count has to be met: what is missing is named, and what is over', async () => {
  const pattern = path.join(folder, 'c%d.png');
  for (const number of [2, 3, 5, 9]) writeFileSync(frameName(pattern, number), '');
  const issuesOf = async (count: number) => {
    const thrown: unknown = await findFrames(pattern, count).catch((caught: unknown) => caught);
    return (thrown as ManipleError).issues[0];
  };
  expect(await issuesOf(12)).toMatchObject({
    code: 'FILE_NOT_FOUND',
    path: frameName(pattern, 1),
    message: '8 of 12 frames are missing: 1, 4, 6 to 8, 10 to 12.',
    suggestion: expect.stringContaining('--resume'),
  });
  expect(await issuesOf(8)).toMatchObject({
    code: 'USAGE',
    path: '--frames',
    message: expect.stringContaining('c9.png'),
  });
  for (const number of [1, 4, 6, 7, 8]) writeFileSync(frameName(pattern, number), '');
  expect(await findFrames(pattern, 9)).toHaveLength(9);
});

test('a number without end takes no memory, and few gaps are named', async () => {
  const pattern = path.join(folder, 'n%d.png');
  for (let number = 1; number < 40; number += 2) writeFileSync(frameName(pattern, number), '');
  writeFileSync(frameName(pattern, 999_999_999_999_999), '');
  await expect(findFrames(pattern)).rejects.toMatchObject({
    issues: [{ message: expect.stringMatching(/frames are missing: 2, 4, 6, 8, 10, 12, 14, 16 and more\.$/) }],
  });
});
