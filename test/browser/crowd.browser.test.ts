import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pollCalmly } from '../../src/cli/device.ts';
import { nodeDevice } from '../../src/node/node-gpu.ts';
import { createReadableTarget, decodeImage, type RgbaImage } from '../../src/render/index.ts';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { colorShare, comparePictures, countColors, writeDifference } from '../support/pictures.ts';
import { full, noShared, shared, testInTurn } from '../support/setup.ts';
import { createScene, type SceneOptions } from './crowd.scene.ts';

/** Mean difference of a channel, in codes of 255. */
const LIMIT = 2;
const WIDTH = 640;
const HEIGHT = 360;

const root = fileURLToPath(new URL('../..', import.meta.url));
const knight = path.join(shared, 'assets/characters/kaykit-knight.glb');
const files = {
  '/legionary.glb': path.join(root, 'characters/legionary.glb'),
  '/raider.glb': path.join(root, 'characters/raider.glb'),
  '/knight.glb': knight,
};
const BATTLE: SceneOptions = {
  files: ['/legionary.glb', '/raider.glb'],
  staging: 'battle',
  count: 60,
  seed: 7,
  sampleCount: 4,
  shadowResolution: 1024,
  // packing all takes seconds, on the page and in Node, for every scene
  ...(full ? {} : { clips: ['attack_1', 'run'] }),
};

let opened: TestPage;

/** The last of several frames of a scene, `steps` seconds apart, as Node draws it from the same files. */
async function drawInNode(options: SceneOptions, width: number, height: number, steps: readonly number[]) {
  pollCalmly();
  const { device } = await nodeDevice({ kind: 'software' });
  const errors: string[] = [];
  device.addEventListener('uncapturederror', (event) => {
    event.preventDefault();
    errors.push(event.error.message);
  });
  const picture = createReadableTarget(device, width, height);
  const target = { ...picture, view: () => picture.view };
  const addresses = options.files.map((file) => opened.origin + file);
  const scene = await createScene(device, target, { ...options, files: addresses });
  for (const dt of steps) await scene.frame(dt);
  const image = await picture.read();
  scene.destroy();
  picture.destroy();
  device.destroy();
  expect(errors).toEqual([]);
  return image;
}

/** What the page shows, as a user sees it. */
async function screenshot(): Promise<RgbaImage> {
  return decodeImage(await opened.page.locator('canvas').screenshot(), 'image/png', 'screenshot');
}

async function expectAlike(name: string, actual: RgbaImage, expected: RgbaImage): Promise<void> {
  const { mean, max, share } = comparePictures(actual, expected);
  const figures = `mean ${mean.toFixed(4)}/255, max ${max}/255, ${(100 * share).toFixed(2)} % of the pixels differ`;
  console.log(`${name}, page against Node: ${figures}`);
  if (mean > LIMIT) throw new Error(`${name}: ${figures}; see ${await writeDifference(name, actual, expected)}`);
}

