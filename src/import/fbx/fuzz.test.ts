import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenPromises, mutateBytes, randomFrom } from '../../../test/import/model-promises.ts';
import { full, noShared, runSeed, shared } from '../../../test/support/setup.ts';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import { ManipleError } from '../../errors.ts';
import { importFbx } from './import-fbx.ts';

const ROUNDS = full ? 1_000 : 25;
const TIME_LIMIT_MS = 5_000;

const files = [
  'blender-sausage-3takes.fbx',
  'max-skin-zup.fbx',
  'maya-sausage-3takes-ascii.fbx',
  'maya-humanik-ascii.fbx',
  'cmu-91-48.fbx',
];

/** Refused with codes, or sound. Returns the code, if it is refused. */
async function outcomeOf(bytes: Uint8Array, what: string): Promise<string | undefined> {
  const elapsed = stopwatch();
  try {
    const broken = brokenPromises(await importFbx(bytes));
    expect(broken, what).toEqual([]);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ManipleError)) throw new Error(what, { cause: thrown });
    expect(thrown.issues.length).toBeGreaterThan(0);
    // a reader that broke on something that no check had found
    const unforeseen = thrown.issues.find(
      ({ code, message }) => code === 'INTERNAL' || /could not be read/.test(message),
    );
    expect(unforeseen, what).toBeUndefined();
    return thrown.code;
  } finally {
    expect(elapsed(), what).toBeLessThan(TIME_LIMIT_MS);
  }
}

/** Values that break readers, put in place of numbers in the text. */
const NASTY = ['-1', '0', '4294967295', '1e999', 'nan', '0.5', '"x"', '', '{', '}', '*5', '99999999999999999999', ';'];

function mutateText(text: string, random: () => number): string {
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  let out = text;
  for (let i = 0; i < 1 + random() * 4; i++) {
    const target = numbers[Math.floor(random() * numbers.length)]!;
    const value = NASTY[Math.floor(random() * NASTY.length)]!;
    out = out.slice(0, target.index) + value + out.slice(target.index + target[0].length);
  }
  return out;
}

describe.skipIf(noShared())('FBX files', () => {
  const read = (file: string) => new Uint8Array(readFileSync(path.join(shared, 'rigs/fbx', file)));

  it.each(files)('%s, cut off anywhere, is refused with codes', async (file) => {
    const bytes = read(file);
    const random = randomFrom(runSeed);
    for (let round = 0; round < ROUNDS; round++) {
      const length = Math.floor(random() * bytes.length);
      const code = await outcomeOf(bytes.subarray(0, length), `${length} bytes`);
      // A footer says nothing. Text may end between takes: their spans are in Objects, too.
      if (length > 0.95 * bytes.length) continue;
      expect(['FILE_TRUNCATED', 'FILE_NOT_A_MODEL', 'FBX_INVALID'], `${length} bytes`).toContain(code);
    }
  });

  it.each(files)('%s, damaged, is refused with codes or sound', async (file) => {
    const bytes = read(file);
    const isText = file.includes('ascii');
    const text = isText ? new TextDecoder().decode(bytes) : '';
    const random = randomFrom(runSeed + 1);
    let accepted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const damaged =
        isText && random() < 0.8 ? new TextEncoder().encode(mutateText(text, random)) : mutateBytes(bytes, random);
      if ((await outcomeOf(damaged, `round ${round}`)) === undefined) accepted++;
    }
    if (ROUNDS >= 1_000) expect(accepted).toBeGreaterThan(0);
  });
});
