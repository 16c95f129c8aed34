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
  const out = new Float32Array(4 * VIEW_PLANES);
  writePlanes(clipFromWorld, out, 0);
  return out;
}

/** Rows of the matrix, and their signs in the sum with the last row; the near plane is a row without it. */
const ROWS = [0, 0, 1, 1, 2, 2] as const;
const SIGNS = [1, -1, 1, -1, 1, -1] as const;
const NEAR = 4;

/** Writes the planes of {@link viewPlanes} to `out`, from `first` on. */
export function writePlanes(m: ArrayLike<number>, out: Float32Array, first: number): void {
  for (let p = 0; p < VIEW_PLANES; p++) {
    const [row, sign, w] = [ROWS[p]!, SIGNS[p]!, p === NEAR ? 0 : 1];
    const x = w * m[3]! + sign * m[row]!;
    const y = w * m[7]! + sign * m[4 + row]!;
    const z = w * m[11]! + sign * m[8 + row]!;
    const d = w * m[15]! + sign * m[12 + row]!;
    const length = Math.hypot(x, y, z);
    const at = first + 4 * p;
    out[at] = x / length;
    out[at + 1] = y / length;
    out[at + 2] = z / length;
    out[at + 3] = d / length;
    // no direction: in front of it is everything
    if (!Number.isFinite(out[at]! + out[at + 1]! + out[at + 2]! + out[at + 3]!)) out.set([0, 0, 0, 1], at);
  }
}
