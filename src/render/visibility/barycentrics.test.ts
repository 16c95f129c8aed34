import { expect, test } from 'vitest';
import { weightsAt } from './shown-triangle.ts';

/** x and y of a corner are pixels where w = 1; w is its z. */
const PIXELS = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

test('without perspective weights are those of areas', () => {
  const found = weightsAt(PIXELS, [[0, 0, 1], [4, 0, 1], [0, 2, 1]], [1, 0.5]); // prettier-ignore
  expect(found).toEqual({ at: [0.5, 0.25, 0.25], ddx: [-0.25, 0.25, 0], ddy: [-0.5, 0, 0.5], isClockwise: true });
});

test('with perspective what is near takes more pixels', () => {
  // corners at pixels 0 and 4 at depths 1 and 3: in the middle, 1/w is (1 + 1/3) / 2, and the far one has (1/3) / (4/3) of it
  const { at, ddx, ddy } = weightsAt(PIXELS, [[0, 0, 1], [12, 0, 3], [0, 8, 1]], [2, 0]); // prettier-ignore
  expect(at[0]).toBeCloseTo(0.75, 15);
  expect(at[1]).toBeCloseTo(0.25, 15);
  expect(at[2]).toBeCloseTo(0, 15);
  // λ₁(x) = (x/12) / (1 − x/6): its slope at 2 is (1/12) / (1 − 1/3)²
  expect(ddx[1]).toBeCloseTo(1 / 12 / (2 / 3) ** 2, 14);
  expect(ddx[0] + ddx[1] + ddx[2]).toBeCloseTo(0, 15);
  expect(ddy[0] + ddy[1] + ddy[2]).toBeCloseTo(0, 15);
});

test('a corner behind the eye counts as what it is: the other end of the line', () => {
  // from (0, 0) at depth 1 through the eye's plane to depth −1: at pixel 3 of the way to infinity
  const { at } = weightsAt(PIXELS, [[0, 0, 1], [4, 0, -1], [0, 4, 1]], [3, 1]); // prettier-ignore
  const [x, y, w] = [4 * at[1], 4 * at[2], at[0] - at[1] + at[2]];
  expect([x / w, y / w]).toEqual([expect.closeTo(3, 12), expect.closeTo(1, 12)]);
  expect(w).toBeGreaterThan(0);
});

test('finds clockwise triangles, where y points down; a triangle without an area is its middle', () => {
  const corners = [[0, 0, 1], [0, 2, 1], [4, 0, 1]] as const; // prettier-ignore
  expect(weightsAt(PIXELS, corners, [1, 0.5]).isClockwise).toBe(false);
  expect(weightsAt(PIXELS, [[0, 0, 1], [0, 0, 1], [4, 0, 1]], [1, 1]).at).toEqual([1 / 3, 1 / 3, 1 / 3]); // prettier-ignore
});
