// GPU memory of crowds of 1,000 in each tier, by counters of all buffers and textures that a page creates.
import { describe, expect, test } from 'vitest';
import { openTiers } from '../../bench/tasks/open-tiers.ts';
import { noBrowser } from '../support/chromium.ts';
import { full } from '../support/setup.ts';

const COUNT = 1000;
/** Bytes of a crowd with `skin: 'vertex'` and levels of detail. */
const LIMIT = 64e6;

describe.skipIf(noBrowser() || !full)('a crowd of 1,000', () => {
  test('takes at most 64 MB of the GPU in every tier', { timeout: 600_000 }, async () => {
    const opened = await openTiers('characters');
    try {
      const rows = await opened.page.evaluate((count) => window.tierBench.memory(count), COUNT);
      expect(rows.map(({ tier, renderer }) => `${tier}, ${renderer}`)).toEqual([
        'core, WebGPURenderer',
        'compatibility, WebGPURenderer',
        'webgl2, WebGPURenderer',
        'webgl2, WebGLRenderer',
      ]);
      for (const { tier, crowd, gpu } of rows) {
        // a palette of 42 entries for each: a counter that misses them has less
        expect(gpu, tier).toBeGreaterThan(COUNT * 42 * 48);
        expect(gpu, tier).toBeLessThan(LIMIT);
        expect(crowd, `crowd.byteLength, ${tier}`).toBeLessThan(LIMIT);
      }
      expect(opened.errors).toEqual([]);
    } finally {
      await opened.close();
    }
  });
});
