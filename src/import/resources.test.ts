import { describe, expect, it } from 'vitest';
import { codesOf, GltfBuilder, importBuilt, refusalOf, toGlb } from '../../test/import/build-gltf.ts';
import type { ManipleError } from '../errors.ts';
import { importGltf } from './index.ts';
import { decodeDataUri, relativePath } from './gltf/resources.ts';

const text = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

/** A glTF whose buffer has this URI. */
function withBuffer(uri: string | undefined): { json: Uint8Array; binary: Uint8Array } {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);
  const json = gltf.json();
  const binary = gltf.binary();
  return {
    json: text({ ...json, buffers: [{ byteLength: binary.length, ...(uri === undefined ? {} : { uri }) }] }),
    binary,
  };
}

describe('URIs', () => {
  it.each([
    ['model.bin', 'model.bin'],
    ['textures/cloth%20red.png', 'textures/cloth red.png'],
    ['./model.bin', './model.bin'],
    ['%E2%9A%94.bin', '⚔.bin'],
    ['a/b:c.bin', 'a/b:c.bin'],
  ])('%s is followed', (uri, path) => expect(relativePath(uri, '/buffers/0')).toEqual({ path }));

  it.each([
    'https://example.com/model.bin',
    'file:///etc/passwd',
    'C:\\model.bin',
    'C%3A/model.bin',
    '/etc/passwd',
    '%2Fetc/passwd',
    '//example.com/model.bin',
    '\\\\host\\share',
    '../model.bin',
    'a/../../model.bin',
    'a%2F..%2F..%2Fmodel.bin',
    '..%5Cmodel.bin',
    'model%00.bin',
    '%ZZ',
    '',
  ])('%s is refused', async (uri) => {
    expect(relativePath(uri, '/buffers/0/uri')).toMatchObject({
      issue: { code: 'GLTF_RESOURCE_REFUSED', path: '/buffers/0/uri' },
    });
    const resolve = (): Promise<never> => {
      throw new Error('the resolver was asked');
    };
    const refused = await importGltf({ name: 'x', bytes: withBuffer(uri).json, resolve }).catch(
      (thrown: unknown) => thrown,
    );
    expect(refused).toMatchObject({ code: 'GLTF_RESOURCE_REFUSED' });
  });

  it('with data are decoded, base64 or percent-encoded', () => {
    expect([...decodeDataUri('data:application/octet-stream;base64,AAEC/w==')!]).toEqual([0, 1, 2, 255]);
    expect([...decodeDataUri('data:;base64,AAEC%2Fw%3D%3D')!]).toEqual([0, 1, 2, 255]);
    expect([...decodeDataUri('data:,%41b')!]).toEqual([65, 98]);
    expect(decodeDataUri('data:;base64,*')).toBeUndefined();
    expect(decodeDataUri('data:nothing')).toBeUndefined();
  });
});

