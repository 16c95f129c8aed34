import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FbxBuilder, floats, record } from '../../../test/import/build-fbx.ts';
import { randomFrom } from '../../../test/import/model-promises.ts';
import type { ManipleError } from '../../errors.ts';
import { importFbx } from './import-fbx.ts';
import { inflate } from './inflate.ts';

const refusal = async (bytes: Uint8Array): Promise<ManipleError> => {
  try {
    await importFbx(bytes);
  } catch (thrown) {
    return thrown as ManipleError;
  }
  throw new Error('the file was accepted');
};

function animated(): FbxBuilder {
  const fbx = new FbxBuilder();
  const { model } = fbx.mesh([0, 0, 0, 100, 0, 0, 0, 100, 0], [[0, 1, 2]]);
  const { layers } = fbx.take('turn "twice"', 0, 1);
  fbx.curves(layers[0]!, model, 'Lcl Rotation', { X: [[0, 0], [0.5, 45], [1, 90]] }); // prettier-ignore
  return fbx;
}

describe('records', () => {
  it('are the same in every form of the file', async () => {
    const fbx = animated();
    const expected = await importFbx(fbx.binary(7400));
    expect(expected.clips[0]!.tracks[0]!.times.length).toBeGreaterThan(2);
    for (const bytes of [fbx.binary(7100), fbx.binary(7400, true), fbx.binary(7500), fbx.binary(7700, true)]) {
      expect(await importFbx(bytes)).toEqual(expected);
    }
    expect(await importFbx(fbx.text())).toEqual(expected);
  });

  it.each([
    ['6.1, binary', () => animated().binary(6100), 'FBX_VERSION'],
    ['6.1, ASCII', () => new TextEncoder().encode('; FBX 6.1.0 project file\nObjects:  {\n}\n'), 'FBX_VERSION'],
    ['no FBX', () => new TextEncoder().encode('{}'), 'FILE_NOT_A_MODEL'],
    ['an empty file', () => new Uint8Array(), 'FILE_NOT_A_MODEL'],
    ['an array of another length', () => new TextEncoder().encode('; FBX 7.4.0 project file\nA: *2 {\na: 1\n}\n'), 'FBX_INVALID'],
    ['a file without anything', () => new FbxBuilder().binary(), 'GLTF_NO_MESH'],
  ])('%s: refused', async (_, bytes, code) => {
    expect((await refusal(bytes())).code).toBe(code);
  }); // prettier-ignore

  it('text that ends before its connections is refused', async () => {
    const text = new TextDecoder().decode(animated().text());
    const cut = new TextEncoder().encode(text.slice(0, text.indexOf('Connections:')));
    expect((await refusal(cut)).code).toBe('FILE_TRUNCATED');
  });

  it('that are nested too deep are refused', async () => {
    let nested = record('A');
    for (let i = 0; i < 100; i++) nested = record('A', [], [nested]);
    const fbx = animated();
    fbx.extra.push(nested);
    expect((await refusal(fbx.binary())).code).toBe('FBX_LIMIT');
    expect((await refusal(fbx.text())).code).toBe('FBX_LIMIT');
    const open = new TextEncoder().encode(`; FBX 7.4.0 project file\n${'A: {\n'.repeat(1_000_000)}`);
    expect((await refusal(open)).code).toBe('FBX_LIMIT');
  });

  it('without end are refused', async () => {
    const lines = new TextEncoder().encode(`; FBX 7.4.0 project file\n${'A: 1\n'.repeat(600_000)}`);
    expect((await refusal(lines)).code).toBe('FBX_LIMIT');
  });
});

describe('cycles', () => {
  it('of models are refused', async () => {
    const fbx = new FbxBuilder();
    const [a, b] = [fbx.add('Model', 'a', 'LimbNode'), fbx.add('Model', 'b', 'LimbNode')];
    fbx.connect(a, b);
    fbx.connect(b, a);
    expect((await refusal(fbx.binary())).code).toBe('FBX_INVALID');
  });
});

describe('inflating', () => {
  const random = randomFrom(5);
  const lists = [
    new Uint8Array(0),
    new Uint8Array(100_000),
    Uint8Array.from({ length: 70_000 }, () => random() * 256),
    Uint8Array.from({ length: 50_000 }, (_, i) => (random() < 0.1 ? random() * 256 : i % 7)),
    // codes of many lengths: some symbols are far rarer than others
    Uint8Array.from({ length: 200_000 }, () => 255 * random() ** 40),
  ];

  it.each([0, 1, 6, 9])('what zlib deflates at level %i', (level) => {
    for (const list of lists) expect(inflate(new Uint8Array(deflateSync(list, { level })), list.length)).toEqual(list);
  });

  it('refuses other lengths, checks and ends', () => {
    const packed = new Uint8Array(deflateSync(lists[3]!));
    expect(inflate(packed, lists[3]!.length - 1)).toMatch(/more than the declared/);
    expect(inflate(packed, lists[3]!.length + 1)).toMatch(/are declared/);
    expect(inflate(packed.subarray(0, 1_000), lists[3]!.length)).toEqual(expect.any(String));
    expect(inflate(new Uint8Array(deflateRawSync(lists[3]!)), lists[3]!.length)).toMatch(/invalid zlib data/);
    expect(inflate(new Uint8Array(), 0)).toMatch(/not a zlib stream/);
  });

  it('refuses blocks without end that hold nothing', () => {
    // stored blocks of length 0
    const packed = new Uint8Array(2 + 5 * 10_000);
    packed.set([0x78, 0x9c]);
    for (let at = 2; at < packed.length; at += 5) packed.set([0, 0, 0, 0xff, 0xff], at);
    expect(inflate(packed, 100)).toEqual(expect.any(String));
  });

  it('never happens to what no mesh uses, nor beyond the limit', async () => {
    const fbx = animated();
    const zeros = floats('Vertices', new Float64Array(200_000));
    fbx.objects.push(record('Geometry', [7, 'bomb', 'Mesh'], [zeros]));
    const unused = fbx.binary(7400, true);
    expect((await importFbx(unused, { limits: { decodedBytes: 100_000 } })).meshes).toHaveLength(1);
    fbx.connect(7, fbx.model('bomb', 'Mesh'));
    const limits = { decodedBytes: 1_000_000 };
    await expect(importFbx(fbx.binary(7400, true), { limits })).rejects.toMatchObject({ code: 'FBX_LIMIT' });
  });
});
