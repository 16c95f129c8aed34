import draco3d from 'draco3dgltf';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Entry, GltfBuilder, importBuilt, refusalOf, toGlb } from '../../test/import/build-gltf.ts';
import { sourcePositions } from '../../test/import/pose-model.ts';
import { noShared, shared } from '../../test/support/setup.ts';
import { dracoTriangleCount } from './gltf/draco.ts';

/** A GLB taken apart, to be changed and put together again. */
function open(file: string): { json: Entry; binary: Uint8Array } {
  const bytes = new Uint8Array(readFileSync(path.join(shared, 'assets', file)));
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as Entry;
  return { json, binary: bytes.slice(20 + length + 8) };
}

describe.skipIf(noShared())('meshopt', () => {
  const file = 'derived/robotexpressive-meshopt.glb';
  const views = (json: Entry): { extensions?: { EXT_meshopt_compression: Entry } }[] => json.bufferViews as [];

  it('is read under its ratified name as well', async () => {
    const { json, binary } = open(file);
    const before = await importBuilt(toGlb(json, binary));
    const renamed = JSON.stringify(json).replaceAll('EXT_meshopt_compression', 'KHR_meshopt_compression');
    const after = await importBuilt(toGlb(renamed, binary));
    expect(after.meshes).toEqual(before.meshes);
  });

  it('is refused with the view that does not decode', async () => {
    const { json, binary } = open(file);
    const packed = views(json)[2]!.extensions!.EXT_meshopt_compression;
    const at = (packed.byteOffset as number | undefined) ?? 0;
    binary.fill(0, at, at + (packed.byteLength as number));
    const error = await refusalOf(toGlb(json, binary));
    expect(error.issues[0]).toMatchObject({ code: 'GLTF_DECODE_FAILED', path: '/bufferViews/2' });
  });

  it.each([
    [{ mode: 'TRIANGLES', byteStride: 12 }],
    [{ filter: 'QUATERNION', byteStride: 4 }],
    [{ byteStride: 6 }],
    [{ byteLength: 1e9 }],
    [{ count: 1 }],
  ])('is refused when it cannot be what it says: %j', async (change) => {
    const { json, binary } = open(file);
    Object.assign(views(json)[0]!.extensions!.EXT_meshopt_compression, change);
    const error = await refusalOf(toGlb(json, binary));
    expect(error.issues[0]).toMatchObject({ code: 'GLTF_INVALID', path: '/bufferViews/0' });
  });
});

