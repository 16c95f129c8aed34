import { affineFromPose, multiplyAffine } from '../math/affine.ts';
import type { CharacterModel, ClipModel, JointModel, MeshModel, TrackModel } from './model.ts';

/**
 * Reference results for all measurements: a character's pose evaluated from the file's own keys in float64, one joint
 * after the other. Slow and plain on purpose.
 *
 * Conventions (glTF 2.0 §3.11, appendix C): rotations slerp the short way; quaternion keys and cubic results are
 * normalised. Outside a track's keys its end values hold. Channels without a track stay at rest. Matrices are affine:
 * three rows of four numbers, row-major, translations in metres. `clip: undefined` means the rest pose everywhere.
 * Models are trusted: they have to be as importers return them.
 */

/**
 * Transforms of all joints relative to their parents: `POSE_STRIDE` numbers each, translation xyz in metres, rotation
 * xyzw as a unit quaternion, scale xyz.
 */
export type LocalPose = Float64Array;
/** Numbers per joint in a {@link LocalPose}. */
export const POSE_STRIDE = 10;

/** The pose of joints that no clip moves; a new array. */
export function restPose(model: Pick<CharacterModel, 'joints'>): LocalPose {
  const pose = new Float64Array(model.joints.length * POSE_STRIDE);
  model.joints.forEach((joint, index) => {
    pose.set([...joint.translation, ...joint.rotation, ...joint.scale], index * POSE_STRIDE);
  });
  return pose;
}

/**
 * The pose of a clip at a time.
 *
 * @param clip A clip of this model, or bound to it. Undefined leaves `out` unchanged.
 * @param time Seconds; not wrapped.
 * @param out Written and returned. Channels with a track are written, others keep their values. Default: a new rest
 * pose.
 */
export function evaluatePose(
  model: CharacterModel,
  clip: ClipModel | undefined,
  time: number,
  out: LocalPose = restPose(model),
): LocalPose {
  for (const track of clip?.tracks ?? []) {
    if (track.path === 'weights') continue;
    const at = track.targetIndex * POSE_STRIDE + (track.path === 'translation' ? 0 : track.path === 'rotation' ? 3 : 7);
    sampleTrack(track, time, out, at);
  }
  return out;
}

/** All morph weights of the character at a time in seconds, one run per morph set. Without a clip: rest weights. */
export function evaluateMorphWeights(model: CharacterModel, clip: ClipModel | undefined, time: number): Float64Array {
  const offsets = morphOffsets(model);
  const out = new Float64Array(offsets.at(-1) ?? 0);
  model.morphSets.forEach((set, index) => out.set(set.weights, offsets[index]));
  for (const track of clip?.tracks ?? []) {
    if (track.path === 'weights') sampleTrack(track, time, out, offsets[track.targetIndex]!);
  }
  return out;
}

/** Start of each morph set's weights, and their total at the end. */
export function morphOffsets(model: Pick<CharacterModel, 'morphSets'>): number[] {
  const offsets = [0];
  for (const set of model.morphSets) offsets.push(offsets.at(-1)! + set.weights.length);
  return offsets;
}

export function trackWidth(track: TrackModel): number {
  const perKey = track.values.length / track.times.length;
  return track.interpolation === 'CUBICSPLINE' ? perKey / 3 : perKey;
}

/** Writes the track's value at `time` to `out[at…]`. */
export function sampleTrack(track: TrackModel, time: number, out: Float64Array, at: number): void {
  const { times, values } = track;
  const width = trackWidth(track);
  const cubic = track.interpolation === 'CUBICSPLINE';
  const stride = cubic ? 3 * width : width;
  const value = cubic ? width : 0;
  const last = times.length - 1;
  const key = findKey(times, time);
  if (key < 0 || key >= last || track.interpolation === 'STEP') {
    const from = Math.min(Math.max(key, 0), last) * stride + value;
    for (let c = 0; c < width; c++) out[at + c] = values[from + c]!;
  } else {
    const t0 = times[key]!;
    const span = times[key + 1]! - t0;
    const f = (time - t0) / span;
    const a = key * stride + value;
    const b = a + stride;
    if (cubic) hermite(values, a, b, width, f, span, out, at);
    else if (track.path === 'rotation') slerp(values, a, b, f, out, at);
    else for (let c = 0; c < width; c++) out[at + c] = values[a + c]! * (1 - f) + values[b + c]! * f;
  }
  if (track.path === 'rotation') normalize4(out, at);
}

