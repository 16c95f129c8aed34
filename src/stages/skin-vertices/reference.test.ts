import { describe, expect, it, test } from 'vitest';
import { jointAt, meshOf, smallModel } from '../../../test/support/small-model.ts';
import {
  BATCH_VERTICES,
  GEOMETRY_NON_UNIFORM,
  GeometryHeader,
  LOADER_MORPH,
  LOADER_VARIABLE,
} from '../../character/format/geometry-layout.ts';
import type { CharacterModel, MeshModel, MorphTargetModel } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { byGeometry } from '../../frame/cpu/rows.ts';
import { joinTables } from '../../frame/tables/crowd-types.ts';
import { View } from '../../layout/index.ts';
import { packPosition, unpackOctahedral, unpackPosition, unpackTangent } from '../../math/packing.ts';
import { VISIBLE_WORDS_SHIFT, VisibleCharacter } from '../layout.ts';
import { skinVertices } from './reference.ts';

const ALL_PARTS = [0xffffffff, 0xffffffff] as const;
const UNTOUCHED = 0x7f7f7f00;
const [PALETTE_ROW, SLOT] = [5, 3];

interface Instance {
  /** Palette entries (modelFromMesh), in rows. */
  readonly palette: readonly (readonly number[])[];
  readonly morphWeights?: readonly number[];
  readonly parts?: readonly [number, number];
}

/** Skins instances of one model; their slots of `vertexCount` vertices follow each other from SLOT on. */
function skin(model: CharacterModel, ...instances: Instance[]) {
  // the table's first type is another one, so that no row is 0
  const characters = [smallModel(), model].map((each) => packCharacter(each));
  const tables = joinTables(characters, { serialPoses: false, layers: false });
  const { levels, paletteStride, paletteCount } = tables.types[1]!;
  const { geometryRow, vertexCount, batchRuns } = levels[0]!;
  const total = SLOT + instances.length * vertexCount + 1;
  const visible = new View(VisibleCharacter, instances.length);
  const palettes = new Float32Array(4 * (PALETTE_ROW + instances.length * paletteStride));
  instances.forEach(({ palette, morphWeights = [], parts = ALL_PARTS }, i) => {
    const paletteRow = PALETTE_ROW + i * paletteStride;
    const attributeWord = 2 * total + 2 * (SLOT + i * vertexCount);
    const slot = { currentVertexOffset: SLOT + i * vertexCount, attributeWord, detail: 2 << VISIBLE_WORDS_SHIFT };
    visible.assign(i, { geometryRow, paletteRow, ...slot, parts });
    palettes.set(palette.flat(), 4 * paletteRow);
    // three weights to a row
    morphWeights.forEach((weight, w) => {
      palettes[4 * (paletteRow + 3 * paletteCount + Math.floor(w / 3)) + (w % 3)] = weight;
    });
  });
  // positions of all, then attributes of all
  const skinned = new Uint32Array(4 * total).fill(UNTOUCHED);
  const { geometry } = tables;
  const { meshes } = byGeometry(tables.types);
  const visibleCount = instances.length;
  skinVertices({ visible, visibleCount, geometry, meshes, palettes, skinned });
  const header = new View(GeometryHeader, geometry.buffer, 16 * geometryRow, 1);
  const unpacked = (unpack: typeof unpackOctahedral, word: number) => {
    const out: number[] = [];
    unpack(word, out);
    return out;
  };
  const at = (v: number, i = 0) => SLOT + i * vertexCount + v;
  return {
    variants: batchRuns.map(({ variant }) => variant),
    flags: header.get(0, 'flags'),
    position: (v: number, i?: number) => {
      const out = [0, 0, 0];
      unpackPosition(skinned[2 * at(v, i)]!, skinned[2 * at(v, i) + 1]!, out);
      return out;
    },
    normal: (v: number) => unpacked(unpackOctahedral, skinned[2 * (total + at(v))]!),
    tangent: (v: number) => unpacked(unpackTangent, skinned[2 * (total + at(v)) + 1]!),
    /** The words of a vertex: position, normal, tangent. */
    words: (v: number) =>
      [0, total].flatMap((from) => [...skinned.subarray(2 * (from + at(v)), 2 * (from + at(v)) + 2)]),
    sourceWords: (v: number) => {
      const row = 4 * (geometryRow + header.get(0, 'positionRow') + v);
      const floats = new Float32Array(geometry.buffer);
      return [
        ...packPosition(floats, row),
        geometry[row + 3]!,
        geometry[4 * geometryRow + header.get(0, 'tangentWord') + v]!,
      ];
    },
    /** Whether something was written, by vertex of the whole memory. */
    written: Array.from({ length: total }, (_, v) => skinned[2 * v] !== UNTOUCHED),
  };
}

