/** Three numbers: a point, a direction, or three angles. Immutable, so that poses and meshes can share them. */
export type Vec3 = readonly [number, number, number];

export const ZERO: Vec3 = [0, 0, 0];
export const RIGHTWARDS: Vec3 = [-1, 0, 0];
export const LEFTWARDS: Vec3 = [1, 0, 0];
export const UP: Vec3 = [0, 1, 0];
export const FORWARD: Vec3 = [0, 0, 1];
export const BACKWARDS: Vec3 = [0, 0, -1];

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const addScaled = (a: Vec3, b: Vec3, s: number): Vec3 => [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const lengthOf = (a: Vec3): number => Math.sqrt(dot(a, a));
export const distance = (a: Vec3, b: Vec3): number => lengthOf(sub(a, b));
export const mirror = (a: Vec3): Vec3 => [-a[0], a[1], a[2]];

export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const mix = (a: Vec3, b: Vec3, t: number): Vec3 => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];

/** A zero vector has no direction; `fallback` stands in for it. */
export function normalize(a: Vec3, fallback: Vec3 = UP): Vec3 {
  const size = lengthOf(a);
  return size > 1e-9 ? scale(a, 1 / size) : fallback;
}

/** The part of `a` at right angles to the unit vector `axis`, as a unit vector. */
export const perpendicular = (a: Vec3, axis: Vec3, fallback: Vec3 = UP): Vec3 =>
  normalize(addScaled(a, axis, -dot(a, axis)), fallback);

export const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
export const lerp = (a: number, b: number, t: number): number => a + (b - a) * t;

/** 0 below `from`, 1 above `to`, with level ends. */
export function smoothstep(from: number, to: number, x: number): number {
  const t = clamp((x - from) / (to - from), 0, 1);
  return t * t * (3 - 2 * t);
}
