import { describe, expect, it } from 'vitest';
import { writeBaked } from '../../src/character/file/index.ts';
import { CharacterType, ClipHeader } from '../../src/character/format/rig-layout.ts';
import { full, runSeed } from '../support/setup.ts';
import {
  ENTRY_BYTES,
  HEADER_BYTES,
  refusalOf,
  reseal,
  sectionPlace,
  sectionPlaces,
  tryRead,
  viewOf,
} from './damage.ts';
import { strayFetches } from './kernel-fetches.ts';
import { moteCharacter } from './mote.ts';
import { playAll } from './play.ts';

const file = writeBaked(moteCharacter());
/** All bits, the sign, the lowest, and two between. */
const FLIPS = [0xff, 0x80, 0x01, 0x40, 0x08];
/** So many of them, others at each byte and in each run. */
const flips = (at: number, count: number) =>
  Array.from({ length: count }, (_, i) => FLIPS[(at + runSeed + i) % FLIPS.length]!);

function flipped(at: number, bits: number): Uint8Array {
  const copy = file.slice();
  copy[at]! ^= bits;
  return copy;
}

describe('one damaged byte', () => {
  it('is found wherever it is', () => {
    const step = full ? 1 : 3;
    for (let at = runSeed % step; at < file.length; at += step) {
      for (const bits of flips(at, full ? FLIPS.length : 1)) {
        const { code } = refusalOf(flipped(at, bits));
        const expected =
          at < 8 ? ['BAKED_NOT_MANIPLE', 'BAKED_CORRUPT'] : ['BAKED_CORRUPT', 'BAKED_VERSION', 'BAKED_TRUNCATED'];
        expect(expected, `byte ${at}, bits ${bits}`).toContain(code);
      }
    }
  });

  it('is found or does no harm when all checksums are made right again', { timeout: 600_000 }, async () => {
    const step = full ? 1 : 113;
    let accepted = 0;
    for (let at = 8 + (runSeed % step); at < file.length; at += step) {
      for (const bits of flips(Math.floor(at / step), full ? 2 : 1)) {
        const { character } = tryRead(reseal(flipped(at, bits)));
        if (!character) continue;
        accepted++;
        expect(strayFetches(character), `byte ${at}, bits ${bits}`).toEqual([]);
        expect(await playAll(character), `byte ${at}, bits ${bits}`).toBe(true);
      }
    }
    // a sixth of the file is names, and most of the rest positions and packed numbers: any bits will do there
    expect(accepted).toBeGreaterThan(file.length / step / 10);
  });

  it('is found in every word of the rig that says where something is, or how much', () => {
    const rig = sectionPlace(file, 'RIG ').offset;
    const clip = rig + 16 * viewOf(file).getUint32(rig + CharacterType.offsets.clipRow, true) + ClipHeader.size;
    // "Bounce" has cubics but no constants; other units are other numbers, but no less sound
    const aside = /constantPair|Unit/;
    const words = [
      ...Object.values(CharacterType.offsets).map((offset) => rig + offset),
      ...Object.entries(ClipHeader.offsets).flatMap(([key, offset]) => (aside.test(key) ? [] : [clip + offset])),
    ];
    for (const word of words) {
      for (let byte = word; byte < word + 4; byte++) {
        expect(refusalOf(reseal(flipped(byte, 0x20))).code, `byte ${byte - rig} of the rig`).toBe('BAKED_CORRUPT');
      }
    }
  });
});

describe('sections', () => {
  const places = sectionPlaces(file);
  const entry = (index: number) => HEADER_BYTES + index * ENTRY_BYTES;

  it('of unknown kinds are skipped, missing ones refused', () => {
    places.forEach(({ kind }, index) => {
      const copy = file.slice();
      copy.set([0x4e, 0x45, 0x57, 0x21], entry(index));
      expect(refusalOf(reseal(copy)).message).toContain(
        kind === 'IMAG' ? '0 image sections' : kind.startsWith('LOD') ? `0 ${kind}` : `0 sections of kind "${kind}"`,
      );
    });
    const image = places.findIndex(({ kind }) => kind === 'IMAG');
    const json = new TextDecoder().decode(file.subarray(places[0]!.offset, places[0]!.offset + places[0]!.length));
    // the image becomes something unknown; the description loses image and textures without getting shorter
    const without = json
      .replace(/"images":\[[^\]]*\]/, (all) => `"images":[]${' '.repeat(all.length - 11)}`)
      .replace(/"\w+Texture":\{[^}]*\}/g, (all) => `"ignored":0${' '.repeat(all.length - 11)}`);
    const copy = file.slice();
    copy.set(new TextEncoder().encode(without), places[0]!.offset);
    copy.set([0x4e, 0x45, 0x57, 0x21], entry(image));
    expect(tryRead(reseal(copy)).character?.images).toEqual([]);
  });

  it('may be in any order, but each only once', () => {
    const swapped = file.slice();
    // two kinds of the same length would do; here the table is made to call the rig a second description
    swapped.set(file.subarray(entry(0), entry(0) + 4), entry(1));
    expect(refusalOf(reseal(swapped)).issues.map(({ message }) => message)).toEqual([
      '2 sections of kind "JSON"; one is needed.',
      '0 sections of kind "RIG "; one is needed.',
    ]);
  });

  it('may not overlap, leave gaps, or reach outside', () => {
    const shifted = (index: number, field: 4 | 8, by: number) => {
      const copy = file.slice();
      const view = viewOf(copy);
      view.setUint32(entry(index) + field, view.getUint32(entry(index) + field, true) + by, true);
      return copy;
    };
    for (let index = 0; index < places.length; index++) {
      for (const by of [-16, 16, 4, 2 ** 31]) {
        expect(refusalOf(reseal(shifted(index, 4, by))).code).toBe('BAKED_CORRUPT');
        expect(refusalOf(reseal(shifted(index, 8, by))).code).toBe('BAKED_CORRUPT');
      }
    }
  });
});
