import { describe, expect, test } from 'vitest';
import { keeperOf } from './cut-reference.ts';
import { keyOf } from './keys.ts';

describe('keyOf', () => {
  test('larger ones come first, and of one size those with lower ids', () => {
    const order = [keyOf(200, 9), keyOf(100, 3), keyOf(100, 4), keyOf(50, 1), keyOf(0.01, 0)];
    expect(order.toSorted((a, b) => a - b)).toEqual(order);
  });

  test('eight sizes an octave, from 2⁻¹⁰ pixels on', () => {
    const classOf = (size: number) => 255 - (keyOf(size, 0) >>> 24);
    expect([2 ** -10, 2 ** -9, 1, 2, 1024].map(classOf)).toEqual([0, 8, 80, 88, 160]);
    expect([1, 1.12, 1.125, 1.2, 1.25, 1.99].map(classOf)).toEqual([80, 80, 81, 81, 82, 87]);
    expect([1e-30, 1e30].map(classOf)).toEqual([0, 255]);
  });
});

describe('keeperOf', () => {
  const items = [
    { key: 30, weight: 5 },
    { key: 10, weight: 4 },
    { key: 20, weight: 3 },
    { key: 40, weight: 1 },
  ];
  const kept = (room: number) => items.filter(keeperOf(items, room)).map(({ key }) => key);

  test('the smallest keys are kept, up to where room ends', () => {
    expect(kept(13)).toEqual([30, 10, 20, 40]);
    expect(kept(12)).toEqual([30, 10, 20]);
    expect(kept(11)).toEqual([10, 20]);
    expect(kept(6)).toEqual([10]);
  });

  test('what does not fit alone keeps no others out', () => {
    expect(kept(4)).toEqual([10]);
    expect(kept(3)).toEqual([20]);
    expect(kept(2)).toEqual([40]);
    expect(kept(0)).toEqual([]);
  });
});
