import { expect, test } from 'vitest';
import { tintWord } from './tint.ts';

test('a tint is four bytes, to the nearest code, red lowest', () => {
  expect(tintWord([1, 1, 1, 1])).toBe(0xffffffff);
  expect(tintWord([0, 0, 0, 0])).toBe(0);
  expect(tintWord([1, 0, 1])).toBe(0xffff00ff);
  // 0.5 × 255 = 127.5; 0.2 × 255 = 51; 0.499 × 255 = 127.2
  expect(tintWord([0.5, 0.2, 0, 0.499])).toBe(0x7f003380);
});

test.each([[[1, 1]], [[1, 1, 1, '1']], [[-0.1, 0, 0, 1]], [[0, 1.01, 0, 1]], [[0, 0, NaN, 1]]])(
  'refuses %s',
  (color) => {
    expect(() => tintWord(color as unknown as [number, number, number, number])).toThrow(
      expect.objectContaining({ code: 'CROWD_BAD_ARGUMENT' }),
    );
  },
);
