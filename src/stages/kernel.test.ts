import { expect, test } from 'vitest';
import { grid } from './kernel.ts';

test.each([
  ['nothing', 0, [0, 1]],
  ['one row', 65_535, [65_535, 1]],
  ['the first that takes two', 65_536, [32_768, 2]],
  ['an odd number: one group too many', 65_537, [32_769, 2]],
  ['all that both dimensions hold', 65_535 ** 2, [65_535, 65_535]],
])('workgroups in two dimensions: %s', (_, groupCount, size) => {
  expect(grid(groupCount)).toEqual(size);
});

test.each([1, 2, 3, 7])('no row is longer than %i, none is left out, none is empty', (limit) => {
  for (let groupCount = 1; groupCount <= 200; groupCount++) {
    const [x, y] = grid(groupCount, limit);
    expect(x, `${groupCount}`).toBeLessThanOrEqual(limit);
    expect(y, `${groupCount}`).toBe(Math.ceil(groupCount / limit));
    expect(x * y, `${groupCount}`).toBeGreaterThanOrEqual(groupCount);
    expect(x * y - groupCount, `${groupCount}`).toBeLessThan(y);
  }
});
