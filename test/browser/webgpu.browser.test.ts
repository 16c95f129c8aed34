import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';

describe.skipIf(noBrowser())('WebGPU in Chromium', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('webgpu.page.ts', import.meta.url));
    opened = await openPage({ entry, body: '<canvas width="64" height="64"></canvas>' });
    await opened.page.waitForFunction(() => window.webgpuTest !== undefined);
  });
  afterAll(() => opened?.close());

  test('gives a device on the software adapter', async () => {
    const { kind, features, limits } = await opened.page.evaluate(() => window.webgpuTest.describe());
    expect(kind).toBe('software');
    expect(features.length).toBeGreaterThan(0);
    expect(limits.maxStorageBuffersPerShaderStage).toBeGreaterThanOrEqual(8);
  });

  test('computes', async () => {
    const squares = await opened.page.evaluate(() => window.webgpuTest.compute(100));
    expect(squares).toEqual(Array.from({ length: 100 }, (_, i) => i * i));
  });

  test('draws to a canvas that can be read back', async () => {
    const pixel = await opened.page.evaluate(() => window.webgpuTest.paint([1, 0.5, 0]));
    expect(pixel[0]).toBe(255);
    expect(Math.abs(pixel[1]! - 128)).toBeLessThanOrEqual(1);
    expect(pixel.slice(2)).toEqual([0, 255]);
  });

  test('reaches no network', async () => {
    const reached = await opened.page.evaluate(() =>
      fetch('https://example.com').then(
        () => true,
        () => false,
      ),
    );
    expect(reached).toBe(false);
    expect(opened.errors.some((line) => line.includes('ERR_NAME_NOT_RESOLVED'))).toBe(true);
    expect(opened.errors.filter((line) => !/example\.com|ERR_NAME_NOT_RESOLVED/.test(line))).toEqual([]);
  });
});
