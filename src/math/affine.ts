/** Affine transforms: three rows of four numbers at an offset of an array. Twin of `affine.wesl`. */

type Matrix = Float64Array | Float32Array;

/** out[to…] = the matrix of translation t[at…], rotation t[at + 3…] and scale t[at + 7…]. */
export function affineFromPose(t: ArrayLike<number>, at: number, out: Matrix, to: number): void {
  const x = t[at + 3]!;
  const y = t[at + 4]!;
  const z = t[at + 5]!;
  const w = t[at + 6]!;
  const sx = t[at + 7]!;
  const sy = t[at + 8]!;
  const sz = t[at + 9]!;
  out[to] = (1 - 2 * (y * y + z * z)) * sx;
  out[to + 1] = 2 * (x * y - w * z) * sy;
  out[to + 2] = 2 * (x * z + w * y) * sz;
  out[to + 3] = t[at]!;
  out[to + 4] = 2 * (x * y + w * z) * sx;
  out[to + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[to + 6] = 2 * (y * z - w * x) * sz;
  out[to + 7] = t[at + 1]!;
  out[to + 8] = 2 * (x * z - w * y) * sx;
  out[to + 9] = 2 * (y * z + w * x) * sy;
  out[to + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[to + 11] = t[at + 2]!;
}

/** out[to…] = a[ai…] × b[bi…]; out may be b. */
export function multiplyAffine(
  a: ArrayLike<number>,
  ai: number,
  b: ArrayLike<number>,
  bi: number,
  out: Matrix,
  to: number,
): void {
  const a0 = a[ai]!;
  const a1 = a[ai + 1]!;
  const a2 = a[ai + 2]!;
  const a3 = a[ai + 3]!;
  const a4 = a[ai + 4]!;
  const a5 = a[ai + 5]!;
  const a6 = a[ai + 6]!;
  const a7 = a[ai + 7]!;
  const a8 = a[ai + 8]!;
  const a9 = a[ai + 9]!;
  const a10 = a[ai + 10]!;
  const a11 = a[ai + 11]!;
  for (let column = 0; column < 4; column++) {
    const x = b[bi + column]!;
    const y = b[bi + column + 4]!;
    const z = b[bi + column + 8]!;
    const w = column === 3 ? 1 : 0;
    out[to + column] = a0 * x + a1 * y + a2 * z + a3 * w;
    out[to + column + 4] = a4 * x + a5 * y + a6 * z + a7 * w;
    out[to + column + 8] = a8 * x + a9 * y + a10 * z + a11 * w;
  }
}

/** m[at…] applied to a point; writes three numbers to out[to…]. */
export function transformPoint(
  m: ArrayLike<number>,
  at: number,
  x: number,
  y: number,
  z: number,
  out: Matrix | number[],
  to: number,
): void {
  for (let row = 0; row < 3; row++) {
    const r = at + 4 * row;
    out[to + row] = m[r]! * x + m[r + 1]! * y + m[r + 2]! * z + m[r + 3]!;
  }
}

/** Direction of a normal: the inverse transpose of the 3 × 3 part times the determinant's size. */
export function transformNormal(m: ArrayLike<number>, at: number, n: ArrayLike<number>, out: number[]): void {
  const row = (r: number) => [m[at + 4 * r]!, m[at + 4 * r + 1]!, m[at + 4 * r + 2]!] as const;
  const a = row(0);
  const b = row(1);
  const c = row(2);
  const sign = determinant3(m, at) < 0 ? -1 : 1;
  [cross(b, c), cross(c, a), cross(a, b)].forEach((cofactor, r) => {
    out[r] = sign * (cofactor[0] * n[0]! + cofactor[1] * n[1]! + cofactor[2] * n[2]!);
  });
}

export function determinant3(m: ArrayLike<number>, at = 0): number {
  const v = (i: number) => m[at + i]!;
  return v(0) * (v(5) * v(10) - v(6) * v(9)) - v(1) * (v(4) * v(10) - v(6) * v(8)) + v(2) * (v(4) * v(9) - v(5) * v(8));
}

type Three = readonly [number, number, number];

function cross(a: Three, b: Three): Three {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
