import { addCycles, compareCycles, fromCycles, negateCycles, ZERO_CYCLES, type Cycles } from '../shaders/cycles.ts';

/**
 * When a clock passes a moment. All in exact fixed point: what one step does not reach, the next one does. A clock moves
 * by `move` (a magnitude), forwards or backwards; distances are measured in time played.
 */
export interface Movement {
  readonly from: Cycles;
  readonly move: Cycles;
  readonly backward: boolean;
}

const f = Math.fround;
const CYCLE = 2 ** 32;
const ONE: Cycles = { cycles: 1, phase: 0 };

/** A phase a cycle away at most, never 0 away: the distance to where it comes next. */
export function distanceToPhase(from: number, to: number): Cycles {
  const phase = (to - from + CYCLE) % CYCLE;
  return phase === 0 ? ONE : { cycles: 0, phase };
}

export function subtract(a: Cycles, b: Cycles): Cycles {
  return addCycles(a, negateCycles(b));
}

/**
 * Distance to an exit time: to its next return where it comes every cycle. Played backwards, time played counts: from 1
 * down. Undefined where it lies behind.
 */
export function distanceToExit({ from, backward }: Movement, exit: Cycles, repeats: boolean): Cycles | undefined {
  const played = backward ? addCycles(negateCycles(from), ONE) : from;
  if (repeats) return distanceToPhase(played.phase, exit.phase);
  const distance = subtract(exit, played);
  return compareCycles(distance, ZERO_CYCLES) > 0 ? distance : undefined;
}

/** Whether the clock gets that far, and its margin: how far from the end of the movement, in cycles. */
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

/** How close a decision was: cycles, or a share of the movement where that is longer than one. */
export function marginOf(move: Cycles, distance: Cycles): number {
  return Math.abs(fromCycles(subtract(move, distance))) / Math.max(1, fromCycles(move));
}

/** Where a clock stands after a movement, or after a part of it. */
export function moved({ from, backward }: Movement, distance: Cycles): Cycles {
  return backward ? subtract(from, distance) : addCycles(from, distance);
}
