import { composeJoints, evaluatePose, type LocalPose, POSE_STRIDE, restPose } from '../character/evaluate.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import { multiply, NO_ROTATION, type Rotation, rotate, type Vector3 } from '../math/rotations.ts';

/** Rotations and positions of all joints at one moment, in a character's space. */
export interface Moment {
  readonly rotations: readonly Rotation[];
  readonly positions: readonly Vector3[];
}

export function momentOf(model: CharacterModel, pose: LocalPose, characterFromModel: Rotation = NO_ROTATION): Moment {
  const affine = composeJoints(model, pose);
  const rotations: Rotation[] = [];
  const positions: Vector3[] = [];
  model.joints.forEach(({ parentIndex }, joint) => {
    const at = joint * POSE_STRIDE + 3;
    const local: Rotation = [pose[at]!, pose[at + 1]!, pose[at + 2]!, pose[at + 3]!];
    rotations.push(multiply(parentIndex < 0 ? characterFromModel : rotations[parentIndex]!, local));
    const place: Vector3 = [affine[12 * joint + 3]!, affine[12 * joint + 7]!, affine[12 * joint + 11]!];
    positions.push(rotate(characterFromModel, place));
  });
  return { rotations, positions };
}

/** Samples per second; clips of motion capture have 120 keys a second, and are sampled at half of it. */
const RATE = { least: 30, most: 60 } as const;

/**
 * Seconds of the samples of a clip, 30 to 60 a second, first and last included. They contain the keys of clips with a steady rate of at
 * most 60.
 */
export function sampleTimes(clip: ClipModel): Float32Array {
  const count = sampleCount(clip);
  return Float32Array.from({ length: count }, (_, i) => (count === 1 ? 0 : (clip.duration * i) / (count - 1)));
}

/** Number of samples of a clip, without making them. */
export function sampleCount({ duration, tracks }: ClipModel): number {
  if (duration <= 0) return 1;
  const densest = tracks.reduce<Float32Array>(
    (most, { times }) => (times.length > most.length ? times : most),
    new Float32Array(0),
  );
  const steady = steadyRate(densest, duration);
  const average = Math.min(RATE.most, Math.max(RATE.least, (densest.length - 1) / duration));
  const rate = steady === undefined || steady > RATE.most ? average : steady * Math.ceil(RATE.least / steady - 1e-3);
  return Math.max(1, Math.round(duration * rate)) + 1;
}

/** Keys per second, if all keys and the duration are multiples of one step. */
function steadyRate(times: Float32Array, duration: number): number | undefined {
  if (times.length < 2) return undefined;
  let step = Infinity;
  for (let i = 1; i < times.length; i++) step = Math.min(step, times[i]! - times[i - 1]!);
  const count = Math.round(duration / step);
  const exact = duration / count;
  const isMultiple = (time: number): boolean => Math.abs(time / exact - Math.round(time / exact)) < 0.02;
  return Math.abs(exact / step - 1) < 0.02 && times.every(isMultiple) ? 1 / exact : undefined;
}

/** A clip of a body's model, joint by joint, at each of the times. */
export function momentsOf(
  body: { readonly model: CharacterModel; readonly characterFromModel: Rotation },
  clip: ClipModel,
  times: ArrayLike<number>,
): Moment[] {
  const pose = restPose(body.model);
  return Array.from(times, (time) =>
    momentOf(body.model, evaluatePose(body.model, clip, time, pose), body.characterFromModel),
  );
}
