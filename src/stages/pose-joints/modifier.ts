import { alignQuaternion, multiplyQuaternion, normalizeQuaternion } from '../../math/quaternion.ts';
import { LAYER_SET } from '../layout.ts';
import type { LaneModifier } from '../motion-record.ts';

/**
 * Twin of `modifier.wesl`.
 * @param pose The lane's pose: translation in 0…2, rotation in 3…6.
 */
export function modifyLane(pose: Float64Array, { mode, weight, rotation, translation }: LaneModifier): void {
  const share = Math.min(Math.max(weight, 0), 1);
  if (share === 0) return;
  translation?.forEach((held, c) => {
    if (held === undefined) return;
    pose[c] = mode === LAYER_SET ? pose[c]! * (1 - share) + held * share : pose[c]! + held * share;
  });
  if (!rotation) return;
  const held = Float64Array.from(rotation);
  normalizeQuaternion(held);
  const local = pose.subarray(3, 7);
  // both modes go a share of the way to the held rotation: from the pose, or from the identity
  const from = mode === LAYER_SET ? local.slice() : Float64Array.of(0, 0, 0, 1);
  alignQuaternion(from, held);
  const reached = from.map((value, c) => value * (1 - share) + held[c]! * share);
  normalizeQuaternion(reached);
  if (mode === LAYER_SET) local.set(reached);
  else {
    multiplyQuaternion(local, reached, local);
    normalizeQuaternion(local);
  }
}
