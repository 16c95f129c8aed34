import { describe, expect, test } from 'vitest';
import { cyclesIn, fixedPhase, fixedSeconds, joinWide, splitSeconds } from './fixed.ts';

describe('64-bit fixed point', () => {
  test('adding and subtracting frames leaves no remainder', () => {
    const frames = Array.from({ length: 1000 }, (_, n) => fixedSeconds(1 / (30 + n)));
    const hour = fixedSeconds(3600);
    const there = frames.reduce((time, dt) => time + dt, hour);
    expect(frames.reduceRight((time, dt) => time - dt, there)).toBe(hour);
  });

  test('a frame of a sixtieth is kept to a quarter of a nanosecond', () => {
    expect(Math.abs(Number(fixedSeconds(1 / 60)) / 2 ** 32 - 1 / 60)).toBeLessThan(2.5e-10);
  });

  test('splits into words and joins again', () => {
    const time = fixedSeconds(86_400.25);
    const [low, high] = splitSeconds(time);
    expect(high).toBe(86_400);
    expect(low).toBe(2 ** 30);
    expect(joinWide(low, high)).toBe(time);
  });

  test('one and a half cycles', () => {
    expect(cyclesIn(fixedSeconds(3), 2 ** 23)).toBe(fixedSeconds(1.5));
  });

  test('phases clamp to what 32 bits hold', () => {
    expect([fixedPhase(-1), fixedPhase(0.5), fixedPhase(1), fixedPhase(7)]).toEqual([
      0,
      2 ** 31,
      0xffffffff,
      0xffffffff,
    ]);
  });
});
