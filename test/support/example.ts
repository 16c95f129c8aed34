import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { decodeImage } from '../../src/render/index.ts';
import { expect } from 'vitest';
import { openPage, type TestPage } from './page.ts';
import { colorShare, countColors } from './pictures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** An example's page with its own head and body; only the script is bundled here and served from elsewhere. */
export async function openExample(name: string, head = ''): Promise<TestPage> {
  const example = path.join(root, 'examples', name);
  const html = readFileSync(path.join(example, 'index.html'), 'utf8');
  const part = (pattern: RegExp) => pattern.exec(html)![1]!;
  return openPage({
    entry: path.join(example, 'main.ts'),
    head: part(/<head>([\s\S]*)<\/head>/) + head,
    body: part(/<body>([\s\S]*)<script type="module" src="main\.js">/),
    files: { '/characters/legionary.glb': path.join(root, 'characters/legionary.glb') },
    bundle: { external: ['fs', 'path', 'node:*'] },
  });
}

/** Cloaks, in light and shadow. */
const hasLegionaries = (image: RgbaImage): boolean =>
  countColors(image) > 1000 && colorShare(image, (red, green, blue) => red > 110 && green < 60 && blue < 75) > 0.01;

/** Waits until the page has shown two different pictures of what it is to show; unless told, of legionaries. */
export async function expectMotion({ page }: TestPage, isShown = hasLegionaries): Promise<void> {
  await page.setViewportSize({ width: 192, height: 108 });
  await page.waitForFunction(() => !document.querySelector('p'), undefined, { timeout: 60_000 });
  const shots: string[] = [];
  // software adapters take seconds for a frame
  await expect
    .poll(
      async () => {
        const shot = await page.screenshot();
        const image = await decodeImage(shot, 'image/png', 'screenshot');
        if (isShown(image)) shots.push(shot.toString('base64'));
        return new Set(shots).size;
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBeGreaterThan(1);
}