describe('buffers', () => {
  it('come from the resolver, percent-decoded', async () => {
    const { json, binary } = withBuffer('my%20model.bin');
    const asked: string[] = [];
    const resolve = async (path: string): Promise<Uint8Array> => {
      asked.push(path);
      return binary;
    };
    expect((await importGltf({ name: 'x', bytes: json, resolve })).meshes).toHaveLength(1);
    expect(asked).toEqual(['my model.bin']);
  });

  it('come from data URIs and from the binary chunk', async () => {
    const { binary } = withBuffer(undefined);
    const uri = `data:application/octet-stream;base64,${Buffer.from(binary).toString('base64')}`;
    expect((await importBuilt(withBuffer(uri).json)).meshes).toHaveLength(1);
    const { json } = withBuffer(undefined);
    expect((await importBuilt(toGlb(new TextDecoder().decode(json), binary))).meshes).toHaveLength(1);
  });

  it.each<[string, string | undefined, string, (() => Promise<unknown>) | undefined]>([
    ['no resolver', 'x.bin', 'GLTF_RESOURCE_MISSING', undefined],
    ['a resolver that fails', 'x.bin', 'GLTF_RESOURCE_MISSING', () => Promise.reject(new Error('gone'))],
    ['a resolver that throws nothing much', 'x.bin', 'GLTF_RESOURCE_MISSING', () => Promise.reject()],
    ['a resolver that returns nothing', 'x.bin', 'GLTF_RESOURCE_MISSING', () => Promise.resolve()],
    ['too few bytes', 'x.bin', 'FILE_TRUNCATED', () => Promise.resolve(new Uint8Array(3))],
    ['too few bytes in a data URI', 'data:;base64,AAAA', 'FILE_TRUNCATED', undefined],
    ['malformed base64', 'data:;base64,A', 'GLTF_RESOURCE_MISSING', undefined],
    ['neither URI nor chunk', undefined, 'GLTF_RESOURCE_MISSING', undefined],
  ])('with %s are refused', async (_, uri, code, resolve) => {
    const source = {
      name: 'x',
      bytes: withBuffer(uri).json,
      ...(resolve ? { resolve: resolve as () => Promise<Uint8Array> } : {}),
    };
    const refused = await importGltf(source).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code });
  });

  it('count towards the size of the file', async () => {
    const { json, binary } = withBuffer('x.bin');
    const limits = { fileBytes: json.length + binary.length - 1 };
    const refused = await importGltf(
      { name: 'x', bytes: json, resolve: () => Promise.resolve(binary) },
      { limits },
    ).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'FILE_TOO_LARGE' });
  });
});

describe('containers', () => {
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(), 'FILE_NOT_A_MODEL'],
    ['an HTML page', text('<!DOCTYPE html><p>404'), 'FILE_NOT_A_MODEL'],
    ['an FBX file', text('Kaydara FBX Binary  \0'), 'FILE_NOT_A_MODEL'],
    ['a ZIP archive', text('PK\x03\x04'), 'FILE_NOT_A_MODEL'],
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47]), 'FILE_NOT_A_MODEL'],
    ['JSON that is no glTF', text('{"a": 1}'), 'GLTF_INVALID'],
    ['JSON that is no JSON', text('{"asset": {"version": "2.0"},}'), 'GLTF_INVALID'],
    ['JSON without an end', text('{"asset": {"version": "2.0"'), 'FILE_TRUNCATED'],
    ['a GLB of version 1', new Uint8Array([0x67, 0x6c, 0x54, 0x46, 1, 0, 0, 0, 12, 0, 0, 0]), 'FILE_NOT_A_MODEL'],
    ['a GLB without chunks', new Uint8Array([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0, 12, 0, 0, 0]), 'GLTF_INVALID'],
    [
      'a GLB that begins with data',
      new Uint8Array([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0x42, 0x49, 0x4e, 0]),
      'GLTF_INVALID',
    ],
  ])('%s', async (_, bytes, code) => expect((await refusalOf(bytes)).code).toBe(code));

  it('may begin with a byte order mark, end with more, and hold unknown chunks', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()]);
    expect((await importBuilt(toGlb(`\ufeff${JSON.stringify(gltf.json())}`, gltf.binary()))).meshes).toHaveLength(1);
    const longer = new Uint8Array(gltf.glb().length + 7);
    longer.set(gltf.glb());
    expect(codesOf(await importBuilt(longer))).toEqual(['GLTF_VALIDATOR']);
  });

  it('with text that is not UTF-8 are read, names mended', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()], { name: 'Sch@del' });
    const glb = gltf.glb();
    glb[glb.indexOf(0x40)] = 0xe4; // Latin-1 ä
    const model = await importBuilt(glb);
    expect(model.joints[0]!.name).toBe('Sch\ufffddel');
    expect(codesOf(model)).toEqual(['GLTF_VALUES_REPAIRED']);
  });

  it('may lie anywhere in memory', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()]);
    const glb = gltf.glb();
    for (const offset of [1, 2, 3]) {
      const shifted = new Uint8Array(glb.length + offset);
      shifted.set(glb, offset);
      expect((await importBuilt(shifted.subarray(offset))).meshes).toHaveLength(1);
    }
  });
});