/** The last key at or before `time`, or -1. */
export function findKey(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function hermite(
  v: Float32Array,
  a: number,
  b: number,
  width: number,
  f: number,
  span: number,
  out: Float64Array,
  at: number,
): void {
  const f2 = f * f;
  const f3 = f2 * f;
  for (let c = 0; c < width; c++) {
    const p0 = v[a + c]!;
    const p1 = v[b + c]!;
    const m0 = v[a + width + c]! * span;
    const m1 = v[b - width + c]! * span;
    out[at + c] = (2 * f3 - 3 * f2 + 1) * p0 + (f3 - 2 * f2 + f) * m0 + (-2 * f3 + 3 * f2) * p1 + (f3 - f2) * m1;
  }
}

function slerp(v: Float32Array, a: number, b: number, f: number, out: Float64Array, at: number): void {
  const lengthA = Math.hypot(v[a]!, v[a + 1]!, v[a + 2]!, v[a + 3]!);
  const lengthB = Math.hypot(v[b]!, v[b + 1]!, v[b + 2]!, v[b + 3]!);
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += (v[a + c]! / lengthA) * (v[b + c]! / lengthB);
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const sine = Math.sin(angle);
  const w0 = sine < 1e-9 ? 1 - f : Math.sin((1 - f) * angle) / sine;
  const w1 = sine < 1e-9 ? f : Math.sin(f * angle) / sine;
  for (let c = 0; c < 4; c++) out[at + c] = (w0 * v[a + c]!) / lengthA + (sign * w1 * v[b + c]!) / lengthB;
}

function normalize4(v: Float64Array, at: number): void {
  const length = Math.hypot(v[at]!, v[at + 1]!, v[at + 2]!, v[at + 3]!) || 1;
  for (let c = 0; c < 4; c++) v[at + c] = v[at + c]! / length;
}

/**
 * `modelFromJoint` of every joint, parents first: 12 numbers each, three rows of four.
 *
 * @param out Written and returned; at least 12 per joint.
 */
export function composeJoints(
  model: { readonly joints: readonly Pick<JointModel, 'parentIndex'>[] },
  pose: LocalPose,
  out: Float64Array = new Float64Array(model.joints.length * 12),
): Float64Array {
  const { joints } = model;
  for (let j = 0; j < joints.length; j++) {
    const parent = joints[j]!.parentIndex;
    affineFromPose(pose, j * POSE_STRIDE, out, j * 12);
    if (parent >= 0) applyParent(out, parent * 12, j * 12);
  }
  return out;
}

/**
 * m[at…] = m[parent…] × m[at…]. Same as `multiplyAffine`, which accepts arrays of all kinds and therefore takes twice
 * as long.
 */
function applyParent(m: Float64Array, parent: number, at: number): void {
  const a0 = m[parent]!;
  const a1 = m[parent + 1]!;
  const a2 = m[parent + 2]!;
  const a3 = m[parent + 3]!;
  const a4 = m[parent + 4]!;
  const a5 = m[parent + 5]!;
  const a6 = m[parent + 6]!;
  const a7 = m[parent + 7]!;
  const a8 = m[parent + 8]!;
  const a9 = m[parent + 9]!;
  const a10 = m[parent + 10]!;
  const a11 = m[parent + 11]!;
  for (let i = at; i < at + 4; i++) {
    const x = m[i]!;
    const y = m[i + 4]!;
    const z = m[i + 8]!;
    const w = i === at + 3 ? 1 : 0;
    m[i] = a0 * x + a1 * y + a2 * z + a3 * w;
    m[i + 4] = a4 * x + a5 * y + a6 * z + a7 * w;
    m[i + 8] = a8 * x + a9 * y + a10 * z + a11 * w;
  }
}

/**
 * Positions of a mesh after morphs and skinning: 3 per vertex, metres in model space (glTF's world space). A vertex
 * without influences is morphed and passes through. Cost: in proportion to targets and influences.
 *
 * @param mesh A mesh of the model.
 * @param modelFromJoint From `composeJoints`.
 * @param morphWeights From `evaluateMorphWeights`.
 */
export function evaluateVertices(
  model: CharacterModel,
  mesh: MeshModel,
  modelFromJoint: Float64Array,
  morphWeights: Float64Array,
): Float64Array {
  const palette = model.bindings.map(({ jointIndex, jointFromMesh }) => {
    const modelFromMesh = new Float64Array(12);
    multiplyAffine(modelFromJoint, jointIndex * 12, jointFromMesh, 0, modelFromMesh, 0);
    return modelFromMesh;
  });
  const firstWeight = mesh.morphSetIndex < 0 ? 0 : morphOffsets(model)[mesh.morphSetIndex]!;
  const out = new Float64Array(mesh.vertexCount * 3);
  const { offsets, bindings, weights } = mesh.influences;
  for (let v = 0; v < mesh.vertexCount; v++) {
    const p = [mesh.positions[3 * v]!, mesh.positions[3 * v + 1]!, mesh.positions[3 * v + 2]!];
    mesh.targets.forEach((target, index) => {
      for (let c = 0; c < 3; c++) p[c]! += morphWeights[firstWeight + index]! * target.positions[3 * v + c]!;
    });
    const from = offsets[v]!;
    const to = offsets[v + 1]!;
    if (from === to) out.set(p, 3 * v);
    let total = 0;
    for (let i = from; i < to; i++) total += weights[i]!;
    for (let i = from; i < to; i++) {
      const m = palette[bindings[i]!]!;
      const share = weights[i]! / total;
      for (let row = 0; row < 3; row++) {
        out[3 * v + row]! +=
          share * (m[4 * row]! * p[0]! + m[4 * row + 1]! * p[1]! + m[4 * row + 2]! * p[2]! + m[4 * row + 3]!);
      }
    }
  }
  return out;
}
