import { expect, test } from 'vitest';
import { estimate, median } from './statistics.ts';

test('the median is a sample', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1])).toBe(4);
});

test('rounds are compared by their medians', () => {
  // medians 2, 4, 3
  const rounds = [
    [1, 2, 90],
    [4, 4, 4],
    [3, 3, 3],
  ];
  expect(estimate(rounds)).toEqual({ median: 3, spread: 1 });
});

test('one round has the spread of its samples', () => {
  expect(estimate([[1, 2, 3, 4, 100]])).toEqual({ median: 3, spread: 1 });
  expect(estimate([[7]])).toEqual({ median: 7, spread: 0 });
});
