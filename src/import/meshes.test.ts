import { describe, expect, it } from 'vitest';
import { codesOf, type Entry, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';
import { sourcePositions } from '../../test/import/pose-model.ts';
import type { MeshModel } from '../character/model.ts';

/** The triangles by source vertex, each beginning with its lowest, so that only the winding is compared. */
function sourceTriangles({ indices, vertexOfSource }: MeshModel): string[] {
  const sourceOf = new Map(
    [...vertexOfSource].map((vertex, source) => [vertex, source]).toReversed() as [number, number][],
  );
  const triangles: string[] = [];
  for (let t = 0; t < indices.length; t += 3) {
    const corners = [0, 1, 2].map((i) => sourceOf.get(indices[t + i]!)!);
    const at = corners.indexOf(Math.min(...corners));
    triangles.push([0, 1, 2].map((i) => corners[(at + i) % 3]).join());
  }
  return triangles.toSorted();
}

/** Five vertices in a zigzag with normals. */
function zigzag(gltf: GltfBuilder): Record<string, number> {
  return {
    POSITION: gltf.accessor([0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0], 'VEC3'),
    NORMAL: gltf.accessor(Array.from({ length: 5 }, () => [0, 0, 1]).flat(), 'VEC3'),
  };
}

async function only(gltf: GltfBuilder): Promise<MeshModel> {
  const model = await importBuilt(gltf);
  expect(model.meshes).toHaveLength(1);
  return model.meshes[0]!;
}

describe('triangles', () => {
  it.each([
    [5, undefined, ['0,1,2', '1,3,2', '2,3,4']],
    [5, [0, 1, 2, 3], ['0,1,2', '1,3,2']],
    [6, [1, 0, 2, 4], ['0,2,1', '1,2,4']],
    [4, [0, 1, 2, 2, 1, 3], ['0,1,2', '1,3,2']],
    // degenerate ones, as strips are stitched with, have no area in any pose
    [5, [0, 1, 2, 2, 3, 4], ['0,1,2', '2,4,3']],
  ])('of mode %i, indices %j', async (mode, indices, expected) => {
    const gltf = new GltfBuilder();
    const primitive: Entry = { attributes: zigzag(gltf), mode };
    if (indices) primitive.indices = gltf.accessor(indices, 'SCALAR', { componentType: 5121 });
    gltf.meshNode([primitive]);
    const mesh = await only(gltf);
    expect(sourceTriangles(mesh)).toEqual(expected);
    // every source vertex is there, used or not
    expect(mesh.vertexCount).toBe(5);
    expect(new Set(mesh.vertexOfSource).size).toBe(5);
  });

  it.each([0, 1, 2, 3])('are all that is drawn, not mode %i', async (mode) => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle({}, { mode }), gltf.triangle()]);
    const model = await importBuilt(gltf);
    expect(model.meshes.map(({ primitiveIndex }) => primitiveIndex)).toEqual([1]);
    expect(codesOf(model)).toContain('GLTF_PRIMITIVE_IGNORED');
  });

  it('with an index out of range are refused, with the place', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle({}, { indices: gltf.accessor([0, 1, 3], 'SCALAR', { componentType: 5121 }) })]);
    const error = await refusalOf(gltf);
    expect(error.code).toBe('GLTF_INDEX_OUT_OF_RANGE');
    expect(error.issues[0]!.message).toContain('number 2, is 3');
  });

  it('left over are dropped and reported', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle({}, { indices: gltf.accessor([0, 1, 2, 0], 'SCALAR', { componentType: 5121 }) })]);
    const model = await importBuilt(gltf);
    expect(model.meshes[0]!.indices).toHaveLength(3);
    expect(codesOf(model)).toContain('GLTF_VALUES_REPAIRED');
  });

  it('need unsigned indices and positions', async () => {
    const floats = new GltfBuilder();
    floats.meshNode([floats.triangle({}, { indices: floats.accessor([0, 1, 2], 'SCALAR') })]);
    expect((await refusalOf(floats)).code).toBe('GLTF_INVALID');
    const none = new GltfBuilder();
    none.meshNode([{ attributes: { NORMAL: none.accessor([0, 0, 1], 'VEC3') } }, none.triangle()]);
    expect(codesOf(await importBuilt(none))).toContain('GLTF_PRIMITIVE_IGNORED');
  });

  it('of a mirrored node face the other way, tangents with them', async () => {
    const build = (scale: number[]): GltfBuilder => {
      const gltf = new GltfBuilder();
      const TANGENT = gltf.accessor([1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1], 'VEC4');
      gltf.meshNode([gltf.triangle({ TANGENT })], { scale });
      return gltf;
    };
    const plain = await only(build([1, 1, 1]));
    expect(sourceTriangles(plain)).toEqual(['0,1,2']);
    expect([...plain.tangents!].filter((_, i) => i % 4 === 3)).toEqual([1, 1, 1]);
    const mirrored = await only(build([-1, 1, 1]));
    expect(sourceTriangles(mirrored)).toEqual(['0,2,1']);
    expect([...mirrored.tangents!].filter((_, i) => i % 4 === 3)).toEqual([-1, -1, -1]);
    expect(sourceTriangles(await only(build([-1, -1, 1])))).toEqual(['0,1,2']);
  });

  it('of a skin bound through mirrors in joint and inverse bind face as the file says', async () => {
    const build = (jointScale: number[], bindScale: number): GltfBuilder => {
      const gltf = new GltfBuilder();
      gltf.nodes.push({ scale: jointScale });
      const bind = [bindScale, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
      gltf.skins.push({ joints: [0], inverseBindMatrices: gltf.accessor(bind, 'MAT4') });
      const influences = gltf.influences([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
      // the node's own mirror is ignored, as its transform is
      gltf.meshNode([gltf.triangle(influences)], { skin: 0, scale: [-1, 1, 1] });
      return gltf;
    };
    expect(sourceTriangles(await only(build([-1, 1, 1], -1)))).toEqual(['0,1,2']);
    expect(sourceTriangles(await only(build([-1, 1, 1], 1)))).toEqual(['0,2,1']);
  });
});

describe('vertices', () => {
  it('that are equal bit for bit are welded, others not', async () => {
    const gltf = new GltfBuilder();
    // two triangles without indices that share an edge; one shared corner differs in its texture coordinates
    const positions = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0];
    gltf.meshNode([
      {
        attributes: {
          POSITION: gltf.accessor(positions, 'VEC3'),
          NORMAL: gltf.accessor(Array.from({ length: 6 }, () => [0, 0, 1]).flat(), 'VEC3'),
          TEXCOORD_0: gltf.accessor([0, 0, 1, 0, 0, 1, 0, 1, 1, 0.5, 1, 1], 'VEC2'),
        },
      },
    ]);
    const mesh = await only(gltf);
    expect(mesh.vertexCount).toBe(5);
    expect(mesh.vertexOfSource[2]).toBe(mesh.vertexOfSource[3]);
    expect(mesh.vertexOfSource[1]).not.toBe(mesh.vertexOfSource[4]);
  });

  it('keep vertices apart that differ only in a morph target or a weight', async () => {
    const gltf = new GltfBuilder();
    const POSITION = gltf.accessor([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0], 'VEC3');
    const NORMAL = gltf.accessor(Array.from({ length: 6 }, () => [0, 0, 1]).flat(), 'VEC3');
    const delta = gltf.accessor([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 0], 'VEC3');
    gltf.meshNode([{ attributes: { POSITION, NORMAL }, targets: [{ POSITION: delta }] }]);
    const mesh = await only(gltf);
    expect(mesh.vertexCount).toBe(5);
    expect(mesh.targets[0]!.positions[3 * mesh.vertexOfSource[4]! + 2]).toBe(0.5);
  });

  it('without normals get the flat one of each triangle', async () => {
    const gltf = new GltfBuilder();
    // a roof: two faces that share the ridge 0-1
    const POSITION = gltf.accessor([0, 1, 0, 0, 1, 1, 1, 0, 0, -1, 0, 0, 7, 7, 7], 'VEC3');
    const TANGENT = gltf.accessor(Array.from({ length: 5 }, () => [1, 0, 0, 1]).flat(), 'VEC4');
    const indices = gltf.accessor([0, 1, 2, 1, 0, 3], 'SCALAR', { componentType: 5123 });
    gltf.meshNode([{ attributes: { POSITION, TANGENT }, indices }]);
    const model = await importBuilt(gltf);
    const mesh = model.meshes[0]!;
    expect(codesOf(model)).toContain('GLTF_NORMALS_GENERATED');
    // six corners and the loose vertex; glTF says to ignore tangents then
    expect(mesh.vertexCount).toBe(7);
    expect(mesh.tangents).toBeUndefined();
    for (let t = 0; t < mesh.indices.length; t += 3) {
      const corners = [0, 1, 2].map((i) =>
        mesh.normals.subarray(3 * mesh.indices[t + i]!, 3 * mesh.indices[t + i]! + 3),
      );
      for (const normal of corners) {
        expect(Math.abs(normal[0]!)).toBeCloseTo(Math.SQRT1_2);
        expect(normal[1]).toBeCloseTo(Math.SQRT1_2);
        expect([...normal]).toEqual([...corners[0]!]);
      }
    }
    expect([...sourcePositions(model, undefined, 0)[0]!.positions].slice(-3)).toEqual([7, 7, 7]);
  });

  it('have unit normals and tangents, made where the file has none', async () => {
    const gltf = new GltfBuilder();
    const NORMAL = gltf.accessor([0, 0, 2, 0, 0, 0, Number.NaN, 0, 0], 'VEC3');
    const TANGENT = gltf.accessor([3, 0, 0, 1, 0, 0, 0, -1, 1, 0, 0, 0.5], 'VEC4');
    gltf.meshNode([gltf.triangle({ NORMAL, TANGENT })]);
    const model = await importBuilt(gltf);
    const { normals, tangents, vertexOfSource } = model.meshes[0]!;
    for (let v = 0; v < 3; v++) expect([...normals.subarray(3 * v, 3 * v + 3)]).toEqual([0, 0, 1]);
    const signs = [...vertexOfSource].map((v) => tangents![4 * v + 3]);
    expect(signs).toEqual([1, -1, 1]);
    for (let v = 0; v < 3; v++) expect(Math.hypot(...tangents!.subarray(4 * v, 4 * v + 3))).toBeCloseTo(1);
    const repairs = model.issues.filter(({ code }) => code === 'GLTF_VALUES_REPAIRED').map(({ message }) => message);
    expect(repairs.some((message) => message.includes('2 of 3 normals'))).toBe(true);
    expect(repairs.some((message) => message.includes('1 of 3 tangents'))).toBe(true);
  });

  it.each(['POSITION', 'TEXCOORD_0', 'COLOR_0'])('with NaN in %s are repaired and counted', async (semantic) => {
    const gltf = new GltfBuilder();
    const type = { POSITION: 'VEC3', TEXCOORD_0: 'VEC2', COLOR_0: 'VEC4' }[semantic]!;
    const values = Array.from({ length: 3 * { VEC2: 2, VEC3: 3, VEC4: 4 }[type]! }, (_, i) => i / 20);
    values[1] = Number.NaN;
    values[2] = -Infinity;
    gltf.meshNode([gltf.triangle({ [semantic]: gltf.accessor(values, type) })]);
    const model = await importBuilt(gltf);
    const repair = model.issues.find(({ code }) => code === 'GLTF_VALUES_REPAIRED')!;
    expect(repair.path).toBe(`/meshes/0/primitives/0/attributes/${semantic}`);
    expect(repair.message).toContain('2 of');
  });

  it('take normalised and plain integers', async () => {
    const gltf = new GltfBuilder();
    const POSITION = gltf.accessor([0, 0, 0, 300, 0, 0, 0, 500, 0], 'VEC3', { componentType: 5122 });
    const NORMAL = gltf.accessor([0, 0, 127, 0, 0, -128, 0, 0, 127], 'VEC3', { componentType: 5120, normalized: true });
    const COLOR_0 = gltf.accessor([255, 0, 51, 0, 255, 0, 0, 0, 255], 'VEC3', {
      componentType: 5121,
      normalized: true,
    });
    const TEXCOORD_0 = gltf.accessor([0, 65_535, 0, 0, 0, 0], 'VEC2', { componentType: 5123, normalized: true });
    gltf.extra.extensionsUsed = ['KHR_mesh_quantization'];
    gltf.meshNode([gltf.triangle({ POSITION, NORMAL, COLOR_0, TEXCOORD_0 })], { scale: [0.01, 0.01, 0.01] });
    const model = await importBuilt(gltf);
    const { colors, normals, texcoords, vertexOfSource } = model.meshes[0]!;
    const [a, b] = [vertexOfSource[0]!, vertexOfSource[1]!];
    [...sourcePositions(model, undefined, 0)[0]!.positions].forEach((value, i) =>
      expect(value).toBeCloseTo([0, 0, 0, 3, 0, 0, 0, 5, 0][i]!, 6),
    );
    expect(normals[3 * b + 2]).toBe(-1);
    expect([...colors!.subarray(4 * a, 4 * a + 4)]).toEqual([1, 0, Math.fround(0.2), 1]);
    expect(texcoords![2 * a + 1]).toBe(1);
  });

  it('with attributes of odd types lose those that only add to the look', async () => {
    const gltf = new GltfBuilder();
    const TANGENT = gltf.accessor([1, 0, 0, 1, 0, 0, 1, 0, 0], 'VEC3');
    gltf.meshNode([gltf.triangle({ TANGENT })]);
    const model = await importBuilt(gltf);
    expect(model.meshes[0]!.tangents).toBeUndefined();
    expect(codesOf(model)).toContain('GLTF_ATTRIBUTE_IGNORED');
  });

  it('must be as many in every attribute', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle({ TEXCOORD_0: gltf.accessor([0, 0], 'VEC2') })]);
    expect((await refusalOf(gltf)).code).toBe('GLTF_INVALID');
  });

  it('come from sparse, strided, misaligned and absent views', async () => {
    const gltf = new GltfBuilder();
    // 20 bytes apart, one byte off
    const bytes = new Uint8Array(64);
    const data = new DataView(bytes.buffer);
    [0, 0, 0, 1, 0, 0, 0, 1, 0].forEach((value, i) =>
      data.setFloat32(1 + 20 * Math.floor(i / 3) + 4 * (i % 3), value, true),
    );
    const bufferView = gltf.view(bytes, { byteStride: 20 });
    const strided = gltf.accessors.push({ bufferView, byteOffset: 1, componentType: 5126, type: 'VEC3', count: 3 }) - 1;
    const sparse = {
      count: 1,
      indices: { bufferView: gltf.view(new Uint16Array([1])), componentType: 5123 },
      values: { bufferView: gltf.view(new Float32Array([9, 9, 9])) },
    };
    const zeros = gltf.accessors.push({ componentType: 5126, type: 'VEC3', count: 3, sparse }) - 1;
    gltf.meshNode([gltf.triangle({ POSITION: strided }, { targets: [{ POSITION: zeros }] })], { weights: [1] });
    const model = await importBuilt(gltf);
    expect([...sourcePositions(model, undefined, 0)[0]!.positions]).toEqual([0, 0, 0, 10, 9, 9, 0, 1, 0]);
    // an index past the end
    gltf.view(new Uint16Array([3]));
    sparse.indices.bufferView = gltf.bufferViews.length - 1;
    expect((await refusalOf(gltf)).code).toBe('GLTF_INDEX_OUT_OF_RANGE');
  });
});

