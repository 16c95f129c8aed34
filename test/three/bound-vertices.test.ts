// What draws that skin are told of vertices.
import { expect, test } from 'vitest';
import { packCharacter } from '../../src/character/pack/index.ts';
import { boundTable, boundVertices, type BoundVertex } from '../../src/three/vertex-sources.ts';
import { coded } from '../support/crowd-truth.ts';
import { smallModel } from '../support/small-model.ts';

/** A table as draws read it. */
function read(words: Uint32Array, vertexCount: number, vertex: number): { entries: number[]; deltas: number[] } {
  const floats = new Float32Array(words.buffer);
  const [first, count] = [words[2 * vertex]!, words[2 * vertex + 1]!];
  const record = words[2 * vertexCount + vertex]!;
  const entries = Array.from({ length: count }, (_, i) => words[first + 2 * i]!);
  return { entries, deltas: [...floats.subarray(record + 2, record + 2 + Math.min(6 * words[record + 1]!, 6))] };
}

test('vertices are found wherever they are in a large table', () => {
  // together more words than 24 bits count
  const deltas = new Float32Array(6 * 2 ** 17).fill(0.5);
  const vertices = Array.from({ length: 22 }, (_, v): BoundVertex => ({
    influences: Array.from({ length: 255 }, (__, i) => [v + i, 1 / 255] as const),
    morphs: { firstWeight: 3, deltas },
  }));
  const words = boundTable(vertices, true);
  expect(words.length).toBeGreaterThan(2 ** 24);
  for (const v of [0, 21]) {
    const { entries, deltas: first } = read(words, vertices.length, v);
    expect(entries).toEqual(vertices[v]!.influences.map(([entry]) => entry));
    expect(first).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
  }
});

test('a table that the device cannot bind is refused', () => {
  const character = packCharacter(smallModel());
  const table = boundVertices(character, 'small', 1e6).table.array;
  expect(() => boundVertices(character, 'small', table.byteLength - 1)).toThrow(coded('DEVICE_LIMIT'));
});
