import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { closeBrowser, noBrowser } from '../support/chromium.ts';
import { expectMotion, openExample } from '../support/example.ts';
import type { TestPage } from '../support/page.ts';
import { colorShare, countColors } from '../support/pictures.ts';

describe.skipIf(noBrowser())('the example sockets', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());
  afterAll(closeBrowser);

  test('draws boxes that walk', async () => {
    opened = await openExample('sockets');
    await expectMotion(opened, (image) => {
      const wood = colorShare(image, (red, green, blue) => red > 1.2 * green && green > 1.2 * blue);
      return countColors(image) > 50 && wood > 0.03 && wood < 0.9;
    });
    expect(opened.errors).toEqual([]);
  });
});
