import { cross } from '../camera.ts';
import type { Point } from './triangle-reference.ts';

/** Weights of a triangle's corners at a pixel. */
export interface TriangleWeights {
  /** Weights of the corners, corrected for perspective; their sum is 1. */
  readonly at: Point;
  /** How they change from pixel to pixel, to the right and down. */
  readonly ddx: Point;
  readonly ddy: Point;
  readonly isClockwise: boolean;
}

/**
 * Twin of `barycentrics.wesl`, by Cramer's rule instead of edge functions. Finds weights λ of the point p = Σ λᵢ
 * cornerᵢ; its x and y are a pixel's place times w.
 * @param projection Rows of a DrawnInstance's matrix: x, y in pixels times w, w; twelve numbers.
 */
export function weightsAt(
  projection: ArrayLike<number>,
  corners: readonly [Point, Point, Point],
  [px, py]: readonly [number, number],
): TriangleWeights {
  const row = (r: number, [x, y, z]: Point) =>
    projection[4 * r]! * x + projection[4 * r + 1]! * y + projection[4 * r + 2]! * z + projection[4 * r + 3]!;
  const place = (corner: Point): Point => [row(0, corner), row(1, corner), row(2, corner)];
  const [a, b, c] = [place(corners[0]), place(corners[1]), place(corners[2])];
  // shares of (x, y, 1) in a, b and c, not yet of sum 1: linear in x and y
  const shares = [cross(b, c), cross(c, a), cross(a, b)] as const;
  const values = shares.map(([x, y, one]) => x * px + y * py + one);
  const sum = values[0]! + values[1]! + values[2]!;
  if (sum === 0) return { at: [1 / 3, 1 / 3, 1 / 3], ddx: [0, 0, 0], ddy: [0, 0, 0], isClockwise: false };
  // the quotient rule
  const along = (axis: 0 | 1) => {
    const whole = shares.reduce((total, share) => total + share[axis], 0);
    return shares.map((share, i) => (share[axis] * sum - values[i]! * whole) / sum ** 2) as unknown as Point;
  };
  const at = values.map((value) => value / sum) as unknown as Point;
  return { at, ddx: along(0), ddy: along(1), isClockwise: sum > 0 };
}
