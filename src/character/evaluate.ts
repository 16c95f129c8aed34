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

/** Transforms of joints to their parents, `POSE_STRIDE` numbers each: xyz in metres, unit quaternion, scale xyz. */
export type LocalPose = Float64Array;
/** Numbers per joint in a {@link LocalPose}. */
export const POSE_STRIDE = 10;
/** Positions of its parts. */
export const POSE_OFFSETS = { translation: 0, rotation: 3, scale: 7 } as const;

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
    sampleTrack(track, time, out, track.targetIndex * POSE_STRIDE + POSE_OFFSETS[track.path]);
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
    if (cubic) {
      const f2 = f * f;
      const f3 = f2 * f;
      const h00 = 2 * f3 - 3 * f2 + 1;
      const h01 = -2 * f3 + 3 * f2;
      for (let c = 0; c < width; c++) {
        const m0 = values[a + width + c]! * span;
        const m1 = values[b - width + c]! * span;
        out[at + c] = h00 * values[a + c]! + (f3 - 2 * f2 + f) * m0 + h01 * values[b + c]! + (f3 - f2) * m1;
      }
    } else if (track.path === 'rotation') slerp(values, a, b, f, out, at);
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

/** `modelFromJoint` of every joint, parents first: 12 numbers each, three rows of four. Writes and returns `out`. */
export function composeJoints(
  model: { readonly joints: readonly Pick<JointModel, 'parentIndex'>[] },
  pose: LocalPose,
  out: Float64Array = new Float64Array(model.joints.length * 12),
): Float64Array {
  const local = new Float64Array(12);
  model.joints.forEach(({ parentIndex }, joint) => {
    affineFromPose(pose, joint * POSE_STRIDE, local, 0);
    if (parentIndex < 0) out.set(local, joint * 12);
    else applyParent(out, parentIndex * 12, joint * 12, local, 0);
  });
  return out;
}

/** m[to…] = m[parent…] × local[from…]. `multiplyAffine`, for arrays of all kinds, takes twice as long. */
export function applyParent(m: Float64Array, parent: number, to: number, local: Float64Array, from: number): void {
  const l0 = local[from]!;
  const l1 = local[from + 1]!;
  const l2 = local[from + 2]!;
  const l3 = local[from + 3]!;
  const l4 = local[from + 4]!;
  const l5 = local[from + 5]!;
  const l6 = local[from + 6]!;
  const l7 = local[from + 7]!;
  const l8 = local[from + 8]!;
  const l9 = local[from + 9]!;
  const l10 = local[from + 10]!;
  const l11 = local[from + 11]!;
  const a0 = m[parent]!;
  const b0 = m[parent + 1]!;
  const c0 = m[parent + 2]!;
  const d0 = m[parent + 3]!;
  m[to] = a0 * l0 + b0 * l4 + c0 * l8;
  m[to + 1] = a0 * l1 + b0 * l5 + c0 * l9;
  m[to + 2] = a0 * l2 + b0 * l6 + c0 * l10;
  m[to + 3] = a0 * l3 + b0 * l7 + c0 * l11 + d0;
  const a1 = m[parent + 4]!;
  const b1 = m[parent + 5]!;
  const c1 = m[parent + 6]!;
  const d1 = m[parent + 7]!;
  m[to + 4] = a1 * l0 + b1 * l4 + c1 * l8;
  m[to + 5] = a1 * l1 + b1 * l5 + c1 * l9;
  m[to + 6] = a1 * l2 + b1 * l6 + c1 * l10;
  m[to + 7] = a1 * l3 + b1 * l7 + c1 * l11 + d1;
  const a2 = m[parent + 8]!;
  const b2 = m[parent + 9]!;
  const c2 = m[parent + 10]!;
  const d2 = m[parent + 11]!;
  m[to + 8] = a2 * l0 + b2 * l4 + c2 * l8;
  m[to + 9] = a2 * l1 + b2 * l5 + c2 * l9;
  m[to + 10] = a2 * l2 + b2 * l6 + c2 * l10;
  m[to + 11] = a2 * l3 + b2 * l7 + c2 * l11 + d2;
}

/** `modelFromMesh` of every binding. */
export function evaluatePalette({ bindings }: CharacterModel, modelFromJoint: Float64Array): Float64Array[] {
  return bindings.map(({ jointIndex, jointFromMesh }) => {
    const modelFromMesh = new Float64Array(12);
    multiplyAffine(modelFromJoint, jointIndex * 12, jointFromMesh, 0, modelFromMesh, 0);
    return modelFromMesh;
  });
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
  const palette = evaluatePalette(model, modelFromJoint);
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
