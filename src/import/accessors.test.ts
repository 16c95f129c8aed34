import { describe, expect, it } from 'vitest';
import { type Entry, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';
import { readAccessors, readElements } from '../../test/import/read-accessors.ts';

/** A view of bytes that are laid out by hand. */
function laidOut(gltf: GltfBuilder, length: number, fill: (data: DataView) => void, properties: Entry = {}): number {
  const data = new DataView(new ArrayBuffer(length));
  fill(data);
  return gltf.view(data, properties);
}

describe('accessors', () => {
  it.each([
    [5120, [-128, -1, 0, 127]],
    [5121, [0, 1, 254, 255]],
    [5122, [-32_768, -1, 0, 32_767]],
    [5123, [0, 1, 65_534, 65_535]],
    [5125, [0, 1, 16_777_217, 4_294_967_295]],
    [5126, [-0, 1.5, Number.MAX_VALUE, Number.NaN]],
  ])('of component type %i come as they are stored', async (componentType, values) => {
    const gltf = new GltfBuilder();
    const index = gltf.accessor(values, 'VEC2', { componentType });
    const elements = (await readAccessors(gltf)).elements(index);
    expect([...elements]).toEqual(componentType === 5126 ? values.map(Math.fround) : values);
    expect(elements.BYTES_PER_ELEMENT).toBe(componentType < 5122 ? 1 : componentType < 5125 ? 2 : 4);
  });

  it('of every type are as wide as it says', async () => {
    const gltf = new GltfBuilder();
    const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
    const values = Object.values(widths).map((width) => Array.from({ length: 2 * width }, (_, i) => i + 0.5));
    Object.keys(widths).forEach((type, i) => gltf.accessor(values[i]!, type, { count: 2 }));
    expect(await readElements(gltf)).toEqual(values);
  });

  it.each([
    [5120, [-128, -127, 0, 64, 127], [-1, -1, 0, 64 / 127, 1]],
    [5121, [0, 51, 255], [0, 0.2, 1]],
    [5122, [-32_768, -32_767, 0, 32_767], [-1, -1, 0, 1]],
    [5123, [0, 13_107, 65_535], [0, 0.2, 1]],
    // not allowed: no reader scales these
    [5125, [0, 7, 4_000_000_000], [0, 7, 4_000_000_000]],
    [5126, [-3, 0.25, 7], [-3, 0.25, 7]],
  ])('of component type %i are decoded when they are normalised', async (componentType, stored, decoded) => {
    const gltf = new GltfBuilder();
    gltf.accessor(stored, 'SCALAR', { componentType, normalized: true });
    gltf.accessor(stored, 'SCALAR', { componentType, normalized: false });
    const reader = await readAccessors(gltf);
    expect([...reader.floats(0)]).toEqual(decoded.map(Math.fround));
    expect([...reader.floats(1)]).toEqual(stored);
    // asked for twice, converted once
    expect(reader.floats(0)).toBe(reader.floats(0));
  });

  it('may be interleaved, of several types, at any byte', async () => {
    const gltf = new GltfBuilder();
    const fill = (data: DataView): void => {
      for (let i = 0; i < 3; i++) {
        const at = 3 + 23 * i;
        [10, 20, 30].forEach((value, c) => data.setFloat32(at + 4 * c, value + i, true));
        [1, 2, 3, 4].forEach((value, c) => data.setUint8(at + 12 + c, 10 * value + i));
        [-300, 300].forEach((value, c) => data.setInt16(at + 16 + 2 * c, value + i, true));
        data.setUint16(at + 20, 60_000 + i, true);
      }
    };
    const bufferView = laidOut(gltf, 3 + 3 * 23, fill, { byteStride: 23 });
    gltf.accessors.push(
      { bufferView, byteOffset: 3, componentType: 5126, type: 'VEC3', count: 3 },
      { bufferView, byteOffset: 15, componentType: 5121, type: 'VEC4', count: 3 },
      { bufferView, byteOffset: 19, componentType: 5122, type: 'VEC2', count: 3 },
      { bufferView, byteOffset: 23, componentType: 5123, type: 'SCALAR', count: 3 },
    );
    expect(await readElements(gltf)).toEqual([
      [10, 20, 30, 11, 21, 31, 12, 22, 32],
      [10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42],
      [-300, 300, -299, 301, -298, 302],
      [60_000, 60_001, 60_002],
    ]);
  });

  it.each([undefined, 0, 12])('are packed where the stride is %s', async (byteStride) => {
    const gltf = new GltfBuilder();
    const properties = byteStride === undefined ? {} : { byteStride };
    const bufferView = laidOut(gltf, 26, (data) => [1, 2, 3, 4, 5, 6].forEach((x, i) => data.setFloat32(1 + 4 * i, x, true)), properties); // prettier-ignore
    gltf.accessors.push({ bufferView, byteOffset: 1, componentType: 5126, type: 'VEC3', count: 2 });
    expect(await readElements(gltf)).toEqual([[1, 2, 3, 4, 5, 6]]);
  });

  it('come from the buffer that their view names, within the view', async () => {
    const gltf = new GltfBuilder();
    gltf.accessor([1, 2], 'SCALAR');
    const own = gltf.json().buffers as Entry[];
    // floats 4 and 8, two bytes from the start
    gltf.extra.buffers = [...own, { byteLength: 10, uri: 'data:;base64,AAAAAIBAAAAAQQ==' }];
    gltf.bufferViews.push({ buffer: 1, byteOffset: 2, byteLength: 8 });
    gltf.accessors.push({ bufferView: 1, byteOffset: 4, componentType: 5126, type: 'SCALAR', count: 1 });
    gltf.accessors.push({ bufferView: 1, componentType: 5126, type: 'SCALAR', count: 2 });
    expect(await readElements(gltf)).toEqual([[1, 2], [8], [4, 8]]);
  });

  it('without a view are zeros', async () => {
    const gltf = new GltfBuilder();
    gltf.accessors.push({ componentType: 5123, type: 'VEC2', count: 2 });
    expect(await readElements(gltf)).toEqual([[0, 0, 0, 0]]);
  });
});

describe('sparse accessors', () => {
  const base = [0, 1, 10, 11, 20, 21, 30, 31, 40, 41];

  it.each([5121, 5123, 5125])('override elements, by indices of component type %i', async (indexType) => {
    const gltf = new GltfBuilder();
    // where overrides have no offset they begin with their view, wherever the accessor begins in its own
    const bufferView = gltf.view(new Int16Array([7, 7, ...base]));
    const indices = gltf.accessor([1, 4, 0], 'SCALAR', { componentType: indexType });
    const sparse = {
      count: 2,
      indices: { bufferView: gltf.accessors[indices]!.bufferView, componentType: indexType },
      values: { bufferView: gltf.view(new Int16Array([-1, -2, -3, -4, 9, 9])) },
    };
    gltf.accessors.push({ bufferView, byteOffset: 4, componentType: 5122, type: 'VEC2', count: 5, sparse });
    gltf.accessors.push({ componentType: 5122, type: 'VEC2', count: 5, sparse });
    const [, overBase, overZeros] = await readElements(gltf);
    expect(overBase).toEqual([0, 1, -1, -2, 20, 21, 30, 31, -3, -4]);
    expect(overZeros).toEqual([0, 0, -1, -2, 0, 0, 0, 0, -3, -4]);
  });

  it('take their overrides from where they say, interleaved or not', async () => {
    const gltf = new GltfBuilder();
    const mixed = laidOut(
      gltf,
      40,
      (data) =>
        [3, 0].forEach((index, i) => {
          data.setUint16(5 + 14 * i, index, true);
          [50 + i, 60 + i].forEach((value, c) => data.setFloat32(9 + 14 * i + 4 * c, value, true));
        }),
      { byteStride: 14 },
    );
    const sparse = {
      count: 2,
      indices: { bufferView: mixed, byteOffset: 5, componentType: 5123 },
      values: { bufferView: mixed, byteOffset: 9 },
    };
    gltf.accessor(base, 'VEC2', { sparse });
    expect(await readElements(gltf)).toEqual([[51, 61, 10, 11, 20, 21, 50, 60, 40, 41]]);
  });

  it('are decoded like others when they are normalised', async () => {
    const gltf = new GltfBuilder();
    const sparse = {
      count: 1,
      indices: { bufferView: gltf.view(new Uint8Array([1])), componentType: 5121 },
      values: { bufferView: gltf.view(new Uint8Array([255])) },
    };
    gltf.accessor([51, 0], 'SCALAR', { componentType: 5121, normalized: true, sparse });
    expect([...(await readAccessors(gltf)).floats(0)]).toEqual([0.2, 1].map(Math.fround));
  });

  it('are refused with an index past the end, once they are read', async () => {
    const gltf = new GltfBuilder();
    const sparse = {
      count: 2,
      indices: { bufferView: gltf.view(new Uint8Array([1, 3])), componentType: 5121 },
      values: { bufferView: gltf.view(new Float32Array(6)) },
    };
    const TANGENT = gltf.accessors.push({ componentType: 5126, type: 'VEC3', count: 3, sparse }) - 1;
    const primitive = gltf.triangle();
    gltf.meshNode([primitive]);
    await importBuilt(gltf);
    primitive.targets = [{ TANGENT }];
    expect((await refusalOf(gltf)).issues[0]).toMatchObject({
      code: 'GLTF_INDEX_OUT_OF_RANGE',
      path: `/accessors/${TANGENT}/sparse/indices`,
      message: 'Sparse index 3 of 3 elements.',
    });
  });
});
