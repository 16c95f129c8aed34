import type { ControllerView, MachineView, TransitionView } from '../../animator/controller-view.ts';
import {
  distanceToExit,
  marginOf,
  moved,
  reaches,
  shareOf,
  subtract,
  type Movement,
} from '../../animator/crossings.ts';
import { TRANSITION_DYNAMIC } from '../../animator/layout.ts';
import type { Machine } from '../../animator/memory.ts';
import { numberParameter, stateLength, type Parameters } from '../../animator/motion.ts';
import { progressOf } from '../../animator/motion-list.ts';
import {
  CONTROLLER_LATCHED_EXIT,
  STATE_CONSTANT_LENGTH,
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_FIXED,
  TRANSITION_INTERRUPTION_SHIFT,
  TRANSITION_ORDERED,
  TRANSITION_REPEATS,
  TRANSITION_TO_SELF,
} from '../../asset/controller/tables.ts';
import {
  addCycles,
  compareCycles,
  fromCycles,
  negateCycles,
  toCycles,
  ZERO_CYCLES,
  type Cycles,
} from '../../shaders/cycles.ts';
import { holds, resolveDestination } from './conditions.ts';
import { STEP_LIMIT } from './layout.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;

/** A part of an update in which both clocks of a machine move and nothing is decided. */
export interface SubStep {
  /** Seconds since the update began, and that pass. */
  readonly elapsed: number;
  readonly seconds: number;
  readonly current: { readonly state: number; readonly share: number; readonly entered: boolean } & Movement;
  readonly next: ({ readonly state: number; readonly share: number; readonly entered: boolean } & Movement) | undefined;
}

/** What a machine's update needs of its character. */
export interface MachineStep {
  readonly controller: ControllerView;
  readonly index: number;
  readonly parameters: Parameters;
  /** Triggers that the machine can see; those that it uses up leave. */
  triggers: number;
  consumed: number;
  /** Freezes what the machine's layers show. */
  freeze(machine: Machine): void;
  /** Called for every part of the update. */
  moved(step: SubStep): void;
  /** Told how close each decision was, in cycles or shares. */
  margin(value: number): void;
}

/** Advances one machine of one character by dt seconds (f32): the loop of transitions, interruptions and clocks. */
export function stepMachine(machine: Machine, step: MachineStep, dt: number): void {
  const { controller } = step;
  const view = controller.machines[step.index]!;
  startMachine(machine, step);
  let left = dt;
  let elapsed = 0;
  let justStarted = false;
  const taken: number[] = [];

  let turns = 0;
  for (; turns < STEP_LIMIT; turns++) {
    const found = machine.inTransition
      ? justStarted
        ? undefined
        : findInterruption(machine, step, view, left, taken)
      : findTransition(machine, step, view, left, taken);
    if (found) {
      advance(found.used, found);
      begin(found.transition);
      taken.push(found.transition.index);
      justStarted = true;
    } else if (!machine.inTransition) {
      advance(left);
      break;
    } else if (!blendOn()) break;
  }
  if (turns === STEP_LIMIT) advance(left);
  machine.fresh = machine.nextFresh = false;

  /** Moves both clocks by some seconds; the clock that crossed an exit time stands on it afterwards. */
  function advance(seconds: number, crossed?: Found): void {
    const current = movement(step, view, machine.current, machine.currentClock, seconds);
    if (machine.inTransition && machine.frozen) current.move = ZERO_CYCLES;
    const next = machine.inTransition ? movement(step, view, machine.next, machine.nextClock, seconds) : undefined;
    if (crossed?.distance) {
      if (crossed.onNext) next!.move = crossed.distance;
      else current.move = crossed.distance;
    }
    if (seconds > 0) {
      const progress = progressOf(machine);
      step.moved({
        elapsed,
        seconds,
        current: {
          ...current,
          state: machine.current,
          share: machine.inTransition ? (machine.frozen ? 0 : f(1 - progress)) : 1,
          entered: machine.entered,
        },
        next: next && { ...next, state: machine.next, share: progress, entered: machine.nextEntered },
      });
      machine.entered = false;
      if (next) machine.nextEntered = false;
    }
    machine.currentClock = moved(current, current.move);
    if (next) machine.nextClock = moved(next, next.move);
    left = Math.max(0, f(left - seconds));
    elapsed = f(elapsed + seconds);
  }

  function begin(transition: TransitionView): void {
    const before = step.triggers;
    const own = holds(controller, transition.conditions, step.parameters, before);
    const { state, consumed } = resolveDestination(controller, transition.destination, step.parameters, before);
    step.triggers &= ~(own.consumed | consumed);
    step.consumed |= own.consumed | consumed;
    beginTransition(machine, step, view, state, transition.index, transition.offset);
  }

  /** Lets the transition go on; true when it ended and time may be left. */
  function blendOn(): boolean {
    const { duration, gain } = transitionGain(machine, step, view, left);
    const rest = CYCLE - machine.progress;
    const instant = duration <= 0;
    const whole = toCycles(gain);
    const ends = instant || whole.cycles > 0 || whole.phase >= rest;
    if (!instant) step.margin(Math.abs(gain - rest / CYCLE));
    const share = instant ? 0 : gain === 0 ? 1 : Math.min(1, f(f(f(rest) * 2 ** -32) / gain));
    machine.progress = ends ? CYCLE : machine.progress + whole.phase;
    advance(ends ? f(share * left) : left);
    if (!ends) return false;
    complete(machine);
    return true;
  }
}

