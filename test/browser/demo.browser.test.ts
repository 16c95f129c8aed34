// The demo page as it is deployed, in a browser.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RgbaImage } from '../../src/render/index.ts';
import { noBrowser } from '../support/chromium.ts';
import { buildDemo, type BuiltDemo, type DemoPage, openDemo } from '../support/demo-page.ts';
import type { SiteOptions } from '../support/page.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { colorShare, comparePictures, countColors, countHues, writePicture } from '../support/pictures.ts';
import { full, shared, testInTurn } from '../support/setup.ts';

/** A desk's layout; with a resolution of 0.3, few pixels. */
const SMALL = { width: 800, height: 360 };

/** Red cloaks and plumes of the legion, bare skin of the raiders, in light and shade. */
const cloaks = (image: RgbaImage) => colorShare(image, (r, g, b) => r > 90 && r > 2 * g && r > 1.7 * b);
const skin = (image: RgbaImage) => colorShare(image, (r, g, b) => r > 120 && r > 1.25 * g && r < 2 * g && g > 1.1 * b);
const hasBothPeoples = (image: RgbaImage) => cloaks(image) > 0.01 && skin(image) > 0.01;
/** Whether no pixel has a colour of its own. */
const isGrey = (image: RgbaImage) => colorShare(image, (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) < 24) > 0.95;

/** A locale that `Intl` refuses, as browsers have it on bare systems. */
const BARE_LOCALE = 'Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix" })';

const WITHOUT_WEBGPU = 'Object.defineProperty(Navigator.prototype, "gpu", { value: undefined })';

/** As a page of a device that has no more than the compatibility level. */
const COMPATIBILITY_ONLY = `{
  const { requestAdapter } = GPU.prototype;
  GPU.prototype.requestAdapter = function (options) {
    const isCompatible = options?.featureLevel === 'compatibility';
    return isCompatible ? requestAdapter.call(this, options) : Promise.resolve(null);
  };
}`;

/** Share of the pixels of soldiers that have another colour in another picture. */
function movedShare(image: RgbaImage, other: RgbaImage): number {
  let [soldiers, moved] = [0, 0];
  for (let at = 0; at < image.data.length; at += 4) {
    const [r, g, b] = image.data.subarray(at, at + 3) as unknown as [number, number, number];
    const isSoldier = (r > 90 && r > 2 * g && r > 1.7 * b) || (r > 120 && r > 1.25 * g && r < 2 * g && g > 1.1 * b);
    if (!isSoldier) continue;
    soldiers++;
    if (Math.abs(r - other.data[at]!) > 24) moved++;
  }
  return moved / Math.max(1, soldiers);
}

/** Largest difference in the top eighth of two pictures. */
function skyDifference({ data, width, height }: RgbaImage, other: RgbaImage): number {
  const codes = data.subarray(0, 4 * width * Math.floor(height / 8));
  return codes.reduce((most, code, at) => Math.max(most, Math.abs(code - other.data[at]!)), 0);
}

