import { describe, expect, it } from 'vitest';
import { isBaked, readBaked, writeBaked } from '../../src/character/file/index.ts';
import { full, runSeed } from '../support/setup.ts';
import { refusalOf, reseal, viewOf } from './damage.ts';
import { moteCharacter } from './mote.ts';
import { largeCharacter } from './random-characters.ts';

describe('files that lack their end, or go on after it', () => {
  const small = writeBaked(moteCharacter());
  const large = writeBaked(largeCharacter(7, 1000));

  it('refuses every shorter length of a small file', () => {
    for (let length = 0; length < small.length; length++) {
      expect(refusalOf(small.slice(0, length)).code, `${length} bytes`).toBe('BAKED_TRUNCATED');
    }
  });

  it(`refuses shorter lengths of a large file`, () => {
    expect(large.length).toBeGreaterThan(100_000);
    const step = full ? 1 : 61;
    for (let length = runSeed % step; length < large.length; length += step) {
      expect(refusalOf(large.subarray(0, length)).code, `${length} bytes`).toBe('BAKED_TRUNCATED');
    }
  });

  it('refuses every shorter length with a header that claims the whole', () => {
    const step = full ? 1 : 7;
    for (let length = 32 + (runSeed % step); length < small.length; length += step) {
      const cut = small.slice(0, length);
      viewOf(cut).setUint32(12, length, true);
      expect(['BAKED_TRUNCATED', 'BAKED_CORRUPT']).toContain(refusalOf(reseal(cut)).code);
    }
  });

  it.each([1, 3, 16, 4096])('refuses %i bytes too many', (extra) => {
    for (const byte of [0, 0x5a]) {
      const longer = new Uint8Array(small.length + extra).fill(byte);
      longer.set(small);
      expect(refusalOf(longer).code).toBe('BAKED_CORRUPT');
      viewOf(longer).setUint32(12, longer.length, true);
      expect(refusalOf(reseal(longer)).code).toBe('BAKED_CORRUPT');
    }
  });

  it('says what else a file is', () => {
    const refusal = (bytes: Uint8Array) => {
      expect(isBaked(bytes)).toBe(false);
      return refusalOf(bytes);
    };
    const ascii = (text: string) => new TextEncoder().encode(text);
    expect(refusal(ascii('<!doctype html><title>404</title>')).code).toBe('BAKED_NOT_MANIPLE');
    expect(refusal(new Uint8Array(100_000)).code).toBe('BAKED_NOT_MANIPLE');
    expect(refusal(ascii('glTF\u0002\0\0\0')).message).toContain('GLB');
    expect(refusal(new Uint8Array()).message).toContain('empty');
    const asText = Uint8Array.from([...small].flatMap((byte) => (byte === 0x0d ? [] : [byte])));
    expect(refusal(asText)).toMatchObject({ code: 'BAKED_CORRUPT' });
  });

  it('names the file in what it says', () => {
    expect(() => readBaked(small.subarray(0, 100), 'knight.maniple')).toThrow(/at knight\.maniple:header\+100: /);
  });
});