function expectClose(actual: readonly number[], expected: readonly number[], digits = 5): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, c) => expect(value, `component ${c} of ${actual.join()}`).toBeCloseTo(expected[c]!, digits));
}

/** Octahedral words of 16 and of 15 bits to an axis. */
const expectNormal = (actual: readonly number[], expected: readonly number[]) => expectClose(actual, expected, 3);

const shift = (x: number, y: number, z: number) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];
/** 90° about Z, then a shift: x goes to y, y to −x. */
const turnAndShift = (x: number, y: number, z: number) => [0, -1, 0, x, 1, 0, 0, y, 0, 0, 1, z];
const stretch = (x: number, y: number, z: number) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0];

const jointsOf = (count: number) => Array.from({ length: count }, () => jointAt([0, 0, 0]));
const modelOf = (joints: number, ...meshes: MeshModel[]) => smallModel({ joints: jointsOf(joints), meshes });
const row = (count: number) => Array.from({ length: count }, (_, v) => [v, 10, 20]);
const first = () => [[0, 1]] as const;

describe('influences', () => {
  const POINT = [2, 3, 4];
  const corner = [POINT, POINT, POINT];

  it('of one joint move a vertex with it', () => {
    const { position } = skin(modelOf(1, meshOf(corner, first)), { palette: [turnAndShift(10, 20, 30)] });
    // (2, 3) turned by 90° is (−3, 2)
    expectClose(position(0), [7, 22, 34]);
  });

  it('of two joints blend their matrices by ¼ and ¾', () => {
    const mesh = meshOf(corner, () => [
      [1, 0.75],
      [0, 0.25],
    ]);
    const { position, variants } = skin(modelOf(2, mesh), { palette: [shift(8, 0, 0), turnAndShift(0, 0, 0)] });
    expect(variants).toEqual([0]);
    // ¼ of (10, 3, 4) and ¾ of (−3, 2, 4); weights have 16 bits
    expectClose(position(0), [0.25, 2.25, 4], 3);
  });

  it('of four joints sum to 1', () => {
    // fifths are whole numbers of 1/65,535: nothing is rounded
    const mesh = meshOf(corner, () => [
      [3, 0.4],
      [0, 0.2],
      [1, 0.2],
      [2, 0.2],
    ]);
    const palette = [shift(10, 0, 0), shift(0, 10, 0), shift(0, 0, 10), shift(5, 5, 5)];
    const { position } = skin(modelOf(4, mesh), { palette });
    expectClose(position(0), [6, 7, 8]);
  });

  it('of six joints are all counted', () => {
    const mesh = meshOf(corner, (v) =>
      v === 1
        ? [[5, 1]]
        : [
            [0, 0.25],
            [1, 0.25],
            [2, 0.125],
            [3, 0.125],
            [4, 0.125],
            [5, 0.125],
          ],
    );
    const palette = [1, 2, 4, 8, 16, 32].map((x) => shift(8 * x, 0, x));
    const { position, variants } = skin(modelOf(6, mesh), { palette });
    expect(variants).toEqual([LOADER_VARIABLE]);
    // ¼ of 1 + 2, ⅛ of 4 + 8 + 16 + 32: 8.25
    expectClose(position(0), [2 + 8 * 8.25, 3, 4 + 8.25]);
    expectClose(position(1), [2 + 8 * 32, 3, 4 + 32]);
    expectClose(position(2), position(0));
  });

  const bits = [
    [-0, 1e-40, 1 / 3],
    [1e30, -7.77e-20, Math.fround(0.1)],
    [3, 4, 5],
  ];
  test.each([
    ['four at most', (v: number) => (v === 1 ? first() : [])],
    ['any number', (v: number) => (v === 1 ? [0, 1, 2, 3, 4].map((entry) => [entry, 0.2] as const) : [])],
  ])('%s: a vertex that has none passes through bit for bit', (_, influences) => {
    const mesh = meshOf(bits, influences, {
      normals: Float32Array.of(0.6, 0, 0.8, 0, 0, 1, 0, -0.6, -0.8),
      tangents: Float32Array.of(0, 1, 0, -1, 1, 0, 0, 1, 1, 0, 0, 1),
    });
    const { words, sourceWords } = skin(modelOf(5, mesh), { palette: Array(5).fill(turnAndShift(1, 2, 3)) });
    for (const v of [0, 2]) expect(words(v)).toEqual(sourceWords(v));
    expect(words(1)).not.toEqual(sourceWords(1));
  });
});

