import { multiplyQuaternion } from '../math/quaternion.ts';
import { refuseArgument } from './arguments.ts';

/** Three numbers: a list, or an object with x, y and z, such as a Vector3 of three.js. */
export type VectorLike =
  | readonly [x: number, y: number, z: number]
  | { readonly x: number; readonly y: number; readonly z: number };

/** A quaternion: a list, or an object with x, y, z and w, such as a Quaternion of three.js. */
export type QuaternionLike =
  | readonly [x: number, y: number, z: number, w: number]
  | { readonly x: number; readonly y: number; readonly z: number; readonly w: number };

/** Turns in radians about x, y and z, one after the other in an order such as 'XYZ': an Euler of three.js. */
export interface EulerLike {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly order: string;
}

/** Its numbers as a list; other values are returned as they are, for a check of lists. */
export function vectorList(value: VectorLike): ArrayLike<number> {
  const { x, y, z } = (value ?? {}) as { x?: number; y?: number; z?: number };
  return x === undefined ? (value as ArrayLike<number>) : [x, y!, z!];
}

/**
 * The same of a rotation, as a quaternion.
 * @throws ManipleError CROWD_BAD_ARGUMENT (an order of turns that there is not)
 */
export function rotationList(value: QuaternionLike | EulerLike): ArrayLike<number> {
  const { x, y, z, w, order } = (value ?? {}) as Partial<EulerLike & { w: number }>;
  if (x === undefined) return value as ArrayLike<number>;
  return order === undefined || w !== undefined ? [x, y!, z!, w!] : turns([x, y!, z!], order);
}

function turns(angles: readonly [x: number, y: number, z: number], order: string): number[] {
  if (!/^(XYZ|XZY|YXZ|YZX|ZXY|ZYX)$/.test(order)) refuseArgument('order', order, "'XYZ', 'ZYX' or another order");
  const out = [0, 0, 0, 1];
  for (const letter of order) {
    const axis = 'XYZ'.indexOf(letter);
    const half = angles[axis]! / 2;
    const turn = [0, 0, 0, Math.cos(half)];
    turn[axis] = Math.sin(half);
    multiplyQuaternion(out, turn, out);
  }
  return out;
}
