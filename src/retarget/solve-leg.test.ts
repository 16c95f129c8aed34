import { describe, expect, it } from 'vitest';
import { add, rotate, subtract, type Vector3 } from '../math/rotations.ts';
import { type Limb, solveLimb } from './solve-leg.ts';

const LEG: Limb = { root: [0, 1, 0], middle: [0, 0.5, 0.02], end: [0, 0, 0], axis: [1, 0, 0] };

function solved(limb: Limb, goal: Vector3): { middle: Vector3; end: Vector3; missed: number } {
  const { upper, lower, missed } = solveLimb(limb, goal);
  const middle = add(limb.root, rotate(upper, subtract(limb.middle, limb.root)));
  return { middle, end: add(middle, rotate(lower, subtract(limb.end, limb.middle))), missed };
}

const close = (a: Vector3, b: Vector3): void => a.forEach((value, c) => expect(value).toBeCloseTo(b[c]!, 6));

describe('solveLimb', () => {
  it.each([[[0, 0.3, 0]], [[0.2, 0.4, 0.3]], [[-0.3, 0.3, -0.4]], [[0, 0.01, 0.01]]] as const)('reaches %j', (goal) => {
    const { end, missed } = solved(LEG, goal);
    close(end, goal);
    expect(missed).toBeCloseTo(0, 9);
  });

  it('bends the knee forward, also from a leg that is straight or bent backwards', () => {
    for (const z of [0.02, 0, -0.05]) {
      const { middle, end } = solved({ ...LEG, middle: [0, 0.5, z] }, [0, 0.3, 0]);
      close(end, [0, 0.3, 0]);
      expect(middle[2]).toBeGreaterThan(0.2);
    }
  });

  it('keeps the plane in which a limb bends', () => {
    const { middle } = solved({ ...LEG, middle: [0.2, 0.5, 0.2] }, [0, 0.1, 0]);
    expect(middle[0]).toBeCloseTo(middle[2], 2);
  });

  it('stretches toward a goal out of reach, and says by how much it misses', () => {
    const { end, missed } = solved(LEG, [0, -0.5, 0]);
    expect(end[0]).toBeCloseTo(0, 6);
    expect(end[1]).toBeGreaterThan(-0.01);
    expect(missed).toBeCloseTo(0.5, 2);
  });
});
