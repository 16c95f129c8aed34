import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  POSE_STRIDE,
  restPose,
} from '../../src/character/evaluate.ts';
import type { CharacterModel, ClipModel } from '../../src/character/index.ts';
import type { Actor } from './crowd-truth.ts';

/** A clip at a moment, in a layer. */
interface LayerClip {
  readonly clip: number;
  /** Seconds. */
  readonly time: number;
  /** Default 1. */
  readonly weight?: number;
  /** Additive layers: what it is seen from. Default: its own first moment. */
  readonly reference?: { readonly clip: number; readonly time: number };
}

/** A layer as docs/controllers.md has it, bottom-up. */
export interface TrueLayer {
  readonly additive?: boolean;
  /** Default 1. */
  readonly weight?: number;
  /** Per joint, 0 to 1; default all of it. */
  readonly mask?: (joint: number) => number;
  readonly clips: readonly LayerClip[];
}

type Quaternion = readonly number[];

const multiply = ([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): number[] => [
  aw! * bx! + ax! * bw! + ay! * bz! - az! * by!,
  aw! * by! - ax! * bz! + ay! * bw! + az! * bx!,
  aw! * bz! + ax! * by! - ay! * bx! + az! * bw!,
  aw! * bw! - ax! * bx! - ay! * by! - az! * bz!,
];
const unit = (q: Quaternion): number[] => q.map((c) => c / Math.hypot(...q));
const near = (q: Quaternion, to: Quaternion): number[] => {
  const sign = q.reduce((sum, c, i) => sum + c * to[i]!, 0) < 0 ? -1 : 1;
  return q.map((c) => sign * c);
};

const CHANNELS = [
  ['translation', 0, 3],
  ['rotation', 3, 4],
  ['scale', 7, 3],
] as const;

/** One channel of one joint (or all morph weights), layer over layer, in doubles. */
function blendLayers(
  rest: readonly number[],
  layers: readonly TrueLayer[],
  kind: 'translation' | 'rotation' | 'scale' | 'weights',
  maskOf: (layer: TrueLayer) => number,
  moves: (clip: number) => boolean,
  valueOf: (clip: number, time: number) => readonly number[],
): number[] {
  let out = [...rest];
  for (const layer of layers) {
    const terms = layer.clips.flatMap(({ clip, time, weight = 1, reference = { clip, time: 0 } }) => {
      if (!moves(clip) && !(layer.additive && moves(reference.clip))) return [];
      const value = valueOf(clip, time);
      if (!layer.additive) return [{ value, weight }];
      const from = valueOf(reference.clip, reference.time);
      if (kind === 'rotation') {
        const [x, y, z, w] = from as [number, number, number, number];
        return [{ value: multiply([-x, -y, -z, w], value), weight }];
      }
      return [{ value: value.map((v, c) => (kind === 'scale' ? v / from[c]! : v - from[c]!)), weight }];
    });
    const total = terms.reduce((sum, { weight }) => sum + weight, 0);
    if (total === 0) continue;
    const shown = (layer.weight ?? 1) * maskOf(layer) * Math.min(1, total);
    let mean = rest.map(() => 0);
    for (const { value, weight } of terms) {
      const aligned = kind === 'rotation' ? near(value, mean) : value;
      mean = mean.map((sum, c) => sum + (weight / total) * aligned[c]!);
    }
    if (kind === 'rotation') {
      const from = layer.additive ? [0, 0, 0, 1] : out;
      const over = near(unit(mean), from);
      const reached = unit(from.map((c, i) => c * (1 - shown) + over[i]! * shown));
      out = layer.additive ? multiply(out, reached) : reached;
    } else if (!layer.additive) out = out.map((c, i) => c * (1 - shown) + mean[i]! * shown);
    else if (kind === 'scale') out = out.map((c, i) => c * (1 + (mean[i]! - 1) * shown));
    else out = out.map((c, i) => c + mean[i]! * shown);
  }
  return out;
}

/** `modelFromJoint` of all joints under layers, 12 numbers each. */
export function layeredJoints(model: CharacterModel, layers: readonly TrueLayer[]): Float64Array {
  const pose = restPose(model);
  const rest = pose.slice();
  model.joints.forEach((_, joint) => {
    for (const [path, channel, width] of CHANNELS) {
      const at = joint * POSE_STRIDE + channel;
      const moves = (clip: number) =>
        model.clips[clip]!.tracks.some((track) => track.path === path && track.targetIndex === joint);
      const valueOf = (clip: number, time: number) =>
        Array.from(evaluatePose(model, model.clips[clip], time, rest.slice()).subarray(at, at + width));
      const before = Array.from(rest.subarray(at, at + width));
      const mask = (layer: TrueLayer) => layer.mask?.(joint) ?? 1;
      pose.set(blendLayers(before, layers, path, mask, moves, valueOf), at);
    }
  });
  return composeJoints(model, pose);
}

/** Model-space vertices under layers, in the packed order. */
export function layeredVertices({ model, character }: Actor, layers: readonly TrueLayer[]): Float64Array {
  const joints = layeredJoints(model, layers);
  const rest = Array.from(evaluateMorphWeights(model, undefined, 0));
  const moves = (clip: number) => model.clips[clip]!.tracks.some(({ path }) => path === 'weights');
  const valueOf = (clip: number, time: number) => Array.from(evaluateMorphWeights(model, model.clips[clip], time));
  const weights = Float64Array.from(blendLayers(rest, layers, 'weights', () => 1, moves, valueOf));
  const out = new Float64Array(3 * character.vertexCount);
  for (const { nodeIndex, primitiveIndex, firstVertex } of character.primitives) {
    const mesh = model.meshes.find((m) => m.nodeIndex === nodeIndex && m.primitiveIndex === primitiveIndex)!;
    out.set(evaluateVertices(model, mesh, joints, weights), 3 * firstVertex);
  }
  return out;
}

/** A joint and all that hangs on it. */
export function below({ joints }: CharacterModel, top: number): (joint: number) => boolean {
  return (joint) => {
    for (let at = joint; at >= 0; at = joints[at]!.parentIndex) if (at === top) return true;
    return false;
  };
}

/** A clip's length in seconds. */
export function durationOf(
  { clips }: { readonly clips: readonly Pick<ClipModel, 'duration'>[] },
  clip: number,
): number {
  return clips[clip]!.duration;
}
