import { expect, test } from 'vitest';
import { listed, quoted } from './errors.ts';

test.each<[unknown, string]>([
  ['metal', '"metal"'],
  [NaN, 'NaN'],
  [undefined, 'undefined'],
  [null, 'null'],
  [12n, '12'],
  [Symbol('x'), 'Symbol(x)'],
  [() => 1, 'a function'],
  [[1, '2', null, [3], {}], '[1, "2", null, …, …]'],
  [Float32Array.of(1, 2), '[1, 2]'],
  [{ x: 1, y: 'long', z: [1] }, '{ x: 1, y: "long", z }'],
  [{}, '{}'],
])('value %# of a message', (value, text) => expect(quoted(value)).toBe(text));

test('no more than 80 characters of a value are quoted', () => {
  const loop: unknown[] = [];
  loop.push(loop);
  const huge = [
    'x'.repeat(1e6),
    Array.from({ length: 1e5 }, (_, i) => i),
    ['y'.repeat(1e6)],
    { ['k'.repeat(1e5)]: 1 },
    new Uint8Array(1e6),
    new DataView(new ArrayBuffer(8)),
    loop,
    10n ** 500n,
  ];
  for (const value of huge) expect(quoted(value).length).toBeLessThanOrEqual(83);
});

test('a dozen names are listed, each cut short', () => {
  expect(listed(['a', 'b'])).toBe('a, b');
  expect(listed(Array.from({ length: 50 }, () => 'n'.repeat(1000))).length).toBeLessThan(12 * 84);
});