/** Square pixels that two parts of a page share. */
async function overlap(page: Page, one: string, other: string): Promise<number> {
  const boxes = await Promise.all([one, other].map((selector) => page.locator(selector).boundingBox()));
  const [a, b] = boxes as [NonNullable<(typeof boxes)[0]>, NonNullable<(typeof boxes)[0]>];
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

describe.skipIf(noBrowser())('the demo page', () => {
  let built: BuiltDemo;
  let demo: DemoPage | undefined;
  beforeAll(async () => {
    built = await buildDemo();
  });
  afterEach(async () => {
    await demo?.close();
    demo = undefined;
  });

  const open = async (query: string, options: Omit<Parameters<typeof openDemo>[1], 'path'> = {}) =>
    (demo = await openDemo(built, { path: query, size: SMALL, ...options }));
  /** Waits for a picture of that kind. The last one of another kind stays in a file. */
  const untilPicture = async (page: DemoPage, is: (image: RgbaImage) => boolean, message = 'picture') => {
    let last: RgbaImage | undefined;
    const shows = async () => is((last = await page.picture()));
    try {
      await expect.poll(shows, { interval: 300, message }).toBe(true);
    } catch (thrown) {
      await writePicture('demo-failed', last!);
      throw thrown;
    }
  };

  testInTurn(0)('shows a battle that goes on, in a worker and any locale, and says what computes it', async () => {
    const opened = await open('?count=12&resolution=0.3', { before: BARE_LOCALE });
    const { page, errors, figure } = opened;
    await untilPicture(opened, hasBothPeoples);
    expect(await figure('characters')).toBe(12);
    expect(await figure('visible')).toBeGreaterThan(0);
    expect(await figure('gpu-time')).toBeGreaterThan(0);
    expect(await page.locator('.section.view .note').first().textContent()).toMatch(/Software adapter: .*swiftshader/i);
    expect(await page.getByRole('switch', { name: 'Run in worker' }).isChecked()).toBe(true);
    // paused, it shows one picture; and another one when it goes on
    await page.getByRole('button', { name: 'Pause' }).click();
    await opened.settled();
    expect(await page.locator('#now').textContent()).toBe('soldiers12Paused');
    let still = await opened.picture();
    await expect.poll(async () => comparePictures(still, (still = await opened.picture())).max).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await untilPicture(opened, (image) => comparePictures(image, still).share > 0.01);
    expect(await page.locator('.chart canvas').count()).toBe(1);

    // notices: the newest first, beside the soldier's card, gone with the next success
    const drop = (name: string, content: string | Uint8Array) =>
      page
        .locator('input[type="file"]')
        .first()
        .setInputFiles([{ name, mimeType: '', buffer: Buffer.from(content) }]);
    await page.locator('canvas.field').focus();
    await page.keyboard.press('Enter');
    await page.locator('.section.soldier.open .machine svg').waitFor();
    const titles = page.locator('.notice h2');
    await drop('hero.fbx', 'Kaydara FBX Binary  \0');
    await expect.poll(() => titles.allTextContents()).toEqual(['hero.fbx could not be read']);
    expect(await page.locator('.notice .message').textContent()).toMatch(/ends inside its header/);
    await drop('pack.zip', 'PK\x03\x04');
    await expect.poll(() => titles.allTextContents()).toEqual(['pack.zip', 'hero.fbx'].map((it) => `${it} could not be read`)); // prettier-ignore
    expect(await overlap(page, '.notices', '.section.soldier')).toBe(0);
    await page.getByRole('button', { name: 'Close all 2' }).click();
    expect(await titles.count()).toBe(0);
    await drop('notes.txt', 'hello');
    await expect.poll(() => titles.count()).toBe(1);
    const model = new GltfBuilder();
    model.meshNode([model.triangle()]);
    await drop('triangle.glb', model.glb());
    await expect.poll(() => titles.count()).toBe(0);
    expect(errors).toEqual([]);
  });

  const hasRigs = existsSync(path.join(shared, 'rigs/rigs.json'));
  // three minutes on a software adapter
  test.runIf(hasRigs && full)(
    'plays clips of another skeleton on all characters that were dropped',
    { timeout: 600_000 },
    async () => {
      const opened = await open('?count=12&resolution=0.3', { size: { width: 1280, height: 800 } });
      const { page, figure, settled, picture, errors } = opened;
      await settled();
      const drop = (...files: string[]) =>
        page
          .locator('input[type="file"]')
          .first()
          .setInputFiles(files.map((file) => path.join(shared, 'rigs', file)));
      await drop('vrm/godette-vrm0.vrm', 'vrm/godette-vrm1.vrm', 'fbx/mixamo-names.fbx');
      await expect.poll(() => page.locator('.troops dt').count()).toBe(5);
      await settled();
      const count = await figure('characters');
      await drop('bvh/motionbuilder-walk01.bvh');
      const names = 'motionbuilder-walk01: on godette-vrm0.vrm, godette-vrm1.vrm, mixamo-names.fbx';
      await page.locator('.notice h2', { hasText: names }).waitFor();
      await page.locator('.section.soldier').getByText('motionbuilder-walk01', { exact: true }).first().waitFor();
      await settled();
      expect(await figure('characters')).toBe(count);
      expect(await page.locator('.troops dt').count()).toBe(5);
      await page
        .getByRole('button', { name: /^Close/ })
        .first()
        .click();
      // the picture of the guide, without panels
      await writePicture('demo-clips', await picture());
      expect(errors).toEqual([]);
    },
  );

  test('says on a card what keeps it from starting', async () => {
    const cases: readonly [text: RegExp, options: Partial<SiteOptions>][] = [
      [/could not be downloaded.*start-/s, { without: ['/start-'] }],
      // prettier-ignore
      [/An error stopped it.*not in the mood/s, { before: 'addEventListener("DOMContentLoaded", () => void Promise.reject(new Error("not in the mood")))' }],
      [/battle has stopped.*No workers today/s, { before: 'Worker = class { constructor() { throw new Error("no workers today"); } }' }], // prettier-ignore
    ];
    for (const [text, options] of cases) {
      const { page } = await open('', options);
      expect(await page.locator('.stopped-card').textContent()).toMatch(text);
      expect(await page.getByRole('button', { name: 'Reload the page' }).count()).toBe(1);
      expect(await page.locator('.intro a').allTextContents()).toEqual(['Guide', 'Source', 'Inspector', 'Bench']);
      expect(await page.locator('.loading').count()).toBe(0);
      await demo?.close();
    }
  });

  test('downloads nothing of three.js before it is needed', async () => {
    const folder = path.join(built.folder, 'assets');
    const files = await readdir(folder);
    const page = await readFile(path.join(built.folder, 'index.html'), 'utf8');
    const first = files.filter((file) => page.includes(file) || /^(field|worker)-.*\.js$/.test(file));
    const loaded = new Set(first);
    for (const file of loaded) {
      const text = await readFile(path.join(folder, file), 'utf8');
      for (const [, name] of text.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) loaded.add(name!);
      expect(text, file).not.toContain('isWebGLRenderer=');
      expect(text, file).not.toContain('isWebGPURenderer=');
    }
    expect(first.some((file) => file.startsWith('worker-'))).toBe(true);
  });

  testInTurn(1)('shows 300 soldiers that move without WebGPU, and says what draws them', async () => {
    // in short runs close to them, which leaves fewer to draw
    const opened = await open(`?resolution=${full ? 0.3 : '0.2&zoom=0.5'}`, { before: WITHOUT_WEBGPU });
    const { page, errors, figure } = opened;
    await untilPicture(opened, hasBothPeoples);
    expect(await figure('characters')).toBe(300);
    const told = page.locator('[data-figure="lower-tier"]');
    expect(await told.textContent()).toMatch(/^This browser has no WebGPU\. 300 soldiers run on WebGL 2: .*Safari 26/s);
    expect(await page.locator('[data-figure="tier"]').textContent()).toBe('. WebGL 2.');
    expect(await told.textContent()).toContain(
      'Other renderers, debug views and the comparison of GPU and CPU need WebGPU',
    );
    expect(await page.locator('.section.view input[type="radio"]').count()).toBe(0);
    // paused, all pictures are the same; then soldiers move, and the sky does not
    await page.getByRole('button', { name: 'Pause' }).click();
    await opened.settled();
    let still = await opened.picture();
    await expect.poll(async () => comparePictures(still, (still = await opened.picture())).max).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await untilPicture(opened, (image) => movedShare(still, image) > 0.1);
    expect(skyDifference(still, await opened.picture())).toBe(0);
    // a soldier's machine runs on the CPU
    await page.locator('canvas.field').focus();
    await page.keyboard.press('Enter');
    await page.locator('.section.soldier.open .machine svg').waitFor();
    expect(errors).toEqual([]);
  });

  test('says what is missing without WebGPU and WebGL 2, and where it is to be had', async () => {
    const { page, errors } = await open('?worker=0', {
      before: `${WITHOUT_WEBGPU}; OffscreenCanvas.prototype.getContext = () => null`,
    });
    await page.getByText('DEVICE_UNAVAILABLE', { exact: true }).waitFor();
    await page.getByText('Safari 26').waitFor();
    expect(await page.locator('.stopped').textContent()).toMatch(
      /This browser has no WebGPU\..*WebGL 2 is missing, too\..*Safari 26/s,
    );
    expect(errors).toEqual([]);
  });

  describe.runIf(full)('in full', () => {
    test('count, seed, speed and resolution do what they say', { timeout: 600_000 }, async () => {
      const opened = await open('?count=30&resolution=0.3&seed=3');
      const { page, figure, settled, errors } = opened;
      await settled();
      expect(await figure('characters')).toBe(30);
      const memory = await figure('crowd-memory');
      await page.getByRole('button', { name: '100', exact: true }).click();
      await settled();
      expect(await figure('characters')).toBe(100);
      expect(await page.locator('.section.battle output').first().textContent()).toBe('100');
      expect(await figure('crowd-memory')).toBeGreaterThanOrEqual(memory);
      await page.locator('input[type="range"]').first().focus();
      for (let i = 0; i < 18; i++) await page.keyboard.press('ArrowRight');
      await expect.poll(() => figure('characters')).toBeGreaterThan(120);
      // a thousand, on the slowest of adapters
      await page.getByRole('button', { name: '1k', exact: true }).click();
      await expect.poll(() => figure('characters')).toBe(1000);
      await page.getByRole('button', { name: '100', exact: true }).click();
      await settled();
      await page.getByRole('button', { name: 'Pause' }).click();
      await settled();
      const before = await opened.picture();
      await page.getByRole('button', { name: 'New battle' }).click();
      await untilPicture(opened, (image) => hasBothPeoples(image) && comparePictures(image, before).share > 0.2);
      expect(new URL(page.url()).searchParams.get('count')).toBe('100');
      expect(new URL(page.url()).searchParams.get('seed')).not.toBe('3');

      const pixels = await page.locator('[data-figure="picture"]').textContent();
      await page.getByLabel('Resolution', { exact: true }).fill('0.25');
      await page.getByLabel('Resolution', { exact: true }).dispatchEvent('change');
      await expect.poll(() => page.locator('[data-figure="picture"]').textContent()).not.toBe(pixels);
      expect(await page.locator('[data-figure="picture"]').textContent()).toBe('200 × 90');

      // time that stands still shows one picture, though frames go on
      await page.getByLabel('Speed', { exact: true }).fill('0');
      await page.getByRole('button', { name: 'Resume' }).click();
      await settled();
      const frames = await figure('frames');
      const still = await opened.picture();
      await expect.poll(() => figure('frames')).toBeGreaterThan(frames + 2);
      expect(comparePictures(await opened.picture(), still).max).toBeLessThanOrEqual(2);
      expect(errors).toEqual([]);
    });

    test(
      'zoom goes from the whole field to one face; keys, wheel and pointer move the camera',
      { timeout: 600_000 },
      async () => {
        const opened = await open('?count=24&resolution=0.35&paused=1&zoom=0');
        const { page, settled, errors } = opened;
        const [peoples, face] = [(image: RgbaImage) => cloaks(image) + skin(image), 0.15];
        await untilPicture(opened, (image) => peoples(image) > 0.0005 && peoples(image) < 0.05);
        await page.getByLabel('Zoom', { exact: true }).fill('1');
        expect(await page.locator('.section.view output').first().textContent()).toBe('one face');
        await untilPicture(
          opened,
          (image) => peoples(image) > face || colorShare(image, (r, g, b) => r > g && g > b) > 0.5,
        );
        await page.getByLabel('Zoom', { exact: true }).fill('0.5');
        await untilPicture(opened, hasBothPeoples);
        await settled();
        const moved = async (what: string, act: () => Promise<void>) => {
          const before = await opened.picture();
          await act();
          await expect
            .poll(async () => comparePictures(await opened.picture(), before).share, { message: what })
            .toBeGreaterThan(0.15);
          await settled();
        };
        const canvas = page.locator('canvas.field');
        await canvas.focus();
        await moved('arrow keys', () => page.keyboard.press('ArrowLeft'));
        await moved('w', () => page.keyboard.press('w'));
        await moved('+', () => page.keyboard.press('+'));
        const [x, y] = [30, 200];
        await page.mouse.move(x, y);
        await moved('wheel', () => page.mouse.wheel(0, 300));
        await moved('drag', async () => {
          await page.mouse.down();
          await page.mouse.move(x + 12, y - 20, { steps: 4 });
          await page.mouse.up();
        });
        await moved('orbit', () => page.getByRole('switch', { name: 'Orbit camera' }).check({ force: true }));
        expect(errors).toEqual([]);
      },
    );

    test('renderers and debug views show what they are called', { timeout: 900_000 }, async () => {
      const opened = await open('?count=16&resolution=0.3&paused=1&renderer=forward');
      const { page, choose, settled, errors } = opened;
      await untilPicture(opened, hasBothPeoples);
      const forward = await opened.picture();
      await choose('visibility');
      await settled();
      await untilPicture(opened, (image) => hasBothPeoples(image) && comparePictures(image, forward).max > 0);
      expect(comparePictures(await opened.picture(), forward).mean).toBeLessThan(6);
      await choose('three');
      await settled();
      await untilPicture(opened, (image) => hasBothPeoples(image) && comparePictures(image, forward).mean > 3);
      await choose('forward');
      await settled();
      await untilPicture(opened, (image) => comparePictures(image, forward).mean < 1);

      const views: Readonly<Record<string, (image: RgbaImage) => boolean>> = {
        // all are near: green
        level: (image) => colorShare(image, (r, g, b) => g > 1.3 * r && g > 1.3 * b) > 0.05,
        rate: (image) => colorShare(image, (r, g, b) => g > 1.3 * r && g > 1.3 * b) > 0.03,
        slot: (image) => countHues(image) > 5,
        bounds: (image) => countColors(image) > 40,
        joints: (image) => colorShare(image, (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 90) > 0.01,
        ids: (image) => countHues(image) > 5,
        // black where there is nothing
        overdraw: (image) => colorShare(image, (r, g, b) => r + g + b < 6) > 0.2,
        velocity: (image) => isGrey(image),
        depth: (image) => isGrey(image) && countColors(image) > 60,
        // the ground's normal is up: green
        normals: (image) => colorShare(image, (r, g, b) => g > 200 && r < 190 && b < 190) > 0.1,
      };
      for (const [view, shows] of Object.entries(views)) {
        await page.getByRole('combobox', { name: 'View' }).selectOption(view);
        await settled();
        await untilPicture(opened, shows, view);
      }
      expect(await page.locator('.section.view .legend').textContent()).toMatch(/normal/);
      expect(errors).toEqual([]);
    });

    test('the battle goes on on the CPU, and differs in little', { timeout: 600_000 }, async () => {
      const opened = await open('?count=300&resolution=0.3&backend=cpu');
      const { page, figure, choose, settled, errors } = opened;
      await untilPicture(opened, hasBothPeoples);
      expect(await figure('characters')).toBe(200);
      expect(await page.getByText('The CPU twins compute at most 200 soldiers').isVisible()).toBe(true);
      await choose('gpu');
      // its kernels compile first: on a busy machine that takes longer than a minute
      await expect.poll(() => figure('characters')).toBe(300);
      await page.getByRole('button', { name: '100', exact: true }).click();
      await settled();
      await page.getByRole('button', { name: 'Pause' }).click();
      await settled();
      const onGpu = await opened.picture();
      await choose('cpu');
      await settled();
      await untilPicture(opened, (image) => comparePictures(image, onGpu).mean < 2);
      await choose('difference');
      await settled();
      await expect.poll(() => page.locator('[data-figure="difference"]').isVisible()).toBe(true);
      expect(await figure('difference')).toBeLessThan(5);
      await untilPicture(opened, (image) => isGrey(image) && countColors(image) > 10);
      await page.getByRole('button', { name: 'Resume' }).click();
      await settled();
      expect(await figure('difference')).toBeLessThan(5);
      expect(errors).toEqual([]);
    });

    test('says that the compatibility level runs, and draws with what works there', { timeout: 600_000 }, async () => {
      const opened = await open('?count=12&resolution=0.3&worker=0', { before: COMPATIBILITY_ONLY });
      const { page, errors } = opened;
      await untilPicture(opened, hasBothPeoples);
      expect(await page.locator('[data-figure="lower-tier"]').textContent()).toMatch(
        /^This device has only WebGPU’s compatibility level\. 12 soldiers run on the GPU, and the forward renderer/,
      );
      expect(await page.locator('input[type="radio"][value="visibility"]').count()).toBe(0);
      expect(errors).toEqual([]);
    });

    test('runs in the page as well, from a link', { timeout: 300_000 }, async () => {
      const opened = await open('?count=12&resolution=0.3&worker=0&view=normals');
      const { page, errors } = opened;
      await untilPicture(opened, (image) => colorShare(image, (r, g, b) => g > 200 && r < 190 && b < 190) > 0.1);
      expect(await page.getByRole('combobox', { name: 'View' }).inputValue()).toBe('normals');
      await page.getByRole('switch', { name: 'Run in worker' }).check({ force: true });
      await opened.settled();
      await untilPicture(opened, (image) => colorShare(image, (r, g, b) => g > 200 && r < 190 && b < 190) > 0.1);
      expect(errors).toEqual([]);
    });

    test(
      'a soldier that is selected shows its machine, and does what its parameters say',
      { timeout: 600_000 },
      async () => {
        const opened = await open('?count=12&resolution=0.25', { size: { width: 1000, height: 640 } });
        const { page, errors } = opened;
        await opened.settled();
        await page.locator('canvas.field').focus();
        await page.keyboard.press('Enter');
        const card = page.locator('.section.soldier');
        await card.locator('svg g.node.live').first().waitFor();
        expect(await card.locator('.layer-row').count()).toBe(2);
        await card.getByRole('switch', { name: 'Take control' }).check({ force: true });
        await card.getByRole('switch', { name: 'guard' }).uncheck({ force: true });
        await card.getByRole('switch', { name: 'cheer' }).uncheck({ force: true });
        const isIn = (state: string) =>
          expect
            .poll(() => card.locator('g[data-layer="0"] g.node.live').getAttribute('data-id'))
            .toBe(`state ${state}`);
        await isIn('Move');
        await card.getByRole('switch', { name: 'guard' }).check({ force: true });
        await isIn('Guard.Hold');
        await card.getByRole('switch', { name: 'guard' }).uncheck({ force: true });
        await isIn('Move');
        await card.getByRole('switch', { name: 'cheer' }).check({ force: true });
        await isIn('Cheer');
        expect(await card.locator('.clips').first().textContent()).toContain('cheer');
        // given back, it is told what to do by the battle
        await card.getByRole('switch', { name: 'Take control' }).uncheck({ force: true });
        await expect.poll(() => card.getByRole('switch', { name: 'cheer' }).isChecked()).toBe(false);
        await page.locator('canvas.field').focus();
        await page.keyboard.press('Escape');
        await expect.poll(() => card.isVisible()).toBe(false);
        // and by a click in the middle of what is not covered, on whoever stands there
        await page.mouse.click(326, 400);
        await expect.poll(() => card.isVisible()).toBe(true);
        expect(errors).toEqual([]);
      },
    );

    test.skipIf(!existsSync(path.join(shared, 'assets/assets.json')))(
      'files of others join the field; what is malformed has a card',
      { timeout: 900_000 },
      async () => {
        const opened = await open('?count=12&resolution=0.25', { size: { width: 1000, height: 640 } });
        const { page, figure, settled, errors } = opened;
        await settled();
        const drop = async (file: string) =>
          page.locator('input[type="file"]').first().setInputFiles(path.join(shared, file));
        const troop = (name: string) => page.locator('.troops dt', { hasText: name });
        let count = 12;
        for (const [file, name] of [
          ['assets/creatures/khronos-fox.glb', 'khronos-fox'],
          ['assets/characters/cesium-man.glb', 'cesium-man'],
          ['assets/characters/robot-expressive.glb', 'robot-expressive'],
          ['rigs/vrm/godette-vrm0.vrm', 'godette-vrm0'],
          ['rigs/fbx/mixamo-names.fbx', 'mixamo-names'],
        ] as const) {
          const before = await opened.picture();
          await drop(file);
          await troop(name).waitFor();
          await settled();
          await expect.poll(() => figure('characters')).toBeGreaterThan(count);
          count = await figure('characters');
          // the camera goes there, and shows something else
          await untilPicture(opened, (image) => comparePictures(image, before).share > 0.3);
        }
        // clips are for all of them, and what cannot play them is said
        await drop('rigs/bvh/motionbuilder-walk01.bvh');
        const fox = page.locator('.notice', { hasText: 'motionbuilder-walk01.bvh does not fit khronos-fox.glb' });
        await fox.getByText('HUMANOID_NOT_FOUND', { exact: true }).waitFor();
        await page.locator('.notice h2', { hasText: /^motionbuilder-walk01: on cesium-man.glb, .*mixamo-names.fbx/ }).waitFor(); // prettier-ignore
        await settled();
        expect(await figure('characters')).toBe(count);
        for (const name of ['aao-LinearStyleEntryExit', 'naughty-EllenAnimatorController']) {
          await drop(`unity/${name}.controller`);
          await troop(name).first().waitFor();
          await settled();
          await page.locator('.section.soldier svg g.node.live').first().waitFor();
        }
        await drop('assets/malformed/edge-cases/r02-accessor-overruns-view.glb');
        const card = page.locator('.notice', { hasText: 'r02-accessor-overruns-view' });
        await card.locator('.issue-card.is-error').first().waitFor();
        expect(await card.locator('.issue-card .message').first().textContent()).toMatch(/\w+ .*\d/);
        expect(errors).toEqual([]);
      },
    );

    test('looks right on a desk and on a phone', { timeout: 900_000 }, async () => {
      await mkdir('out', { recursive: true });
      const desk = await open('?count=100', { size: { width: 1280, height: 800 } });
      await untilPicture(desk, hasBothPeoples);
      await desk.settled();
      await desk.page.screenshot({ path: 'out/demo-1280x800.png' });
      expect(await desk.page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
      await desk.close();

      const phone = await open('?count=100&resolution=0.3', { size: { width: 390, height: 844 }, isPhone: true });
      await untilPicture(phone, hasBothPeoples);
      await phone.page.screenshot({ path: 'out/demo-390x844.png' });
      for (const tab of ['Battle', 'View', 'Frame', 'Soldier', 'Files', 'Help']) {
        await phone.page.getByRole('button', { name: tab, exact: true }).tap();
        expect(await phone.page.locator('.section.open h2').textContent()).toBe(tab);
        const small = await phone.page.evaluate(
          () =>
            [...document.querySelectorAll('button, select, .segments label, .toggle, input[type=range]')]
              .map((each) => each.getBoundingClientRect())
              .filter(({ width, height }) => width > 0 && height > 0 && height < 44).length,
        );
        expect(small, `targets below 44 pixels in ${tab}`).toBe(0);
        expect(await phone.page.evaluate(() => document.documentElement.scrollWidth), tab).toBe(390);
        await phone.page.screenshot({ path: `out/demo-390x844-${tab.toLowerCase()}.png` });
      }
      // a touch selects
      await phone.page.getByRole('button', { name: 'Help', exact: true }).tap();
      const soldier = phone.page.locator('.section.soldier.open');
      for (let y = 420; !(await soldier.isVisible()); y = y > 600 ? 300 : y + 40) {
        await phone.page.touchscreen.tap(195, y);
        await soldier.waitFor({ timeout: 8000 }).catch(() => undefined);
      }
      await soldier.locator('svg g.node.live').first().waitFor();
      await phone.settled();
      await phone.page.screenshot({ path: 'out/demo-390x844-soldier.png' });
      expect([...desk.errors, ...phone.errors]).toEqual([]);
    });
  });
});
