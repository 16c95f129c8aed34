import { describe, expect, it } from 'vitest';
import { writeBaked } from '../../src/character/file/index.ts';
import { Random } from '../support/random.ts';
import { full, runSeed } from '../support/setup.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { reseal, sectionPlaces, tryRead } from './damage.ts';
import { strayFetches } from './kernel-fetches.ts';
import { moteCharacter, patchedMote } from './mote.ts';
import { playAll } from './play.ts';
import { randomCases } from './random-characters.ts';

const ROUNDS = full ? 4000 : 120;
const TIME_LIMIT_MS = 2000;
/** Poses of finite but absurd numbers may overflow; this is where absurd begins, see FORMAT.md. */
const ABSURD = 2 ** 20;

/** Words that break readers. */
const NASTY = [0, 1, 2, 3, 4, 7, 8, 0x7f, 0xff, 0x100, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
const NASTY_FLOATS = [Number.NaN, Infinity, -Infinity, 1e38, -1e38, 1e-40, 2 ** 60, -0];

/** Changes a few bytes or words of one section; returns the words that were touched. */
function mutate(file: Uint8Array, random: Random): number[] {
  const { offset, length } = random.pick(sectionPlaces(file).filter((section) => section.length >= 8));
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const touched: number[] = [];
  for (let i = random.integer(1, 6); i > 0; i--) {
    const at = offset + 4 * random.integer(0, Math.floor(length / 4) - 1);
    const kind = random.next();
    if (kind < 0.3) file[at + random.integer(0, 3)]! ^= 1 << random.integer(0, 7);
    else if (kind < 0.5) view.setUint32(at, random.pick(NASTY), true);
    else if (kind < 0.6) view.setFloat32(at, random.pick(NASTY_FLOATS), true);
    else if (kind < 0.7) view.setUint32(at, random.integer(0, 0xffffffff), true);
    else if (kind < 0.85) view.setUint32(at, view.getUint32(at, true) + random.integer(-4, 4), true);
    // another word of the section: places, counts and numbers that fit somewhere else
    else view.setUint32(at, view.getUint32(offset + 4 * random.integer(0, Math.floor(length / 4) - 1), true), true);
    touched.push(at);
  }
  return touched;
}

describe('damaged files with right checksums', () => {
  const [, , , , mixed, exact, , morphs] = randomCases(100);
  const files = [
    ['mote', () => moteCharacter()],
    ['patched mote', () => patchedMote()],
    ['mixed', () => mixed!.make()],
    ['exact', () => exact!.make()],
    ['morphs', () => morphs!.make()],
  ] as const;

  it.each(files)('%s is refused with codes, or plays', { timeout: 1_200_000 }, async (name, make) => {
    const file = writeBaked(make());
    const random = new Random(runSeed);
    let [accepted, overflowed] = [0, 0];
    // larger files take longer to play
    const rounds = name.endsWith('mote') ? ROUNDS : Math.ceil(ROUNDS / 5);
    for (let round = 0; round < rounds; round++) {
      const damaged = file.slice();
      const touched = mutate(damaged, random);
      const elapsed = stopwatch();
      const { character } = tryRead(reseal(damaged));
      expect(elapsed(), `round ${round}`).toBeLessThan(TIME_LIMIT_MS);
      if (!character) continue;
      accepted++;
      expect(strayFetches(character), `round ${round}`).toEqual([]);
      if (await playAll(character, 3)) continue;
      overflowed++;
      const view = new DataView(damaged.buffer);
      const numbers = touched.map((at) => Math.abs(view.getFloat32(at, true)));
      expect(Math.max(...numbers), `round ${round} gave NaN from sane numbers`).toBeGreaterThan(ABSURD);
    }
    expect(accepted).toBeGreaterThan(rounds / 50);
    expect(overflowed).toBeLessThan(rounds / 50);
  });

  it('noise after the magic is refused', () => {
    const random = new Random(runSeed);
    const file = writeBaked(moteCharacter());
    for (let round = 0; round < ROUNDS * 4; round++) {
      const noise = Uint8Array.from({ length: random.integer(8, 400) }, () => random.integer(0, 255));
      // each round believes one field more of the header
      noise.set(file.subarray(0, Math.min(noise.length, random.pick([8, 12, 16, 20, 24, 32, 128]))));
      expect(tryRead(round % 2 === 0 || noise.length < 32 ? noise : reseal(noise)).error).toBeDefined();
    }
  });
});
