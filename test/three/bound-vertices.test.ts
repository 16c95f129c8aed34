// What draws that skin are told of vertices.
import { expect, test } from 'vitest';
import { packCharacter } from '../../src/character/pack/index.ts';
import { boundTable, boundVertices, type BoundVertex } from '../../src/three/vertex-sources.ts';
import { coded } from '../support/crowd-truth.ts';
import { smallModel } from '../support/small-model.ts';

/** A table as draws read it. */
function read(words: Uint32Array, vertex: number): { entries: number[]; deltas: number[] } {
  const floats = new Float32Array(words.buffer);
  const [first, pairs, record] = words.subarray(4 * vertex, 4 * vertex + 3) as unknown as [number, number, number];
  const quads = Array.from({ length: pairs }, (_, i) => 4 * (first + i));
  const influences = quads.flatMap((word) => [
    [words[word]!, floats[word + 1]!],
    [words[word + 2]!, floats[word + 3]!],
  ]);
  const entries = influences.filter(([, weight]) => weight! > 0).map(([entry]) => entry!);
  const delta = words[4 * record + 1]! > 0 ? 4 * (record + 1) : 0;
  return { entries, deltas: [...floats.subarray(delta, delta + 3), ...floats.subarray(delta + 4, delta + 7)] };
}

test('vertices are found wherever they are in a large table', () => {
  // together more words than 24 bits count
  const deltas = new Float32Array(6 * 2 ** 17).fill(0.5);
  const vertices = Array.from({ length: 22 }, (_, v): BoundVertex => ({
    influences: Array.from({ length: 255 }, (__, i) => [v + i, 1 / 255] as const),
    morphs: { firstWeight: 3, deltas },
  }));
  const words = boundTable(vertices);
  expect(words.length).toBeGreaterThan(2 ** 24);
  for (const v of [0, 21]) {
    const { entries, deltas: first } = read(words, v);
    expect(entries).toEqual(vertices[v]!.influences.map(([entry]) => entry));
    expect(first).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
  }
});

test('a table that the device cannot bind is refused', () => {
  const character = packCharacter(smallModel());
  const table = boundVertices(character, 'small', 1e6).words;
  expect(() => boundVertices(character, 'small', table.byteLength - 1)).toThrow(coded('DEVICE_LIMIT'));
});
