import { VIEW_PLANES } from './layout.ts';

/**
 * Inward planes of what a view sees: left, right, bottom, top, and both ends of depth, 0 ≤ z ≤ w. Where there is no end (an
 * infinite far plane), or where it is farther than a float can say, its plane holds everything.
 *
 * Source: Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix" (2001).
 *
 * @param clipFromWorld 4 × 4, column-major.
 * @returns Six unit normals, each with its distance: 24 numbers.
 */
export function viewPlanes(clipFromWorld: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const row = (r: number): number[] => [0, 1, 2, 3].map((column) => clipFromWorld[4 * column + r]!);
  const [x, y, z, w] = [row(0), row(1), row(2), row(3)] as [number[], number[], number[], number[]];
  const sum = (a: readonly number[], sign: number) => w.map((value, c) => value + sign * a[c]!);
  const planes = [sum(x, 1), sum(x, -1), sum(y, 1), sum(y, -1), z, sum(z, -1)];
  const out = new Float32Array(4 * VIEW_PLANES);
  planes.forEach((plane, p) => {
    const length = Math.hypot(plane[0]!, plane[1]!, plane[2]!);
    const unit = plane.map((value) => Math.fround(value / length));
    // no direction: in front of it is everything
    out.set(unit.every(Number.isFinite) ? unit : [0, 0, 0, 1], 4 * p);
  });
  return out;
}
