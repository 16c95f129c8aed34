/**
 * Clocks that count cycles: whole ones (i32) and a phase, a fraction of a cycle in 0.32 fixed point. Twin of
 * `cycles.wesl`, from the definition. Sums are exact, so no crossing is missed or counted twice, however long a clock runs.
 */
export interface Cycles {
  readonly cycles: number;
  /** 0 … 2³² − 1. */
  readonly phase: number;
}

const CYCLE = 2 ** 32;
/** Most cycles of one step: clocks stay far from the end of their 32 bits. */
export const STEP_CYCLES: number = 2 ** 30;

/** A number of cycles to the nearest 2⁻³², ties to even; ±2³⁰ at most. NaN counts as 0. */
export function toCycles(value: number): Cycles {
  const held = Number.isNaN(value) ? 0 : Math.max(-STEP_CYCLES, Math.min(STEP_CYCLES, value));
  const whole = Math.floor(held);
  const phase = roundHalfEven((held - whole) * CYCLE);
  return phase === CYCLE ? { cycles: whole + 1, phase: 0 } : { cycles: whole, phase };
}

export function fromCycles({ cycles, phase }: Cycles): number {
  return cycles + phase / CYCLE;
}

export function addCycles(a: Cycles, b: Cycles): Cycles {
  const sum = a.phase + b.phase;
  return { cycles: (a.cycles + b.cycles + Number(sum >= CYCLE)) | 0, phase: sum % CYCLE };
}

export function negateCycles({ cycles, phase }: Cycles): Cycles {
  return phase === 0 ? { cycles: -cycles | 0, phase } : { cycles: (-cycles - 1) | 0, phase: CYCLE - phase };
}

export function compareCycles(a: Cycles, b: Cycles): number {
  return a.cycles - b.cycles || a.phase - b.phase;
}

export const ZERO_CYCLES: Cycles = { cycles: 0, phase: 0 };

/** Nearest whole number, a tie to the even one, as WGSL's round(). */
export function roundHalfEven(value: number): number {
  const low = Math.floor(value);
  const over = value - low;
  if (over !== 0.5) return over < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}
