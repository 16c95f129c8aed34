import { describe, expect, it } from 'vitest';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import { ManipleError } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { CHANNEL_COUNT, CHANNEL_POSITION, CHANNEL_TANGENT } from '../../vertex/vertex-format.ts';
import type { Character } from '../character.ts';
import {
  GeometryHeader,
  LOADER_GENERAL,
  LOADER_PACKED,
  MeshChannels,
  SkinBatch,
  VertexChannel,
} from '../format/geometry-layout.ts';
import { openVertices } from '../../vertex/vertex-channels.ts';
import type { VertexFormatOption } from '../vertex-formats.ts';
import { reportVertices } from '../packed-vertices.ts';
import { packCharacter } from './index.ts';

/** The tables of a character, in the order of their chain. */
function tablesOf({ geometry }: Character) {
  const tables = [];
  let row = new View(GeometryHeader, geometry.buffer, 0, 1).get(0, 'channelRow');
  while (row !== 0) {
    const mesh = new View(MeshChannels, geometry.buffer, 16 * row, 1);
    const channels = new View(VertexChannel, geometry.buffer, 16 * row + MeshChannels.size, CHANNEL_COUNT);
    tables.push({ row, mesh, channels });
    row = mesh.get(0, 'nextRow');
  }
  return tables;
}

const triangle = [
  [1, -2, 0.5],
  [0, 0, 0],
  [3, 6, 2],
];

describe('the packed layout', () => {
  // one vertex worked out by hand; the others are there to make a triangle
  const mesh = meshOf(triangle, () => [[3, 0.75], [258, 0.25]], {
    normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1),
    tangents: Float32Array.of(1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, 1),
    wind: Float32Array.of(0.25, 0, 1),
  }); // prettier-ignore
  const joints = Array.from({ length: 300 }, () => smallModel().joints[0]!);
  const character = packCharacter(smallModel({ joints, meshes: [mesh] }), { vertexFormat: 'packed' });
  const { geometry } = character;
  const [{ channels, mesh: table }] = tablesOf(character) as [ReturnType<typeof tablesOf>[number]];
  const words = (byte: number, count: number) => [...geometry.subarray(byte / 4, byte / 4 + count)];

  it('is read by the packed kernels', () => {
    expect(character.batchRuns.map(({ variant }) => variant)).toEqual([LOADER_PACKED]);
  });

  it('has position, normal bytes and wind in 16 bytes', () => {
    // 0 is 127.5 of 255 steps and rounds up to 128 (0x80): truncating would say 0x7f. 1 is 0xff; wind ¼ is 63.75, 0x40
    const first = channels.get(CHANNEL_POSITION, 'byteOffset');
    expect(words(first, 4)).toEqual([0x3f800000, 0xc0000000, 0x3f000000, 0x40ff8080]);
    expect(words(first + 16, 4)).toEqual([0, 0, 0, 0x00ff8080]);
    expect(channels.get(CHANNEL_POSITION, 'byteStride')).toBe(16);
  });

  it('has tangent bytes in 4', () => {
    expect(words(channels.get(CHANNEL_TANGENT, 'byteOffset'), 3)).toEqual([0x008080ff, 0xff8080ff, 0xff8080ff]);
    expect(channels.get(CHANNEL_TANGENT, 'byteStride')).toBe(4);
  });

  it('has 16-bit joints and 16-bit weights that sum to 65,535 in 16', () => {
    const header = new View(GeometryHeader, geometry.buffer, 0, 1);
    const batch = new View(SkinBatch, geometry.buffer, 16 * header.get(0, 'batchRow'), 1);
    // 49,151.25 and 16,383.75: what rounding down leaves goes to the larger rest
    expect(words(16 * batch.get(0, 'influence'), 4)).toEqual([0x01020003, 0, 0x4000bfff, 0]);
  });

  it('has all channels but colours and texture coordinates in its table', () => {
    expect(table.get(0, 'activeChannels')).toBe(0b100111);
    expect(table.get(0, 'vertexCount')).toBe(3);
  });
});

