import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isBaked, readBaked, writeBaked } from '../../src/character/file/index.ts';
import type { Character } from '../../src/character/character.ts';
import { ManipleError } from '../../src/errors.ts';
import { runSeed, sample } from '../support/setup.ts';
import { sectionPlaces } from './damage.ts';
import { strayFetches } from './kernel-fetches.ts';
import { moteCharacter } from './mote.ts';
import { poseVertices } from './play.ts';
import { randomCases } from './random-characters.ts';

/** Vitest takes minutes for tables of megabytes; it is asked only to say what differs. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

describe('baked and read again', () => {
  it.each(sample(randomCases(runSeed), 2))('$what (seed $seed)', async ({ make }) => {
    const character = make();
    const file = writeBaked(character);
    const read = readBaked(file, 'round trip');
    expectSame(read, character);
    expectSame(writeBaked(character), file);
    expectSame(writeBaked(read), file);
    const streamed = writeBaked(character, { first: [] });
    expectSame(readBaked(streamed), character);
    expectSame(writeBaked(readBaked(streamed), { first: [] }), streamed);
    expect(isBaked(file)).toBe(true);
    expect(strayFetches(read)).toEqual([]);
    const clip = character.clips.at(-1)?.name;
    expectSame(await poseVertices(read, clip, 0.3), await poseVertices(character, clip, 0.3));
  });
});

describe('a baked file', () => {
  const character = moteCharacter();
  const file = writeBaked(character);

  it('keeps everything, names of any text included', () => {
    expect(readBaked(file)).toEqual(character);
  });

  it('is the same whatever order the character keeps its fields in', () => {
    const turned = Object.fromEntries(Object.entries(character).toReversed()) as unknown as Character;
    expect(writeBaked(turned)).toEqual(file);
  });

  it('can be looked at in place: sections are aligned, tables are views', () => {
    for (const { offset } of sectionPlaces(file)) expect(offset % 16).toBe(0);
    const { rig, geometry, indices, primitives, images } = readBaked(file);
    const tables = [rig, geometry, indices, primitives[1]!.vertexOfSource, images[0]!.bytes];
    for (const table of tables) expect(table.buffer).toBe(file.buffer);
  });

  it.each([1, 2, 4, 12])('reads from any place of a larger buffer (%i bytes in)', (byteOffset) => {
    const buffer = new Uint8Array(file.length + 64);
    buffer.set(file, byteOffset);
    expect(readBaked(buffer.subarray(byteOffset, byteOffset + file.length))).toEqual(character);
  });

  it('reads from shared memory, by copying', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(file.length));
    shared.set(file);
    expect(readBaked(shared)).toEqual(character);
  });

  it('is not written when the character contradicts itself', () => {
    const stray = { ...character, indices: character.indices.map((index) => index + 100) };
    const nan = { ...character, size: Number.NaN };
    for (const broken of [stray, nan]) {
      expect(() => writeBaked(broken)).toThrow(expect.objectContaining({ code: 'BAKED_CORRUPT' }));
    }
  });

  it('is not written with more than the format has room for', () => {
    const crowded = { ...character, images: Array.from({ length: 1025 }, () => character.images[0]!) };
    const talkative = { ...character, morphNames: ['a'.repeat(2 ** 24), 'b'] };
    for (const large of [crowded, talkative]) {
      expect(() => writeBaked(large)).toThrow(expect.objectContaining({ code: 'CHARACTER_TOO_LARGE' }));
    }
  });

  it('refuses all that is wrong at once, with the place of each', () => {
    const broken = {
      ...character,
      bounds: { min: [0, 0, 0], max: [0, 'one', 0] as unknown as number[] },
      vertexCount: -1,
      clips: character.clips.map((clip) => ({ ...clip, form: 'folded' as 'linear' })),
    };
    const thrown = catchError(() => writeBaked(broken));
    expect(thrown.issues.map(({ path }) => path)).toEqual([
      'mote:json/bounds/max/1',
      'mote:json/vertexCount',
      ...character.clips.map((_, index) => `mote:json/clips/${index}/form`),
    ]);
    expect(thrown.message).toContain('Expected one of "linear", "cubic", "sampled", "exact", got "folded"');
  });
});

function catchError(run: () => unknown): ManipleError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown;
  }
  throw new Error('nothing was thrown');
}
