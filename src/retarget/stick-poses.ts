import { composeJoints, restPose } from '../character/evaluate.ts';
import type { HumanBone, HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import { NO_ROTATION } from '../math/rotations.ts';
import { bodyOf, bone, SIDES } from './body.ts';
import { groundOfClip } from './frames.ts';
import { momentsOf } from './moments.ts';

/** A skeleton as lines, at some moments of a clip. */
export interface StickPoses {
  readonly sticks: readonly Stick[];
  /** For each moment x, y and z of all joints, as shares of the height: facing +z, the left is +x, the ground y = 0. */
  readonly poses: readonly Float32Array[];
}

/** A line between two joints. */
export interface Stick {
  readonly from: number;
  readonly to: number;
  readonly side: 'left' | 'right' | 'middle';
}

/**
 * Bones of a humanoid at some moments, turned so that it faces +z; all joints of another skeleton, as it is.
 * @param map Empty for a skeleton that is not a humanoid's. @param times Seconds.
 */
export function stickPoses(
  model: CharacterModel,
  map: HumanoidMap,
  clip: ClipModel,
  times: readonly number[],
): StickPoses {
  const isHumanoid = map.hips !== undefined;
  const body = isHumanoid ? bodyOf(model, map) : undefined;
  const moments = momentsOf(body ?? { model, characterFromModel: NO_ROTATION }, clip, times);
  const rest = isHumanoid ? undefined : extentOf(model);
  const ground = body ? groundOfClip(body, moments) : rest!.low;
  const height = (body ? body.height : rest!.height) || 1;
  const poses = moments.map(({ positions }) =>
    Float32Array.from(positions.flatMap(([x, y, z]) => [x / height, (y - ground) / height, z / height])),
  );
  return { sticks: isHumanoid ? humanoidSticks(map) : allSticks(model), poses };
}

function extentOf(model: CharacterModel): { low: number; height: number } {
  const joints = composeJoints(model, restPose(model));
  const heights = model.joints.map((_, joint) => joints[12 * joint + 7]!);
  const low = heights.reduce((least, y) => Math.min(least, y), Infinity);
  return { low, height: heights.reduce((most, y) => Math.max(most, y), -Infinity) - low };
}

/** Lines along the trunk and the limbs, whatever hangs below what. */
function humanoidSticks(map: HumanoidMap): Stick[] {
  const trunk: HumanBone[] = ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head'];
  const top = (['upperChest', 'chest', 'spine', 'hips'] as const).find((name) => map[name] !== undefined)!;
  const along = (names: readonly HumanBone[], side: Stick['side']): Stick[] => {
    const joints = names.flatMap((name) => map[name] ?? []);
    return joints.slice(1).map((to, i) => ({ from: joints[i]!, to, side }));
  };
  return [
    ...along(trunk, 'middle'),
    ...SIDES.flatMap((side) => {
      const [arm, leg] = [
        ['Shoulder', 'UpperArm', 'LowerArm', 'Hand'],
        ['UpperLeg', 'LowerLeg', 'Foot', 'Toes'],
      ].map((parts) => parts.map((part) => bone(side, part)));
      return [...along([top, ...arm!], side), ...along(['hips', ...leg!], side)];
    }),
  ];
}

function allSticks({ joints }: CharacterModel): Stick[] {
  return joints.flatMap(({ parentIndex }, to) =>
    parentIndex < 0 ? [] : [{ from: parentIndex, to, side: 'middle' as const }],
  );
}
