import { expect, test } from 'vitest';
import { Reminder } from '../../src/three/problems.ts';

/** What calls report, ten a second. */
function times<T>(count: number, call: () => T): NonNullable<T>[] {
  return Array.from({ length: count }, () => ((now += 100), call())).filter(Boolean) as NonNullable<T>[];
}
let now = 0;
const create = () => new Reminder(() => now);

test('a crowd in no scene is reported once, when it has characters', () => {
  const reminder = create();
  expect(times(15, () => reminder.updated(false, 3))).toEqual([]); // less than two seconds
  expect(times(300, () => reminder.updated(false, 0))).toEqual([]);
  const [told, ...more] = times(300, () => reminder.updated(false, 3));
  expect(String(told)).toMatch(/THREE_NOT_DRAWN at crowd: Frames run.*scene\.add\(crowd\)/);
  expect(more).toEqual([]);
  const drawn = create();
  expect(times(300, () => drawn.updated(true, 3))).toEqual([]);
});

test('a crowd that is never updated is reported once', () => {
  const reminder = create();
  expect(times(15, () => reminder.pictured(3))).toEqual([]);
  const [told, ...more] = times(300, () => reminder.pictured(3));
  expect(String(told)).toMatch(/THREE_NOT_DRAWN.*no frame of the crowd has run.*crowd\.update\(dt\)/);
  expect(more).toEqual([]);
  const paused = create();
  paused.updated(true, 3);
  expect(times(300, () => paused.pictured(3))).toEqual([]);
});

test('a fast loop is given as long as a slow one', () => {
  const reminder = create();
  for (let i = 0; i < 500; i++) expect(reminder.updated(false, 3)).toBeUndefined();
  now += 2000;
  expect(String(reminder.updated(false, 3))).toMatch('THREE_NOT_DRAWN');
});
