import type { ControllerView, MachineView, TransitionView } from '../../controller/eval/controller-view.ts';
import type { Machine } from '../../controller/eval/memory.ts';
import { numberParameter, stateLength, type Parameters } from '../../controller/eval/motion.ts';
import { STATE_CONSTANT_LENGTH } from '../../controller/tables.ts';
import {
  addCycles,
  compareCycles,
  fromCycles,
  negateCycles,
  toCycles,
  ZERO_CYCLES,
  type Cycles,
} from '../../math/cycles.ts';

const f = Math.fround;

/** A part of an update in which both clocks of a machine move and nothing is decided. */
export interface SubStep {
  /** Seconds since the update began; `seconds` is the part's duration. */
  readonly elapsed: number;
  readonly seconds: number;
  readonly current: SubStepSide;
  readonly next: SubStepSide | undefined;
}

/** An event that is due. */
export interface Firing {
  readonly layer: number;
  readonly id: number;
  /** Seconds since the update began. */
  readonly time: number;
  readonly weight: number;
  readonly fromNext: boolean;
}

/** One state in a part of an update. */
export interface SubStepSide extends Movement {
  readonly state: number;
  readonly share: number;
  /** No time has passed since the state was entered. */
  readonly entered: boolean;
  readonly stay: Stay;
}

/** A state's stay in this update. */
export interface Stay {
  /** How far its clock has moved. */
  readonly before: Cycles;
  /** True if no time had passed since the state was entered when the update, or its stay in it, began. */
  readonly entered: boolean;
}

/** Data and callbacks of a machine's update. */
export interface MachineStep {
  readonly controller: ControllerView;
  readonly index: number;
  readonly parameters: Parameters;
  /** Triggers that the machine can see. Used-up ones are removed. */
  triggers: number;
  consumed: number;
  /** Freezes what the machine's layers show. */
  freeze(machine: Machine): void;
  /** Called for every part of the update. */
  moved(step: SubStep): void;
  /** Called for every event that is due, and with the number of those that are lost. */
  fire(firing: Firing): void;
  lost(count: number): void;
  /** True if anyone listens to margins. */
  readonly wantsMargins: boolean;
  /** Called with the margin of each decision, in cycles or shares. */
  margin(value: number): void;
  /** Called for every transition that is taken. `interrupts`: true if another one was running. */
  taken?(transition: TransitionView, interrupts: boolean): void;
}

/** Speed of a state, without its length. */
export function speedOf({ parameters }: MachineStep, view: MachineView, state: number): number {
  const { speed, speedParameter } = view.state(state);
  return f(speed * numberParameter(parameters, speedParameter, 1));
}

/** Seconds of a cycle at speed 1. */
export function lengthOf({ controller, parameters }: MachineStep, view: MachineView, state: number): number {
  const { flags, length } = view.state(state);
  return flags & STATE_CONSTANT_LENGTH ? length : stateLength(controller, view, state, parameters);
}

/** A movement that may still change. */
type Move = { -readonly [K in keyof Movement]: Movement[K] };

/** How far a state's clock goes in some seconds. */
export function movement(step: MachineStep, view: MachineView, state: number, from: Cycles, seconds: number): Move {
  const rate = f(speedOf(step, view, state) / lengthOf(step, view, state));
  return { from, move: toCycles(Math.abs(f(rate * seconds))), backward: rate < 0 };
}

/**
 * A clock's movement, to find the moments that it passes. All is in exact fixed point: a moment that one step does not
 * reach, the next one does. A clock moves by `move` (a magnitude), forwards or backwards. Distances are in time played.
 */
export interface Movement {
  readonly from: Cycles;
  readonly move: Cycles;
  readonly backward: boolean;
}

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
  const played = playedOf(from, backward);
  if (repeats) return distanceToPhase(played.phase, exit.phase);
  const distance = subtract(exit, played);
  return compareCycles(distance, ZERO_CYCLES) > 0 ? distance : undefined;
}

/** A clock as time played; a clock for a time played. Backwards it counts from the end. */
export function playedOf(clock: Cycles, backward: boolean): Cycles {
  return backward ? addCycles(negateCycles(clock), ONE) : clock;
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