describe('morph targets', () => {
  const build = (gltf: GltfBuilder, targets: number): Entry => {
    const deltas = Array.from({ length: targets }, (_, t) => ({
      POSITION: gltf.accessor([t + 1, 0, 0, 0, 0, 0, 0, 0, 0], 'VEC3'),
    }));
    return gltf.triangle({}, { targets: deltas });
  };

  it("take the node's weights, else the mesh's, else none; one set per node", async () => {
    const gltf = new GltfBuilder();
    const mesh =
      gltf.meshes.push({ primitives: [build(gltf, 2)], weights: [0, 0.5], extras: { targetNames: ['smile', 7] } }) - 1;
    gltf.nodes.push({ mesh, name: 'a', weights: [1, 0] }, { mesh, name: 'b' });
    gltf.meshNode([build(gltf, 1)], { name: 'c' });
    gltf.clip([
      { node: 1, path: 'weights', times: [0, 1], values: [0, 0, 1, 1], type: 'SCALAR' },
      { node: 2, path: 'weights', times: [0, 1], values: [0, 2], type: 'SCALAR' },
    ]);
    const model = await importBuilt(gltf);
    expect(model.morphSets.map(({ weights }) => weights)).toEqual([[1, 0], [0, 0.5], [0]]);
    expect(model.morphSets[0]!.names).toEqual(['smile', '1']);
    expect(model.meshes.map(({ morphSetIndex }) => morphSetIndex)).toEqual([0, 1, 2]);
    expect(model.clips[0]!.tracks.map(({ targetIndex }) => targetIndex)).toEqual([1, 2]);
    const firsts = (time: number): (number | undefined)[] =>
      sourcePositions(model, model.clips[0], time).map(({ positions }) => positions[0]);
    expect(firsts(0)).toEqual([1, 0, 0]);
    expect(firsts(1)).toEqual([1, 3, 2]);
  });

  it('may differ in number and weights may not fit: padded, and reported', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([build(gltf, 2), build(gltf, 1)], { weights: [0.25] });
    const model = await importBuilt(gltf);
    expect(model.morphSets[0]!.weights).toEqual([0.25, 0]);
    expect(model.meshes.map(({ targets }) => targets.length)).toEqual([2, 2]);
    expect(codesOf(model).filter((code) => code === 'GLTF_VALUES_REPAIRED')).toHaveLength(2);
  });

  it('with NaN are repaired', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([
      gltf.triangle({}, { targets: [{ POSITION: gltf.accessor([Number.NaN, 0, 0, 0, 0, 0, 0, 0, 0], 'VEC3') }] }),
    ]);
    const model = await importBuilt(gltf);
    expect(model.issues.find(({ code }) => code === 'GLTF_VALUES_REPAIRED')!.path).toBe(
      '/meshes/0/primitives/0/targets/0/POSITION',
    );
  });
});
