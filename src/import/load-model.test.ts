import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GltfBuilder } from '../../test/import/build-gltf.ts';
import { loadModel } from './index.ts';

describe('loading over HTTP', () => {
  const files = new Map<string, Uint8Array>();
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()]);
    const json = (uri: string): Uint8Array =>
      new TextEncoder().encode(
        JSON.stringify({ ...gltf.json(), buffers: [{ byteLength: gltf.binary().length, uri }] }),
      );
    files.set('/models/plain%20one.glb', gltf.glb());
    files.set('/models/split.gltf', json('parts/my%20%E2%9A%94.bin'));
    files.set('/models/parts/my%20%E2%9A%94.bin', gltf.binary());
    files.set('/models/lost.gltf', json('gone.bin'));
    server = createServer((request, response) => {
      const body = files.get(request.url ?? '');
      if (request.url === '/broken') response.writeHead(500).end();
      else if (body) response.end(body);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  it('takes the name from the address', async () => {
    const model = await loadModel(`${origin}/models/plain%20one.glb`);
    expect(model.name).toBe('plain one');
    expect(model.meshes).toHaveLength(1);
  });

  it('fetches the files that it refers to from its folder', async () => {
    expect((await loadModel(new URL(`${origin}/models/split.gltf`))).meshes).toHaveLength(1);
    await expect(loadModel(`${origin}/models/lost.gltf`)).rejects.toMatchObject({ code: 'GLTF_RESOURCE_MISSING' });
  });

  it.each([
    ['/nothing.glb', 'FILE_NOT_FOUND'],
    ['/broken', 'FILE_UNREADABLE'],
  ])('says why %s cannot be had', async (url, code) => {
    await expect(loadModel(origin + url)).rejects.toMatchObject({ code });
  });

  it('says why a server cannot be reached, and that an address is malformed', async () => {
    await expect(loadModel('http://127.0.0.1:1/x.glb')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    await expect(loadModel('http://')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('quotes little of an invalid address', async () => {
    const numbers = Array.from({ length: 100_000 }, () => 0) as unknown as string;
    for (const given of [numbers, `http://[${'x'.repeat(100_000)}`]) {
      const refused: unknown = await loadModel(given).catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ code: 'USAGE' });
      expect((refused as Error).message.length).toBeLessThan(250);
    }
  });

  it('stops at the size limit', async () => {
    const limits = { fileBytes: 100 };
    await expect(loadModel(`${origin}/models/plain%20one.glb`, { limits })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
  });
});

describe('loading of bytes and files', () => {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'load-model-'));
    mkdirSync(path.join(folder, 'my parts'));
    const buffers = [{ byteLength: gltf.binary().length, uri: 'my%20parts/100%25.bin' }];
    writeFileSync(path.join(folder, 'the #1 knight.gltf'), JSON.stringify({ ...gltf.json(), buffers }));
    writeFileSync(path.join(folder, 'my parts/100%.bin'), gltf.binary());
    writeFileSync(
      path.join(folder, 'lost.gltf'),
      JSON.stringify({ ...gltf.json(), buffers: [{ ...buffers[0], uri: 'gone.bin' }] }),
    );
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('takes paths and file: addresses in Node, and files next to them', async () => {
    const file = path.join(folder, 'the #1 knight.gltf');
    const sources = [file, path.relative('.', file), pathToFileURL(file), pathToFileURL(file).href];
    for (const source of sources) {
      const model = await loadModel(source);
      expect(model).toMatchObject({ name: 'the #1 knight', meshes: [{}] });
    }
  });

  it.each([
    ['no.glb', 'FILE_NOT_FOUND'],
    ['my parts', 'FILE_UNREADABLE'],
    ['lost.gltf', 'GLTF_RESOURCE_MISSING'],
  ])('says why %s cannot be had', async (name, code) => {
    await expect(loadModel(path.join(folder, name))).rejects.toMatchObject({ code });
  });

  it('takes bytes', async () => {
    const bytes = gltf.glb();
    for (const source of [bytes, Uint8Array.from(bytes).buffer])
      expect(await loadModel(source)).toMatchObject({ name: 'model', meshes: [{}] });
  });

  it('stops at the size limit', async () => {
    const limits = { fileBytes: 100 };
    for (const source of [gltf.glb(), path.join(folder, 'lost.gltf')])
      await expect(loadModel(source, { limits })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });
});
