import { describe, expect, it } from 'vitest';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { weld, type WordStream } from './model-builder/weld.ts';

const stream = (words: readonly number[], width: number, elementOf?: number[]): WordStream => ({
  words: new Uint32Array(words),
  width,
  elementOf: elementOf && new Uint32Array(elementOf),
});

describe('welding', () => {
  it('finds the first vertex that is equal in every stream', () => {
    const a = stream([1, 1, 1, 2, 1, 1, 1, 2, 1, 1], 2);
    const b = stream([7, 7, 7, 7, 8], 1);
    expect([...weld(5, [a])]).toEqual([0, 1, 0, 1, 0]);
    expect([...weld(5, [a, b])]).toEqual([0, 1, 0, 1, 4]);
  });

  it('looks elements up where a stream is shared', () => {
    expect([...weld(4, [stream([5, 6], 1, [0, 1, 1, 0])])]).toEqual([0, 1, 1, 0]);
  });

  it('agrees with comparing everything', () => {
    const words = Array.from({ length: 4_000 }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 29) % 5);
    const firstOf = weld(1_000, [stream(words, 4)]);
    const keys = new Map<string, number>();
    for (let v = 0; v < 1_000; v++) {
      const key = words.slice(4 * v, 4 * v + 4).join();
      if (!keys.has(key)) keys.set(key, v);
      expect(firstOf[v]).toBe(keys.get(key));
    }
  });

  it('gives up on vertices that were made to collide, in linear time', () => {
    // the second word undoes what the first did to the hash
    const step = (h: number, word: number): number => {
      const mixed = Math.imul(h ^ word, 0x5bd1e995);
      return mixed ^ (mixed >>> 13);
    };
    const count = 200_000;
    const words = new Uint32Array(2 * count);
    for (let v = 0; v < count; v++) {
      words[2 * v] = v;
      words[2 * v + 1] = step(0x9747b28c, v) ^ 0x12345678;
    }
    const elapsed = stopwatch();
    expect([...weld(count, [{ words, width: 2, elementOf: undefined }])].every((first, v) => first === v)).toBe(true);
    expect(elapsed()).toBeLessThan(2_000);
  });
});
