import { determinant3 } from '../../math/affine.ts';

/** A 3 × 4 row-major matrix from a column-major 4 × 4 one; the last row of an affine matrix says nothing. */
export function affineOfColumns(values: ArrayLike<number>, at: number): Float32Array {
  const matrix = new Float32Array(12);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 4; column++) matrix[4 * row + column] = values[at + 4 * column + row]!;
  }
  return matrix;
}

/** The inverse of a 3 × 4 row-major affine matrix; the identity if it has none. */
export function invertAffine(m: ArrayLike<number>): Float32Array {
  const out = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  const determinant = determinant3(m);
  if (!Number.isFinite(1 / determinant)) return out;
  const at = (row: number, column: number): number => m[4 * (row % 3) + (column % 3)]!;
  for (let row = 0; row < 3; row++) {
    let translation = 0;
    for (let column = 0; column < 3; column++) {
      // the cofactor of the transposed place
      const [r, c] = [column, row];
      const cofactor = at(r + 1, c + 1) * at(r + 2, c + 2) - at(r + 1, c + 2) * at(r + 2, c + 1);
      const value = cofactor / determinant;
      out[4 * row + column] = value;
      translation -= value * m[4 * column + 3]!;
    }
    out[4 * row + 3] = translation;
  }
  return out;
}
