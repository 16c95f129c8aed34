import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { closeBrowser, noBrowser } from '../support/chromium.ts';
import { expectMotion, openExample } from '../support/example.ts';
import type { TestPage } from '../support/page.ts';
import { full } from '../support/setup.ts';

describe.skipIf(noBrowser())('the example wind', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());
  afterAll(closeBrowser);

  // compiles for fifteen seconds
  test.runIf(full)('shows a crowd that stands still but for what its provider moves', async () => {
    opened = await openExample('wind');
    await expectMotion(opened);
    expect(opened.errors).toEqual([]);
  });
});
