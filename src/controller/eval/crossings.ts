import { addCycles, compareCycles, fromCycles, negateCycles, ZERO_CYCLES, type Cycles } from '../../math/cycles.ts';

/**
 * A clock's movement, to find the moments that it passes. All is in exact fixed point: a moment that one step does not
 * reach, the next one does. A clock moves by `move` (a magnitude), forwards or backwards. Distances are in time played.
 */
export interface Movement {
  readonly from: Cycles;
  readonly move: Cycles;
  readonly backward: boolean;
}

const f = Math.fround;
const CYCLE = 2 ** 32;
const ONE: Cycles = { cycles: 1, phase: 0 };

/** Distance to the next return of a phase: a cycle at most, never 0. */
export function distanceToPhase(from: number, to: number): Cycles {
  const phase = (to - from + CYCLE) % CYCLE;
  return phase === 0 ? ONE : { cycles: 0, phase };
}

export function subtract(a: Cycles, b: Cycles): Cycles {
  return addCycles(a, negateCycles(b));
}

/**
 * Distance to an exit time, or to its next return if it repeats every cycle. Backwards, it counts time played: from 1
 * down. Undefined if the exit time has been passed.
 */
export function distanceToExit({ from, backward }: Movement, exit: Cycles, repeats: boolean): Cycles | undefined {
  const played = backward ? addCycles(negateCycles(from), ONE) : from;
  if (repeats) return distanceToPhase(played.phase, exit.phase);
  const distance = subtract(exit, played);
  return compareCycles(distance, ZERO_CYCLES) > 0 ? distance : undefined;
}

/** Returns true if a movement reaches a distance. */
export function reaches(move: Cycles, distance: Cycles): boolean {
  return compareCycles(move, distance) >= 0;
}

/** Cycles as f32, as kernels see them. */
export function cyclesFloat({ cycles, phase }: Cycles): number {
  return f(f(cycles) + f(f(phase) * 2 ** -32));
}

/** Distance as a share of a movement. */
export function shareOf(distance: Cycles, move: Cycles): number {
  return f(cyclesFloat(distance) / cyclesFloat(move));
}

/** Margin of a decision: cycles, or a share of the movement if it is longer than one cycle. */
export function marginOf(move: Cycles, distance: Cycles): number {
  return Math.abs(fromCycles(subtract(move, distance))) / Math.max(1, fromCycles(move));
}

/** The clock after a movement, or after a part of it. */
export function moved({ from, backward }: Movement, distance: Cycles): Cycles {
  return backward ? subtract(from, distance) : addCycles(from, distance);
}
