import { expectClip, expectModel, expectOptions } from './arguments.ts';
import { error, fail, ManipleError, quoted, shortened, warning, type Issue } from '../errors.ts';
import { multiplyQuaternion, normalizeQuaternion } from '../math/quaternion.ts';
import { evaluatePose, POSE_STRIDE, sampleTrack, trackWidth } from './evaluate.ts';
import type { CharacterModel, ClipModel, RootMotionModel, TrackModel } from './model.ts';
import { findJoint } from './names.ts';
import { chooseKeys, sampleAdaptively, type Curve, type Samples } from './resample.ts';

export interface RootMotionOptions {
  /** Index or name of the joint that provides the character's motion: mostly the hips, or a root made for this. */
  readonly joint: number | string;
  /** Motion that stays in the pose: the yaw, the height, the movement over the ground. Default: nothing. */
  readonly bake?: { readonly rotation?: boolean; readonly y?: boolean; readonly xz?: boolean };
  /** Receives a warning if joints that are not below the joint move too: they now move with the character as well. */
  readonly issues?: Issue[];
}

/** Tolerance of straight lines between the new keys: metres and radians. Over long distances, a share of them. */
const POSITION_TOLERANCE = 1e-4;
const POSITION_SHARE = 1e-6;
const ROTATION_TOLERANCE = 1e-4;
const SAMPLE_LIMIT = 2 ** 18;

/**
 * Extracts the motion of a joint from a clip, as motion of the character in model space. `root` at a time, applied to
 * the returned clip's pose, is the original pose. The root turns about Y only. The joint keeps the position and the yaw
 * of the clip's first moment, the rest of its rotation, its scale, and baked motion.
 *
 * Straight lines between the keys of `root`, and of changed tracks, are within 0.1 mm (over long distances within a
 * millionth of them) and 10⁻⁴ radians. Steps stay steps: two keys, the smallest possible time apart. A clip is returned
 * unchanged if its joint does not move, or its motion is all baked.
 *
 * @throws ManipleError CLIP_ROOT_JOINT: the joint does not exist, or is ambiguous; a joint above it moves or is scaled
 * unevenly; the clip has root motion already. CLIP_TOO_LONG: its motion takes over 262,144 samples.
 */
export function extractRootMotion(model: CharacterModel, clip: ClipModel, options: RootMotionOptions): ClipModel {
  expectModel(model);
  expectClip(clip);
  expectOptions(options);
  const { bake = {}, issues } = options;
  const joint = findRootJoint(model, clip, options.joint);
  const above = frameAbove(model, clip, joint);
  const [translation, rotation] = (['translation', 'rotation'] as const).map((path) =>
    clip.tracks.find((track) => track.path === path && track.targetIndex === joint && !isConstant(track)),
  );
  const end = Math.fround(clip.duration);
  const bakes = { rotation: bake.rotation ?? false, y: bake.y ?? false, xz: bake.xz ?? false };
  if (end <= 0 || (!translation && (!rotation || bakes.rotation)) || (bakes.rotation && bakes.y && bakes.xz))
    return clip;
  issues?.push(...strayJoints(model, clip, joint));

  const times = knotsOf([translation, rotation], end);
  const split = splitter(model, clip, joint, above, { ...bakes, rotation: bakes.rotation || !rotation });
  const curves = curvesFor(times, split, above.scale);
  const samples =
    sampleAdaptively(times, ROW, split, Object.values(curves), SAMPLE_LIMIT) ??
    fail('CLIP_TOO_LONG', pathOf(model, clip, joint), `its motion takes over ${SAMPLE_LIMIT} samples.`, 'Shorten it.');
  const left = trackFrom('translation', joint, samples, curves.translation);
  const isMoved = ({ path, targetIndex }: TrackModel) => path === 'translation' && targetIndex === joint;
  const changed = [
    // a joint that no track moved needs no track if its rest position is unchanged
    ...(left.times.length > 1 || clip.tracks.some(isMoved) ? [left] : []),
    ...(rotation && !bakes.rotation ? [trackFrom('rotation', joint, samples, curves.rotation)] : []),
  ];
  const kept = clip.tracks.filter(
    ({ path, targetIndex }) => !changed.some((track) => track.path === path && track.targetIndex === targetIndex),
  );
  return { ...clip, root: rootFrom(samples, curves.position, curves.yaw), tracks: [...kept, ...changed] };
}

