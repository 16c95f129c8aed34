import { StorageBufferAttribute } from 'three/webgpu';
import type { CharacterMesh } from '../character/character.ts';
import { GeometryHeader, LOADER_MORPH, LOADER_VARIABLE, SkinBatch } from '../character/format/geometry-layout.ts';
import { openBatch } from '../vertex/vertex-channels.ts';
import { fail } from '../errors.ts';
import { View } from '../layout/index.ts';

/** Influences and morph targets of a mesh's vertices, for draws that skin. */
export interface BoundVertices {
  /** See `boundTable`. */
  readonly table: StorageBufferAttribute;
  readonly vertexCount: number;
  readonly hasMorphs: boolean;
  /** First row of the morph weights in a slot. */
  readonly morphWeightRow: number;
}

/** Influences and morph targets of one vertex. */
export interface BoundVertex {
  readonly influences: readonly (readonly [entry: number, weight: number])[];
  readonly morphs?: {
    readonly firstWeight: number;
    /** Six numbers per target, added to position and normal. */
    readonly deltas: ArrayLike<number>;
  };
}

type BatchView = View<(typeof SkinBatch)['fields']>;

/**
 * Lists the influences and morph targets of each vertex of a mesh. About a microsecond per vertex, once.
 * @param byteLimit Largest size in bytes of a buffer that a draw can read.
 * @throws ManipleError DEVICE_LIMIT
 */
export function boundVertices(
  { geometry, vertexCount, batchRuns }: CharacterMesh,
  name: string,
  byteLimit: number,
): BoundVertices {
  const { buffer, byteOffset } = geometry;
  const header = new View(GeometryHeader, buffer, byteOffset, 1);
  const batchAt = byteOffset + 16 * header.get(0, 'batchRow');
  const variants = batchRuns.flatMap(({ variant, batchCount }) => Array.from({ length: batchCount }, () => variant));
  const hasMorphs = variants.some((variant) => variant & LOADER_MORPH);
  const vertices: BoundVertex[] = Array.from({ length: vertexCount }, () => ({ influences: [] }));
  variants.forEach((variant, b) => {
    const batch = new View(SkinBatch, buffer, batchAt + b * SkinBatch.size, 1);
    const first = batch.get(0, 'firstVertex');
    for (let index = 0; index < batch.get(0, 'vertexCount'); index++) {
      const influences =
        variant & LOADER_VARIABLE
          ? pairsOf(geometry, batch, index, header.get(0, 'influencePairWord'))
          : codesOf(geometry, batch, index);
      const isMorphed = variant & LOADER_MORPH;
      vertices[first + index] = isMorphed
        ? { influences, morphs: morphsOf(geometry, batch, first + index) }
        : { influences };
    }
  });
  const words = boundTable(vertices, hasMorphs);
  if (words.byteLength > byteLimit) {
    const message = `Its draws read ${words.byteLength} bytes of influences and morph targets; the device binds ${byteLimit}.`;
    fail(
      'DEVICE_LIMIT',
      name,
      message,
      "Skin it with 'compute', or request the device with the limits of its adapter.",
    );
  }
  const table = new StorageBufferAttribute(words, 1);
  return { table, vertexCount, hasMorphs, morphWeightRow: header.get(0, 'morphWeightRow') };
}

/**
 * Builds the table of words. First come two words per vertex: the start of its influences, and their count. If there are morph
 * targets, one word per vertex follows: the start of its morph record, or 0. Influences and morph records follow. An influence is a
 * palette entry and its weight. A record is the index of the first morph weight, the number of targets, and six floats per target.
 */
export function boundTable(vertices: readonly BoundVertex[], hasMorphs: boolean): Uint32Array<ArrayBuffer> {
  const heads = (hasMorphs ? 3 : 2) * vertices.length;
  const length = vertices.reduce(
    (sum, { influences, morphs }) => sum + 2 * influences.length + (morphs ? 2 + morphs.deltas.length : 0),
    heads,
  );
  const words = new Uint32Array(length);
  const floats = new Float32Array(words.buffer);
  let word = heads;
  vertices.forEach(({ influences, morphs }, v) => {
    words[2 * v] = word;
    words[2 * v + 1] = influences.length;
    for (const [entry, weight] of influences) {
      words[word++] = entry;
      floats[word++] = weight;
    }
    if (!morphs) return;
    words[2 * vertices.length + v] = word;
    words[word++] = morphs.firstWeight;
    words[word++] = morphs.deltas.length / 6;
    floats.set(morphs.deltas, word);
    word += morphs.deltas.length;
  });
  return words;
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

function morphsOf(
  geometry: Uint32Array<ArrayBuffer>,
  batch: BatchView,
  vertex: number,
): NonNullable<BoundVertex['morphs']> {
  const loader = openBatch(geometry, 0, batch);
  const targets = batch.get(0, 'morphTargets');
  const deltas = Array.from({ length: targets >>> 16 }, (_, t) => [
    ...loader.loadPosition(vertex, t + 1),
    ...loader.loadNormal(vertex, t + 1),
  ]);
  return { firstWeight: targets & 0xffff, deltas: deltas.flat() };
}

function floatOf(word: number): number {
  return new Float32Array(Uint32Array.of(word).buffer)[0]!;
}
