import { afterEach, describe, expect, test } from 'vitest';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { noBrowser } from '../support/chromium.ts';
import { expectMotion, openExample } from '../support/example.ts';
import type { TestPage } from '../support/page.ts';
import { colorShare, countColors } from '../support/pictures.ts';
import { full, some, testInTurn } from '../support/setup.ts';

const hasWood = (image: RgbaImage): boolean => {
  const wood = colorShare(image, (red, green, blue) => red > 1.2 * green && green > 1.2 * blue);
  return countColors(image) > 50 && wood > 0.03 && wood < 0.9;
};

/** Capes of many colours, under a dark sky. */
const hasCapes = (image: RgbaImage): boolean =>
  countColors(image) > 1000 &&
  colorShare(image, (red, green, blue) => blue > 1.2 * red && blue > 90 && green > 0) > 0.005;

/** Points of blue, and warmer ones where limbs are fast. */
const hasPoints = (image: RgbaImage): boolean =>
  countColors(image) > 30 && colorShare(image, (_, __, blue) => blue > 60) > 0.002;

/** One of these in short runs: software adapters compile a controller's kernels, and wind's, for five to ten seconds. */
const SHORT = new Set(['sockets', 'points', 'three-hello']);
const EXAMPLES: readonly [name: string, isShown?: (image: RgbaImage) => boolean][] = [
  ['sockets', hasWood],
  ['controller'],
  ['points', hasPoints],
  ['wind'],
  ['capes'],
  ['unity'],
  ['footsteps'],
  ['root-motion'],
  ['gameplay'],
  ['three-hello'],
  ['three-materials', hasCapes],
  ['three-points', hasPoints],
  ['react-three-fiber'],
];

const NAMES = ['hello-crowd', ...EXAMPLES.map(([name]) => name)];
/** Examples that three.js draws, in every tier. */
const ANYWHERE = new Set(['three-hello', 'three-materials', 'react-three-fiber']);
/** Examples that need the core level: draws of their own read storage buffers, or they use the visibility renderer. */
const ONLY_AT_CORE = new Set(['points', 'three-points', 'footsteps']);

const WITHOUT_WEBGPU = '<script>Object.defineProperty(navigator, "gpu", { value: undefined })</script>';
/** Devices of the compatibility level, whatever the adapter has. */
const COMPATIBILITY = `<script>
  const { requestAdapter } = GPU.prototype;
  GPU.prototype.requestAdapter = function (options) {
    return requestAdapter.call(this, { ...options, featureLevel: 'compatibility' });
  };
</script>`;

describe.skipIf(noBrowser())('examples', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());

  const quick = EXAMPLES.filter(([name]) => SHORT.has(name));
  testInTurn(2).each(full ? EXAMPLES : some(quick, 1))(
    '%s shows a crowd that moves, and complains of nothing',
    async (name, isShown) => {
      opened = await openExample(name);
      await expectMotion(opened, isShown);
      expect(opened.errors).toEqual([]);
    },
  );

  /** Waits for the line on the page that says what is missing. */
  const line = async ({ page }: TestPage) => {
    const alert = page.locator('p[role="alert"]').filter({ hasText: /WebGPU/ });
    await alert.waitFor();
    return alert.textContent();
  };
  const isShown = (name: string) => EXAMPLES.find(([other]) => other === name)?.[1];

  test.each(
    some(
      NAMES.filter((name) => !ANYWHERE.has(name)),
      1,
    ),
  )('%s says on the page that it needs WebGPU', async (name) => {
    opened = await openExample(name, WITHOUT_WEBGPU);
    expect(await line(opened)).toMatch(/This browser has no WebGPU\. Use Chrome/);
    expect(opened.errors).toEqual([]);
  });

  testInTurn(1).each(some([...ANYWHERE], 1))('%s runs without WebGPU', async (name) => {
    opened = await openExample(name, WITHOUT_WEBGPU);
    await expectMotion(opened, isShown(name));
    expect(opened.errors).toEqual([]);
  });

  testInTurn(0).each(some(NAMES, 1))('%s runs at the compatibility level, or says what it lacks', async (name) => {
    opened = await openExample(name, COMPATIBILITY);
    if (ONLY_AT_CORE.has(name))
      expect(await line(opened)).toMatch(/needs (the core level of WebGPU|WebGPU's core level)/);
    else await expectMotion(opened, isShown(name));
    expect(opened.errors).toEqual([]);
  });
});
