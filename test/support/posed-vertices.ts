import type { Box } from '../../src/character/character.ts';
import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  type LocalPose,
} from '../../src/character/evaluate.ts';
import type { CharacterModel, ClipModel } from '../../src/character/model.ts';

/** Vertices of all meshes in a pose, in float64. */
export function posedVertices(model: CharacterModel, pose: LocalPose, weights: Float64Array): Float64Array[] {
  const modelFromJoint = composeJoints(model, pose);
  return model.meshes.map((mesh) => evaluateVertices(model, mesh, modelFromJoint, weights));
}

/** Vertices of all meshes at a moment of a clip. */
export function clipVertices(model: CharacterModel, clip: ClipModel, time: number): Float64Array[] {
  return posedVertices(model, evaluatePose(model, clip, time), evaluateMorphWeights(model, clip, time));
}

/** How far the farthest vertex stands outside a box; below 0 inside. */
export function outside({ min, max }: Box, positions: readonly Float64Array[]): number {
  const distances = positions.map((list) =>
    list.reduce((most, p, i) => Math.max(most, min[i % 3]! - p, p - max[i % 3]!), -Infinity),
  );
  return Math.max(...distances);
}

/** Length of a box's diagonal. */
export const diagonal = ({ min, max }: Box): number => Math.hypot(...max.map((high, c) => high - min[c]!));
