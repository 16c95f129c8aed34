import { composeJoints, POSE_OFFSETS, POSE_STRIDE } from '../../character/evaluate.ts';
import { normalizeQuaternion } from '../../math/quaternion.ts';
import type { BvhFile, BvhJoint } from './parse.ts';

type Numbers = Float64Array | number[];

const HALF_DEGREE = Math.PI / 360;

/**
 * The translation of a joint in a frame, to `out[at…]`, in the file's unit: position channels replace the offset, axis
 * by axis.
 */
export function translationIn(file: BvhFile, joint: BvhJoint, frame: number, out: Numbers, at = 0): void {
  for (let axis = 0; axis < 3; axis++) out[at + axis] = joint.offset[axis]!;
  for (const { kind, axis, column } of joint.channels) {
    if (kind === 'position') out[at + axis] = file.values[frame * file.channelCount + column]!;
  }
}

/** The rotation of a joint in a frame, to `out`: angles in degrees about its axes, the first channel outermost. */
export function rotationIn(file: BvhFile, joint: BvhJoint, frame: number, out: Numbers): void {
  out[0] = out[1] = out[2] = 0;
  out[3] = 1;
  for (const { kind, axis, column } of joint.channels) {
    if (kind !== 'rotation') continue;
    const half = (file.values[frame * file.channelCount + column]! % 360) * HALF_DEGREE;
    turnAbout(out, axis, Math.sin(half), Math.cos(half));
  }
  normalizeQuaternion(out);
}

/** q = q × (sin along one axis, cos). */
function turnAbout(q: Numbers, axis: number, sin: number, cos: number): void {
  const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
  const [a, b, c, w] = [q[axis]!, q[j]!, q[k]!, q[3]!];
  q[axis] = a * cos + w * sin;
  q[j] = b * cos + c * sin;
  q[k] = c * cos - b * sin;
  q[3] = w * cos - a * sin;
}

/** World positions of all joints in a frame, or at rest, 3 each, in the file's unit and axes. */
export function positionsIn(file: BvhFile, frame: number | undefined): Float64Array {
  const pose = new Float64Array(POSE_STRIDE * file.joints.length);
  const isRest = frame === undefined;
  file.joints.forEach((joint, i) => {
    const local = pose.subarray(i * POSE_STRIDE, (i + 1) * POSE_STRIDE);
    const [translation, rotation] = [POSE_OFFSETS.translation, POSE_OFFSETS.rotation].map((at) => local.subarray(at));
    const moved = isRest ? { ...joint, channels: [] } : joint;
    translationIn(file, moved, frame ?? 0, translation!);
    rotationIn(file, moved, frame ?? 0, rotation!);
    local.fill(1, POSE_OFFSETS.scale);
  });
  const worldFromJoint = composeJoints(file, pose);
  return Float64Array.from({ length: 3 * file.joints.length }, (_, i) => worldFromJoint[4 * i + 3]!);
}