function rootFrom(samples: Samples, position: Curve, yaw: Curve): RootMotionModel {
  const keys = chooseKeys(samples, [position, yaw]);
  const positions = valuesOf(samples, keys, position);
  const rotations = valuesOf(samples, keys, yaw);
  // exactly, without rounding errors
  positions.set([0, 0, 0]);
  rotations.set([0, 0, 0, 1]);
  return { times: Float32Array.from(keys, (key) => samples.times[key]!), positions, rotations };
}

/** Times at which the motion may bend. If a track steps, also the last moment before the step. */
function knotsOf(tracks: readonly (TrackModel | undefined)[], end: number): number[] {
  const knots = new Set([0, end]);
  for (const track of tracks) {
    for (const time of track?.times ?? []) {
      if (time <= 0 || time > end) continue;
      knots.add(time);
      if (track!.interpolation === 'STEP') knots.add(floatBefore(time));
    }
  }
  return Array.from(knots).sort((a, b) => a - b);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The next smaller positive 32-bit float. */
function floatBefore(value: number): number {
  float[0] = value;
  bits[0]!--;
  return float[0]!;
}

/** A row: root position and yaw; translation and rotation that remain in the joint, in its parent's space. */
const ROW = 14;

function curvesFor(
  times: readonly number[],
  split: (time: number, out: Float64Array) => void,
  scale: number,
): Record<'position' | 'yaw' | 'translation' | 'rotation', Curve> {
  const row = new Float64Array(ROW);
  let way = 0;
  for (const time of times) {
    split(time, row);
    way = Math.max(way, Math.hypot(row[0]!, row[1]!, row[2]!), scale * Math.hypot(row[7]!, row[8]!, row[9]!));
  }
  const tolerance = Math.max(POSITION_TOLERANCE, POSITION_SHARE * way);
  return {
    position: { at: 0, width: 3, tolerance },
    yaw: { at: 3, width: 4, tolerance: ROTATION_TOLERANCE },
    translation: { at: 7, width: 3, tolerance: tolerance / scale },
    rotation: { at: 10, width: 4, tolerance: ROTATION_TOLERANCE },
  };
}

/** Splits the joint's transform at a time into the root's and the remainder: modelFromJoint = root × left. */
function splitter(
  model: CharacterModel,
  { tracks }: ClipModel,
  joint: number,
  above: Frame,
  bake: { rotation: boolean; y: boolean; xz: boolean },
): (time: number, out: Float64Array) => void {
  const own = tracks.filter(
    ({ targetIndex, path }) => targetIndex === joint && (path === 'translation' || path === 'rotation'),
  );
  const { translation, rotation } = model.joints[joint]!;
  const localPoint = Float64Array.from(translation);
  const localTurn = Float64Array.from(rotation);
  // overwritten for every time
  const [point, left, carried] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
  const [turn, yaw, back] = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  /** Computes the joint's position and rotation in model space. */
  const placeAt = (time: number) => {
    for (const track of own) sampleTrack(track, time, track.path === 'rotation' ? localTurn : localPoint, 0);
    rotated(localPoint, above.rotation, point);
    for (let c = 0; c < 3; c++) point[c] = above.translation[c]! + above.scale * point[c]!;
    product(above.rotation, localTurn, turn);
  };
  placeAt(0);
  const firstPoint = point.slice();
  const [firstInverse, aboveInverse] = [conjugate(turn), conjugate(above.rotation)];
  const bakes = [bake.xz, bake.y, bake.xz];
  return (time, out) => {
    placeAt(time);
    product(turn, firstInverse, yaw);
    yaw[0] = yaw[2] = 0;
    if (bake.rotation) yaw.set([0, 0, 0, 1]);
    normalizeQuaternion(yaw);
    conjugate(yaw, back);
    rotated(point, back, left);
    for (let c = 0; c < 3; c++) if (!bakes[c]) left[c] = firstPoint[c]!;
    rotated(left, yaw, carried);
    for (let c = 0; c < 3; c++) out[c] = point[c]! - carried[c]!;
    out.set(yaw, 3);
    for (let c = 0; c < 3; c++) left[c] = (left[c]! - above.translation[c]!) / above.scale;
    out.set(rotated(left, aboveInverse, left), 7);
    out.set(product(aboveInverse, product(back, turn, back), back), 10);
  };
}

function trackFrom(path: 'translation' | 'rotation', joint: number, samples: Samples, curve: Curve): TrackModel {
  const chosen = chooseKeys(samples, [curve]);
  const values = valuesOf(samples, chosen, curve);
  const holds = values.every((value, i) => value === values[i % curve.width]);
  return {
    path,
    targetIndex: joint,
    interpolation: 'LINEAR',
    times: holds ? Float32Array.of(0) : Float32Array.from(chosen, (key) => samples.times[key]!),
    values: holds ? values.slice(0, curve.width) : values,
  };
}

function valuesOf({ rows }: Samples, keys: readonly number[], { at, width }: Curve): Float32Array {
  return Float32Array.from(keys.flatMap((key) => Array.from(rows[key]!.subarray(at, at + width))));
}

function pathOf({ joints }: CharacterModel, { name }: ClipModel, joint: number): string {
  return `${name}/${joints[joint]!.name || joint}`;
}

/** @throws ManipleError CLIP_ROOT_JOINT */
function findRootJoint({ joints }: CharacterModel, clip: ClipModel, wanted: number | string): number {
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
interface Frame {
  readonly translation: Float64Array;
  readonly rotation: Float64Array;
  readonly scale: number;
}

/** Largest difference of a joint's scales that count as the same in all directions. */
const UNEVEN = 1e-4;

/** @throws ManipleError CLIP_ROOT_JOINT: a joint above moves, or is scaled unevenly. */
function frameAbove(model: CharacterModel, clip: ClipModel, joint: number): Frame {
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
      const path = pathOf(model, clip, ancestor);
      issues.push(error('CLIP_ROOT_JOINT', path, what, 'Apply the scale in the modelling tool.'));
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

/** Returns true if all keys are equal up to rounding. */
function isConstant(track: TrackModel): boolean {
  const { values, times, interpolation } = track;
  const perKey = values.length / times.length;
  const width = trackWidth(track);
  return values.every((value, i) => {
    const isTangent = interpolation === 'CUBICSPLINE' && Math.floor(i / width) % 3 !== 1;
    const expected = isTangent ? 0 : values[i % perKey]!;
    return Math.abs(value - expected) <= ROUNDING * Math.max(1, Math.abs(expected));
  });
}

/** Issue for joints outside that move independently: reported once for a clip. */
function strayJoints(model: CharacterModel, clip: ClipModel, joint: number): Issue[] {
  const below = model.joints.map(() => false);
  model.joints.forEach(({ parentIndex }, j) => (below[j] = j === joint || (below[parentIndex] ?? false)));
  const moved = clip.tracks.filter(
    (track) => (track.path === 'translation' || track.path === 'rotation') && !isConstant(track),
  );
  const names = [...new Set(moved.map(({ targetIndex }) => targetIndex))]
    .filter((j) => !below[j])
    .map((j) => model.joints[j]!.name);
  if (names.length === 0) return [];
  const path = pathOf(model, clip, joint);
  const what = `${names.length} joints that are not below it move too: ${names.slice(0, 5).join(', ')}; root motion moves them once more.`;
  return [warning('CLIP_ROOT_JOINT', path, what, 'Take the motion of a joint above all that moves.')];
}

function product(a: ArrayLike<number>, b: ArrayLike<number>, out = new Float64Array(4)): Float64Array {
  multiplyQuaternion(a, b, out);
  return out;
}

function conjugate(q: ArrayLike<number>, out = new Float64Array(4)): Float64Array {
  for (let c = 0; c < 3; c++) out[c] = -q[c]!;
  out[3] = q[3]!;
  return out;
}

const turned = new Float64Array(4);
const inverse = new Float64Array(4);

/** @param out May be `v`. */
function rotated(v: ArrayLike<number>, q: ArrayLike<number>, out = new Float64Array(3)): Float64Array {
  for (let c = 0; c < 3; c++) turned[c] = v[c]!;
  turned[3] = 0;
  multiplyQuaternion(q, turned, turned);
  multiplyQuaternion(turned, conjugate(q, inverse), turned);
  for (let c = 0; c < 3; c++) out[c] = turned[c]!;
  return out;
}
