/** Fractions of a cycle that f32 increments of 2⁻³⁰ and more have as whole numbers: 2⁻⁶⁴ each. */
const UNIT_BITS = 64n;

/** An f32 as a whole number of 2⁻⁶⁴, exactly; throws where it is not one. */
export function exactUnits(value: number): bigint {
  const scaled = value * 2 ** 64;
  if (Math.fround(value) !== value || !Number.isInteger(scaled)) throw new Error(`${value} is no f32 of 2⁻⁶⁴`);
  return BigInt(scaled);
}

/** A sum of increments, exactly. */
export class ExactClock {
  units = 0n;

  /** Adds one increment so many times. */
  add(increment: number, times = 1): void {
    this.units += exactUnits(increment) * BigInt(times);
  }

  /** How far a clock in 0.32 fixed point is away, in cycles. */
  distanceTo({ cycles, phase }: { readonly cycles: number; readonly phase: number }): number {
    const clock = ((BigInt(cycles) << 32n) + BigInt(phase)) << (UNIT_BITS - 32n);
    return Number(clock - this.units) / 2 ** 64;
  }

  /** How often a phase has been passed since the clock stood on 0, or undefined if it stands too close to one to tell. */
  passed(phase: number, margin: number): number | undefined {
    const count = (from: number): number =>
      Number((this.units - exactUnits(phase) + exactUnits(from)) >> UNIT_BITS) + 1;
    const [low, high] = [count(-margin), count(margin)];
    return low === high ? low : undefined;
  }
}
