import { afterEach, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { expectMotion, openExample } from '../support/example.ts';
import type { TestPage } from '../support/page.ts';
import { hasTurn, testInTurn } from '../support/setup.ts';

describe.skipIf(noBrowser() || !hasTurn(1))('the example hello-crowd', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());

  testInTurn(2)('shows a crowd that moves', async () => {
    opened = await openExample('hello-crowd');
    await expectMotion(opened);
    expect(opened.errors).toEqual([]);
  });

  test('says that WebGPU is missing, and where it is to be had', async () => {
    const without = '<script>Object.defineProperty(navigator, "gpu", { value: undefined })</script>';
    opened = await openExample('hello-crowd', without);
    const message = opened.page.getByRole('alert');
    await message.filter({ hasText: 'DEVICE_UNAVAILABLE' }).waitFor();
    expect(await message.textContent()).toMatch(/This browser has no WebGPU\. Use Chrome/);
    expect(opened.errors).toEqual([]);
  });
});
