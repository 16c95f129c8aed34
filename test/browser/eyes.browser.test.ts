// Two eyes in one picture, as WebXR draws them, in every renderer of three.js.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { full, noShared, some, testInTurn } from '../support/setup.ts';
import type { EyesOptions } from './eyes.page.ts';
import { farOff } from './far-off.ts';
import { sceneFiles } from './scene-files.ts';
import type { Kind } from './three-renderers.ts';

const [WIDTH, HEIGHT] = [112, 84] as const;

/** WebGPU takes longest: its shaders are compiled on the CPU here. */
const KINDS: readonly Kind[] = full
  ? ['core', 'compatibility', 'nodes on WebGL', 'WebGLRenderer']
  : some(['nodes on WebGL', 'WebGLRenderer'], 1);

/** One side of a picture of two eyes. */
function half(pixels: readonly number[], side: 0 | 1): number[] {
  const row = 8 * WIDTH;
  return Array.from({ length: HEIGHT }, (_, y) =>
    pixels.slice(y * row + side * 4 * WIDTH, y * row + (side + 1) * 4 * WIDTH),
  ).flat();
}

describe.skipIf(noBrowser() || noShared())('two eyes', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('eyes.page.ts', import.meta.url));
    opened = await openPage({ entry, files: await sceneFiles() });
    await opened.page.waitForFunction(() => window.eyes !== undefined);
  });
  afterAll(() => opened?.close());

  testInTurn(0).each(KINDS)('see what each sees alone: %s', { timeout: 300_000 }, async (kind) => {
    const look = async (options: Omit<EyesOptions, 'kind' | 'size'>) => {
      const seen = await opened.page.evaluate((given) => window.eyes.look(given), {
        kind,
        size: [WIDTH, HEIGHT],
        ...options,
      } satisfies EyesOptions);
      expect(seen.errors).toEqual([]);
      return seen;
    };
    const both = await look({ eyes: 'both' });
    const [left, right] = [await look({ eyes: 'left' }), await look({ eyes: 'right' })];
    const shares = [farOff(half(both.pixels, 0), left.pixels), farOff(half(both.pixels, 1), right.pixels)];
    for (const share of shares) expect(share).toBeLessThan(0.01);
    // what either sees, and none of those behind them
    expect(both.listed).toBeGreaterThanOrEqual(Math.max(left.listed, right.listed) + 1);
    expect(both.listed).toBeLessThanOrEqual(42);
    const jumped = await look({ eyes: 'both', hasJump: true });
    expect(farOff(jumped.pixels, both.pixels), 'after a jump').toBe(0);
    expect(jumped.listed).toBe(both.listed);
    const alone = await look({ eyes: 'both', isAlone: true });
    expect(farOff(half(alone.pixels, 0), half(both.pixels, 0)), 'the left eye').toBe(0);
    expect(farOff(half(alone.pixels, 1), half(both.pixels, 1)), 'the right eye').toBeGreaterThan(0.005);
    if (kind === 'nodes on WebGL') {
      const layered = await look({ eyes: 'both', isMultiview: true });
      expect(farOff(layered.pixels, both.pixels), 'multiview').toBeLessThan(0.01);
      expect(layered.listed).toBe(both.listed);
    }
    expect(opened.errors).toEqual([]);
  });
});
