import { multiplyQuaternion } from '../shaders/quaternion.ts';

/** Quaternions x, y, z, w in float64, as new arrays. */

export function product(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const out = new Float64Array(4);
  multiplyQuaternion(a, b, out);
  return out;
}

export function conjugate(q: ArrayLike<number>): Float64Array {
  return Float64Array.of(-q[0]!, -q[1]!, -q[2]!, q[3]!);
}

export function rotated(v: ArrayLike<number>, q: ArrayLike<number>): Float64Array {
  return product(product(q, [v[0]!, v[1]!, v[2]!, 0]), conjugate(q)).slice(0, 3);
}