/** A machine that has not run yet enters its first state. */
export function startMachine(machine: Machine, step: MachineStep): void {
  if (machine.started) return;
  const { entry } = step.controller.machines[step.index]!;
  const { state, consumed } = resolveDestination(step.controller, entry, step.parameters, step.triggers);
  step.triggers &= ~consumed;
  step.consumed |= consumed;
  enterState(machine, step, state);
  machine.started = true;
}

/** Cuts to a state, at a clock or where the state begins. */
export function enterState(machine: Machine, step: MachineStep, state: number, clock?: Cycles): void {
  const view = step.controller.machines[step.index]!;
  Object.assign(machine, {
    current: state,
    next: 0,
    transition: 0,
    inTransition: false,
    frozen: false,
    fresh: true,
    nextFresh: false,
    entered: true,
    nextEntered: false,
    currentClock: clock ?? entryClock(step, view, state, ZERO_CYCLES),
    nextClock: ZERO_CYCLES,
    progress: 0,
    duration: 0,
    fixed: false,
  });
}

/** Goes over to a state; what shows now is frozen if it is a blend already. */
export function beginTransition(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  state: number,
  transition: number,
  offset: Cycles,
): void {
  if (machine.inTransition) {
    step.freeze(machine);
    machine.frozen = true;
  }
  machine.next = state;
  machine.nextClock = entryClock(step, view, state, offset);
  machine.nextFresh = machine.nextEntered = true;
  machine.progress = 0;
  machine.transition = transition;
  machine.inTransition = true;
}

function complete(machine: Machine): void {
  machine.current = machine.next;
  machine.currentClock = machine.nextClock;
  machine.fresh = machine.nextFresh;
  machine.entered = machine.nextEntered;
  machine.nextFresh = machine.nextEntered = machine.inTransition = machine.frozen = false;
  machine.next = machine.transition = machine.progress = machine.duration = 0;
  machine.nextClock = ZERO_CYCLES;
  machine.fixed = false;
}

/** States that play backwards begin at their end. */
function entryClock(step: MachineStep, view: MachineView, state: number, clock: Cycles): Cycles {
  const backward = speedOf(step, view, state) < 0;
  return backward ? addCycles(negateCycles(clock), { cycles: 1, phase: 0 }) : clock;
}

function speedOf({ parameters }: MachineStep, view: MachineView, state: number): number {
  const { speed, speedParameter } = view.state(state);
  return f(speed * numberParameter(parameters, speedParameter, 1));
}

function lengthOf({ controller, parameters }: MachineStep, view: MachineView, state: number): number {
  const { flags, length } = view.state(state);
  return flags & STATE_CONSTANT_LENGTH ? length : stateLength(controller, view, state, parameters);
}

type Move = { -readonly [K in keyof Movement]: Movement[K] };

function movement(step: MachineStep, view: MachineView, state: number, from: Cycles, seconds: number): Move {
  const rate = f(speedOf(step, view, state) / lengthOf(step, view, state));
  return { from, move: toCycles(Math.abs(f(rate * seconds))), backward: rate < 0 };
}

/** How much of the transition so many seconds are. */
function transitionGain(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  seconds: number,
): { duration: number; gain: number } {
  const dynamic = machine.transition === TRANSITION_DYNAMIC;
  const record = dynamic ? undefined : step.controller.transition(machine.transition);
  const duration = record?.duration ?? machine.duration;
  const fixed = record ? (record.flags & TRANSITION_FIXED) !== 0 : machine.fixed;
  if (duration <= 0) return { duration, gain: 0 };
  if (fixed) return { duration, gain: f(seconds / duration) };
  const length = lengthOf(step, view, machine.current);
  const speed = Math.abs(speedOf(step, view, machine.current));
  const rate = speed === 0 ? f(1 / length) : f(speed / length);
  return { duration, gain: f(f(seconds * rate) / duration) };
}

/** A transition that is taken, and when. */
interface Found {
  readonly transition: TransitionView;
  /** Seconds until then. */
  readonly used: number;
  /** How far the clock has to go, where an exit time decided. */
  readonly distance?: Cycles;
  readonly onNext: boolean;
}

/** A clock that exit times are tested on. */
interface TestedClock extends Movement {
  readonly fresh: boolean;
  readonly onNext: boolean;
}

function testedClock(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  onNext: boolean,
  seconds: number,
): TestedClock {
  const [state, clock] = onNext ? [machine.next, machine.nextClock] : [machine.current, machine.currentClock];
  const tested = movement(step, view, state, clock, seconds);
  const still = !onNext && machine.inTransition && machine.frozen;
  return {
    ...tested,
    move: still ? ZERO_CYCLES : tested.move,
    fresh: onNext ? machine.nextFresh : machine.fresh,
    onNext,
  };
}

function findTransition(
  machine: Machine,
  step: MachineStep,
  view: MachineView,
  seconds: number,
  taken: readonly number[],
): Found | undefined {
  const clock = testedClock(machine, step, view, false, seconds);
  const self = machine.current;
  const { transitionFirst, transitionCount } = view.state(self);
  for (const index of [...range(view.anyFirst, view.anyCount), ...range(transitionFirst, transitionCount)]) {
    const found = test(step, index, clock, self, seconds, taken);
    if (found) return found;
  }
  return undefined;
}

/** Scans the queue of lists that may interrupt the active transition. */
function findInterruption(
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

/** Whether a transition is taken in the seconds to come. */
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
