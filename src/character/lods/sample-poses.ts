import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  POSE_OFFSETS,
  POSE_STRIDE,
  restPose,
  type LocalPose,
} from '../evaluate.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import type { SkeletonMetrics } from '../pack/skeleton-metrics.ts';

export interface SamplePose {
  /** 12 numbers per joint, as `composeJoints` makes them. */
  readonly modelFromJoint: Float64Array;
  /** All morph weights of the character. */
  readonly morphWeights: Float64Array;
  readonly local: LocalPose;
}

/** The most morph targets that get a pose of their own. */
const MORPH_POSES = 32;
/** One in this many poses from clips blends two clips, half each. */
const BLEND_SHARE = 4;
/** Characters without clips have their joints turned by this angle, radians. */
const FLEX = Math.PI / 6;

/**
 * Sample poses of a character, always the same ones for the same model. They are the rest pose, each morph target at 1,
 * moments of all clips, evenly spread, and blends between them. Characters without clips flex every joint.
 *
 * @param count The most moments and blends.
 */
export function samplePoses(model: CharacterModel, clips: readonly ClipModel[], count: number): SamplePose[] {
  const rest = restPose(model);
  const restWeights = evaluateMorphWeights(model, undefined, 0);
  const poses = [posed(model, rest, restWeights)];
  for (let target = 0; target < Math.min(MORPH_POSES, restWeights.length); target++) {
    poses.push({ ...poses[0]!, morphWeights: restWeights.map((weight, w) => (w === target ? 1 : weight)) });
  }
  if (clips.length === 0) {
    for (let turn = 0; turn < 6; turn++) poses.push(posed(model, flexed(model, turn), restWeights));
    return poses;
  }
  const blendCount = Math.floor(count / BLEND_SHARE);
  const moments = clipMoments(clips, count - blendCount).map(({ clip, time }) =>
    posed(model, evaluatePose(model, clip, time), evaluateMorphWeights(model, clip, time)),
  );
  for (let i = 0; i < Math.min(blendCount, moments.length); i++) {
    // far apart in the list: of different clips, if there are several
    const a = moments[i]!;
    const b = moments[(i + (moments.length >> 1)) % moments.length]!;
    const weights = a.morphWeights.map((weight, w) => (weight + b.morphWeights[w]!) / 2);
    moments.push(posed(model, halfway(a.local, b.local), weights));
  }
  return [...poses, ...moments];
}

function posed(model: CharacterModel, local: LocalPose, morphWeights: Float64Array): SamplePose {
  return { local, morphWeights, modelFromJoint: composeJoints(model, local) };
}

/** Converts poses, each once, to a skeleton that poses only some joints. The others have rest transforms. */
export function posedBy(model: CharacterModel, posedJoints: readonly number[]): (pose: SamplePose) => SamplePose {
  const rest = restPose(model);
  const known = new Map<SamplePose, SamplePose>();
  return (pose) => {
    let frozen = known.get(pose);
    if (!frozen) {
      const local = rest.slice();
      for (const joint of posedJoints) {
        const at = joint * POSE_STRIDE;
        local.set(pose.local.subarray(at, at + POSE_STRIDE), at);
      }
      known.set(pose, (frozen = posed(model, local, pose.morphWeights)));
    }
    return frozen;
  };
}

/** `count` moments: the same number of every clip, or of every n-th clip if there are more clips than moments. */
function clipMoments(clips: readonly ClipModel[], count: number): { clip: ClipModel; time: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const at = ((i + 0.5) * clips.length) / count;
    const clip = clips[Math.floor(at)]!;
    return { clip, time: (at % 1) * clip.duration };
  });
}

/** Every joint turned a little, about an axis and to a side that depend on joint and turn. */
function flexed(model: CharacterModel, turn: number): LocalPose {
  const pose = restPose(model);
  for (let j = 0; j < model.joints.length; j++) {
    const at = j * POSE_STRIDE + POSE_OFFSETS.rotation;
    const rotation = pose.subarray(at, at + 4);
    const turned = [0, 0, 0, Math.cos(FLEX / 2)];
    turned[(j + turn) % 3] = Math.sin(((j >> 1) + turn) % 2 === 0 ? FLEX / 2 : -FLEX / 2);
    multiplyQuaternion(rotation, turned, rotation);
  }
  return pose;
}

/** The middle of two poses, channel by channel, rotations the short way. */
function halfway(a: LocalPose, b: LocalPose): LocalPose {
  const out = a.map((value, i) => (value + b[i]!) / 2);
  for (let at = 3; at < out.length; at += POSE_STRIDE) {
    let dot = 0;
    for (let c = at; c < at + 4; c++) dot += a[c]! * b[c]!;
    const sign = dot < 0 ? -1 : 1;
    for (let c = at; c < at + 4; c++) out[c] = a[c]! + sign * b[c]!;
    const length = Math.hypot(...out.subarray(at, at + 4));
    for (let c = at; c < at + 4; c++) out[c]! /= length;
  }
  return out;
}

/** Turns differences between poses into lengths. */
type PoseWeights = Pick<SkeletonMetrics, 'shell' | 'morphReach'>;

/** The first pose, then repeatedly the one that is farthest from those chosen: at most `count`. */
export function distinctPoses(poses: readonly SamplePose[], count: number, weights: PoseWeights): SamplePose[] {
  const chosen = [poses[0]!];
  const distance = poses.map((pose) => poseDistance(pose, poses[0]!, weights));
  while (chosen.length < count) {
    const farthest = distance.reduce((best, d, i) => (d > distance[best]! ? i : best), 0);
    if (!(distance[farthest]! > 0)) break;
    const next = poses[farthest]!;
    chosen.push(next);
    poses.forEach((pose, i) => (distance[i] = Math.min(distance[i]!, poseDistance(pose, next, weights))));
  }
  return chosen;
}

/** Difference of two poses in joints' own rotations, translations and scales, and in morph weights: metres. */
function poseDistance(a: SamplePose, b: SamplePose, { shell, morphReach }: PoseWeights): number {
  let sum = 0;
  shell.forEach((radius, j) => {
    const at = j * POSE_STRIDE;
    const difference = (c: number) => a.local[at + c]! - b.local[at + c]!;
    let dot = 0;
    for (let c = 3; c < 7; c++) dot += a.local[at + c]! * b.local[at + c]!;
    const turn = 2 * Math.sqrt(Math.max(0, 1 - dot * dot));
    const stretch = Math.hypot(difference(7), difference(8), difference(9));
    if (radius > 0) sum += radius * (turn + stretch) + Math.hypot(difference(0), difference(1), difference(2));
  });
  morphReach.forEach((reach, w) => (sum += reach * Math.abs(a.morphWeights[w]! - b.morphWeights[w]!)));
  return sum;
}
