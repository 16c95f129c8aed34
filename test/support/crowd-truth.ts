import { expect } from 'vitest';
import { packCharacter, type CharacterModel } from '../../src/character/index.ts';
import type { Character, CharacterId, Crowd, IssueCode } from '../../src/index.ts';
import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  POSE_STRIDE,
  restPose,
} from '../../src/character/evaluate.ts';
import { randomModel, type ModelShape } from './random-model.ts';
import { Random } from './random.ts';

/** A character with the model that it was packed from. */
export interface Actor {
  readonly model: CharacterModel;
  /** Packed without a budget, so that the evaluator's float64 answers hold to float precision. */
  readonly character: Character;
}

/** A clip at a moment, as the evaluator takes it. */
export interface TrueMotion {
  readonly clip: number;
  /** Seconds. */
  readonly time: number;
  /** Default 1. */
  readonly weight?: number;
}

const COMMON = { depth: 5, clips: 3, keys: 6, scales: false, interpolations: ['LINEAR', 'CUBICSPLINE'] } as const;

/** Nine joints, morph targets and three parts ("node 0" … "node 2"); its last clip does not repeat. */
export function smallActor(): Actor {
  return actor(5, { ...COMMON, joints: 9, influences: 4, morphs: 2, vertices: 66, meshes: 3 });
}

/** Thirty-three joints, up to seven influences, two parts; its last clip does not repeat. */
export function largeActor(): Actor {
  return actor(8, { ...COMMON, joints: 33, influences: 7, morphs: 0, vertices: 200, meshes: 2 });
}

function actor(seed: number, shape: ModelShape): Actor {
  const random = randomModel(new Random(seed), shape);
  const clips = random.clips.map((clip, index) => ({ ...clip, loops: index < shape.clips - 1 }));
  const model = { ...random, clips };
  return { model, character: packCharacter(model, { errorBudget: 0 }) };
}

/** `modelFromJoint` of all joints, 12 numbers each. No motions: the rest pose. */
export function trueJoints(model: CharacterModel, motions: readonly TrueMotion[] = []): Float64Array {
  const pose = restPose(model);
  model.joints.forEach((_, joint) => {
    for (const [path, channel, width] of [
      ['translation', 0, 3],
      ['rotation', 3, 4],
      ['scale', 7, 3],
    ] as const) {
      const covering = motions.filter(({ clip }) =>
        model.clips[clip]!.tracks.some((track) => track.path === path && track.targetIndex === joint),
      );
      const at = joint * POSE_STRIDE + channel;
      const samples = covering.map(({ clip, time, weight = 1 }) => {
        const value = evaluatePose(model, model.clips[clip], time).subarray(at, at + width);
        return { value, weight };
      });
      blend(pose.subarray(at, at + width), samples, path === 'rotation');
    }
  });
  return composeJoints(model, pose);
}

/** Model-space vertices in the packed order. No motions: the rest pose. */
export function trueVertices({ model, character }: Actor, motions: readonly TrueMotion[] = []): Float64Array {
  const joints = trueJoints(model, motions);
  const weights = evaluateMorphWeights(model, undefined, 0);
  const morphing = motions.filter(({ clip }) => model.clips[clip]!.tracks.some(({ path }) => path === 'weights'));
  blend(
    weights,
    morphing.map(({ clip, time, weight = 1 }) => ({
      value: evaluateMorphWeights(model, model.clips[clip], time),
      weight,
    })),
    false,
  );
  const out = new Float64Array(3 * character.vertexCount);
  for (const { nodeIndex, primitiveIndex, firstVertex } of character.primitives) {
    const mesh = model.meshes.find((m) => m.nodeIndex === nodeIndex && m.primitiveIndex === primitiveIndex)!;
    out.set(evaluateVertices(model, mesh, joints, weights), 3 * firstVertex);
  }
  return out;
}

/** What a crowd promises: weights over 1 are divided by their sum, and what is missing to 1 is left to the rest pose. */
function blend(
  rest: Float64Array,
  samples: readonly { value: Float64Array; weight: number }[],
  rotation: boolean,
): void {
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return;
  const mean = new Float64Array(rest.length);
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const add = (to: Float64Array, value: Float64Array, weight: number) => {
    const sign = rotation && dot(to, value) < 0 ? -1 : 1; // q and −q turn alike: take the nearer
    for (let c = 0; c < to.length; c++) to[c]! += sign * weight * value[c]!;
  };
  const normalize = (q: Float64Array) => q.set(q.map((c) => c / Math.sqrt(dot(q, q))));
  for (const { value, weight } of samples) add(mean, value, weight / total);
  if (rotation) normalize(mean);
  const shown = Math.min(1, total);
  const result = mean.map((c) => c * shown);
  add(result, rest, 1 - shown);
  if (rotation) normalize(result);
  rest.set(result);
}

/** The largest distance between two lists of points, as a share of the character's size. */
export function farthest({ character }: Actor, actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  let most = 0;
  for (let at = 0; at < actual.length; at += 3) {
    const distance = Math.hypot(...[0, 1, 2].map((c) => actual[at + c]! - expected[at + c]!));
    if (!(distance <= most)) most = distance; // NaN counts
  }
  return most / character.size;
}

/** How far a character's vertices are from where the evaluator sees them. */
export async function offPose(crowd: Crowd, actor: Actor, id: CharacterId, ...motions: TrueMotion[]): Promise<number> {
  return farthest(actor, await crowd.readVertices(id), trueVertices(actor, motions));
}

/** The points of one part, out of a list of all. */
export function pointsOf<T extends Float32Array | Float64Array>({ character }: Actor, points: T, part: string): T {
  const index = character.parts.indexOf(part);
  const { firstVertex, vertexCount } = character.primitives.find((primitive) => primitive.part === index)!;
  return points.slice(3 * firstVertex, 3 * (firstVertex + vertexCount)) as T;
}

/** An error of ours with this code, for `toThrow`. */
export const coded = (code: IssueCode): unknown => expect.objectContaining({ code });
