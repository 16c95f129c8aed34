import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { decodeImage } from '../../src/render/index.ts';
import { expect } from 'vitest';
import { openPage, type TestPage } from './page.ts';
import { colorShare, countColors, writePicture } from './pictures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Small, since software adapters draw it. */
const VIEWPORT = { width: 192, height: 108 };

/** An example's page with its own head and body; only the script is bundled here and served from elsewhere. */
export async function openExample(name: string, head = ''): Promise<TestPage> {
  const example = path.join(root, 'examples', name);
  const html = readFileSync(path.join(example, 'index.html'), 'utf8');
  const part = (pattern: RegExp) => pattern.exec(html)![1]!;
  return openPage({
    entry: ['main.ts', 'main.tsx'].map((file) => path.join(example, file)).find((file) => existsSync(file))!,
    head: part(/<head>([\s\S]*)<\/head>/) + head,
    body: part(/<body>([\s\S]*)<script type="module" src="main\.js">/),
    files: Object.fromEntries(
      ['characters', 'props', 'examples', `examples/${name}`].flatMap((folder) =>
        readdirSync(path.join(root, folder), { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => [`/${folder}/${entry.name}`, path.join(root, folder, entry.name)]),
      ),
    ),
    viewport: VIEWPORT,
    bundle: { external: ['fs', 'path', 'node:*'], jsx: 'automatic' },
  });
}

/** Cloaks, in light and shadow. */
const hasLegionaries = (image: RgbaImage): boolean =>
  countColors(image) > 1000 &&
  colorShare(image, (red, green, blue) => red > 90 && red > 2 * green && red > 1.7 * blue) > 0.01;

/** Waits until the page has shown two different pictures of what it is to show; unless told, of legionaries. */
export async function expectMotion({ page }: TestPage, isShown = hasLegionaries): Promise<void> {
  // until the message has gone, or says what went wrong
  await page.waitForFunction(() => document.querySelector('p')?.textContent !== 'Loading…', undefined, {
    timeout: 60_000,
  });
  expect(await page.locator('p').allTextContents()).toEqual([]);
  const shots = new Set<string>();
  let last: RgbaImage | undefined;
  // software adapters take a second for a frame, and more for the first
  const look = async () => {
    const shot = await page.evaluate(pictureOfNextFrame);
    const bytes = Buffer.from(shot.slice(shot.indexOf(',') + 1), 'base64');
    if (isShown((last = await decodeImage(bytes, 'image/png', 'canvas')))) shots.add(shot);
    return shots.size;
  };
  try {
    await expect.poll(look, { timeout: 120_000, interval: 50 }).toBeGreaterThan(1);
  } catch (thrown) {
    if (last) await writePicture('example-failed', last);
    throw thrown;
  }
}

/** In the page: the canvas as the next frame leaves it. A screenshot of the page would wait for several. */
function pictureOfNextFrame(): Promise<string> {
  const canvas = document.querySelector('canvas')!;
  return new Promise((resolve) => requestAnimationFrame(() => resolve(canvas.toDataURL('image/png'))));
}
