// What loading takes of a page's main thread.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { testInTurn } from '../support/setup.ts';
import { mainThreadTasks } from '../support/main-thread.ts';
import { bundleForBrowser, openPage, type TestPage } from '../support/page.ts';
import type { Packed, Way } from './loading.page.ts';

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
/** Milliseconds of one task, at most. */
const LONGEST_TASK = 20;

describe.skipIf(noBrowser())('packing in Chromium', () => {
  let opened: TestPage;
  let workers = 0;
  beforeAll(async () => {
    opened = await openPage({
      entry: at('loading.page.ts'),
      files: {
        '/model.glb': at('../../characters/legionary.glb'),
        // where bundlers put it beside the page's own script
        '/pack-worker.js': Buffer.from(await bundleForBrowser(at('../../src/character/pack/pack-worker.ts'))),
      },
    });
    opened.page.on('worker', () => workers++);
    await opened.page.waitForFunction(() => window.pack !== undefined);
  });
  afterAll(() => opened?.close());

  /** What is packed, and milliseconds of tasks, the longest first. */
  async function measure(way: Way): Promise<{ packed: Packed; tasks: number[] }> {
    let packed: Packed;
    const tasks = await mainThreadTasks(opened.page, async () => {
      packed = await opened.page.evaluate((chosen) => window.pack(chosen), way);
    });
    return { packed: packed!, tasks };
  }

  testInTurn(0)('blocks no longer than a frame in a worker, nor in slices, and gives the same', async () => {
    const atOnce = await measure('at once');
    const inWorker = await measure('in a worker');
    expect(workers).toBe(1);
    const inSlices = await measure('in slices');
    expect(workers).toBe(1);
    expect(inWorker.packed).toEqual(atOnce.packed);
    expect(inSlices.packed).toEqual(atOnce.packed);
    // the measurement sees what blocks
    expect(atOnce.tasks[0]).toBeGreaterThan(5 * LONGEST_TASK);
    expect(inWorker.tasks[0]).toBeLessThan(LONGEST_TASK);
    // in one or two of a hundred slices the browser collects garbage, for as long as it likes
    expect(inSlices.tasks[Math.ceil(inSlices.tasks.length / 50)]).toBeLessThan(LONGEST_TASK);
    expect(opened.errors).toEqual([]);
  });
});