describe('a file that is named again and again', () => {
  /** A glTF with so many buffers, all of the same length. */
  const withBuffers = (uris: readonly string[], byteLength: number, extra: object = {}): Uint8Array =>
    text({
      asset: { version: '2.0' },
      nodes: [{}],
      scenes: [{ nodes: [0] }],
      buffers: uris.map((uri) => ({ uri, byteLength })),
      bufferViews: uris.map((_, buffer) => ({ buffer, byteLength })),
      ...extra,
    });

  /** Counts what is read, and how much of it at once. */
  function counting(size: number) {
    const calls: { path: string; limit: number }[] = [];
    let running = 0;
    const resolve = async (path: string, limit: number): Promise<Uint8Array> => {
      calls.push({ path, limit });
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      return new Uint8Array(size);
    };
    return { calls, resolve };
  }

  it('is read once, however it is spelt', async () => {
    const { calls, resolve } = counting(8);
    const bytes = withBuffers(['a.bin', './a.bin', '%61.bin', './/a.bin', 'b.bin', 'c/./b.bin', 'c%5Cb.bin'], 8);
    await importGltf({ name: 'x', bytes, resolve }).catch(() => undefined);
    expect(calls.map(({ path }) => path)).toEqual(['a.bin', 'b.bin', 'c/./b.bin']);
  });

  it('and others are read one after another, each against the bytes that are left', async () => {
    const { calls, resolve } = counting(100);
    const bytes = withBuffers(['a.bin', 'b.bin', 'c.bin', 'd.bin', 'e.bin'], 100);
    const limits = { fileBytes: bytes.length + 250 };
    const refused = await importGltf({ name: 'x', bytes, resolve }, { limits }).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(calls.map(({ limit }) => limit)).toEqual([250, 150, 50]);
  });

  it('is not read again where it could not be read', async () => {
    const calls: string[] = [];
    const resolve = (path: string): Promise<never> => {
      calls.push(path);
      return Promise.reject(new Error('gone'));
    };
    const bytes = withBuffers(['a.bin', 'a.bin', 'a.bin'], 8);
    const refused = await importGltf({ name: 'x', bytes, resolve }).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'GLTF_RESOURCE_MISSING' });
    expect((refused as ManipleError).issues.map(({ path }) => path)).toEqual([0, 1, 2].map((i) => `/buffers/${i}/uri`));
    expect(calls).toEqual(['a.bin']);
  });

  it('counts as often as images name it', async () => {
    const gltf = new GltfBuilder();
    const png = new Uint8Array(1_000);
    png.set([0x89, 0x50, 0x4e, 0x47]);
    const { calls, resolve } = {
      calls: [] as string[],
      resolve: (path: string) => (calls.push(path), Promise.resolve(png)),
    };
    const image = gltf.view(png);
    for (let i = 0; i < 8; i++) {
      gltf.images.push(i < 4 ? { uri: 'a.png' } : { bufferView: image, mimeType: 'image/png' });
      gltf.textures.push({ source: i });
      gltf.materials.push({ pbrMetallicRoughness: { baseColorTexture: { index: i } } });
    }
    gltf.meshNode(gltf.materials.map((_, material) => gltf.triangle({}, { material })));
    const bytes = gltf.glb();
    const options = { limits: { fileBytes: bytes.length + 1_000 } };
    const read = async () => importGltf({ name: 'x', bytes, resolve }, options);
    const { images, issues } = await read();
    expect(calls).toEqual(['a.png']);
    expect(images.length).toBe(Math.floor((bytes.length + 1_000) / 1_000));
    expect(issues.filter(({ code }) => code === 'GLTF_TEXTURE_IGNORED')).toHaveLength(8 - images.length);
  });
});
