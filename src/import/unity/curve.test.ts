import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { runSeed } from '../../../test/support/setup.ts';
import { evaluateUnityCurve, sampleCurve, type UnityKey } from './curve.ts';

const key = (time: number, value: number, inSlope = 0, outSlope = 0): UnityKey => ({ time, value, inSlope, outSlope });

describe('evaluateUnityCurve', () => {
  it('follows weighted tangents', () => {
    const keys = [
      { ...key(0, 0, 0, 2), weightedMode: 2, outWeight: 0.8 },
      { ...key(1, 1), weightedMode: 1, inWeight: 0.2 },
    ];
    expect(evaluateUnityCurve(keys, 0.5)).toBeCloseTo(0.88008, 5);
  });

  it('is a Hermite cubic without weights', () => {
    expect(evaluateUnityCurve([key(2, 0), key(4, 10)], 2.5)).toBe(1.5625);
  });

  it('is a Hermite cubic where the weights are a third', () => {
    const random = new Random(runSeed);
    for (let i = 0; i < 200; i++) {
      const [from, to] = [
        key(random.range(-2, 0), random.range(-3, 3), 0, random.range(-9, 9)),
        key(random.range(0.1, 2), random.range(-3, 3), random.range(-9, 9), 0),
      ];
      const weighted = [
        { ...from, weightedMode: 3, outWeight: 1 / 3 },
        { ...to, weightedMode: 3, inWeight: 1 / 3 },
      ];
      const time = random.range(-2, 2);
      expect(evaluateUnityCurve(weighted, time)).toBeCloseTo(evaluateUnityCurve([from, to], time), 9);
    }
  });

  it('takes no notice of weights that the mode does not name', () => {
    const plain = [key(0, 0, 0, 2), key(1, 1)];
    const weighted = plain.map((key) => ({ ...key, weightedMode: 0, inWeight: 0, outWeight: 0 }));
    // out weight of the first key counts with bit 2, in weight of the second with bit 1
    const wrongSides = [
      { ...plain[0]!, weightedMode: 1, outWeight: 0.9 },
      { ...plain[1]!, weightedMode: 2, inWeight: 0.9 },
    ];
    expect(evaluateUnityCurve(weighted, 0.3)).toBe(evaluateUnityCurve(plain, 0.3));
    expect(evaluateUnityCurve(wrongSides, 0.3)).toBe(evaluateUnityCurve(plain, 0.3));
  });

  it.each([
    ['out', [key(0, 5, 0, Infinity), key(1, 9)]],
    ['in', [key(0, 5), key(1, 9, Infinity, 0)]],
    ['minus', [key(0, 5, 0, -Infinity), key(1, 9)]],
  ])('holds its value before an infinite slope: %s', (_, keys) => {
    expect(evaluateUnityCurve(keys, 0.99)).toBe(5);
    expect(evaluateUnityCurve(keys, 1)).toBe(9);
  });

  it('holds its end values', () => {
    const keys = [key(1, 3, 4, 4), key(2, 6, 4, 4)];
    expect([0, 1, 2, 7].map((time) => evaluateUnityCurve(keys, time))).toEqual([3, 3, 6, 6]);
    expect(evaluateUnityCurve([key(1, 3, 4, 4)], 0)).toBe(3);
  });

  it.each([
    [0.8, 0.2],
    [0, 0],
    [1, 1],
    [0.01, 0.99],
    [1, 0],
  ])('rises steadily from 0 to 1 with flat weighted tangents: %d %d', (outWeight, inWeight) => {
    const keys = [
      { ...key(0, 0), weightedMode: 2, outWeight },
      { ...key(1, 1), weightedMode: 1, inWeight },
    ];
    const values = Array.from({ length: 101 }, (_, i) => evaluateUnityCurve(keys, i / 100));
    expect(values[0]).toBe(0);
    expect(values[100]).toBe(1);
    values.slice(1).forEach((value, i) => expect(value).toBeGreaterThanOrEqual(values[i]! - 1e-12));
  });
});

describe('sampleCurve', () => {
  it('sees a jump from both sides', () => {
    const keys = [key(0, 5, 0, Infinity), key(1, 9, 0, 2), key(2, 9, 2, 0)];
    const point = { value: 0, slope: 0 };
    sampleCurve(keys, 1, -1, point);
    expect(point).toEqual({ value: 5, slope: 0 });
    sampleCurve(keys, 1, 1, point);
    expect(point).toEqual({ value: 9, slope: 2 });
  });

  it('gives the derivative', () => {
    const random = new Random(runSeed);
    for (let i = 0; i < 100; i++) {
      const keys = [
        { ...key(0, random.range(-1, 1), 0, random.range(-3, 3)), weightedMode: 2, outWeight: random.range(0.1, 0.6) },
        { ...key(2, random.range(-1, 1), random.range(-3, 3), 0), weightedMode: 1, inWeight: random.range(0.1, 0.6) },
      ];
      const time = random.range(0.1, 1.9);
      const point = { value: 0, slope: 0 };
      sampleCurve(keys, time, 1, point);
      const step = 1e-5;
      const chord = evaluateUnityCurve(keys, time + step) - evaluateUnityCurve(keys, time - step);
      expect(point.slope).toBeCloseTo(chord / (2 * step), 3);
    }
  });
});