describe.skipIf(noBrowser())('a crowd on a page', () => {
  beforeAll(async () => {
    opened = await openPage({
      entry: path.join(root, 'test/browser/crowd.page.ts'),
      head: '<style>body { margin: 0 } canvas { display: block }</style>',
      body: '<canvas></canvas>',
      files,
      bundle: { external: ['fs', 'path', 'node:*'] }, // what decoders look at only in Node
    });
    await opened.page.waitForFunction(() => window.crowdTest !== undefined);
  });
  afterEach(async () => {
    expect(await opened.page.evaluate(() => window.crowdTest.gpuErrors())).toEqual([]);
    expect(opened.errors).toEqual([]);
  });
  afterAll(() => opened?.close());

  const open = (options: SceneOptions, width: number, height: number) =>
    opened.page.evaluate((args) => window.crowdTest.open(...args), [options, width, height] as const);
  const play = (frames: number, dt: number) =>
    opened.page.evaluate((args) => window.crowdTest.play(...args), [frames, dt] as const);
  const close = () => opened.page.evaluate(() => window.crowdTest.close());

  testInTurn(1)("a battle's picture is Node's", async () => {
    const before = await open(BATTLE, WIDTH, HEIGHT);
    expect(before).toMatchObject({ kind: 'software', width: WIDTH, height: HEIGHT, frame: 0 });
    expect(before.format).toMatch(/-srgb$/);
    await play(1, 0.4);
    const [actual, expected] = [await screenshot(), await drawInNode(BATTLE, WIDTH, HEIGHT, [0.4])];
    await close();

    expect(countColors(actual)).toBeGreaterThan(5000);
    const cloaks = colorShare(actual, (red, green, blue) => red > 110 && green < 60 && blue < 75);
    const skin = colorShare(actual, (red, green, blue) => red > 120 && red > 1.25 * green && red < 2 * green && green > 1.1 * blue); // prettier-ignore
    expect(cloaks).toBeGreaterThan(0.01);
    expect(skin).toBeGreaterThan(0.01);
    await expectAlike('battle', actual, expected);
  });

  test.skipIf(noShared() || !full)("textured knights' picture is Node's", async () => {
    const clips = ['Idle', 'Walking_A', '1H_Melee_Attack_Chop', 'Cheer'];
    const parade: SceneOptions = { ...BATTLE, files: ['/knight.glb'], staging: 'parade', count: 8, clips };
    await open(parade, WIDTH, HEIGHT);
    await play(1, 0.4);
    const [actual, expected] = [await screenshot(), await drawInNode(parade, WIDTH, HEIGHT, [0.4])];
    await close();
    expect(countColors(actual)).toBeGreaterThan(5000);
    await expectAlike('knights', actual, expected);
  });

  const frames = full ? 30 : 6;
  testInTurn(1)(`${frames} frames of an animation, on a canvas that was resized`, async () => {
    const skirmish: SceneOptions = { ...BATTLE, count: 8, sampleCount: 1, shadowResolution: 512 };
    await open(skirmish, WIDTH, HEIGHT);
    const resized = await opened.page.evaluate(() => [0, 1].map(() => window.crowdTest.resize(240, 136)));
    expect(resized).toEqual([true, false]);

    const first = await play(1, 1 / 30);
    const before = await screenshot();
    const last = await play(frames - 1, 1 / 30);
    const after = await screenshot();
    expect(first).toMatchObject({ width: 240, height: 136, frame: 1 });
    expect(last.frame).toBe(frames);
    expect(last.time).toBeCloseTo(frames / 30, 6);
    const stages = [
      'cull-characters',
      'gather-motions',
      'pose-joints',
      'skin-vertices',
      'draw-shadows',
      'draw-contact',
      'draw-forward',
    ];
    console.log('milliseconds on the page:', last.timings);
    if (last.measures) {
      expect(Object.keys(last.timings)).toEqual(stages);
      expect(Object.values(last.timings).every((time) => time >= 0)).toBe(true);
    } else expect(last.timings).toEqual({});
    expect(comparePictures(after, before).mean).toBeGreaterThan(LIMIT);
    await expectAlike('animation', after, await drawInNode(skirmish, 240, 136, Array<number>(frames).fill(1 / 30)));

    expect(await close()).toEqual({ update: 'CROWD_DESTROYED', view: 'RENDER_FAILED', lost: 'info DEVICE_LOST' });
  });

  test('an OffscreenCanvas: linear light becomes sRGB, and layout pixels become device pixels', async () => {
    const [width, height, ...code] = await opened.page.evaluate(() => window.crowdTest.clearOffscreen(0.5));
    expect([width, height]).toEqual([30, 15]);
    expect(code).toEqual([188, 188, 188, 255]);
  });

  test('a canvas that something else draws on is refused', async () => {
    expect(await opened.page.evaluate(() => window.crowdTest.takeUsedCanvas())).toBe('RENDER_FAILED');
  });
});
