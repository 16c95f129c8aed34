import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { noShared, shared } from '../support/setup.ts';
import { importFile } from './pose-model.ts';

const FILES = [
  'characters/kaykit-knight.glb',
  'characters/astronaut-bee-draco.glb',
  'derived/robotexpressive-meshopt.glb',
  'characters/kenney-platformer-character.glb',
  'basics/01_cs_morph/01_cs_morph.gltf',
];
/** Fetched because the files above refer to them. */
const PARTS = ['characters/Textures/colormap.png', 'basics/01_cs_morph/01_cs_morph.bin'];

const asset = (file: string): string => path.join(shared, 'assets', file);
const wasm = path.join(path.dirname(createRequire(import.meta.url).resolve('draco3dgltf')), 'draco_decoder_gltf.wasm');

describe.skipIf(noBrowser() || noShared())('importing in Chromium', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const served = [...FILES, ...PARTS].map((file) => [`/${file}`, asset(file)]);
    opened = await openPage({
      entry: fileURLToPath(new URL('import.page.ts', import.meta.url)),
      // where the decoder looks for its code unless the caller says otherwise
      files: { ...Object.fromEntries(served), '/draco_decoder_gltf.wasm': wasm, '/cut.glb': new Uint8Array(100) },
      bundle: { external: ['fs', 'path', 'node:*'] },
    });
    await opened.page.waitForFunction(() => window.importTest !== undefined);
  });
  afterAll(() => opened?.close());

  test.each(FILES)('%s gives the same as in Node', async (file) => {
    const there = await opened.page.evaluate((url) => window.importTest(url), `/${file}`);
    const here = await importFile(asset(file));
    if ('refused' in there) throw new Error(there.refused);
    expect(there.name).toBe(here.name);
    expect(there.joints).toEqual(here.joints.map(({ name }) => name));
    expect(there.meshes).toEqual(
      here.meshes.map(({ vertexCount, indices, positions }) => ({
        vertexCount,
        indices: indices.length,
        sum: positions.reduce((sum, value) => sum + value, 0),
      })),
    );
    expect(there.clips).toEqual(
      here.clips.map(({ name, duration, tracks }) => ({ name, duration, tracks: tracks.length })),
    );
    expect(there.images).toEqual(here.images.map(({ mimeType, bytes }) => `${mimeType} ${bytes.length}`));
    expect(there.issues).toEqual(here.issues.map(({ code }) => code));
  });

  test.each([
    ['/cut.glb', 'FILE_NOT_A_MODEL'],
    ['/nowhere.glb', 'FILE_NOT_FOUND'],
  ])('%s is refused with %s', async (url, code) => {
    expect(await opened.page.evaluate((address) => window.importTest(address), url)).toEqual({ refused: code });
  });
});
