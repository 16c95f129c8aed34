import { compose, conjugate, fromAxes, type Quat } from '../math/quat.ts';
import { add, cross, lengthOf, perpendicular, scale, sub, type Vec3 } from '../math/vec.ts';

/** A limb of two bones in its bind pose: three points. */
interface Limb {
  readonly root: Vec3;
  readonly middle: Vec3;
  readonly end: Vec3;
  /** The way the middle joint bends out in the bind pose. */
  readonly bendsTo: Vec3;
}

interface LimbTurns {
  readonly upper: Quat;
  readonly lower: Quat;
  /** How far the wanted end is, in limb lengths; above 1 it was out of reach. */
  readonly reach: number;
}

/**
 * World rotations of both bones that bring the limb's end from `root` to `target`, the middle joint towards `pole`.
 * `softness` is the part of the length over which a limb refuses to snap straight: 0 for legs that must hold their
 * footing, more for arms.
 */
export function solveLimb(limb: Limb, root: Vec3, target: Vec3, pole: Vec3, softness: number): LimbTurns {
  const upperLength = lengthOf(sub(limb.middle, limb.root));
  const lowerLength = lengthOf(sub(limb.end, limb.middle));
  const full = upperLength + lowerLength;
  const toTarget = sub(target, root);
  const wanted = lengthOf(toTarget);
  const span = Math.max(softened(wanted / full, softness) * full, Math.abs(upperLength - lowerLength) + 1e-4);

  const axis = scale(toTarget, 1 / Math.max(wanted, 1e-9));
  const side = perpendicular(pole, axis);
  const cosine = (upperLength ** 2 + span ** 2 - lowerLength ** 2) / (2 * upperLength * span);
  const along = Math.min(1, cosine);
  const out = Math.sqrt(Math.max(0, 1 - along * along));
  const middle = add(scale(axis, upperLength * along), scale(side, upperLength * out));
  const end = scale(axis, span);
  const hinge = cross(axis, side);

  return {
    upper: boneTurn(sub(limb.middle, limb.root), bindHinge(limb), middle, hinge),
    lower: boneTurn(sub(limb.end, limb.middle), bindHinge(limb), sub(end, middle), hinge),
    reach: wanted / full,
  };
}

/** Follows x, then bends smoothly towards 1 so that the limb never quite locks. */
function softened(x: number, softness: number): number {
  if (softness === 0) return Math.min(x, 0.9998);
  const from = 1 - softness;
  return x <= from ? x : from + softness * (1 - Math.exp((from - x) / softness));
}

const bindHinge = (limb: Limb): Vec3 => cross(sub(limb.end, limb.root), limb.bendsTo);

/** The rotation that takes a bind bone and its hinge to a bone and hinge wanted. */
function boneTurn(bindBone: Vec3, bindHinge: Vec3, bone: Vec3, hinge: Vec3): Quat {
  return compose(frame(bone, hinge), conjugate(frame(bindBone, bindHinge)));
}

function frame(bone: Vec3, hinge: Vec3): Quat {
  const y = scale(bone, 1 / lengthOf(bone));
  const x = perpendicular(hinge, y);
  return fromAxes(x, y, cross(x, y));
}
