import { expect, test } from 'vitest';
import { Reminder } from '../../src/three/reminder.ts';

const times = <T>(count: number, call: () => T) => Array.from({ length: count }, call).filter(Boolean);

test('a crowd in no scene is reported once, when it has characters', () => {
  const reminder = new Reminder();
  expect(times(300, () => reminder.updated(false, 0))).toEqual([]);
  const [told, ...more] = times(300, () => reminder.updated(false, 3));
  expect(String(told)).toMatch(/THREE_NOT_DRAWN at crowd: Frames run.*scene\.add\(crowd\)/);
  expect(more).toEqual([]);
  const drawn = new Reminder();
  expect(times(300, () => drawn.updated(true, 3))).toEqual([]);
});

test('a crowd that is never updated is reported once', () => {
  const reminder = new Reminder();
  expect(times(50, () => reminder.pictured(3))).toEqual([]);
  const [told, ...more] = times(300, () => reminder.pictured(3));
  expect(String(told)).toMatch(/THREE_NOT_DRAWN.*no frame of the crowd has run.*crowd\.update\(dt\)/);
  expect(more).toEqual([]);
  const paused = new Reminder();
  paused.updated(true, 3);
  expect(times(300, () => paused.pictured(3))).toEqual([]);
});
