// What vertices have by name: from the file to where kernels read it.
import { describe, expect, it } from 'vitest';
import { codesOf, GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { meshOf, smallModel } from '../../test/support/small-model.ts';
import { coded } from '../../test/support/crowd-truth.ts';
import { writeBaked } from '../character/file/index.ts';
import type { MeshChannelModel, MeshModel } from '../character/model.ts';
import { packCharacter } from '../character/pack/index.ts';
import { openVertices } from '../vertex/vertex-channels.ts';
import { reportVertices } from '../character/packed-vertices.ts';
import { addLods } from './lods/add-lods.ts';

const U8 = { componentType: 5121 } as const;

describe('attributes of applications', () => {
  it('are imported, packed and reported by name: floats, normalised and plain integers, of one to four components', async () => {
    const gltf = new GltfBuilder();
    const attributes = {
      _WIND: gltf.accessor([0, 0.5, 1], 'SCALAR'),
      _Heat: gltf.accessor([0, 51, 255, 102, 153, 204, 1, 2, 3], 'VEC3', { ...U8, normalized: true }),
      _COLD: gltf.accessor([-127, 127, 0, 64, -128, 0], 'VEC2', { componentType: 5120, normalized: true }),
      _ID: gltf.accessor([7, 300, 65_535], 'SCALAR', { componentType: 5123 }),
      _WEIGHTS: gltf.accessor([0, 0.1, 0.2, 0.3, 1, 2, 3, 4, -1, -2, -3, -4], 'VEC4'),
    };
    gltf.meshNode([gltf.triangle(attributes)]);
    const model = await importBuilt(gltf);
    const character = packCharacter(model);
    expect(codesOf(model)).not.toContain('GLTF_ATTRIBUTE_IGNORED');
    expect(character.channels).toEqual(['_WIND', '_Heat', '_COLD', '_ID', '_WEIGHTS']);
    const [report] = reportVertices(character);
    expect(report!.layout).toBe('standard');
    expect(report!.channels).toMatchObject({
      _WIND: 'float32',
      _Heat: 'unorm8 × 3',
      _COLD: 'snorm8 × 2',
      _ID: 'float32',
      _WEIGHTS: 'float32 × 4',
    });
    // position and normal, then these
    expect(report!.bytesPerVertex.channels).toBe(16 + 4 + 3 + 2 + 4 + 16);
    const of = (source: number, name: string) => {
      const vertex = character.primitives[0]!.vertexOfSource[source]!;
      return openVertices(character.geometry, 0, vertex).loadChannel(name, vertex);
    };
    expect([0, 1, 2].map((v) => of(v, '_wind')[0])).toEqual([0, 0.5, 1]);
    expect([0, 1, 2].map((v) => of(v, '_ID')[0])).toEqual([7, 300, 65_535]);
    expect(of(1, '_HEAT').map((value) => Math.round(value * 255))).toEqual([102, 153, 204, 0]);
    expect(of(0, '_COLD')).toEqual([-1, 1, 0, 0]);
    expect(of(2, '_COLD').slice(0, 2)).toEqual([-1, 0]);
    expect(of(1, '_WEIGHTS')).toEqual([1, 2, 3, 4]);
    expect(of(1, '_NONE')).toEqual([0, 0, 0, 0]);
    const vertex = character.primitives[0]!.vertexOfSource[1]!;
    expect(openVertices(character.geometry, 0, vertex).loadWind(vertex, 0)).toBe(0.5);
  });

  it('keep vertices apart that differ only in them', async () => {
    const weldedWith = async (ids: number[]) => {
      const gltf = new GltfBuilder();
      // two triangles side by side, each with corners of its own
      const POSITION = gltf.accessor([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0], 'VEC3');
      const NORMAL = gltf.accessor(Array.from({ length: 6 }, () => [0, 0, 1]).flat(), 'VEC3');
      gltf.meshNode([{ attributes: { POSITION, NORMAL, _ID: gltf.accessor(ids, 'SCALAR') } }]);
      return (await importBuilt(gltf)).meshes[0]!.vertexCount;
    };
    expect(await weldedWith([1, 1, 1, 1, 1, 1])).toBe(4);
    expect(await weldedWith([1, 1, 1, 2, 2, 2])).toBe(6);
  });

  it('that cannot be used are left out and reported, and the rest is imported', async () => {
    const gltf = new GltfBuilder();
    const one = () => gltf.accessor([1, 2, 3], 'SCALAR');
    const attributes: Record<string, number> = {
      _MATRIX: gltf.accessor(
        Array.from({ length: 48 }, () => 1),
        'MAT4',
      ),
      _A: one(),
      _a: one(),
      ['_' + 'LONG'.repeat(16)]: one(),
      _NAN: gltf.accessor([1, Number.NaN, 3], 'SCALAR'),
      _BIG: gltf.accessor([1, 2 ** 24 + 1, 3], 'SCALAR', { componentType: 5125 }),
    };
    for (let i = 0; i < 6; i++) attributes[`_N${i}`] = one();
    gltf.meshNode([gltf.triangle(attributes)]);
    const { meshes, issues } = await importBuilt(gltf);
    expect(meshes[0]!.channels!.map(({ name }) => name)).toEqual('_A _NAN _BIG _N0 _N1 _N2 _N3 _N4'.split(' '));
    expect([...meshes[0]!.channels![1]!.values]).toContain(0);
    const ignored = issues.filter(({ code }) => code === 'GLTF_ATTRIBUTE_IGNORED');
    expect(ignored.map(({ message }) => message)).toEqual([
      expect.stringMatching(/_MATRIX is MAT4/),
      expect.stringMatching(/"_a" is ignored: the primitive has it twice/),
      expect.stringMatching(/its name has over 64 characters/),
      expect.stringMatching(/"_N5" is ignored: the primitive has 8 such attributes already/),
    ]);
    const repaired = issues.filter(({ code }) => code === 'GLTF_VALUES_REPAIRED').map(({ message }) => message);
    expect(repaired).toEqual([
      expect.stringMatching(/_NAN are NaN/),
      expect.stringMatching(/from 16777216 on are rounded/),
    ]);
  });

  it('have at most 64 names in a file', async () => {
    const gltf = new GltfBuilder();
    for (let i = 0; i < 70; i++) gltf.meshNode([gltf.triangle({ [`_N${i}`]: gltf.accessor([1, 2, 3], 'SCALAR') })]);
    const model = await importBuilt(gltf);
    // one is kept for the second texture coordinates
    expect(packCharacter(model).channels).toHaveLength(63);
    expect(codesOf(model).filter((code) => code === 'GLTF_ATTRIBUTE_IGNORED')).toHaveLength(7);
  });

  it('cost nothing when missing', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()]);
    const character = packCharacter(await importBuilt(gltf));
    expect(character).not.toHaveProperty('channels');
    expect(writeBaked(character)[8]).toBe(1);
  });
});