describe('normals and tangents', () => {
  const ROOT_HALF = Math.SQRT1_2;
  const mesh = meshOf(row(3), first, {
    normals: Float32Array.of(1, 0, 0, ROOT_HALF, ROOT_HALF, 0, 0, 0, 1),
    tangents: Float32Array.of(0, 1, 0, 1, -ROOT_HALF, ROOT_HALF, 0, -1, 1, 0, 0, 1),
  });

  it('turn with the joint, and keep their handedness', () => {
    const { normal, tangent } = skin(modelOf(1, mesh), { palette: [turnAndShift(9, 9, 9)] });
    expectNormal(normal(0), [0, 1, 0]);
    expectNormal(normal(1), [-ROOT_HALF, ROOT_HALF, 0]);
    expectNormal(normal(2), [0, 0, 1]);
    expectNormal(tangent(0), [-1, 0, 0, 1]);
    expectNormal(tangent(1), [-ROOT_HALF, -ROOT_HALF, 0, -1]);
  });

  it('keep their length under a uniform scale', () => {
    const { normal } = skin(modelOf(1, mesh), { palette: [stretch(4, 4, 4)] });
    expectNormal(normal(1), [ROOT_HALF, ROOT_HALF, 0]);
  });

  describe('of a rig with uneven scales', () => {
    const uneven = smallModel({ joints: [jointAt([0, 0, 0], { scale: [2, 1, 1] })], meshes: [mesh] });

    it('stay at right angles to the surface', () => {
      const { flags, normal, tangent } = skin(uneven, { palette: [stretch(2, 1, 1)] });
      expect(flags & GEOMETRY_NON_UNIFORM).not.toBe(0);
      // normals by the inverse, (½, 1), tangents by the matrix itself, (−2, 1): still at right angles
      const root = Math.sqrt(5);
      expectNormal(normal(1), [1 / root, 2 / root, 0]);
      expectNormal(tangent(1), [-2 / root, 1 / root, 0, -1]);
    });

    it('are mirrored with it, and then the other hand is meant', () => {
      const { normal, tangent } = skin(uneven, { palette: [stretch(-1, 1, 1)] });
      expectNormal(normal(0), [-1, 0, 0]);
      expectNormal(normal(2), [0, 0, 1]);
      expectNormal(tangent(0), [0, 1, 0, -1]);
      expectNormal(tangent(1), [ROOT_HALF, ROOT_HALF, 0, 1]);
    });
  });

  it('without tangents in the file none are written', () => {
    const { words } = skin(modelOf(1, meshOf(row(3), first)), { palette: [shift(0, 0, 0)] });
    expect(words(0)[3]).toBe(UNTOUCHED);
  });
});