describe.skipIf(noShared())('Draco', () => {
  const file = 'characters/astronaut-bee-draco.glb';
  const first = (json: Entry): { definition: Entry; extension: Entry } => {
    const mesh = (json.meshes as { primitives: Entry[] }[])[0]!;
    const definition = mesh.primitives[0]!;
    return { definition, extension: (definition.extensions as Record<string, Entry>).KHR_draco_mesh_compression! };
  };
  const viewOf = (json: Entry): Entry => (json.bufferViews as Entry[])[first(json).extension.bufferView as number]!;

  it('has the count of its triangles before it is decoded', () => {
    const { json, binary } = open(file);
    const { byteOffset = 0, byteLength } = viewOf(json) as { byteOffset?: number; byteLength: number };
    const { definition } = first(json);
    const indices = (json.accessors as Entry[])[definition.indices as number]!;
    expect(dracoTriangleCount(binary.subarray(byteOffset, byteOffset + byteLength))).toBe(
      (indices.count as number) / 3,
    );
  });

  it('is refused when it holds more than is declared', async () => {
    const { json, binary } = open(file);
    (json.accessors as Entry[])[first(json).definition.indices as number]!.count = 3;
    expect((await refusalOf(toGlb(json, binary))).issues[0]).toMatchObject({
      code: 'GLTF_INVALID',
      path: '/meshes/0/primitives/0',
    });
  });

  it.each<[string, string, (json: Entry, binary: Uint8Array) => void]>([
    [
      'no Draco data',
      'GLTF_DECODE_FAILED',
      (json, binary) => binary.fill(0, (viewOf(json).byteOffset as number) ?? 0).length,
    ],
    [
      'damaged data',
      'GLTF_DECODE_FAILED',
      (json, binary) => binary.fill(255, ((viewOf(json).byteOffset as number) ?? 0) + 30).length,
    ],
    ['truncated data', 'GLTF_DECODE_FAILED', (json) => Object.assign(viewOf(json), { byteLength: 200 })],
    [
      'an attribute that the data lacks',
      'GLTF_DECODE_FAILED',
      (json) => Object.assign(first(json).extension.attributes as Entry, { NORMAL: 99 }),
    ],
    [
      'an attribute that the primitive lacks',
      'GLTF_INVALID',
      (json) => Object.assign(first(json).extension.attributes as Entry, { TEXCOORD_7: 0 }),
    ],
    [
      'an attribute of no primitive, but of every object',
      'GLTF_INVALID',
      (json) => Object.assign(first(json).extension.attributes as Entry, { toString: 0 }),
    ],
    [
      'sparse overrides as well',
      'GLTF_INVALID',
      (json) => {
        const { POSITION } = first(json).definition.attributes as Record<string, number>;
        const { bufferView } = first(json).extension;
        const sparse = { count: 1, indices: { bufferView, componentType: 5121 }, values: { bufferView } };
        Object.assign((json.accessors as Entry[])[POSITION!]!, { sparse });
      },
    ],
    [
      'its data compressed as numbers are',
      'GLTF_DECODE_FAILED',
      (json) => {
        const packed = { buffer: 0, byteLength: 8, byteStride: 4, count: 100, mode: 'ATTRIBUTES' };
        Object.assign(viewOf(json), { byteLength: 400, extensions: { EXT_meshopt_compression: packed } });
      },
    ],
    [
      'another count of vertices',
      'GLTF_INVALID',
      (json) =>
        Object.assign(
          (json.accessors as Entry[])[(first(json).definition.attributes as Record<string, number>).POSITION!]!,
          { count: 3 },
        ),
    ],
  ])('is refused with %s', async (_, code, damage) => {
    const { json, binary } = open(file);
    damage(json, binary);
    expect((await refusalOf(toGlb(json, binary))).code).toBe(code);
  });

  it('decodes with the caller’s module', async () => {
    const { json, binary } = open(file);
    let made = 0;
    const draco = (): Promise<unknown> => {
      made++;
      return draco3d.createDecoderModule();
    };
    expect((await importBuilt(toGlb(json, binary), { draco })).meshes).toHaveLength(2);
    expect(made).toBe(1);
  });
});

interface Encoder {
  SetEncodingMethod(method: number): void;
  SetAttributeQuantization(type: number, bits: number): void;
  EncodeMeshToDracoBuffer(mesh: unknown, out: unknown): number;
}

/** The parts of the untyped encoder that make a mesh. */
interface EncoderModule {
  readonly POSITION: number;
  readonly GENERIC: number;
  readonly MESH_SEQUENTIAL_ENCODING: number;
  readonly MESH_EDGEBREAKER_ENCODING: number;
  Encoder: new () => Encoder;
  Mesh: new () => unknown;
  MeshBuilder: new () => {
    AddFacesToMesh(mesh: unknown, count: number, indices: Uint32Array): void;
    AddFloatAttributeToMesh(mesh: unknown, type: number, count: number, width: number, values: Float32Array): number;
  };
  DracoInt8Array: new () => { GetValue(i: number): number };
}

