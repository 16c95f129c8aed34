import { describe, expect, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { runSeed } from '../../test/support/setup.ts';
import {
  addCycles,
  compareCycles,
  fromCycles,
  negateCycles,
  roundHalfEven,
  STEP_CYCLES,
  toCycles,
  ZERO_CYCLES,
  type Cycles,
} from './cycles.ts';

const CYCLE = 2 ** 32;
const join = ({ cycles, phase }: Cycles): bigint => (BigInt(cycles) << 32n) + BigInt(phase);

describe('toCycles', () => {
  test.each([
    [0, 0, 0],
    [0.25, 0, 2 ** 30],
    [1, 1, 0],
    [2.5, 2, 2 ** 31],
    [-0.25, -1, 3 * 2 ** 30],
    [-1, -1, 0],
    [-2.75, -3, 2 ** 30],
  ])('%d is %i cycles and %i of 2³²', (value, cycles, phase) => {
    expect(toCycles(value)).toEqual({ cycles, phase });
  });

  test('goes to the nearest 2⁻³², halves to the even one', () => {
    const unit = 2 ** -32;
    expect(toCycles(1.4 * unit).phase).toBe(1);
    expect(toCycles(1.6 * unit).phase).toBe(2);
    expect(toCycles(0.5 * unit).phase).toBe(0);
    expect(toCycles(1.5 * unit).phase).toBe(2);
    expect(toCycles(2.5 * unit).phase).toBe(2);
  });

  test('what rounds up to a whole cycle is one', () => {
    expect(toCycles(1 - 2 ** -40)).toEqual({ cycles: 1, phase: 0 });
    expect(toCycles(-(2 ** -40))).toEqual(ZERO_CYCLES);
  });

  test('holds at 2³⁰ cycles; NaN becomes 0', () => {
    expect(toCycles(Infinity)).toEqual({ cycles: STEP_CYCLES, phase: 0 });
    expect(toCycles(-1e20)).toEqual({ cycles: -STEP_CYCLES, phase: 0 });
    expect(toCycles(NaN)).toEqual(ZERO_CYCLES);
  });

  test('f32 from 2⁻⁹ on is kept exactly', () => {
    const random = new Random(runSeed);
    for (let n = 0; n < 10_000; n++) {
      const value = Math.fround(random.range(2 ** -9, 300));
      expect(fromCycles(toCycles(value))).toBe(value);
    }
  });
});

test('sums, differences and comparisons are those of whole numbers', () => {
  const random = new Random(runSeed);
  const clock = (): Cycles => ({ cycles: random.integer(-1000, 1000), phase: random.integer(0, CYCLE - 1) });
  for (let n = 0; n < 10_000; n++) {
    const [a, b] = [clock(), random.chance(0.1) ? { cycles: random.integer(-3, 3), phase: 0 } : clock()];
    expect(join(addCycles(a, b))).toBe(join(a) + join(b));
    expect(join(negateCycles(b))).toBe(-join(b));
    expect(Math.sign(compareCycles(a, b))).toBe(Number(join(a) > join(b)) - Number(join(a) < join(b)));
    expect(compareCycles(a, { ...a })).toBe(0);
  }
});

test('whole cycles wrap at 32 bits', () => {
  expect(addCycles({ cycles: 2 ** 31 - 1, phase: 1 }, { cycles: 0, phase: CYCLE - 1 })).toEqual({
    cycles: -(2 ** 31),
    phase: 0,
  });
});

test('roundHalfEven', () => {
  const cases = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 0.51, -0.51, 7];
  expect(cases.map((value) => roundHalfEven(value) + 0)).toEqual([0, 2, 2, 0, -2, -2, 0, 1, -1, 7]);
});
