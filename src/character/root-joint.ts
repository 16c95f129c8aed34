import { error, fail, ManipleError, quoted, shortened, warning, type Issue } from '../errors.ts';
import { evaluatePose, POSE_STRIDE } from './evaluate.ts';
import type { CharacterModel, ClipModel, TrackModel } from './model.ts';
import { findJoint } from './names.ts';
import { product, rotated } from './turns.ts';

/** The joint of a character's root motion, and the transform above it. */

/** Path of a clip's joint in issues. */
export function pathOf({ joints }: CharacterModel, { name }: ClipModel, joint: number): string {
  return `${name}/${joints[joint]!.name || joint}`;
}

/**
 * Finds the joint of an index or a name.
 * @throws ManipleError CLIP_ROOT_JOINT
 */
export function findRootJoint({ joints }: CharacterModel, clip: ClipModel, wanted: number | string): number {
  if (clip.root)
    fail('CLIP_ROOT_JOINT', clip.name, 'The clip already has root motion.', 'Take it out of the clip as imported.');
  const path = `${clip.name}/${shortened(String(wanted))}`;
  const joint = findJoint({ name: path, joints }, wanted, 'CLIP_ROOT_JOINT');
  const { name } = joints[joint]!;
  const found = joints.flatMap((known, index) => (known.name === name ? [index] : []));
  if (typeof wanted === 'number' || found.length === 1) return joint;
  const message = `${quoted(name)} is the name of several joints: ${found.slice(0, 5).join(', ')}.`;
  return fail('CLIP_ROOT_JOINT', path, message, 'Use one of these indices.');
}

/** `modelFromParent` of a joint, which may not change. */
export interface Frame {
  readonly translation: Float64Array;
  readonly rotation: Float64Array;
  readonly scale: number;
}

/** Largest difference of a joint's scales that count as the same in all directions. */
const UNEVEN = 1e-4;

/** @throws ManipleError CLIP_ROOT_JOINT: a joint above moves, or is scaled unevenly. */
export function frameAbove(model: CharacterModel, clip: ClipModel, joint: number): Frame {
  const ancestors: number[] = [];
  for (let j = model.joints[joint]!.parentIndex; j >= 0; j = model.joints[j]!.parentIndex) ancestors.unshift(j);
  const inside = new Set(ancestors);
  const pose = evaluatePose(model, clip, 0);
  const issues = clip.tracks.flatMap((track): Issue[] => {
    if (track.path === 'weights' || !inside.has(track.targetIndex) || isConstant(track)) return [];
    const path = `${pathOf(model, clip, track.targetIndex)}/${track.path}`;
    const what = `The joint moves, and is above ${quoted(model.joints[joint]!.name)}, from which root motion is taken.`;
    return [error('CLIP_ROOT_JOINT', path, what, 'Take the motion of the topmost joint that moves.')];
  });
  let frame: Frame = { translation: new Float64Array(3), rotation: Float64Array.of(0, 0, 0, 1), scale: 1 };
  for (const ancestor of ancestors) {
    const local = pose.subarray(ancestor * POSE_STRIDE, (ancestor + 1) * POSE_STRIDE);
    const [x, y, z] = [local[7]!, local[8]!, local[9]!];
    if (!(x > 0) || Math.abs(y - x) > UNEVEN * x || Math.abs(z - x) > UNEVEN * x) {
      const what = `is scaled by ${x}, ${y}, ${z}; above the joint of root motion scales must be even and positive.`;
      issues.push(
        error('CLIP_ROOT_JOINT', pathOf(model, clip, ancestor), what, 'Apply the scale in the modelling tool.'),
      );
    }
    const rotation = product(frame.rotation, local.subarray(3, 7));
    const offset = rotated(local.subarray(0, 3), frame.rotation);
    frame = {
      translation: frame.translation.map((t, c) => t + frame.scale * offset[c]!),
      rotation,
      scale: frame.scale * x,
    };
  }
  if (issues.length > 0) throw new ManipleError(issues);
  return frame;
}

/** Differences that rounding leaves between equal keys. For numbers above 1, relative to them. */
const ROUNDING = 1e-6;

/** Returns true if a track has one value at all times. */
export function isConstant({ values, times, interpolation }: TrackModel): boolean {
  const perKey = values.length / times.length;
  const width = interpolation === 'CUBICSPLINE' ? perKey / 3 : perKey;
  return values.every((value, i) => {
    const isTangent = interpolation === 'CUBICSPLINE' && Math.floor(i / width) % 3 !== 1;
    const expected = isTangent ? 0 : values[i % perKey]!;
    return Math.abs(value - expected) <= ROUNDING * Math.max(1, Math.abs(expected));
  });
}

/** Issue for joints outside that move independently: reported once for a clip. */
export function strayJoints(model: CharacterModel, clip: ClipModel, joint: number): Issue[] {
  const below = model.joints.map(() => false);
  model.joints.forEach(({ parentIndex }, j) => (below[j] = j === joint || (below[parentIndex] ?? false)));
  const moved = clip.tracks.filter(
    (track) => (track.path === 'translation' || track.path === 'rotation') && !isConstant(track),
  );
  const names = [...new Set(moved.map(({ targetIndex }) => targetIndex))]
    .filter((j) => !below[j])
    .map((j) => model.joints[j]!.name);
  if (names.length === 0) return [];
  const what = `${names.length} joints that are not below it move too: ${names.slice(0, 5).join(', ')}; root motion moves them once more.`;
  return [
    warning('CLIP_ROOT_JOINT', pathOf(model, clip, joint), what, 'Take the motion of a joint above all that moves.'),
  ];
}
