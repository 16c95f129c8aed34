import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { decodeImage, type RgbaImage } from '../../src/render/index.ts';
import { builtFolder } from './temporary-folder.ts';
import { openSite, type SiteOptions, type TestPage } from './page.ts';

/** The demo page as it is deployed: its characters without levels of detail. */
export interface BuiltDemo {
  /** Folder of static files. */
  readonly folder: string;
}

/** Built by whichever test asks first, and kept until all have ended: see `temporary-folder.ts`. */
export async function buildDemo(): Promise<BuiltDemo> {
  const folder = builtFolder();
  const done = path.join(folder, 'done');
  try {
    await mkdir(folder);
  } catch {
    while (!existsSync(done)) {
      if (!existsSync(folder)) throw new Error('the demo page could not be built');
      await setTimeout(200);
    }
    return { folder };
  }
  const args = ['node_modules/vite/bin/vite.js', 'build', '--config', 'demo/vite.config.ts', '--outDir', folder];
  const env = { ...process.env, MANIPLE_DEMO_QUICK: '1', NODE_ENV: 'production' };
  try {
    await promisify(execFile)(process.execPath, args, { env });
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
  await writeFile(done, '');
  return { folder };
}

/** The page in a browser, and how tests use it. */
export interface DemoPage extends TestPage {
  /** A figure on the page, by its name. */
  readonly figure: (name: string) => Promise<number>;
  /** What the battlefield shows, without what lies over it. */
  readonly picture: () => Promise<RgbaImage>;
  /** Waits until all that was asked for has happened and has been drawn. */
  readonly settled: () => Promise<void>;
  /** Chooses an option of a segmented control by its value. */
  readonly choose: (value: string) => Promise<void>;
}

export async function openDemo({ folder }: BuiltDemo, options: SiteOptions): Promise<DemoPage> {
  const opened = await openSite(folder, options);
  const { page } = opened;
  const text = (name: string) => page.locator(`[data-figure="${name}"]`).first().textContent();
  const figure = async (name: string) => Number.parseFloat((await text(name))!.replaceAll(',', ''));
  const demo: DemoPage = {
    ...opened,
    figure,
    async picture() {
      // panels are out of the way, and the canvas is as it was
      const style = '.app > :not(.field), .intro, #loading { visibility: hidden !important; }';
      const shot = await page.screenshot({ style, animations: 'disabled' });
      return decodeImage(shot, 'image/png', 'screenshot');
    },
    async settled() {
      await page.waitForFunction(() => document.querySelector('.app')?.getAttribute('aria-busy') === 'false');
      const from = await figure('frames');
      const isPaused = await page.getByRole('button', { name: 'Resume' }).isVisible();
      if (isPaused) return page.waitForTimeout(1000);
      await page.waitForFunction(
        (from) =>
          Number(document.querySelector('[data-figure="frames"]')?.textContent?.replaceAll(',', '')) >= from + 2,
        from,
      );
    },
    async choose(value) {
      await page.locator(`input[type="radio"][value="${value}"]`).check({ force: true });
    },
  };
  await page.waitForFunction(
    () =>
      Number(document.querySelector('[data-figure="frames"]')?.textContent) >= 1 || document.querySelector('.stopped'),
    undefined,
  );
  return demo;
}
