import { evaluatePose, restPose } from '../character/evaluate.ts';
import { mirrorPairs } from '../character/mirror.ts';
import type { CharacterModel, ClipModel, TrackModel } from '../character/model.ts';
import {
  add,
  angleBetween,
  inverse,
  length,
  multiply,
  NO_ROTATION,
  type Rotation,
  rotate,
  subtract,
  times,
  type Vector3,
} from '../math/rotations.ts';
import { type Moment, momentOf, sampleTimes } from './moments.ts';

/**
 * Carries a clip between skeletons that are not humanoids, joint by joint. Turns are counted from the rest poses, in
 * model space: both must rest alike. Translations are changes from the rest, by the ratio of the skeletons' sizes.
 *
 * @param jointOf The target's joint for each of the source's; undefined for one that has none.
 */
export function retargetJoints(
  clip: ClipModel,
  source: CharacterModel,
  target: CharacterModel,
  jointOf: (joint: number) => number | undefined,
  mirror: boolean,
): { clip: ClipModel; joints: number } {
  const pairs = pairsOf(source, target, jointOf, mirror);
  if (pairs.size === 0) return { clip, joints: 0 };
  const sampled = sampleTimes(clip);
  const rests = [momentOf(source, restPose(source)), momentOf(target, restPose(target))] as const;
  const ratio = sizeOf(rests[1]) / sizeOf(rests[0]);
  const tracks: TrackModel[] = [];
  const rotations = target.joints.map(() => new Float32Array(4 * sampled.length));
  const translations = target.joints.map(() => new Float32Array(3 * sampled.length));
  const moved = target.joints.map(() => ({ turns: false, moves: false }));
  sampled.forEach((time, i) => {
    const pose = momentOf(source, evaluatePose(source, clip, time));
    const own: Rotation[] = [];
    target.joints.forEach((joint, t) => {
      const above = joint.parentIndex < 0 ? NO_ROTATION : own[joint.parentIndex]!;
      const s = pairs.get(t);
      if (s === undefined) return void own.push(multiply(above, joint.rotation));
      const turn = reflected(multiply(pose.rotations[s]!, inverse(rests[0].rotations[s]!)), mirror);
      own.push(multiply(turn, rests[1].rotations[t]!));
      const local = multiply(inverse(above), own[t]!);
      rotations[t]!.set(local, 4 * i);
      if (angleBetween(local, joint.rotation) > 1e-5) moved[t]!.turns = true;
      const shift = localShift(source, pose, rests[0], s, mirror);
      const change = times(
        rotate(inverse(parentRest(rests[1], joint.parentIndex)), shift),
        ratio / parentScale(target, joint.parentIndex),
      );
      translations[t]!.set(add(joint.translation, change), 3 * i);
      if (length(change) > 1e-6) moved[t]!.moves = true;
    });
  });
  target.joints.forEach((_, targetIndex) => {
    const base = { targetIndex, interpolation: 'LINEAR', times: sampled } as const;
    if (moved[targetIndex]!.turns)
      tracks.push({ ...base, path: 'rotation', values: alignedSigns(rotations[targetIndex]!) });
    if (moved[targetIndex]!.moves) tracks.push({ ...base, path: 'translation', values: translations[targetIndex]! });
  });
  return { clip: { ...clip, tracks }, joints: pairs.size };
}

/** The source's joint for each of the target's; with a mirror, that of the counterpart. */
function pairsOf(
  source: CharacterModel,
  target: CharacterModel,
  jointOf: (joint: number) => number | undefined,
  mirror: boolean,
): Map<number, number> {
  const pairs = new Map<number, number>();
  source.joints.forEach((_, s) => {
    const t = jointOf(s);
    if (t !== undefined && !pairs.has(t)) pairs.set(t, s);
  });
  if (!mirror) return pairs;
  const counterparts = mirrorPairs(target.joints.map(({ name }) => name));
  return new Map(Array.from(pairs, ([t, s]) => [t, pairs.get(counterparts[t]!) ?? s]));
}

/** How far a joint is from its rest, in model space turned back by its parent: along the axes of the rest pose. */
function localShift({ joints }: CharacterModel, pose: Moment, rest: Moment, joint: number, mirror: boolean): Vector3 {
  const parent = joints[joint]!.parentIndex;
  const offset = (moment: Moment): Vector3 => {
    if (parent < 0) return moment.positions[joint]!;
    return rotate(inverse(moment.rotations[parent]!), subtract(moment.positions[joint]!, moment.positions[parent]!));
  };
  const [x, y, z] = rotate(parentRest(rest, parent), subtract(offset(pose), offset(rest)));
  return [mirror ? -x : x, y, z];
}

function parentRest(rest: Moment, parent: number): Rotation {
  return parent < 0 ? NO_ROTATION : rest.rotations[parent]!;
}

function parentScale({ joints }: CharacterModel, parent: number): number {
  let scale = 1;
  for (let at = parent; at >= 0; at = joints[at]!.parentIndex) scale *= Math.abs(joints[at]!.scale[0]) || 1;
  return scale;
}

/** The diagonal of the box around a pose. */
function sizeOf({ positions }: Moment): number {
  const sides = [0, 1, 2].map((axis) => {
    const values = positions.map((at) => at[axis]!);
    return Math.max(...values) - Math.min(...values);
  });
  return Math.hypot(...sides) || 1;
}

function reflected([x, y, z, w]: Rotation, mirror: boolean): Rotation {
  return mirror ? [x, -y, -z, w] : [x, y, z, w];
}

/** Keys with the sign that is nearer to the key before. */
function alignedSigns(values: Float32Array): Float32Array {
  for (let at = 4; at < values.length; at += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += values[at + c]! * values[at + c - 4]!;
    if (dot < 0) for (let c = 0; c < 4; c++) values[at + c] = -values[at + c]!;
  }
  return values;
}
