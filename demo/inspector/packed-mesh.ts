import type { Character } from '../../src/asset/index.ts';
import { GeometryHeader, LOADER_VARIABLE, SkinBatch } from '../../src/asset/geometry-layout.ts';
import { CharacterType } from '../../src/asset/rig-layout.ts';
import { View } from '../../src/layout/index.ts';
import { openVertices } from '../../src/reference/index.ts';

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

/** Takes apart what a crowd would upload. Some 2 µs per vertex. */
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

/** By the definition of the format in `geometry-layout.ts`. */
function readInfluences({ geometry, rig, batchRuns, vertexCount }: Character): Influences {
  const floats = new Float32Array(geometry.buffer, geometry.byteOffset, geometry.length);
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  const batches = new View(
    SkinBatch,
    geometry.buffer,
    geometry.byteOffset + 16 * header.get(0, 'batchRow'),
    header.get(0, 'batchCount'),
  );
  const variants = batchRuns.flatMap(({ variant, batchCount }) => Array.from({ length: batchCount }, () => variant));
  const pairWord = header.get(0, 'influencePairWord');
  const jointWord = 2 * new View(CharacterType, rig.buffer, rig.byteOffset, 1).get(0, 'bindJointPair');
  const found: { joint: number; weight: number }[][] = Array.from({ length: vertexCount }, () => []);
  for (let b = 0; b < batches.count; b++) {
    const first = batches.get(b, 'firstVertex');
    const from = batches.get(b, 'influence');
    for (let i = 0; i < batches.get(b, 'vertexCount'); i++) {
      const add = (entry: number, weight: number): void => {
        if (weight > 0) found[first + i]!.push({ joint: rig[jointWord + entry]!, weight });
      };
      if (variants[b]! & LOADER_VARIABLE) {
        const head = geometry[from + i]!;
        for (let k = 0; k < head >>> 24; k++) {
          const pair = pairWord + 2 * ((head & 0xffffff) + k);
          add(geometry[pair]!, floats[pair + 1]!);
        }
        continue;
      }
      const word = 4 * (from + i);
      for (let k = 0; k < 4; k++) {
        const half = (w: number): number => (geometry[w + (k >> 1)]! >>> (16 * (k & 1))) & 0xffff;
        add(half(word), half(word + 2) / 65535);
      }
    }
  }
  const offsets = new Uint32Array(vertexCount + 1);
  found.forEach((list, v) => (offsets[v + 1] = offsets[v]! + list.length));
  const all = found.flat();
  return {
    influenceOffsets: offsets,
    influenceJoints: Uint16Array.from(all, ({ joint }) => joint),
    influenceWeights: Float32Array.from(all, ({ weight }) => weight),
  };
}
