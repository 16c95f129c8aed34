import { transform, type Vector } from '../camera.ts';
import type { LitFrame } from './lit-frame.ts';
import { added, saturate, scaled } from './numbers.ts';

/** The point of the ground that a pixel's ray meets, or the ray's direction if it meets none. */
export interface LookedAt {
  /** A point in the world, metres; or a direction of any length. */
  readonly place: Vector;
  readonly isGround: boolean;
}

/** Twin of `looked-at.wesl`. Direction of any length; pixels count from the top left corner, their middles at ½. */
export function directionOf(frame: LitFrame, x: number, y: number): Vector {
  const right = (2 * x) / frame.pictureWidth - 1;
  const up = 1 - (2 * y) / frame.pictureHeight;
  return added(added(scaled(frame.skyRight, right), scaled(frame.skyUp, up)), frame.skyForward);
}

/** The ray eye + t direction meets the plane y = groundHeight at t = drop / direction.y, in front of the eye where t > 0. */
export function lookedAt(frame: LitFrame, x: number, y: number): LookedAt {
  const direction = directionOf(frame, x, y);
  const drop = frame.groundHeight - frame.eye[1];
  if (direction[1] * drop <= 0) return { place: direction, isGround: false };
  return { place: added(frame.eye, scaled(direction, drop / direction[1])), isGround: true };
}

/** Depth of such a point: 1 at the near plane, 0 at infinity. */
export function depthOf(frame: LitFrame, { place, isGround }: LookedAt): number {
  if (!isGround) return 0;
  const [, , z, w] = transform(frame.clipFromWorld, place);
  return saturate(z / w);
}
