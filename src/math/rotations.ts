/** Vectors and unit quaternions x, y, z, w as new values, for work that happens once: imports and retargeting. */

export type Vector3 = readonly [number, number, number];
export type Rotation = readonly [number, number, number, number];

export const NO_ROTATION: Rotation = [0, 0, 0, 1];

export const add = (a: Vector3, b: Vector3): Vector3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector3, b: Vector3): Vector3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Vector3, factor: number): Vector3 => [a[0] * factor, a[1] * factor, a[2] * factor];
export const dot = (a: Vector3, b: Vector3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vector3): number => Math.sqrt(dot(a, a));
export const cross = (a: Vector3, b: Vector3): Vector3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const mix = (a: Vector3, b: Vector3, share: number): Vector3 => add(times(a, 1 - share), times(b, share));

/** The vector at length 1; `fallback` for one of length 0. */
export function normalized(a: Vector3, fallback: Vector3 = [0, 1, 0]): Vector3 {
  const size = length(a);
  return size < 1e-12 ? fallback : times(a, 1 / size);
}

/** a × b: first b, then a. */
export const multiply = (a: Rotation, b: Rotation): Rotation => [
  a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
  a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];
export const inverse = (q: Rotation): Rotation => [-q[0], -q[1], -q[2], q[3]];

export function unit(q: Rotation): Rotation {
  const size = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return size < 1e-12 ? NO_ROTATION : [q[0] / size, q[1] / size, q[2] / size, q[3] / size];
}

export function rotate([x, y, z, w]: Rotation, v: Vector3): Vector3 {
  const t = times(cross([x, y, z], v), 2);
  return add(add(v, times(t, w)), cross([x, y, z], t));
}

/** The angle of the rotation from one to the other, 0 to π. */
export function angleBetween(a: Rotation, b: Rotation): number {
  const [x, y, z, w] = multiply(inverse(a), b);
  return 2 * Math.atan2(Math.sqrt(x * x + y * y + z * z), Math.abs(w));
}

export function aboutAxis(axis: Vector3, angle: number): Rotation {
  const [x, y, z] = times(axis, Math.sin(angle / 2));
  return [x, y, z, Math.cos(angle / 2)];
}

/** The smallest rotation that takes one direction to another; for opposite ones about `axis`. Both of length 1. */
export function shortestRotation(from: Vector3, to: Vector3, axis: Vector3 = [0, 0, 1]): Rotation {
  const cosine = dot(from, to);
  if (cosine < -1 + 1e-9) return aboutAxis(normalized(cross(cross(from, axis), from), axis), Math.PI);
  const [x, y, z] = cross(from, to);
  return unit([x, y, z, 1 + cosine]);
}

/** Between two rotations, the short way; 0 gives a, 1 gives b. */
export function slerp(a: Rotation, b: Rotation, share: number): Rotation {
  const cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(cosine)));
  const sine = Math.sin(angle);
  const [wa, wb] =
    sine < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle) / sine, Math.sin(share * angle) / sine];
  return unit([0, 1, 2, 3].map((c) => wa * a[c]! + sign * wb * b[c]!) as unknown as Rotation);
}

/** The rotation with three orthonormal vectors as its axes. */
export function rotationOfAxes(x: Vector3, y: Vector3, z: Vector3): Rotation {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    return unit([(y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, s / 4]);
  }
  if (x[0] > y[1] && x[0] > z[2]) {
    const s = 2 * Math.sqrt(1 + x[0] - y[1] - z[2]);
    return unit([s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s]);
  }
  if (y[1] > z[2]) {
    const s = 2 * Math.sqrt(1 + y[1] - x[0] - z[2]);
    return unit([(y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s, (z[0] - x[2]) / s]);
  }
  const s = 2 * Math.sqrt(1 + z[2] - x[0] - y[1]);
  return unit([(z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4, (x[1] - y[0]) / s]);
}

/** The rotation of an affine transform, three rows of four; scales and shears are taken out of its first axes. */
export function rotationOfAffine(m: ArrayLike<number>, at = 0): Rotation {
  const column = (c: number): Vector3 => [m[at + c]!, m[at + 4 + c]!, m[at + 8 + c]!];
  const x = normalized(column(0), [1, 0, 0]);
  const flat = subtract(column(1), times(x, dot(x, column(1))));
  const y = normalized(flat, [0, 1, 0]);
  return rotationOfAxes(x, y, cross(x, y));
}
