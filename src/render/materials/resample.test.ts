import { describe, expect, test } from 'vitest';
import type { RgbaImage } from '../images/image.ts';
import { mipLevels, resample } from './resample.ts';

/** Of grey pixels with their code for alpha too. */
function grey(width: number, codes: readonly number[]): RgbaImage {
  const data = Uint8Array.from(codes.flatMap((code) => [code, code, code, code]));
  return { width, height: codes.length / width, data };
}

const row = ({ width, data }: RgbaImage, channel: number) =>
  Array.from({ length: width }, (_, x) => data[4 * x + channel]!);

describe('resampling', () => {
  test('blends as a sampler would where an image grows: numbers and alpha as they are, sRGB in linear light', () => {
    const edges = { repeatS: false, repeatT: false };
    const numbers = resample(grey(2, [0, 255]), 4, 'numbers', edges);
    expect([numbers.width, numbers.height]).toEqual([4, 4]);
    expect(row(numbers, 0)).toEqual([0, 64, 191, 255]);
    const srgb = resample(grey(2, [0, 255]), 4, 'srgb', edges);
    // a quarter and three quarters of the light
    expect(row(srgb, 0)).toEqual([0, 137, 225, 255]);
    expect(row(srgb, 3)).toEqual([0, 64, 191, 255]);
  });

  test('takes what lies beyond the edges from the other side where the image repeats', () => {
    expect(row(resample(grey(2, [0, 255]), 4, 'numbers', { repeatS: true, repeatT: false }), 0)).toEqual([
      64, 64, 191, 191,
    ]);
  });

  test('keeps the mean where an image shrinks, and one colour as it is', () => {
    const codes = Array.from({ length: 64 * 32 }, (_, i) => (i % 2) * 200);
    const { data } = resample(grey(64, codes), 8, 'numbers', { repeatS: true, repeatT: true });
    expect([...data].every((code) => code === 100)).toBe(true);
    const plain = resample(
      grey(
        5,
        Array.from({ length: 15 }, () => 77),
      ),
      256,
      'srgb',
      { repeatS: false, repeatT: true },
    );
    expect(plain.data.every((code) => code === 77)).toBe(true);
  });

  test('leaves an image that fits as it is', () => {
    const image = grey(2, [1, 2, 3, 4]);
    expect(resample(image, 2, 'srgb', { repeatS: true, repeatT: true })).toBe(image);
  });
});

describe('smaller levels', () => {
  test('are means of four pixels, of sRGB in linear light', () => {
    const image = grey(4, [0, 255, 10, 10, 0, 255, 10, 10, 0, 0, 255, 255, 0, 0, 255, 255]);
    const [, half, last] = mipLevels(image, 'srgb');
    expect([half!.width, half!.height, last!.width]).toEqual([2, 2, 1]);
    // half of the light, and of alpha
    expect(row(half!, 0)).toEqual([188, 10]);
    expect(row(half!, 3)).toEqual([128, 10]);
    expect(row(mipLevels(image, 'numbers')[1]!, 0)).toEqual([128, 10]);
    expect(mipLevels(image, 'srgb')).toHaveLength(3);
  });
});
