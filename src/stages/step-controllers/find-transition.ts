import type { MachineView, TransitionView } from '../../controller/eval/controller-view.ts';
import { TRANSITION_DYNAMIC } from '../../controller/eval/layout.ts';
import type { Machine } from '../../controller/eval/memory.ts';
import {
  CONTROLLER_LATCHED_EXIT,
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_INTERRUPTION_SHIFT,
  TRANSITION_ORDERED,
  TRANSITION_REPEATS,
  TRANSITION_TO_SELF,
} from '../../controller/tables.ts';
import { addCycles, compareCycles, fromCycles, negateCycles, ZERO_CYCLES, type Cycles } from '../../math/cycles.ts';
import { holds, resolveDestination } from './conditions.ts';
import {
  distanceToExit,
  marginOf,
  movement,
  reaches,
  shareOf,
  subtract,
  type MachineStep,
  type Movement,
} from './machine-update.ts';

const f = Math.fround;

/** A transition that is taken, and its time. */
export interface Found {
  readonly transition: TransitionView;
  /** Seconds until it is taken. */
  readonly used: number;
  /** How far the clock has to go to the exit time; undefined if no exit time decided. */
  readonly distance?: Cycles;
  readonly onNext: boolean;
}

/** A clock that exit times are tested on. */
interface TestedClock extends Movement {
  readonly fresh: boolean;
  readonly onNext: boolean;
  /** How far it has moved in this update already. */
  readonly before: Cycles;
}

function testedClock(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  onNext: boolean,
  seconds: number,
  before: Cycles = ZERO_CYCLES,
): TestedClock {
  const [state, clock] = onNext ? [machine.next, machine.nextClock] : [machine.current, machine.currentClock];
  const tested = movement(step, view, state, clock, seconds);
  const still = !onNext && machine.inTransition && machine.frozen;
  return {
    ...tested,
    move: still ? ZERO_CYCLES : tested.move,
    fresh: onNext ? machine.nextFresh : machine.fresh,
    onNext,
    before,
  };
}

/**
 * Finds the first transition that leaves the current state: from any state, then from its own list.
 *
 * @param before How far the state's clock has moved in this update already.
 */
export function findTransition(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  seconds: number,
  taken: readonly number[],
  before: Cycles,
): Found | undefined {
  const clock = testedClock(machine, step, view, false, seconds, before);
  const self = machine.current;
  const { transitionFirst, transitionCount } = view.state(self);
  for (const index of [...range(view.anyFirst, view.anyCount), ...range(transitionFirst, transitionCount)]) {
    const found = test(step, index, clock, self, seconds, taken);
    if (found) return found;
  }
  return undefined;
}

/** Scans the queue of lists that may interrupt the active transition. */
export function findInterruption(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  seconds: number,
  taken: readonly number[],
): Found | undefined {
  const active = machine.transition === TRANSITION_DYNAMIC ? undefined : step.controller.transition(machine.transition);
  const source = (active?.flags ?? 0) >> TRANSITION_INTERRUPTION_SHIFT;
  const listOf = (onNext: boolean) => {
    const { transitionFirst, transitionCount } = view.state(onNext ? machine.next : machine.current);
    return range(transitionFirst, transitionCount).map((index) => ({ index, onNext }));
  };
  const [current, next] = [() => listOf(false), () => listOf(true)];
  const lists = [[], [current], [next], [current, next], [next, current]][source] ?? [];
  const any = range(view.anyFirst, view.anyCount).map((index) => ({ index, onNext: machine.frozen }));
  const clocks = [false, true].map((onNext) => testedClock(machine, step, view, onNext, seconds));
  for (const { index, onNext } of [...any, ...lists.flatMap((list) => list())]) {
    const clock = clocks[Number(onNext)]!;
    if (active && index === active.index) {
      if (active.flags & TRANSITION_ANY && active.flags & TRANSITION_TO_SELF) {
        const again = test(step, index, clock, machine.next, seconds, taken);
        if (again) return again;
      }
      if (active.flags & TRANSITION_ORDERED) return undefined;
      continue;
    }
    const found = test(step, index, clock, machine.next, seconds, taken);
    if (found) return found;
  }
  return undefined;
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Tests if a transition is taken within `seconds`. */
function test(
  step: MachineStep,
  index: number,
  clock: TestedClock,
  self: number,
  seconds: number,
  taken: readonly number[],
): Found | undefined {
  const { controller, parameters, triggers } = step;
  if (taken.includes(index)) return undefined;
  const transition = controller.transition(index);
  const { flags } = transition;
  if (!holds(controller, transition.conditions, parameters, triggers).held) return undefined;
  if (flags & TRANSITION_ANY && !(flags & TRANSITION_TO_SELF)) {
    if (resolveDestination(controller, transition.destination, parameters, triggers).state === self) return undefined;
  }
  if (!(flags & TRANSITION_EXIT)) return { transition, used: 0, onNext: clock.onNext };
  if (clock.fresh || compareCycles(clock.move, ZERO_CYCLES) === 0) return undefined;
  if (compareCycles(clock.before, ZERO_CYCLES) > 0) step.margin(startMargin(clock, transition));
  if (controller.flags & CONTROLLER_LATCHED_EXIT) {
    const played = clock.backward ? addCycles(negateCycles(clock.from), { cycles: 1, phase: 0 }) : clock.from;
    const distance = subtract(transition.exit, played);
    if (fromCycles(distance) <= 0) return { transition, used: 0, onNext: clock.onNext };
  }
  const distance = distanceToExit(clock, transition.exit, (flags & TRANSITION_REPEATS) !== 0);
  if (!distance) return undefined;
  step.margin(marginOf(clock.move, distance));
  if (!reaches(clock.move, distance)) return undefined;
  return { transition, used: f(seconds * shareOf(distance, clock.move)), distance, onNext: clock.onNext };
}

/** Distance of a clock that has already moved to an exit time, which may be shortly before it or after it. */
function startMargin(clock: TestedClock, { exit, flags }: TransitionView): number {
  const played = clock.backward ? addCycles(negateCycles(clock.from), { cycles: 1, phase: 0 }) : clock.from;
  const apart = fromCycles(subtract(exit, played));
  const nearest = flags & TRANSITION_REPEATS ? Math.abs(apart - Math.round(apart)) : Math.abs(apart);
  return nearest / Math.max(1, fromCycles(clock.before));
}
