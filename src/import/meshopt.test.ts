import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { beforeAll, describe, expect, it } from 'vitest';
import { codesOf, type Entry, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';
import { readAccessors, readElements } from '../../test/import/read-accessors.ts';

/** A file whose compressed views stand in a fallback buffer that has no data. */
class CompressedGltf extends GltfBuilder {
  readonly #extension: string;

  constructor(extension = 'EXT_meshopt_compression') {
    super();
    this.#extension = extension;
  }

  /** Appends compressed data, as a view of `count` × `byteStride` bytes of the fallback buffer. */
  compressed(data: Uint8Array, packed: { byteStride: number; count: number; mode: string; filter?: string }): number {
    const { byteOffset, byteLength } = this.bufferViews[this.view(data)]!;
    const view: Entry = { buffer: 1, byteOffset: 0, byteLength: packed.count * packed.byteStride };
    if (packed.mode === 'ATTRIBUTES') view.byteStride = packed.byteStride;
    view.extensions = { [this.#extension]: { buffer: 0, byteOffset, byteLength, ...packed } };
    return this.bufferViews.push(view) - 1;
  }

  override json(): Entry {
    const json = super.json();
    const fallback = { byteLength: 2 ** 20, extensions: { [this.#extension]: { fallback: true } } };
    const extensionsUsed = [this.#extension];
    return { ...json, buffers: [...(json.buffers as Entry[]), fallback], extensionsUsed };
  }
}

const bytesOf = (data: ArrayBufferView): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Attributes of `byteStride` bytes, compressed without loss. */
function attributes(data: ArrayBufferView, byteStride: number): Uint8Array {
  return MeshoptEncoder.encodeVertexBuffer(bytesOf(data), data.byteLength / byteStride, byteStride);
}

describe('meshopt-compressed views', () => {
  beforeAll(() => MeshoptEncoder.ready);

  it.each(['EXT_meshopt_compression', 'KHR_meshopt_compression'])('hold attributes: %s', async (extension) => {
    const gltf = new CompressedGltf(extension);
    const data = new DataView(new ArrayBuffer(3 * 16));
    for (let i = 0; i < 3; i++) {
      [1, 2, 3].forEach((value, c) => data.setFloat32(16 * i + 4 * c, value + i, true));
      [10, 20, 30].forEach((value, c) => data.setUint8(16 * i + 12 + c, value + i));
    }
    const bufferView = gltf.compressed(attributes(data, 16), { byteStride: 16, count: 3, mode: 'ATTRIBUTES' });
    gltf.accessors.push(
      { bufferView, componentType: 5126, type: 'VEC3', count: 3 },
      { bufferView, byteOffset: 12, componentType: 5121, type: 'VEC3', count: 3 },
    );
    gltf.accessor([7], 'SCALAR');
    expect(await readElements(gltf)).toEqual([[1, 2, 3, 2, 3, 4, 3, 4, 5], [10, 20, 30, 11, 21, 31, 12, 22, 32], [7]]);
  });

  it('hold indices, as a list or as triangles', async () => {
    const gltf = new CompressedGltf();
    const list = [5, 4, 9, 0, 65_535];
    const triangles = [0, 1, 2, 2, 1, 3];
    const sequence = MeshoptEncoder.encodeIndexSequence(bytesOf(new Uint16Array(list)), list.length, 2);
    const buffer = MeshoptEncoder.encodeIndexBuffer(bytesOf(new Uint32Array(triangles)), triangles.length, 4);
    const views = [
      gltf.compressed(sequence, { byteStride: 2, count: list.length, mode: 'INDICES' }),
      gltf.compressed(buffer, { byteStride: 4, count: triangles.length, mode: 'TRIANGLES' }),
    ];
    gltf.accessors.push({ bufferView: views[0], componentType: 5123, type: 'SCALAR', count: list.length });
    gltf.accessors.push({ bufferView: views[1], componentType: 5125, type: 'SCALAR', count: triangles.length });
    const [readList, readTriangles] = await readElements(gltf);
    expect(readList).toEqual(list);
    // a triangle may begin with another of its corners
    const turned = (from: number): string => [0, 1, 2].map((i) => readTriangles![from + i]).join();
    expect(['0,1,2', '1,2,0', '2,0,1']).toContain(turned(0));
    expect(['2,1,3', '1,3,2', '3,2,1']).toContain(turned(3));
  });

  const filtered: [string, () => Uint8Array, number, Entry, number[]][] = [
    [
      'OCTAHEDRAL',
      () => MeshoptEncoder.encodeFilterOct(new Float32Array([0, 0, 1, 0, -1, 0, 0, 0]), 2, 4, 8),
      4,
      { componentType: 5120, type: 'VEC3', normalized: true },
      [0, 0, 1, -1, 0, 0],
    ],
    [
      'QUATERNION',
      () => MeshoptEncoder.encodeFilterQuat(new Float32Array([0, 0, 0, 1, 0, 0.6, 0, 0.8]), 2, 8, 16),
      8,
      { componentType: 5122, type: 'VEC4', normalized: true },
      [0, 0, 0, 1, 0, 0.6, 0, 0.8],
    ],
    [
      'EXPONENTIAL',
      () => MeshoptEncoder.encodeFilterExp(new Float32Array([1, -2.5, 0, 0.125, 96, -7]), 2, 12, 15),
      12,
      { componentType: 5126, type: 'VEC3' },
      [1, -2.5, 0, 0.125, 96, -7],
    ],
    [
      'COLOR',
      () => MeshoptEncoder.encodeFilterColor(new Float32Array([1, 0, 0, 1, 0, 0.5, 1, 0.25]), 2, 4, 8),
      4,
      { componentType: 5121, type: 'VEC4', normalized: true },
      [1, 0, 0, 1, 0, 0.5, 1, 0.25],
    ],
  ];

  it.each(filtered)('may be filtered: %s', async (filter, encode, byteStride, accessor, expected) => {
    const gltf = new CompressedGltf('KHR_meshopt_compression');
    const packed = { byteStride, count: 2, mode: 'ATTRIBUTES', filter };
    gltf.accessors.push({
      bufferView: gltf.compressed(attributes(encode(), byteStride), packed),
      count: 2,
      ...accessor,
    });
    const floats = (await readAccessors(gltf)).floats(0);
    // 8 bits hold a colour or a direction to a hundredth
    floats.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(0.01));
    expect(floats).toHaveLength(expected.length);
  });

  it('may hold overrides, and what they override', async () => {
    const gltf = new CompressedGltf();
    const view = (values: number[]): number =>
      gltf.compressed(attributes(new Float32Array(values), 4), {
        byteStride: 4,
        count: values.length,
        mode: 'ATTRIBUTES',
      });
    const indices = { bufferView: gltf.view(new Uint8Array([2, 0])), componentType: 5121 };
    const sparse = { count: 2, indices, values: { bufferView: view([-1, -2, -3]), byteOffset: 4 } };
    gltf.accessors.push({ bufferView: view([1, 2, 3]), componentType: 5126, type: 'SCALAR', count: 3, sparse });
    expect(await readElements(gltf)).toEqual([[-3, 2, -2]]);
  });

  it.each([
    ['an accessor', (gltf: CompressedGltf, view: number) => Object.assign(gltf.accessors[0]!, { bufferView: view })],
    ['nothing', () => undefined],
  ])('have the fallback buffer to themselves: not if %s reads a plain view of it', async (_, use) => {
    const gltf = new CompressedGltf();
    gltf.meshNode([gltf.triangle()]);
    use(gltf, gltf.bufferViews.push({ buffer: 1, byteLength: 36 }) - 1);
    const error = await refusalOf(gltf);
    expect(error.issues[0]).toMatchObject({ code: 'GLTF_RESOURCE_MISSING', path: '/bufferViews/2' });
  });

  it('hold no images', async () => {
    const gltf = new CompressedGltf();
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    const bufferView = gltf.compressed(attributes(png, 4), { byteStride: 4, count: 1, mode: 'ATTRIBUTES' });
    gltf.images.push({ bufferView, mimeType: 'image/png' });
    gltf.textures.push({ source: 0 });
    gltf.materials.push({ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } });
    gltf.meshNode([gltf.triangle({}, { material: 0 })]);
    const model = await importBuilt(gltf);
    expect(model.images).toEqual([]);
    expect(codesOf(model)).toContain('GLTF_TEXTURE_IGNORED');
  });
});
