import { expect, test } from 'vitest';
import { inUnits, milliseconds, times } from './units.ts';

test('numbers have three digits and a prefix', () => {
  expect([0, 8, 950, 999.6, 1234, 17_100_000_000, 2e12].map((value) => inUnits(value))).toEqual([
    '0',
    '8',
    '950',
    '1.00 k',
    '1.23 k',
    '17.1 G',
    '2 T',
  ]);
  expect([950, 3200].map((value) => inUnits(value, 'B'))).toEqual(['950 B', '3.20 kB']);
});

test('milliseconds have three digits, down to a tenth of a microsecond', () => {
  expect([1234, 100, 17.06, 1, 0.412, 0.0333, 0.00012].map(milliseconds)).toEqual([
    '1234',
    '100',
    '17.1',
    '1.00',
    '0.412',
    '0.0333',
    '0.0001',
  ]);
});

test('ratios have three digits, and whole numbers from 100 on', () => {
  expect([0.0676, 1, 14.16, 1496.8].map(times)).toEqual(['0.0676 ×', '1.00 ×', '14.2 ×', '1,497 ×']);
});
