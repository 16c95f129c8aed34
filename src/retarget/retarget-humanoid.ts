import type { HumanBone } from '../character/humanoid.ts';
import type { ClipModel, RootMotionModel } from '../character/model.ts';
import { dot, inverse, multiply, type Rotation, rotate, times, type Vector3 } from '../math/rotations.ts';
import { type Body, bone, SIDES } from './body.ts';
import {
  carriedFrame,
  type Frame,
  frameOf,
  groundOfClip,
  type HumanoidOptions,
  mirrored,
  sharedBones,
} from './frames.ts';
import { momentsOf, sampleTimes } from './moments.ts';
import { type FeetResult, plantFeet } from './plant-feet.ts';
import { type TargetPose, TargetSkeleton } from './target-skeleton.ts';

/** A clip for the target, and what is known about it. */
export interface Retargeted {
  readonly clip: ClipModel;
  /** Bones that both skeletons have, and that move. */
  readonly bones: readonly HumanBone[];
  readonly feet: FeetResult;
  /** Seconds between samples. */
  readonly seconds: number;
  /** Angle between bones of source and target that should be parallel, in radians: mean over limbs and time. */
  readonly error: number;
}

/**
 * Carries a clip from one body to another. Turns of bones are counted from the T-poses of both, in the characters'
 * space, so that neither the rest poses nor the axes of joints matter. The pelvis moves by the ratio of the legs'
 * lengths. Feet that are planted in the source are planted in the target.
 *
 * Cost: in proportion to samples × joints; some 2 ms for a second of sixty joints.
 */
export function retargetHumanoid(clip: ClipModel, source: Body, target: Body, options: HumanoidOptions): Retargeted {
  const sampled = sampleTimes(clip);
  const moments = momentsOf(source, clip, sampled);
  const ratio = target.legLength / source.legLength;
  const sourceGround = groundOfClip(source, moments);
  let frames = moments.map((moment) => frameOf(source, moment, sourceGround));
  if (options.mirror) frames = frames.map(mirrored);
  const bones = sharedBones(source, target, options);
  const carried = frames.map((frame) => carriedFrame(frame, source, target, ratio, bones));
  const seconds = sampled.length > 1 ? sampled[1]! - sampled[0]! : 0;
  const skeleton = new TargetSkeleton(target, bones);
  const poses = carried.map((frame) => skeleton.pose(frame));
  const feet = plantFeet({
    frames,
    poses,
    source,
    target,
    ratio,
    seconds,
    loops: clip.loops !== false,
    isHeld: options.feet,
  });
  const tracks = skeleton.tracks(sampled, feet.poses);
  const root = clip.root && scaledRoot(clip.root, source, target, ratio, options.mirror);
  return {
    clip: { ...clip, tracks, ...(root ? { root } : {}) },
    bones,
    feet: feet.result,
    seconds,
    error: directionError(frames, feet.poses, target),
  };
}

/** Root motion for other legs, in the target's space. */
function scaledRoot(
  root: RootMotionModel,
  source: Body,
  target: Body,
  ratio: number,
  mirror: boolean,
): RootMotionModel {
  const positions = new Float32Array(root.positions.length);
  const rotations = new Float32Array(root.rotations.length);
  const side = mirror ? -1 : 1;
  root.times.forEach((_, i) => {
    const [px, py, pz] = rotate(source.characterFromModel, [
      root.positions[3 * i]!,
      root.positions[3 * i + 1]!,
      root.positions[3 * i + 2]!,
    ]);
    positions.set(times(rotate(inverse(target.characterFromModel), [side * px, py, pz]), ratio), 3 * i);
    const own = root.rotations.subarray(4 * i, 4 * i + 4) as unknown as Rotation;
    const [qx, qy, qz, qw] = multiply(multiply(source.characterFromModel, own), inverse(source.characterFromModel));
    const reflected: Rotation = [qx, side * qy, side * qz, qw];
    rotations.set(multiply(multiply(inverse(target.characterFromModel), reflected), target.characterFromModel), 4 * i);
  });
  return { times: root.times, positions, rotations };
}

/** Mean angle between limbs of the source and of the finished pose, from their T-poses on. */
function directionError(frames: readonly Frame[], poses: readonly TargetPose[], target: Body): number {
  let sum = 0;
  let count = 0;
  for (const side of SIDES)
    for (const part of ['UpperArm', 'LowerArm', 'UpperLeg', 'LowerLeg']) {
      const name = bone(side, part);
      const joint = target.map[name]!;
      const along: Vector3 = part.endsWith('Leg') ? [0, -1, 0] : [side === 'left' ? 1 : -1, 0, 0];
      frames.forEach(({ turns }, i) => {
        const reached = multiply(poses[i]!.rotations[joint]!, inverse(target.tPose[joint]!));
        sum += Math.acos(Math.max(-1, Math.min(1, dot(rotate(turns.get(name)!, along), rotate(reached, along)))));
        count++;
      });
    }
  return sum / Math.max(count, 1);
}
