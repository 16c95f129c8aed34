import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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

  it('fetches what the file refers to from beside it', async () => {
    expect((await loadModel(new URL(`${origin}/models/split.gltf`))).meshes).toHaveLength(1);
    await expect(loadModel(`${origin}/models/lost.gltf`)).rejects.toMatchObject({ code: 'GLTF_RESOURCE_MISSING' });
  });

  it.each([
    ['/nothing.glb', 'FILE_NOT_FOUND'],
    ['/broken', 'FILE_UNREADABLE'],
  ])('says why %s cannot be had', async (url, code) => {
    await expect(loadModel(origin + url)).rejects.toMatchObject({ code });
  });

  it('says why a server cannot be reached, and that an address is none', async () => {
    await expect(loadModel('http://127.0.0.1:1/x.glb')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    await expect(loadModel('not an address')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('quotes little of what is no address', async () => {
    const bytes = new Uint8Array(100_000) as unknown as string;
    for (const given of [bytes, 'x'.repeat(100_000)]) {
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