describe('formats', () => {
  const load = (vertexFormat: VertexFormatOption, parts = {}) => {
    const mesh = meshOf(triangle, () => [[0, 1]], parts);
    const character = packCharacter(smallModel({ meshes: [mesh] }), { vertexFormat });
    return openVertices(character.geometry, 0, 0);
  };

  it.each([
    // the box is 0 … 3, −2 … 6, 0 … 2: shares of vertex 0 are ⅓, 0 and ¼
    ['unorm8', [85 / 255, 0, 64 / 255]],
    ['unorm16', [21845 / 65535, 0, 16384 / 65535]],
  ] as const)('%s positions are shares of the box from its low corner', (position, shares) => {
    const loaded = load({ position }).loadPosition(0, 0);
    const box = [3, 8, 2];
    [0, -2, 0].forEach((low, c) => expect(loaded[c]).toBeCloseTo(low + shares[c]! * box[c]!, 6));
  });

  it('snorm8 positions are shares of it from its middle', () => {
    const loaded = load({ position: 'snorm8' }).loadPosition(0, 0);
    // −⅓ × 127 = −42.3; −1 × 127; −½ × 127 = −63.5, which rounds up
    expect(loaded[0]).toBeCloseTo(1.5 - (1.5 * 42) / 127, 6);
    expect(loaded[1]).toBe(-2);
    expect(loaded[2]).toBeCloseTo(1 - 63 / 127, 6);
  });

  it('halves keep 11 bits', () => {
    expect(load({ position: 'float16' }).loadPosition(0, 0)).toEqual([1, -2, 0.5]);
    const normals = Float32Array.of(1 / 3, 2 / 3, 2 / 3, 0, 0, 1, 0, 0, 1);
    // 1365 × 2⁻¹² and 1365 × 2⁻¹¹
    expect(load({ normal: 'float16' }, { normals }).loadNormal(0, 0)).toEqual([1365 / 4096, 1365 / 2048, 1365 / 2048]);
  });

  it('eight octahedral bits keep the handedness and the direction', () => {
    for (const w of [1, -1]) {
      const tangents = Float32Array.of(0, 0, -1, w, 1, 0, 0, 1, 1, 0, 0, 1);
      const [x, y, z, handedness] = load({ tangent: 'octahedral8' }, { tangents }).loadTangent(0, 0);
      // −Z is a corner of the square: (1, 1), 127 each; the lowest bit of the second is not its own
      expect([Math.abs(x!) < 0.02, Math.abs(y!) < 0.02, z! < -0.999, handedness]).toEqual([true, true, true, w]);
    }
  });

  it('texture coordinates outside a normalised range stay floats', () => {
    const texcoords = Float32Array.of(0, 0, 1, 1, 1.5, -1);
    expect(load('compact', { texcoords }).loadTexcoord(0, 0)).toEqual([0, 0]);
    expect(load('compact', { texcoords }).loadTexcoord(2, 0)).toEqual([1.5, -1]);
    const inside = Float32Array.of(0, 0, 1, 1, 0.5, 0.25);
    expect(load('compact', { texcoords: inside }).loadTexcoord(2, 0)[0]).toBeCloseTo(0.5, 4);
    expect(load('compact', { texcoords: inside }).loadTexcoord(2, 0)[0]).not.toBe(0.5);
  });

  it.each([
    ['a name', 'tiny' as never, /"tiny" is not a vertex format/],
    ['a channel', { position: 'octahedral16' as never }, /position cannot be "octahedral16"/],
  ])('are refused that do not exist: %s', (_, vertexFormat, message) => {
    expect(() => load(vertexFormat)).toThrow(message);
    expect(() => load(vertexFormat)).toThrow(ManipleError);
  });
});

describe('a character of meshes in different formats', () => {
  const meshes = ['a', 'b', 'c', 'd'].map((name, m) =>
    meshOf(triangle.map((position) => position.map((value) => value + m)), () => [[0, 1]], { name }),
  ); // prettier-ignore
  const formats: Record<string, 'standard' | 'packed' | 'compact'> = {
    a: 'compact',
    b: 'standard',
    c: 'packed',
    d: 'compact',
  };
  const character = packCharacter(smallModel({ meshes }), { vertexFormat: ({ name }) => formats[name]! });

  it('has those of the standard layout first, and a table for each other format', () => {
    expect(character.batchRuns.map(({ variant }) => variant)).toEqual([0, LOADER_PACKED, LOADER_GENERAL]);
    expect(tablesOf(character).map(({ mesh }) => [mesh.get(0, 'firstVertex'), mesh.get(0, 'vertexCount')])).toEqual([
      [3, 3],
      [6, 6],
    ]);
  });

  it('gives every vertex where the file has it, and boxes that its meshes share', () => {
    for (const { name, firstVertex } of character.primitives) {
      const m = 'abcd'.indexOf(name);
      triangle.forEach((position, v) => {
        const loaded = openVertices(character.geometry, 0, firstVertex + v).loadPosition(firstVertex + v, 0);
        position.forEach((value, c) => expect(loaded[c], `${name} ${v}`).toBeCloseTo(value + m, 3));
      });
    }
    // 0 … 6, −2 … 9, 0 … 5
    expect(tablesOf(character)[1]!.mesh.get(0, 'positionScale')).toEqual([6, 11, 5]);
  });

  it('is reported as it is', () => {
    const [a, b, c] = reportVertices(character);
    expect(a).toEqual({
      layout: 'general',
      channels: { position: 'unorm16', normal: 'octahedral16' },
      influences: 'fixed',
      bytesPerVertex: { channels: 10, influences: 16, perTarget: 0 },
    });
    expect([b!.layout, b!.bytesPerVertex.channels]).toEqual(['standard', 16]);
    expect([c!.layout, c!.bytesPerVertex.channels]).toEqual(['packed', 16]);
  });

  it('counts what targets and any number of influences take', () => {
    const influences = (v: number) =>
      [0, 1, 2, 3, 4].slice(0, 2 * v + 1).map((entry) => [entry, 1 / (2 * v + 1)] as const);
    const targets = [{ positions: new Float32Array(9), normals: new Float32Array(9), tangents: undefined }];
    const mesh = meshOf(triangle, influences, { targets, morphSetIndex: 0 });
    const joints = Array.from({ length: 5 }, () => smallModel().joints[0]!);
    const morphSets = [{ nodeIndex: 0, names: [''], weights: [0] }];
    const report = (vertexFormat: VertexFormatOption) =>
      reportVertices(packCharacter(smallModel({ joints, meshes: [mesh], morphSets }), { vertexFormat }))[0]!;
    // 1, 3 and 5 influences: 3 in the mean
    expect(report('standard').bytesPerVertex).toEqual({ channels: 16, influences: 28, perTarget: 24 });
    expect(report('compact').bytesPerVertex).toEqual({ channels: 10, influences: 28, perTarget: 12 });
  });
});
