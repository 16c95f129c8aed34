import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { decodeImage } from '../../src/render/index.ts';
import { closeBrowser, noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { colorShare, countColors } from '../support/pictures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = path.join(root, 'examples/sockets');
const html = readFileSync(path.join(example, 'index.html'), 'utf8');
const part = (pattern: RegExp) => pattern.exec(html)![1]!;

describe.skipIf(noBrowser())('the example sockets', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());
  afterAll(closeBrowser);

  test('draws boxes that walk', async () => {
    opened = await openPage({
      entry: path.join(example, 'main.ts'),
      head: part(/<head>([\s\S]*)<\/head>/),
      body: part(/<body>([\s\S]*)<script type="module" src="main\.js">/),
      files: { '/characters/legionary.glb': path.join(root, 'characters/legionary.glb') },
      bundle: { external: ['fs', 'path', 'node:*'] },
    });
    const { page } = opened;
    await page.setViewportSize({ width: 192, height: 108 });
    await page.waitForFunction(() => !document.querySelector('p'), undefined, { timeout: 60_000 });
    const shots: string[] = [];
    await expect
      .poll(
        async () => {
          const shot = await page.screenshot();
          const image = await decodeImage(shot, 'image/png', 'screenshot');
          const wood = colorShare(image, (red, green, blue) => red > 1.2 * green && green > 1.2 * blue);
          if (countColors(image) > 50 && wood > 0.03 && wood < 0.9) shots.push(shot.toString('base64'));
          return new Set(shots).size;
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBeGreaterThan(1);
    if (process.env['MANIPLE_SHOT']) await page.screenshot({ path: process.env['MANIPLE_SHOT'] });
    expect(opened.errors).toEqual([]);
  });
});
