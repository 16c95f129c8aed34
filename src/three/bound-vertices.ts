import { StorageBufferAttribute } from 'three/webgpu';
import type { CharacterMesh } from '../asset/character.ts';
import { GeometryHeader, LOADER_MORPH, LOADER_VARIABLE, SkinBatch } from '../asset/geometry-layout.ts';
import { openBatch } from '../asset/vertex-channels.ts';
import { View } from '../layout/index.ts';

/** What moves the vertices of a mesh, for draws that skin them. */
export interface BoundVertices {
  /**
   * Words. Per vertex: where its influences begin, and from bit 24 on how many there are; where there are morph targets, per vertex
   * where its record begins, or 0. An influence is a palette entry and its weight; a record is the first of its morph weights, their
   * count, and for each six floats, what it adds to position and normal.
   */
  readonly table: StorageBufferAttribute;
  readonly vertexCount: number;
  readonly hasMorphs: boolean;
  /** Row of a slot where morph weights begin. */
  readonly morphWeightRow: number;
}

type BatchView = View<(typeof SkinBatch)['fields']>;

/** Lists what moves each vertex of a mesh. About a microsecond per vertex, once. */
export function boundVertices({ geometry, vertexCount, batchRuns }: CharacterMesh): BoundVertices {
  const { buffer, byteOffset } = geometry;
  const header = new View(GeometryHeader, buffer, byteOffset, 1);
  const batchAt = byteOffset + 16 * header.get(0, 'batchRow');
  const variants = batchRuns.flatMap(({ variant, batchCount }) => Array.from({ length: batchCount }, () => variant));
  const hasMorphs = variants.some((variant) => variant & LOADER_MORPH);
  const words: number[] = Array.from({ length: vertexCount * (hasMorphs ? 2 : 1) }, () => 0);
  variants.forEach((variant, b) => {
    const batch = new View(SkinBatch, buffer, batchAt + b * SkinBatch.size, 1);
    const first = batch.get(0, 'firstVertex');
    for (let index = 0; index < batch.get(0, 'vertexCount'); index++) {
      const influences =
        variant & LOADER_VARIABLE
          ? pairsOf(geometry, batch, index, header.get(0, 'influencePairWord'))
          : codesOf(geometry, batch, index);
      words[first + index] = (influences.length << 24) | words.length;
      for (const [entry, weight] of influences) words.push(entry, bitsOf(weight));
      if (variant & LOADER_MORPH) {
        words[vertexCount + first + index] = words.length;
        words.push(...morphsOf(geometry, batch, first + index));
      }
    }
  });
  const table = new StorageBufferAttribute(Uint32Array.from(words), 1);
  return { table, vertexCount, hasMorphs, morphWeightRow: header.get(0, 'morphWeightRow') };
}

function pairsOf(geometry: Uint32Array, batch: BatchView, index: number, firstPair: number): [number, number][] {
  const head = geometry[batch.get(0, 'influence') + index]!;
  return Array.from({ length: head >>> 24 }, (_, i) => {
    const pair = firstPair + 2 * ((head & 0xffffff) + i);
    return [geometry[pair]!, floatOf(geometry[pair + 1]!)];
  });
}

function codesOf(geometry: Uint32Array, batch: BatchView, index: number): [number, number][] {
  const row = 4 * (batch.get(0, 'influence') + index);
  const half = (word: number, i: number) => (geometry[row + word + (i >> 1)]! >>> (16 * (i & 1))) & 0xffff;
  return Array.from({ length: 4 }, (_, i): [number, number] => [half(0, i), half(2, i) / 65535]).filter(
    ([, weight]) => weight > 0,
  );
}

function morphsOf(geometry: Uint32Array<ArrayBuffer>, batch: BatchView, vertex: number): number[] {
  const loader = openBatch(geometry, 0, batch);
  const targets = batch.get(0, 'morphTargets');
  const count = targets >>> 16;
  const deltas = Array.from({ length: count }, (_, t) => [
    ...loader.loadPosition(vertex, t + 1),
    ...loader.loadNormal(vertex, t + 1),
  ]);
  return [targets & 0xffff, count, ...deltas.flat().map(bitsOf)];
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

function bitsOf(value: number): number {
  float[0] = value;
  return bits[0]!;
}

function floatOf(word: number): number {
  bits[0] = word;
  return float[0]!;
}
