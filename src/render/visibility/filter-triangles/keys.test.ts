import { describe, expect, test } from 'vitest';
import { keeperOf, keyOf, orderIn } from './lists-reference.ts';

describe('keyOf', () => {
  test('larger ones come first, by whatever is between two floats', () => {
    const order = [1e30, 200, 100, Math.fround(100 - 1e-5), 0.01, 1e-30].map(keyOf);
    expect(order.toSorted((a, b) => a - b)).toEqual(order);
    expect(new Set(order).size).toBe(order.length);
  });

  test('of one size pictures come before shadows, and those with lower ids first', () => {
    const order = [orderIn(0, 3), orderIn(0, 0xffffff), orderIn(1, 3), orderIn(2, 3), orderIn(7, 3), orderIn(1, 4)];
    expect(order.toSorted((a, b) => a - b)).toEqual(order);
    expect(Math.max(...order)).toBeLessThan(2 ** 31);
  });
});

describe('keeperOf', () => {
  const items = [
    { key: 30, order: 0, weight: 5 },
    { key: 10, order: 9, weight: 4 },
    { key: 20, order: 0, weight: 3 },
    { key: 40, order: 0, weight: 1 },
  ];
  const kept = (room: number) => items.filter(keeperOf(items, room)).map(({ key }) => key);

  test('the smallest keys are kept, up to where room ends', () => {
    expect(kept(13)).toEqual([30, 10, 20, 40]);
    expect(kept(12)).toEqual([30, 10, 20]);
    expect(kept(11)).toEqual([10, 20]);
    expect(kept(6)).toEqual([10]);
  });

  test('of one key the smaller order is kept', () => {
    const equals = items.map((item, order) => ({ ...item, key: 7, order }));
    const orders = (room: number) => equals.filter(keeperOf(equals, room)).map(({ order }) => order);
    expect([13, 12, 9, 8].map(orders)).toEqual([[0, 1, 2, 3], [0, 1, 2], [0, 1], [0]]);
  });

  test('one that does not fit keeps no others out', () => {
    expect(kept(4)).toEqual([10]);
    expect(kept(3)).toEqual([20]);
    expect(kept(2)).toEqual([40]);
    expect(kept(0)).toEqual([]);
  });
});
