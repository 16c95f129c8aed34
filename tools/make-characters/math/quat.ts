import { add, cross, dot, normalize, scale, type Vec3 } from './vec.ts';

/** A rotation, xyzw as in glTF. */
export type Quat = readonly [number, number, number, number];

export const IDENTITY: Quat = [0, 0, 0, 1];
const DEGREE = Math.PI / 180;

export const conjugate = (q: Quat): Quat => [-q[0], -q[1], -q[2], q[3]];

/** First `b`, then `a`. */
export const compose = (a: Quat, b: Quat): Quat => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];

export function rotate(q: Quat, v: Vec3): Vec3 {
  const axis: Vec3 = [q[0], q[1], q[2]];
  const t = scale(cross(axis, v), 2);
  return add(add(v, scale(t, q[3])), cross(axis, t));
}

export function unit(q: Quat): Quat {
  const size = Math.hypot(q[0], q[1], q[2], q[3]);
  return [q[0] / size, q[1] / size, q[2] / size, q[3] / size];
}

export function fromAxisAngle(axis: Vec3, degrees: number): Quat {
  const half = (degrees * DEGREE) / 2;
  const s = Math.sin(half);
  return [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(half)];
}

/**
 * Degrees: pitch leans forward (about X), yaw turns left (about Y), roll leans right (about Z).
 * Yaw is outermost, so a body turned aside still leans towards its own front.
 */
export const fromAngles = (degrees: Vec3): Quat =>
  compose(
    fromAxisAngle([0, 1, 0], degrees[1]),
    compose(fromAxisAngle([1, 0, 0], degrees[0]), fromAxisAngle([0, 0, 1], degrees[2])),
  );

/** The shortest turn from one unit vector to another. */
export function fromTo(from: Vec3, to: Vec3): Quat {
  const d = dot(from, to);
  if (d < -0.999999) {
    const side = Math.abs(from[0]) < 0.9 ? ([1, 0, 0] as const) : ([0, 1, 0] as const);
    const axis = normalize(cross(from, side));
    return [axis[0], axis[1], axis[2], 0];
  }
  const c = cross(from, to);
  return unit([c[0], c[1], c[2], 1 + d]);
}

/** The rotation that takes the axes X, Y, Z to three perpendicular unit vectors. */
export function fromAxes(x: Vec3, y: Vec3, z: Vec3): Quat {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) return unit([y[2] - z[1], z[0] - x[2], x[1] - y[0], 1 + trace]);
  if (x[0] > y[1] && x[0] > z[2]) return unit([1 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2], y[2] - z[1]]);
  if (y[1] > z[2]) return unit([y[0] + x[1], 1 - x[0] + y[1] - z[2], z[1] + y[2], z[0] - x[2]]);
  return unit([z[0] + x[2], z[1] + y[2], 1 - x[0] - y[1] + z[2], x[1] - y[0]]);
}

export function slerp(a: Quat, b: Quat, t: number): Quat {
  let d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = d < 0 ? -1 : 1;
  d = Math.min(1, d * sign);
  const angle = Math.acos(d);
  const s = Math.sin(angle);
  const wa = s < 1e-6 ? 1 - t : Math.sin((1 - t) * angle) / s;
  const wb = (s < 1e-6 ? t : Math.sin(t * angle) / s) * sign;
  return unit([a[0] * wa + b[0] * wb, a[1] * wa + b[1] * wb, a[2] * wa + b[2] * wb, a[3] * wa + b[3] * wb]);
}

/** The angle between two rotations, in degrees; from the sine, which stays exact for small angles. */
export function angleBetween(a: Quat, b: Quat): number {
  const d = compose(conjugate(a), b);
  return (2 * Math.atan2(Math.hypot(d[0], d[1], d[2]), Math.abs(d[3]))) / DEGREE;
}

/** How far `q` turns about the unit vector `axis`, in degrees within ±180. */
export function twistAbout(q: Quat, axis: Vec3): number {
  const along = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2];
  const degrees = (2 * Math.atan2(along, q[3])) / DEGREE;
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
}
