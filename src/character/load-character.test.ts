import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moteCharacter } from '../../test/format/mote.ts';
import { sectionPlaces } from '../../test/format/damage.ts';
import { writeBaked } from './file/index.ts';
import { loadCharacter } from './load-character.ts';

describe('loading a baked character over HTTP', () => {
  const mote = moteCharacter();
  const baked = writeBaked(mote);
  const streamed = writeBaked(mote, { first: ['Bounce'] });
  const headEnd = sectionPlaces(streamed).find(({ kind }) => kind === 'CLIP')!.offset;
  let sendRest = (): void => undefined;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      if (url === '/mote.maniple') response.end(baked);
      else if (url === '/slow.maniple') {
        response.write(streamed.subarray(0, headEnd));
        sendRest = () => response.end(streamed.subarray(headEnd));
      } else if (url === '/hero.glb') response.end('glTF, and so on, for more bytes than a header has');
      else if (url === '/broken') response.writeHead(500).end();
      else if (url === '/cut') {
        response.writeHead(200, { 'Content-Length': baked.length }).write(baked.subarray(0, 100));
        setTimeout(() => response.destroy(), 20);
      } else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  test('gives the character that was baked', async () => {
    const loaded = await loadCharacter(`${origin}/mote.maniple`);
    expect(loaded.name).toBe(mote.name);
    expect(loaded.rig).toEqual(mote.rig);
    expect(await loadCharacter(new URL('mote.maniple', origin))).toEqual(loaded);
  });

  test('gives a character before its clips have come, where it may', async () => {
    const loaded = await loadCharacter(`${origin}/slow.maniple`, { progressive: true });
    expect(loaded.arrivals!.pending).toEqual(['Wave', 'Blink', 'Far', 'Pose']);
    sendRest();
    await loaded.arrivals!.ready;
    expect(loaded.arrivals!.pending).toEqual([]);
    expect(loaded.rig.subarray(0, mote.rig.length)).toEqual(mote.rig);
    // a file that was not baked for it is loaded whole
    expect((await loadCharacter(`${origin}/mote.maniple`, { progressive: true })).arrivals).toBeUndefined();
    await expect(loadCharacter(`${origin}/nothing`, { progressive: true })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });

  test.each([
    ['/nothing', 'FILE_NOT_FOUND'],
    ['/broken', 'FILE_UNREADABLE'],
    ['/cut', 'FILE_UNREADABLE'],
    ['/hero.glb', 'BAKED_NOT_MANIPLE'],
  ])('%s is refused with %s', async (url, code) => {
    await expect(loadCharacter(origin + url)).rejects.toMatchObject({ code });
  });

  test('stops at the longest file that it may read', async () => {
    const address = `${origin}/mote.maniple`;
    await expect(loadCharacter(address, { fileBytes: baked.length - 1 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
    expect((await loadCharacter(address, { fileBytes: baked.length })).name).toBe(mote.name);
  });

  test('wants an address, a path or bytes', async () => {
    await expect(loadCharacter('http://')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(loadCharacter('')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(loadCharacter(undefined as unknown as string)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(loadCharacter('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    await expect(loadCharacter('nothing.maniple')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect((await loadCharacter(baked)).name).toBe(mote.name);
    await expect(loadCharacter(baked, { fileBytes: 100 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });
});