describe('Draco data made for the test', () => {
  /**
   * A grid of n × n vertices with `extra` attributes that are constant and cost the file next to nothing; its positions
   * are asked for under `copies` more names.
   */
  async function encode(n: number, extra: number, sequential = false, copies = 0): Promise<GltfBuilder> {
    const module = (await draco3d.createEncoderModule()) as EncoderModule;
    const [mesh, builder, encoder, out] = [
      new module.Mesh(),
      new module.MeshBuilder(),
      new module.Encoder(),
      new module.DracoInt8Array(),
    ];
    const indices: number[] = [];
    for (let v = 0; v < n * (n - 1); v++) if ((v + 1) % n !== 0) indices.push(v, v + 1, v + n, v + n, v + 1, v + n + 1);
    builder.AddFacesToMesh(mesh, indices.length / 3, new Uint32Array(indices));
    const positions = Float32Array.from(
      { length: 3 * n * n },
      (_, i) => [Math.floor(i / 3) % n, Math.floor(i / 3 / n), 0][i % 3]!,
    );
    const id = builder.AddFloatAttributeToMesh(mesh, module.POSITION, n * n, 3, positions);
    const zeros = new Float32Array(n * n);
    for (let i = 0; i < extra; i++) builder.AddFloatAttributeToMesh(mesh, module.GENERIC, n * n, 1, zeros);
    encoder.SetAttributeQuantization(module.POSITION, 14);
    encoder.SetAttributeQuantization(module.GENERIC, 1);
    encoder.SetEncodingMethod(sequential ? module.MESH_SEQUENTIAL_ENCODING : module.MESH_EDGEBREAKER_ENCODING);
    const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
    const data = Uint8Array.from({ length }, (_, i) => out.GetValue(i));
    expect(dracoTriangleCount(data)).toBe(indices.length / 3);

    const gltf = new GltfBuilder();
    const bufferView = gltf.view(data);
    gltf.accessors.push(
      { componentType: 5126, type: 'VEC3', count: n * n },
      { componentType: 5125, type: 'SCALAR', count: indices.length },
    );
    const attributes: Record<string, number> = { POSITION: 0 };
    const ids: Record<string, number> = { POSITION: id };
    for (let i = 0; i < copies; i++) [attributes[`_${i}`], ids[`_${i}`]] = [0, id];
    const extensions = { KHR_draco_mesh_compression: { bufferView, attributes: ids } };
    gltf.meshNode([{ attributes, indices: 1, extensions }]);
    gltf.extra.extensionsUsed = gltf.extra.extensionsRequired = ['KHR_draco_mesh_compression'];
    return gltf;
  }

  it.each([false, true])('decodes, sequential: %s', async (sequential) => {
    const model = await importBuilt(await encode(5, 0, sequential));
    expect(model.meshes[0]!.indices).toHaveLength(6 * 16);
    const positions = [...sourcePositions(model, undefined, 0)[0]!.positions];
    expect(Math.max(...positions)).toBeCloseTo(4, 3);
  });

  it('is refused when more is copied out of it than is allowed', async () => {
    const limits = { decodedBytes: 2 ** 20 };
    // 30 kB each, and six times that for flat normals' corners
    expect((await importBuilt(await encode(50, 0, false, 3), { limits })).meshes).toHaveLength(1);
    const error = await refusalOf(await encode(50, 0, false, 60), { limits });
    expect(error.code).toBe('GLTF_DECODE_FAILED');
    expect(error.message).toContain('more than 1048576 bytes');
  });

  it('is refused with more attributes than may be accessors', async () => {
    const error = await refusalOf(await encode(3, 0, false, 60), { limits: { accessors: 50 } });
    expect(error.issues[0]).toMatchObject({ code: 'GLTF_LIMIT', path: '/meshes' });
  });

  it('is refused when it unfolds into more memory than is allowed', async () => {
    const bomb = await encode(100, 60);
    expect(bomb.glb().length).toBeLessThan(30_000);
    const limits = { decodedBytes: 2 ** 20 };
    expect((await refusalOf(bomb, { limits })).code).toBe('GLTF_DECODE_FAILED');
    // the decoder of the next import is a new one
    expect((await importBuilt(await encode(100, 0), { limits })).meshes[0]!.indices.length).toBe(6 * 99 * 99);
  });
});
