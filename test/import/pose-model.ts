import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { composeJoints, evaluateMorphWeights, evaluatePose, evaluateVertices } from '../../src/character/evaluate.ts';
import type { CharacterModel, ClipModel, MeshModel } from '../../src/character/model.ts';
import { importGltf, type GltfSource } from '../../src/import/index.ts';

/** A file on disk as a source, its resources beside it. */
export async function sourceOf(file: string): Promise<GltfSource> {
  const read = async (name: string): Promise<Uint8Array> => new Uint8Array(await readFile(name));
  return {
    name: path.parse(file).name,
    bytes: await read(file),
    resolve: (relative) => read(path.join(path.dirname(file), relative)),
  };
}

export async function importFile(file: string): Promise<CharacterModel> {
  return importGltf(await sourceOf(file));
}

/** World positions of every mesh, in the order of its source POSITION accessor, 3 per element. */
export function sourcePositions(
  model: CharacterModel,
  clip: ClipModel | undefined,
  time: number,
): { mesh: MeshModel; positions: Float64Array }[] {
  const joints = composeJoints(model, evaluatePose(model, clip, time));
  const weights = evaluateMorphWeights(model, clip, time);
  return model.meshes.map((mesh) => {
    const vertices = evaluateVertices(model, mesh, joints, weights);
    const positions = new Float64Array(3 * mesh.vertexOfSource.length);
    mesh.vertexOfSource.forEach((vertex, i) => positions.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
    return { mesh, positions };
  });
}

/** The bounds in the rest pose and their diagonal. */
export function restBounds(model: CharacterModel): { low: number[]; high: number[]; size: number } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of sourcePositions(model, undefined, 0)) {
    positions.forEach((value, i) => {
      low[i % 3] = Math.min(low[i % 3]!, value);
      high[i % 3] = Math.max(high[i % 3]!, value);
    });
  }
  return { low, high, size: Math.hypot(...low.map((value, i) => high[i]! - value)) };
}

/** One mesh's expected positions at one time: `positions[i]` belongs to source vertex `vertices[i]`. */
export interface ExpectedPoints {
  readonly node?: string;
  readonly primitive?: number;
  readonly vertices: readonly number[];
  readonly positions: readonly (readonly number[])[];
}

/**
 * The largest distance between the model's positions and the expected ones. Node names may repeat: then the nearest of
 * the meshes that bear the name is meant.
 */
export function worstDistance(
  model: CharacterModel,
  clip: ClipModel | undefined,
  time: number,
  expected: readonly ExpectedPoints[],
): number {
  const posed = sourcePositions(model, clip, time);
  const distances = expected.map(({ node, primitive = 0, vertices, positions }) => {
    const candidates = posed.filter(
      ({ mesh }) => mesh.primitiveIndex === primitive && (node === undefined || mesh.nodeName === node),
    );
    const errors = candidates.map((candidate) =>
      Math.max(...vertices.map((vertex, i) => distance(candidate.positions, vertex, positions[i]!))),
    );
    return Math.min(...errors);
  });
  return Math.max(...distances);
}

function distance(positions: Float64Array, vertex: number, [x = 0, y = 0, z = 0]: readonly number[]): number {
  if (3 * vertex + 2 >= positions.length) return Infinity;
  return Math.hypot(positions[3 * vertex]! - x, positions[3 * vertex + 1]! - y, positions[3 * vertex + 2]! - z);
}
