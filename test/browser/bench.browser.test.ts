// The bench page as it is deployed, in a browser.
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect } from 'vitest';
import type { PageResult } from '../../demo/bench/run.ts';
import { noBrowser } from '../support/chromium.ts';
import { buildDemo, type BuiltDemo } from '../support/demo-page.ts';
import { openSite, type TestPage } from '../support/page.ts';
import { full, hasTurn, testInTurn } from '../support/setup.ts';

/** Destroys the page's device as soon as a step has been measured. */
const LOSE_DEVICE = `
const request = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...args) {
  const device = await request.apply(this, args);
  new MutationObserver((_, observer) => {
    if (!document.querySelector('tbody tr')) return;
    observer.disconnect();
    device.destroy();
  }).observe(document, { childList: true, subtree: true });
  return device;
};`;

describe.skipIf(noBrowser() || !hasTurn(0))('the bench page', () => {
  let built: BuiltDemo;
  let opened: TestPage | undefined;
  beforeAll(async () => {
    built = await buildDemo();
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  async function run(before?: string): Promise<PageResult> {
    opened = await openSite(built.folder, {
      path: 'bench.html',
      size: { width: 390, height: 844 },
      ...(before && { before }),
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Run the bench' }).click();
    const box = page.getByLabel('Result as JSON');
    await box.waitFor({ timeout: 240_000 });
    return JSON.parse(await box.inputValue()) as PageResult;
  }

  testInTurn(2)(
    'finds how many characters fit, and shows it as a table and as JSON',
    { timeout: 300_000 },
    async () => {
      const result = await run();
      const { page, errors } = opened!;
      const { steps, fits } = result;
      expect(result).toMatchObject({
        format: 'maniple-bench-page',
        version: 1,
        kind: 'software',
        picture: '320 × 180',
      });
      expect(result.limitedBy).toBe('time');
      expect(steps.length).toBeGreaterThan(0);
      for (const { count, frame, host, missing, fits: isFitting } of steps) {
        expect(frame).toBeGreaterThan(0);
        expect(missing).toBe(0);
        expect(isFitting).toBe(Math.max(frame, host) <= 1000 / 60);
        if (isFitting) expect(count).toBeLessThanOrEqual(fits);
      }
      // the answer lies between neighbours of the ramp
      const failing = Math.min(...steps.filter((step) => !step.fits).map(({ count }) => count));
      expect(failing).toBeLessThanOrEqual(Math.max(fits * 1.11, fits + 1));
      expect(await page.locator('tbody tr').count()).toBe(steps.length);
      expect(await page.locator('[data-figure="fits"]').textContent()).toBe(fits.toLocaleString('en'));
      await page.getByRole('button', { name: 'Copy' }).click();
      await expect.poll(() => page.locator('.paste [role="status"]').textContent()).toMatch(/Copied|selected/);
      expect(errors).toEqual([]);
      if (full) {
        await mkdir('out', { recursive: true });
        await page.screenshot({ path: 'out/bench-page.png', fullPage: true });
      }
    },
  );

  testInTurn(1)('keeps the steps until the device is lost', async () => {
    const result = await run(LOSE_DEVICE);
    expect(result.limitedBy).toBe('device lost');
    expect(result.steps.length).toBeGreaterThan(0);
    expect(await opened!.page.locator('.answer').textContent()).toContain('The GPU was lost');
  });
});