describe('morph targets', () => {
  /** Moves vertex v of three by delta × (v + 1). */
  const target = (delta: readonly number[], parts: Partial<MorphTargetModel> = {}): MorphTargetModel => ({
    positions: Float32Array.from([1, 2, 3].flatMap((k) => delta.map((d) => d * k))),
    normals: undefined,
    tangents: undefined,
    ...parts,
  });
  const setOf = (count: number) => ({
    nodeIndex: 0,
    names: Array<string>(count).fill(''),
    weights: Array<number>(count).fill(0),
  });
  const four = [target([8, 0, 0]), target([0, 8, 0]), target([0, 0, 8]), target([16, 16, 0])];
  const morphed = (parts: Partial<MeshModel>) => meshOf(row(3), first, { morphSetIndex: 0, ...parts });

  it('are added by their weights, then skinned', () => {
    const model = smallModel({ meshes: [morphed({ targets: four })], morphSets: [setOf(4)] });
    const morphWeights = [0.5, 0.25, -1, 0.125];
    const { position, variants } = skin(model, { palette: [turnAndShift(100, 0, 0)], morphWeights });
    expect(variants).toEqual([LOADER_MORPH]);
    // once for vertex 0: (4 + 2, 2 + 2, −8); three times for vertex 2
    expectClose(position(0), [100 - 14, 6, 12]);
    expectClose(position(2), [100 - 22, 2 + 18, -4]);
  });

  it('do nothing at weight 0', () => {
    const model = smallModel({ meshes: [morphed({ targets: four })], morphSets: [setOf(4)] });
    const { position } = skin(model, { palette: [shift(0, 0, 0)] });
    expectClose(position(1), [1, 10, 20]);
  });

  it('bend normals and tangents too', () => {
    const each = (v: readonly number[]) => Float32Array.from([...v, ...v, ...v]);
    const targets = [target([0, 0, 0], { normals: each([2, 0, -1]), tangents: each([-1, 0, 2]) })];
    const tangents = Float32Array.of(1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, 1);
    const model = smallModel({ meshes: [morphed({ targets, tangents })], morphSets: [setOf(1)] });
    const { normal, tangent } = skin(model, { palette: [shift(0, 0, 0)], morphWeights: [0.5] });
    // (0, 0, 1) + half of (2, 0, −1); (1, 0, 0) + half of (−1, 0, 2); the hand does not morph
    const root = Math.sqrt(1.25);
    expectNormal(normal(0), [1 / root, 0, 0.5 / root]);
    expectNormal(tangent(0), [0.5 / root, 0, 1 / root, -1]);
    expect(tangent(1)[3]).toBe(1);
  });

  it('of a second mesh have their own weights', () => {
    const meshes = [morphed({ targets: four }), morphed({ targets: [target([0, 0, 1])], morphSetIndex: 1 })];
    const model = smallModel({ meshes, morphSets: [setOf(4), setOf(1)] });
    const { position } = skin(model, { palette: [shift(0, 0, 0)], morphWeights: [1, 0, 0, 0, 5] });
    expectClose(position(0), [8, 10, 20]);
    expectClose(position(3), [0, 10, 25]);
  });

  it('reach the second batch of a mesh', () => {
    const count = BATCH_VERTICES + 10;
    const along = (axis: number) =>
      Float32Array.from({ length: 3 * count }, (_, i) => (i % 3 === axis ? (i - axis) / 3 : 0));
    const targets = [target([], { positions: along(0) }), target([], { positions: along(1) })];
    const mesh = meshOf(row(count), first, { morphSetIndex: 0, targets });
    const model = smallModel({ meshes: [mesh], morphSets: [setOf(2)] });
    const { position } = skin(model, { palette: [shift(0, 0, 0)], morphWeights: [2, 3] });
    // vertex v of (v, 10, 20) moves by (2v, 3v, 0)
    for (const v of [0, 255, 256, 265]) expectClose(position(v), [3 * v, 10 + 3 * v, 20]);
  });

  it('move vertices that no joint moves, and those of any number of joints', () => {
    const influences = (v: number) => (v === 0 ? [] : [0, 1, 2, 3, 4].map((entry) => [entry, 0.2] as const));
    const mesh = meshOf(row(3), influences, { morphSetIndex: 0, targets: [target([8, 0, 0])] });
    const model = smallModel({ joints: jointsOf(5), meshes: [mesh], morphSets: [setOf(1)] });
    const { position, variants } = skin(model, { palette: Array(5).fill(shift(0, 0, 100)), morphWeights: [0.5] });
    expect(variants).toEqual([LOADER_VARIABLE | LOADER_MORPH]);
    expectClose(position(0), [4, 10, 20]);
    expectClose(position(1), [1 + 8, 10, 120], 4);
  });
});