describe('named channels of a model', () => {
  const positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]; // prettier-ignore
  const packed = (channels: MeshChannelModel[], parts: Partial<MeshModel> = {}) =>
    packCharacter(smallModel({ meshes: [meshOf(positions, () => [[0, 1]], { channels, ...parts })] }));
  const values = Float32Array.of(0, 0.25, 1);

  it.each<[string, MeshChannelModel[], RegExp]>([
    ['no name', [{ name: '', width: 1, values }], /0 characters; use 1 to 64/],
    ['five components', [{ name: '_A', width: 5, values: new Float32Array(15) }], /width is 5; use 1, 2, 3, 4/],
    ['too few numbers', [{ name: '_A', width: 2, values }], /has 3 numbers; 3 vertices need 6/],
    ['texture coordinates of one', [{ name: 'TEXCOORD_1', width: 1, values }], /width is 1; use 2/],
    [
      'a format of none',
      [{ name: '_A', width: 1, values, format: 'octahedral16' as never }],
      /format is "octahedral16"/,
    ],
    ['a name twice', ['_A', '_a'].map((name) => ({ name, width: 1, values })), /is there twice/],
    [
      'too many',
      Array.from({ length: 9 }, (_, i) => ({ name: `_${i}`, width: 1, values })),
      /9 channels; the limit is 8/,
    ],
  ])('are refused with %s', (_, channels, message) => {
    expect(() => packed(channels)).toThrow(coded('CHARACTER_CHANNELS') as Error);
    expect(() => packed(channels)).toThrow(message);
  });

  it('hold wind that the standard layout has no place for', () => {
    const { geometry, channels } = packed([], { wind: values });
    expect(channels).toEqual(['_WIND']);
    expect([0, 1, 2].map((v) => openVertices(geometry, 0, v).loadWind(v, 0))).toEqual([...values]);
  });
});

describe('coarser meshes', () => {
  it('keep what their vertices had, and edges where it parts', async () => {
    const n = 12;
    // two halves of a sheet that meet at x = ½, told apart by their identity alone
    const halves = [0, 0.5].map((from) =>
      Array.from({ length: n * n }, (_, i) => [from + (i % n) / (n - 1) / 2, Math.floor(i / n) / (n - 1), 0]),
    );
    const indices = Array.from({ length: (n - 1) ** 2 }, (_, i) => {
      const a = Math.floor(i / (n - 1)) * n + (i % (n - 1));
      return [a, a + 1, a + n, a + 1, a + n + 1, a + n];
    }).flat();
    const all = halves.flat();
    const mesh = meshOf(all, () => [[0, 1]], {
      indices: Uint32Array.from(halves.flatMap((_, half) => indices.map((i) => i + half * n * n))),
      wind: Float32Array.from(all, ([x, y]) => (x! + y!) / 2),
      channels: [
        { name: 'TEXCOORD_1', width: 2, values: Float32Array.from(all.flatMap(([u, v]) => [u! * 2, v! * 2])) },
        { name: '_SHEET', width: 1, values: Float32Array.from(all, (_, i) => Math.floor(i / (n * n))) },
      ],
    });
    const { lods } = await addLods(smallModel({ meshes: [mesh] }), { ratios: [0.2] });
    const coarse = lods![0]!.meshes[0]!;
    expect(coarse.indices.length).toBeLessThan(0.5 * mesh.indices.length);
    const [second, sheet] = coarse.channels as [MeshChannelModel, MeshChannelModel];
    for (let v = 0; v < coarse.vertexCount; v++) {
      const [u, w] = [coarse.positions[3 * v]!, coarse.positions[3 * v + 1]!];
      expect(coarse.wind![v]).toBeCloseTo((u + w) / 2, 6);
      expect([...second.values.subarray(2 * v, 2 * v + 2)]).toEqual(
        [2 * u, 2 * w].map((value) => expect.closeTo(value, 6) as number),
      );
    }
    for (let t = 0; t < coarse.indices.length; t += 3) {
      expect(new Set(Array.from(coarse.indices.subarray(t, t + 3), (v) => sheet.values[v])).size).toBe(1);
    }
    expect(new Set(sheet.values)).toEqual(new Set([0, 1]));
    expect(packCharacter({ ...smallModel({ meshes: [mesh] }), lods: lods! }).lods).toHaveLength(1);
  });
});
