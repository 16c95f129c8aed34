import { describe, expect, test } from 'vitest';
import type { RangesPlan } from '../../stages/ranges-plan.ts';
import { Targets } from './targets.ts';

/** Ranges of so many bytes, filled with a word, with records of 32 bytes behind a head of 16. */
function rangesOf(byteLength: number, word: number, bins: readonly number[]): RangesPlan {
  const words = new Uint32Array(byteLength / 4).fill(word);
  return {
    ranges: words.buffer,
    bins: bins.map((bin, i) => ({ bin, charactersPerGroup: 4 + i, groupsPerSet: 2, byteOffset: 16 + 32 * i })),
    groupCountByte: 4,
  };
}

describe('targets, by hand', () => {
  const targets = new Targets();
  const first = targets.addDispatch(rangesOf(80, 7, [4, 6]));
  const draws = targets.addDraws(10, [
    [36, 0, 3, 0, 0],
    [4, 0, 0, 0],
  ]);
  const second = targets.addDispatch(rangesOf(48, 8, [11]));
  const built = targets.build();

  test('begin bindings at multiples of 256 bytes, and let arguments of draws follow', () => {
    expect(first).toEqual({ rangesByte: 0, rangesBytes: 80 });
    expect(draws).toEqual({ recordByte: 256, drawBytes: [272, 292] });
    expect(second).toEqual({ rangesByte: 512, rangesBytes: 48 });
    expect(built.words.byteLength).toBe(768);
  });

  test('hold what never changes, and zero where kernels write', () => {
    const expected = new Uint32Array(192);
    expected.fill(7, 0, 20);
    expected.set([36, 0, 3, 0, 0, 4, 0, 0, 0], 272 / 4);
    expected.fill(8, 128, 140);
    expect(built.words).toEqual(expected);
  });

  test('say where kernels write', () => {
    const { dispatches, ranges } = built;
    const rows = (view: { readonly count: number; readonly words: Uint32Array }) => {
      const size = view.words.length / view.count;
      return Array.from({ length: view.count }, (_, row) => Array.from(view.words.subarray(row * size, ++row * size)));
    };
    expect(rows(dispatches)).toEqual([
      [0, 2, 1, 0],
      [2, 1, 129, 0],
    ]);
    expect(rows(ranges)).toEqual([
      [4, 4, 2, 4],
      [6, 5, 2, 12],
      [11, 4, 2, 132],
    ]);
    expect(rows(built.draws)).toEqual([
      [10, 69, 64, 0],
      [10, 74, 64, 0],
    ]);
  });
});

test('no targets at all are still a buffer that can be bound', () => {
  const { words, dispatches, ranges, draws } = new Targets().build();
  expect(words.byteLength).toBeGreaterThanOrEqual(16);
  expect([dispatches, ranges, draws].map(({ count }) => count)).toEqual([0, 0, 0]);
});
