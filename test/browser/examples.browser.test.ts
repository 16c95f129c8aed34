import { afterEach, describe, expect } from 'vitest';
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
});
