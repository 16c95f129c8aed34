import { expect } from 'vitest';
import type { ArrayDifference } from '../../src/capture/index.ts';

/** Metres, radians, weights of characters some metres across: what single precision leaves of twins' doubles. */
const TOLERANCE = 1e-5;
/** Directions have 16 bits per component. */
const DIRECTION = 2e-4;

/** Kernels and twins differ by no more than rounding. */
export function expectRounding(differences: readonly ArrayDifference[]): void {
  for (const difference of differences) {
    const { array, field, largest, captured } = difference;
    const isDirection = array.startsWith('skinned') && field !== 'position';
    // pixels: as the stage's own parity test has it
    const isSize = array === 'decisions' && field === 'size';
    const limit = isSize ? 1e-4 * Math.max(1, captured) : isDirection ? DIRECTION : TOLERANCE;
    expect(largest, JSON.stringify(difference)).toBeLessThan(limit);
  }
}
