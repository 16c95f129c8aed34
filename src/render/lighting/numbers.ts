import type { Vector } from '../camera.ts';

/** Functions of WGSL that the twins of this folder call, on numbers and on colours. */

export const saturate = (value: number): number => Math.min(1, Math.max(0, value));

export function smoothstep(low: number, high: number, value: number): number {
  const t = saturate((value - low) / (high - low));
  return t * t * (3 - 2 * t);
}

export const mix = (a: number, b: number, share: number): number => a + (b - a) * share;

export function mixed(a: Vector, b: Vector, share: number): Vector {
  return [mix(a[0], b[0], share), mix(a[1], b[1], share), mix(a[2], b[2], share)];
}

export function scaled(v: Vector, factor: number): Vector {
  return [v[0] * factor, v[1] * factor, v[2] * factor];
}

export function added(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** Component by component. */
export function multiplied(a: Vector, b: Vector): Vector {
  return [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
}
