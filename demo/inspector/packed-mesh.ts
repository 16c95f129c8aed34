import type { Character } from '../../src/character/index.ts';
import { eachInfluence } from '../../src/character/packed-vertices.ts';
import { CharacterType } from '../../src/character/format/rig-layout.ts';
import { View } from '../../src/layout/index.ts';
import { openVertices } from '../../src/vertex/vertex-channels.ts';

/** A character's finest mesh as its packed tables hold it, per vertex of all primitives. */
export interface PackedMesh {
  readonly vertexCount: number;
  /** At bind, in mesh space: 3 per vertex. */
  readonly normals: Float32Array;
  readonly positions: Float32Array;
  /** 2 per vertex. */
  readonly texcoords: Float32Array;
  /** Linear RGB, 3 per vertex. */
  readonly colors: Float32Array;
  /** Three per triangle, by vertex of the character. */
  readonly indices: Uint32Array;
  /** Vertex v is moved by entries offsets[v] … offsets[v + 1] − 1. */
  readonly influenceOffsets: Uint32Array;
  /** Indices into the character's joints. */
  readonly influenceJoints: Uint16Array;
  readonly influenceWeights: Float32Array;
}

/** Unpacks the tables that a crowd would upload. Some 2 µs per vertex. */
export function readPackedMesh(character: Character): PackedMesh {
  const { geometry, vertexCount, primitives } = character;
  const normals = new Float32Array(3 * vertexCount);
  const positions = new Float32Array(3 * vertexCount);
  const texcoords = new Float32Array(2 * vertexCount);
  const colors = new Float32Array(3 * vertexCount);
  for (const { firstVertex, vertexCount: count } of primitives) {
    if (count === 0) continue;
    const loader = openVertices(geometry, 0, firstVertex);
    for (let v = firstVertex; v < firstVertex + count; v++) {
      positions.set(loader.loadPosition(v, 0), 3 * v);
      normals.set(loader.loadNormal(v, 0), 3 * v);
      texcoords.set(loader.loadTexcoord(v, 0), 2 * v);
      colors.set(loader.loadColor(v, 0).slice(0, 3), 3 * v);
    }
  }
  return {
    vertexCount,
    normals,
    positions,
    texcoords,
    colors,
    indices: character.indices,
    ...readInfluences(character),
  };
}

type Influences = Pick<PackedMesh, 'influenceOffsets' | 'influenceJoints' | 'influenceWeights'>;

function readInfluences(character: Character): Influences {
  const { rig, vertexCount } = character;
  const jointWord = 2 * new View(CharacterType, rig.buffer, rig.byteOffset, 1).get(0, 'bindJointPair');
  const [joints, weights]: [number[], number[]] = [[], []];
  const offsets = new Uint32Array(vertexCount + 1);
  eachInfluence(character, (vertex, entry, weight) => {
    joints.push(rig[jointWord + entry]!);
    weights.push(weight);
    offsets[vertex + 1] = joints.length;
  });
  // a vertex that nothing moves ends where the one before it does
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] = Math.max(offsets[v]!, offsets[v + 1]!);
  return {
    influenceOffsets: offsets,
    influenceJoints: Uint16Array.from(joints),
    influenceWeights: Float32Array.from(weights),
  };
}
