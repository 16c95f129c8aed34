import {
  add,
  cross,
  dot,
  length,
  multiply,
  normalized,
  type Rotation,
  rotate,
  shortestRotation,
  aboutAxis,
  subtract,
  times,
  mix,
  type Vector3,
} from '../math/rotations.ts';

/** Two bones of a limb as they are now, in one space. */
export interface Limb {
  readonly root: Vector3;
  readonly middle: Vector3;
  readonly end: Vector3;
  /** The axis about which the middle bends: from root to middle, the end turns about it by a positive angle. */
  readonly axis: Vector3;
}

/** Turns of both bones that move the end to its goal. */
export interface LimbTurns {
  readonly upper: Rotation;
  readonly lower: Rotation;
  /** Distance from the goal that is left: it is out of reach, or too near. */
  readonly missed: number;
}

/** The share of a limb's length that it stretches to at most; beyond, a knee would snap. */
export const REACH = 0.9995;
/** Bends over which the plane of a limb changes from its axis to its own. */
const OWN_PLANE = { from: 0.08, to: 0.35 } as const;

/**
 * Two-bone solve by the law of cosines: the limb is turned toward the goal, and bends in the plane in which it bends
 * already. A limb that is nearly straight, or bends the wrong way, bends about its axis.
 */
export function solveLimb({ root, middle, end, axis }: Limb, goal: Vector3): LimbTurns {
  const [a, b] = [length(subtract(middle, root)), length(subtract(end, middle))];
  const wanted = subtract(goal, root);
  const distance = length(wanted);
  const reach = Math.min(Math.max(distance, Math.abs(a - b) * 1.001, 1e-9), (a + b) * REACH);
  const direction = normalized(wanted, normalized(subtract(end, root)));
  const upper = normalized(subtract(middle, root));
  const lower = normalized(subtract(end, middle));
  const turn = shortestRotation(normalized(subtract(end, root)), direction);
  const own = cross(upper, lower);
  const bend = Math.asin(Math.min(1, length(own)));
  const isRight = dot(own, axis) > 0;
  const share = isRight ? smooth((bend - OWN_PLANE.from) / (OWN_PLANE.to - OWN_PLANE.from)) : 0;
  const turned = rotate(turn, mix(normalized(axis), normalized(own, axis), share));
  const normal = normalized(subtract(turned, times(direction, dot(direction, turned))), turned);
  const cosine = (a * a + reach * reach - b * b) / (2 * a * reach);
  const angle = Math.acos(Math.max(-1, Math.min(1, cosine)));
  const toMiddle = rotate(aboutAxis(normal, -angle), direction);
  const knee = add(root, times(toMiddle, a));
  const toEnd = normalized(subtract(add(root, times(direction, reach)), knee));
  const first = turnTo(upper, toMiddle, turn);
  return { upper: first, lower: turnTo(lower, toEnd, first), missed: Math.abs(distance - reach) };
}

/** The rotation that takes `from` to `to`, with the twist of another rotation that nearly does. */
function turnTo(from: Vector3, to: Vector3, near: Rotation): Rotation {
  return multiply(shortestRotation(rotate(near, from), to), near);
}

export function smooth(share: number): number {
  const s = Math.max(0, Math.min(1, share));
  return s * s * (3 - 2 * s);
}
