import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { decodeImage } from '../../src/render/index.ts';
import { closeBrowser, noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { colorShare, countColors } from '../support/pictures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = path.join(root, 'examples/hello-crowd');
const html = readFileSync(path.join(example, 'index.html'), 'utf8');
const part = (pattern: RegExp) => pattern.exec(html)![1]!;

/** The example's page with its own head and body; only the script is bundled here and served from elsewhere. */
async function open(head = ''): Promise<TestPage> {
  return openPage({
    entry: path.join(example, 'main.ts'),
    head: part(/<head>([\s\S]*)<\/head>/) + head,
    body: part(/<body>([\s\S]*)<script type="module" src="main\.js">/),
    files: { '/characters/legionary.glb': path.join(root, 'characters/legionary.glb') },
    bundle: { external: ['fs', 'path', 'node:*'] },
  });
}

describe.skipIf(noBrowser())('the example hello-crowd', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());
  afterAll(closeBrowser);

  test('shows a crowd that moves', async () => {
    opened = await open();
    const { page } = opened;
    await page.setViewportSize({ width: 192, height: 108 });
    await page.waitForFunction(() => !document.querySelector('p'));
    const shots: string[] = [];
    // on two busy cores a frame takes seconds
    await expect
      .poll(
        async () => {
          const shot = await page.screenshot();
          const image = await decodeImage(shot, 'image/png', 'screenshot');
          const cloaks = colorShare(image, (red, green, blue) => red > 110 && green < 60 && blue < 75);
          if (countColors(image) > 1000 && cloaks > 0.01) shots.push(shot.toString('base64'));
          return new Set(shots).size;
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBeGreaterThan(1);
    expect(opened.errors).toEqual([]);
  });

  test('says that WebGPU is missing, and where it is to be had', async () => {
    opened = await open('<script>Object.defineProperty(navigator, "gpu", { value: undefined })</script>');
    const message = opened.page.getByRole('alert');
    await message.filter({ hasText: 'DEVICE_UNAVAILABLE' }).waitFor();
    expect(await message.textContent()).toMatch(/This browser has no WebGPU\. Use Chrome/);
    expect(opened.errors).toEqual([]);
  });
});
