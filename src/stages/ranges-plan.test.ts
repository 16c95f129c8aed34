import { expect, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { groupsFor } from './ranges-plan.ts';

/** Workgroups that characters take, which are in the ranges of a dispatch in these numbers. */
function groupsOf(bins: Parameters<typeof groupsFor>[0]['bins'], counts: readonly number[]): number {
  return bins.reduce(
    (sum, { charactersPerGroup, groupsPerSet }, r) => sum + Math.ceil(counts[r]! / charactersPerGroup) * groupsPerSet,
    0,
  );
}

test('workgroups suffice in one turn, whatever ranges characters are in', () => {
  const random = new Random(3);
  for (let round = 0; round < 500; round++) {
    const bins = Array.from({ length: random.integer(1, 9) }, (_, bin) => {
      return { bin, byteOffset: 0, charactersPerGroup: random.integer(1, 64), groupsPerSet: random.integer(1, 5) };
    });
    const counts = bins.map(() => random.pick([0, 0, 1, random.integer(0, 40)]));
    const characters = counts.reduce((sum, count) => sum + count, 0);
    const most = groupsFor({ bins }, characters + random.integer(0, 3));
    expect(most).toBeGreaterThanOrEqual(groupsOf(bins, counts));
  }
});

test('no characters take no workgroups, and many take a limited number', () => {
  const bins = [{ bin: 0, byteOffset: 0, charactersPerGroup: 2, groupsPerSet: 1 }];
  expect([0, 1, 9, 10, 1e6].map((characters) => groupsFor({ bins }, characters))).toEqual([0, 2, 6, 6, 125_001]);
  expect(groupsFor({ bins }, 30_000)).toBe(8192);
});
