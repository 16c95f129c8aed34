import { describe, expect, it } from 'vitest';
import { codesOf, GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { makeTangents } from './model-builder/tangents.ts';

const rounded = (values: ArrayLike<number>) => Array.from(values, (value) => Math.round(value * 1e6) / 1e6 + 0);

describe('tangents', () => {
  it('point where u grows; the bitangent where the texture goes up', () => {
    // a square that faces +Z, its texture upright: v counts from the top
    const { tangents, from, triangles } = makeTangents({
      positions: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
      normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1),
      texcoords: Float32Array.of(0, 1, 1, 1, 1, 0, 0, 0),
      triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
    });
    expect(rounded(tangents)).toEqual([1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1]);
    expect([...from]).toEqual([0, 1, 2, 3]);
    expect([...triangles]).toEqual([0, 1, 2, 0, 2, 3]);
  });

  it('are kept apart where a texture is mirrored, and lie across the normal', () => {
    // two halves beside the line x = 0, both with u = |x|; the normal leans
    const lean = [Math.SQRT1_2, 0, Math.SQRT1_2];
    const { tangents, from, triangles } = makeTangents({
      positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0),
      normals: Float32Array.of(...lean, ...lean, ...lean, ...lean),
      texcoords: Float32Array.of(0, 1, 1, 1, 0, 0, 1, 1),
      triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
    });
    expect([...from]).toEqual([0, 1, 2, 3, 0, 2]);
    expect([...triangles]).toEqual([0, 1, 2, 4, 5, 3]);
    const half = Math.round(Math.SQRT1_2 * 1e6) / 1e6;
    const [right, left] = [
      [half, 0, -half, 1],
      [-half, 0, half, -1],
    ];
    expect(rounded(tangents)).toEqual([right, right, right, left, left, left].flat());
  });

  it('are weighted by angles, and shared by vertices with the same place, normal and texture coordinates', () => {
    // around the origin 90° of a texture along X, 45° of one that is turned by 90°; no vertex is used twice
    const { tangents } = makeTangents({
      positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1, 1, 0),
      normals: Float32Array.from({ length: 18 }, (_, i) => Number(i % 3 === 2)),
      texcoords: Float32Array.of(0, 0, 1, 0, 0, -1, 0, 0, 1, 0, 1, -1),
      triangles: Uint32Array.of(0, 1, 2, 3, 4, 5),
    });
    const length = Math.hypot(2, 1);
    expect(rounded(tangents.subarray(0, 4))).toEqual(rounded([2 / length, 1 / length, 0, 1]));
    expect([...tangents.subarray(12, 16)]).toEqual([...tangents.subarray(0, 4)]);
    expect(rounded(tangents.subarray(4, 8))).toEqual([1, 0, 0, 1]);
  });

  it('are of length 1 and across the normal where the texture has no area', () => {
    const { tangents } = makeTangents({
      positions: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0),
      normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1),
      texcoords: new Float32Array(6),
      triangles: Uint32Array.of(0, 1, 2),
    });
    for (let v = 0; v < 3; v++) {
      const [x, y, z] = tangents.subarray(4 * v);
      expect(Math.hypot(x!, y!, z!)).toBeCloseTo(1, 6);
      expect(z).toBeCloseTo(0, 6);
    }
  });

  it.each([
    [true, true],
    [false, false],
  ])('are made only for normal maps: %s', async (mapped, expected) => {
    const gltf = new GltfBuilder();
    gltf.materials.push(mapped ? { normalTexture: { index: 0 } } : {});
    const uv = gltf.accessor([0, 0, 1, 0, 1, 1], 'VEC2');
    gltf.meshNode([gltf.triangle({ TEXCOORD_0: uv }, { material: 0 })]);
    const model = await importBuilt(gltf);
    expect(model.meshes[0]!.tangents?.length).toBe(expected ? 12 : undefined);
    expect(codesOf(model).includes('GLTF_TANGENTS_GENERATED')).toBe(expected);
  });
});
