import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { largestError, picture } from '../../../test/support/images.ts';
import { decodeImage, encodePng } from './index.ts';

describe('encodePng', () => {
  test.each([
    [1, 1],
    [3, 5],
    [64, 64],
    [301, 77],
  ])('%i × %i pixels come back exactly', async (width, height) => {
    const image = picture(width, height);
    const noisy = { ...image, data: image.data.map((value, i) => value ^ (Math.imul(i, 2654435761) >>> 24)) };
    for (const { data } of [image, noisy]) {
      const bytes = await encodePng({ width, height, data });
      const judged = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
      expect(judged.info).toMatchObject({ width, height, channels: 4 });
      expect(largestError(judged.data, data)).toBe(0);
      expect(largestError((await decodeImage(bytes)).data, data)).toBe(0);
    }
  });

  test('keeps the colours of transparent pixels, and says that it is sRGB', async () => {
    const data = Uint8Array.of(200, 100, 50, 0, 1, 2, 3, 1);
    const bytes = await encodePng({ width: 2, height: 1, data });
    expect((await decodeImage(bytes)).data).toEqual(data);
    expect(await sharp(bytes).metadata()).toMatchObject({
      format: 'png',
      space: 'srgb',
      depth: 'uchar',
      hasAlpha: true,
    });
    expect(Buffer.from(bytes).includes('sRGB')).toBe(true);
  });

  test('gives the same bytes for the same pixels', async () => {
    const [first, second] = await Promise.all([encodePng(picture(200, 100)), encodePng(picture(200, 100))]);
    expect(second).toEqual(first);
  });

  test.each([
    [{ width: 0, height: 1, data: new Uint8Array() }],
    [{ width: 2, height: 2, data: new Uint8Array(15) }],
    [{ width: 1.5, height: 2, data: new Uint8Array(12) }],
    [{ width: 8193, height: 1, data: new Uint8Array(8193 * 4) }],
  ])('refuses a value that is not an image', async (image) => {
    await expect(encodePng(image)).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  });
});
