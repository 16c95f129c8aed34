import type { Rig } from '../rig.ts';
import { compose, IDENTITY, rotate, type Quat } from '../math/quat.ts';
import { add, sub, type Vec3, ZERO } from '../math/vec.ts';

/** One frame of a clip: a local rotation per joint, and how far the pelvis is from its bind place. */
export interface Pose {
  readonly rotations: Quat[];
  pelvisShift: Vec3;
}

export const bindPose = (rig: Rig): Pose => ({ rotations: rig.joints.map(() => IDENTITY), pelvisShift: ZERO });

export interface World {
  readonly at: Vec3[];
  readonly turn: Quat[];
}

/** Places one joint. Its parent must be placed first. */
export function placeJoint(rig: Rig, pose: Pose, world: World, index: number): void {
  const joint = rig.joints[index]!;
  const parentAt = joint.parent < 0 ? ZERO : world.at[joint.parent]!;
  const parentTurn = joint.parent < 0 ? IDENTITY : world.turn[joint.parent]!;
  const offset = joint.name === 'pelvis' ? add(joint.offset, pose.pelvisShift) : joint.offset;
  world.at[index] = add(parentAt, rotate(parentTurn, offset));
  world.turn[index] = compose(parentTurn, pose.rotations[index]!);
}

/** Where a point that is fixed to a joint is now; `bindPoint` is where it is in the bind pose. */
export function carried(rig: Rig, world: World, index: number, bindPoint: Vec3): Vec3 {
  const local = sub(bindPoint, rig.joints[index]!.at);
  return add(world.at[index]!, rotate(world.turn[index]!, local));
}
