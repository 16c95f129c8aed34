import { describe, expect, test } from 'vitest';
import { largestFitting, nextCount, type RampStep } from '../../demo/bench/ramp.ts';

/** Runs a ramp on a device on which up to `limit` characters fit. */
function rampTo(limit: number, first = 100, most = 1_000_000): RampStep[] {
  const steps: RampStep[] = [];
  for (let count = nextCount(steps, first, most); count !== undefined; count = nextCount(steps, first, most)) {
    steps.push({ count, fits: count <= limit });
    if (steps.length > 60) throw new Error('The ramp does not end.');
  }
  return steps;
}

describe('the ramp of the bench page', () => {
  test.each([1, 3, 99, 100, 101, 750, 12_345, 400_000])('finds %d to a tenth', (limit) => {
    const found = largestFitting(rampTo(limit));
    expect(found).toBeLessThanOrEqual(limit);
    expect(found).toBeGreaterThanOrEqual(Math.min(limit, Math.floor(limit / 1.1)));
  });

  test('never measures a number twice, and takes few steps', () => {
    const counts = rampTo(12_345).map(({ count }) => count);
    expect(new Set(counts).size).toBe(counts.length);
    expect(counts.length).toBeLessThan(14);
  });

  test('ends at the most that it may try', () => {
    expect(largestFitting(rampTo(Infinity, 100, 5000))).toBe(5000);
    expect(rampTo(Infinity, 100, 50).map(({ count }) => count)).toEqual([50]);
  });

  test('ends where not even one character fits', () => {
    expect(largestFitting(rampTo(0))).toBe(0);
  });
});