describe('parts', () => {
  /** Nodes whose meshes are too large to share a batch with others. */
  const partsOf = (count: number) =>
    smallModel({ meshes: Array.from({ length: count }, (_, nodeIndex) => meshOf(row(200), first, { nodeIndex })) });
  const shown = (model: CharacterModel, parts: readonly [number, number], count: number) => {
    const { written } = skin(model, { palette: [shift(0, 0, 0)], parts });
    return Array.from({ length: count }, (_, part) => {
      const vertices = new Set(written.slice(SLOT + 200 * part, SLOT + 200 * (part + 1)));
      expect(vertices.size, `part ${part}`).toBe(1);
      return Number(vertices.has(true));
    });
  };

  it('that are hidden are not written', () => {
    const model = partsOf(3);
    expect(shown(model, [0b111, 0], 3)).toEqual([1, 1, 1]);
    expect(shown(model, [0b101, 0], 3)).toEqual([1, 0, 1]);
    expect(shown(model, [0, 0xffffffff], 3)).toEqual([0, 0, 0]);
  });

  it('from the 33rd on are in the second word', () => {
    const parts = shown(partsOf(40), [0, 1 << 5], 40);
    expect(parts.indexOf(1)).toBe(37);
    expect(parts.lastIndexOf(1)).toBe(37);
  });

  it('that share a batch are written while one of them is shown', () => {
    const meshes = [0, 1].map((nodeIndex) => meshOf(row(3), first, { nodeIndex }));
    const written = (mask: number) =>
      skin(smallModel({ meshes }), { palette: [shift(0, 0, 0)], parts: [mask, 0] }).written.filter(Boolean).length;
    expect([0b11, 0b10, 0b00].map(written)).toEqual([6, 6, 0]);
  });
});

describe('slots', () => {
  it('are filled from the current offset on, and nothing else is', () => {
    const { written } = skin(modelOf(1, meshOf(row(4), first)), { palette: [shift(0, 0, 0)] });
    expect(written).toEqual([false, false, false, true, true, true, true, false]);
  });

  it('of several characters take their own palettes', () => {
    const model = modelOf(1, meshOf(row(4), first));
    const { position } = skin(model, { palette: [shift(100, 0, 0)] }, { palette: [turnAndShift(0, 0, 0)] });
    expectClose(position(3, 0), [103, 10, 20]);
    expectClose(position(3, 1), [-10, 3, 20]);
  });

  it('take every vertex of every batch', () => {
    // the second mesh is read with any number of influences
    const large = meshOf(row(BATCH_VERTICES + 44), (v) => [[v % 2, 1]]);
    const many = meshOf(row(3), (v) => (v === 2 ? [0, 1, 2, 3, 4].map((entry) => [entry, 0.2] as const) : [[v, 1]]));
    const palette = [1, 2, 3, 4, 5].map((z) => shift(0, 0, 100 * z));
    const { position, written } = skin(modelOf(5, large, many), { palette });
    expect(written.filter(Boolean)).toHaveLength(303);
    expectClose(position(0), [0, 10, 120]);
    expectClose(position(BATCH_VERTICES + 43), [299, 10, 220]);
    expectClose(position(301), [1, 10, 220]);
    expectClose(position(302), [2, 10, 320], 4);
  });
});
