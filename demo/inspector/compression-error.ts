import type { Character, CharacterModel } from '../../src/character/index.ts';
import { composeJoints, evaluateMorphWeights, evaluatePose, evaluateVertices } from '../../src/character/evaluate.ts';
import type { Moment, PackedPose } from './packed-pose.ts';

/** Distance between the packed character and its file at one moment, metres. */
export interface CompressionError {
  /** Per vertex of the character; 0 for vertices without a source vertex in the file. */
  readonly vertices: Float32Array;
  /** Per joint, at its origin. */
  readonly joints: Float32Array;
  readonly largestVertex: number;
  readonly largestJoint: number;
}

/**
 * Compares a packed pose with the file's own keys, evaluated in float64. Clips of the model
 * and of the character are matched by index, so both lists must have the same order.
 *
 * Cost: like `evaluateVertices`, about 1 µs per influence.
 */
export function compressionError(
  { primitives, vertexCount }: Character,
  model: CharacterModel,
  moment: Moment,
  packed: PackedPose,
): CompressionError {
  const clip = moment.clip === undefined ? undefined : model.clips[moment.clip];
  const truth = composeJoints(model, evaluatePose(model, clip, moment.time));
  const weights = evaluateMorphWeights(model, clip, moment.time);
  const joints = Float32Array.from(model.joints, (_, j) => {
    const apart = (row: number): number => truth[12 * j + row]! - packed.joints[12 * j + row]!;
    return Math.hypot(apart(3), apart(7), apart(11));
  });
  const vertices = new Float32Array(vertexCount);
  model.meshes.forEach((mesh, index) => {
    const { firstVertex, vertexOfSource } = primitives[index]!;
    const positions = evaluateVertices(model, mesh, truth, weights);
    // both sides map the file's vertices to their own
    mesh.vertexOfSource.forEach((own, source) => {
      const vertex = firstVertex + vertexOfSource[source]!;
      const apart = (c: number): number => positions[3 * own + c]! - packed.positions[3 * vertex + c]!;
      vertices[vertex] = Math.hypot(apart(0), apart(1), apart(2));
    });
  });
  return { vertices, joints, largestVertex: largest(vertices), largestJoint: largest(joints) };
}

function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
