import { expect, test } from 'vitest';
import { i420 } from './i420.ts';

const filled = (width: number, height: number, rgb: readonly number[]) => ({
  width,
  height,
  data: Uint8Array.from({ length: 4 * width * height }, (_, i) => rgb[i % 4] ?? 255),
});

test.each([
  ['black', [0, 0, 0], [16, 128, 128]],
  ['white', [255, 255, 255], [235, 128, 128]],
  ['red', [255, 0, 0], [63, 102, 240]],
  ['green', [0, 255, 0], [173, 42, 26]],
  ['blue', [0, 0, 255], [32, 240, 118]],
])('%s, as published tables of 8-bit BT.709 have it', (_, rgb, [y, u, v]) => {
  expect(i420(filled(2, 2, rgb))).toEqual(Uint8Array.of(y!, y!, y!, y!, u!, v!));
});

test('chroma is the mean of four pixels, of those that there are at odd edges', () => {
  const half = filled(2, 2, [255, 0, 0]);
  half.data.fill(0, 0, 3).fill(0, 4, 7); // the upper two are black
  expect(Array.from(i420(half))).toEqual([16, 16, 63, 63, 115, 184]);
  const odd = i420(filled(3, 1, [0, 0, 255]));
  expect(Array.from(odd)).toEqual([32, 32, 32, 240, 240, 118, 118]);
});
