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
import { compareCycles, fromCycles, ZERO_CYCLES, type Cycles } from '../../math/cycles.ts';
import { isHeld, resolveDestination } from './conditions.ts';
import {
  distanceToExit,
  marginOf,
  movement,
  playedOf,
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

/** A machine in an update, and what it looks for. */
interface Search {
  readonly machine: Machine;
  readonly step: MachineStep;
  readonly view: MachineView;
  /** Seconds that are left. */
  readonly seconds: number;
  /** Transitions that this update has taken. */
  readonly taken: readonly number[];
}

/** A clock that exit times are tested on. */
interface TestedClock extends Movement {
  readonly fresh: boolean;
  readonly onNext: boolean;
  /** How far it has moved in this update already. */
  readonly before: Cycles;
}

function testedClock({ machine, step, view, seconds }: Search, onNext: boolean, before = ZERO_CYCLES): TestedClock {
  const [state, clock] = onNext ? [machine.next, machine.nextClock] : [machine.current, machine.currentClock];
  const tested = movement(step, view, state, clock, seconds);
  const still = !onNext && machine.inTransition && machine.frozen;
  const fresh = onNext ? machine.nextFresh : machine.fresh;
  return { ...tested, move: still ? ZERO_CYCLES : tested.move, fresh, onNext, before };
}

/**
 * Finds the first transition that leaves the current state: from any state, then from its own list.
 *
 * @param before How far the state's clock has moved in this update already.
 */
export function findTransition(search: Search, before: Cycles): Found | undefined {
  const { machine, view } = search;
  const clock = testedClock(search, false, before);
  const { transitionFirst, transitionCount } = view.state(machine.current);
  for (const index of [...range(view.anyFirst, view.anyCount), ...range(transitionFirst, transitionCount)]) {
    const found = test(search, index, clock, machine.current);
    if (found) return found;
  }
  return undefined;
}

/** By interruption source: the states with lists that may interrupt; true is the next one. */
const SOURCES: readonly (readonly boolean[])[] = [[], [false], [true], [false, true], [true, false]];

/** Scans the queue of lists that may interrupt the active transition. */
export function findInterruption(search: Search): Found | undefined {
  const { machine, step, view } = search;
  const active = machine.transition === TRANSITION_DYNAMIC ? undefined : step.controller.transition(machine.transition);
  const flags = active?.flags ?? 0;
  const listOf = (onNext: boolean) => {
    const { transitionFirst, transitionCount } = view.state(onNext ? machine.next : machine.current);
    return range(transitionFirst, transitionCount).map((index) => ({ index, onNext }));
  };
  const any = range(view.anyFirst, view.anyCount).map((index) => ({ index, onNext: machine.frozen }));
  const lists = (SOURCES[flags >> TRANSITION_INTERRUPTION_SHIFT] ?? []).flatMap(listOf);
  const clocks = [false, true].map((onNext) => testedClock(search, onNext));
  for (const { index, onNext } of [...any, ...lists]) {
    const isActive = index === active?.index;
    const isTested = !isActive || (flags & TRANSITION_ANY && flags & TRANSITION_TO_SELF);
    const found = isTested ? test(search, index, clocks[Number(onNext)]!, machine.next) : undefined;
    if (found) return found;
    if (isActive && flags & TRANSITION_ORDERED) return undefined;
  }
  return undefined;
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Tests if a transition is taken within `seconds`. */
function test({ step, seconds, taken }: Search, index: number, clock: TestedClock, self: number): Found | undefined {
  const { controller, parameters, triggers } = step;
  if (taken.includes(index)) return undefined;
  const transition = controller.transition(index);
  const { flags } = transition;
  if (!isHeld(controller, transition.conditions, parameters, triggers)) return undefined;
  if (flags & TRANSITION_ANY && !(flags & TRANSITION_TO_SELF)) {
    if (resolveDestination(controller, transition.destination, parameters, triggers).state === self) return undefined;
  }
  if (!(flags & TRANSITION_EXIT)) return { transition, used: 0, onNext: clock.onNext };
  if (clock.fresh || compareCycles(clock.move, ZERO_CYCLES) === 0) return undefined;
  if (compareCycles(clock.before, ZERO_CYCLES) > 0) step.margin(startMargin(clock, transition));
  if (controller.flags & CONTROLLER_LATCHED_EXIT) {
    const left = subtract(transition.exit, playedOf(clock.from, clock.backward));
    if (fromCycles(left) <= 0) return { transition, used: 0, onNext: clock.onNext };
  }
  const distance = distanceToExit(clock, transition.exit, (flags & TRANSITION_REPEATS) !== 0);
  if (!distance) return undefined;
  step.margin(marginOf(clock.move, distance));
  if (!reaches(clock.move, distance)) return undefined;
  return { transition, used: f(seconds * shareOf(distance, clock.move)), distance, onNext: clock.onNext };
}

/** Distance of a clock that has already moved to an exit time, which may be shortly before it or after it. */
function startMargin(clock: TestedClock, { exit, flags }: TransitionView): number {
  const apart = fromCycles(subtract(exit, playedOf(clock.from, clock.backward)));
  const nearest = flags & TRANSITION_REPEATS ? Math.abs(apart - Math.round(apart)) : Math.abs(apart);
  return nearest / Math.max(1, fromCycles(clock.before));
}
