import { multiplyQuaternion } from '../math/quaternion.ts';

/** Functions of quaternions x, y, z, w in float64. They return new arrays unless `out` is given. */

export function product(a: ArrayLike<number>, b: ArrayLike<number>, out = new Float64Array(4)): Float64Array {
  multiplyQuaternion(a, b, out);
  return out;
}

export function conjugate(q: ArrayLike<number>, out = new Float64Array(4)): Float64Array {
  for (let c = 0; c < 3; c++) out[c] = -q[c]!;
  out[3] = q[3]!;
  return out;
}

const turned = new Float64Array(4);
const inverse = new Float64Array(4);

/** @param out May be `v`. */
export function rotated(v: ArrayLike<number>, q: ArrayLike<number>, out = new Float64Array(3)): Float64Array {
  for (let c = 0; c < 3; c++) turned[c] = v[c]!;
  turned[3] = 0;
  multiplyQuaternion(q, turned, turned);
  multiplyQuaternion(turned, conjugate(q, inverse), turned);
  for (let c = 0; c < 3; c++) out[c] = turned[c]!;
  return out;
}
