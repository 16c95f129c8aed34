import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { runSeed } from '../../../test/support/setup.ts';
import { TriangleTree } from './nearest-triangle.ts';

/** The smallest distance over a fine grid of each triangle: never below the true one, and little above. */
function bruteForce(points: Float32Array, n: number, triangles: Uint32Array, asked: Float32Array): number {
  let least = Infinity;
  const steps = 12;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let i = 0; i <= steps; i++) {
      for (let j = 0; i + j <= steps; j++) {
        let square = 0;
        for (let c = 0; c < n; c++) {
          const [u, v, w] = [0, 1, 2].map((k) => points[n * triangles[t + k]! + c]!) as [number, number, number];
          square += ((u * i + v * j + w * (steps - i - j)) / steps - asked[c]!) ** 2;
        }
        least = Math.min(least, square);
      }
    }
  }
  return Math.sqrt(least);
}

describe('the nearest point of triangles', () => {
  it.each([
    // a triangle over the unit right angle, and points off its face, edges and corners
    [[0.25, 0.25, 2], [0.5, 0.25, 0.25], 4],
    [[-1, 0.5, 0], [0.5, 0, 0.5], 1],
    [[1, 1, 0], [0, 0.5, 0.5], 0.5],
    [[-3, -4, 0], [1, 0, 0], 25],
    [[3, 0, 0], [0, 1, 0], 4],
    [[0, 1, 0], [0, 0, 1], 0],
  ])('to %j has shares %j', (asked, shares, square) => {
    const tree = new TriangleTree(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), 3, Uint32Array.of(0, 1, 2));
    const found = tree.nearest(Float32Array.from(asked));
    expect([...found.corners]).toEqual([0, 1, 2]);
    expect([...found.shares]).toEqual(shares);
    expect(tree.squaredDistance(Float32Array.from(asked), Infinity)).toBeCloseTo(square, 6);
    // what is not nearer than enough is not looked for
    expect(tree.squaredDistance(Float32Array.from(asked), square)).toBe(square);
  });

  it.each([3, 7, 24])('is that of trying all, in %i dimensions', (n) => {
    const random = new Random(runSeed);
    const points = Float32Array.from({ length: 60 * n }, () => random.range(-1, 1));
    const triangles = Uint32Array.from({ length: 3 * 40 }, () => random.integer(0, 59));
    const tree = new TriangleTree(points, n, triangles);
    const moved = points.map((p) => p + random.range(-0.3, 0.3));
    // a tree that takes over the structure of another
    for (const [table, t] of [[points, tree] as const, [moved, new TriangleTree(moved, n, tree)] as const]) {
      for (let q = 0; q < 10; q++) {
        const asked = Float32Array.from({ length: n }, () => random.range(-1, 1));
        const distance = Math.sqrt(t.squaredDistance(asked, Infinity));
        const tried = bruteForce(table, n, triangles, asked);
        expect(distance).toBeLessThanOrEqual(tried + 1e-5);
        expect(distance).toBeGreaterThan(tried - 0.2 * Math.sqrt(n));
        const { corners, shares } = t.nearest(asked);
        const at = Array.from({ length: n }, (_, c) =>
          [0, 1, 2].reduce((sum, k) => sum + shares[k]! * table[n * corners[k]! + c]!, 0),
        );
        expect(Math.hypot(...at.map((p, c) => p - asked[c]!))).toBeCloseTo(distance, 4);
        expect(shares.every((share) => share >= 0 && share <= 1.000001)).toBe(true);
      }
    }
  });

  it('is found where triangles have no area', () => {
    const points = Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0);
    const tree = new TriangleTree(points, 3, Uint32Array.of(0, 1, 2, 0, 0, 0, 1, 1, 2));
    expect(tree.squaredDistance(Float32Array.of(1.5, 2, 0), Infinity)).toBeCloseTo(4, 6);
    expect(tree.squaredDistance(Float32Array.of(3, 0, 0), Infinity)).toBeCloseTo(1, 6);
  });
});
