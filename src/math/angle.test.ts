import { expect, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { runSeed } from '../../test/support/setup.ts';
import { angleOf, wrapAngle } from './angle.ts';

const f = Math.fround;

test('angleOf is atan2 to 5e-7, all around, at any length', () => {
  const random = new Random(runSeed);
  let worst = 0;
  for (let n = 0; n < 50_000; n++) {
    const length = 10 ** random.range(-6, 6);
    const angle = random.range(-Math.PI, Math.PI);
    const [x, y] = [f(length * Math.cos(angle)), f(length * Math.sin(angle))];
    worst = Math.max(worst, Math.abs(angleOf(x, y) - Math.atan2(y, x)));
  }
  expect(worst).toBeLessThan(5e-7);
});

test.each([
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, Math.PI / 2],
  [-1, 0, Math.PI],
  [0, -1, -Math.PI / 2],
  [1, 1, Math.PI / 4],
  [-1, -1, (-3 * Math.PI) / 4],
])('angleOf(%d, %d) is %d', (x, y, angle) => {
  expect(angleOf(x, y)).toBeCloseTo(angle, 6);
});

test('wrapAngle moves angles that are at most a turn off into (−π, π]', () => {
  const pi = f(Math.PI);
  expect(wrapAngle(0)).toBe(0);
  expect(wrapAngle(pi)).toBe(pi);
  expect(wrapAngle(f(-pi))).toBe(pi);
  expect(wrapAngle(4)).toBeCloseTo(4 - 2 * Math.PI, 6);
  expect(wrapAngle(-4)).toBeCloseTo(2 * Math.PI - 4, 6);
  expect(wrapAngle(6.2)).toBeCloseTo(6.2 - 2 * Math.PI, 6);
});
