import type { MachineView, TransitionView } from '../../controller/eval/controller-view.ts';
import { TRANSITION_DYNAMIC } from '../../controller/eval/layout.ts';
import type { Machine } from '../../controller/eval/memory.ts';
import { progressOf } from '../../controller/eval/motion-list.ts';
import { TRANSITION_FIXED } from '../../controller/tables.ts';
import { addCycles, negateCycles, toCycles, ZERO_CYCLES, type Cycles } from '../../math/cycles.ts';
import { holds, resolveDestination } from './conditions.ts';
import { findInterruption, findTransition, type Found } from './find-transition.ts';
import { STEP_LIMIT } from './layout.ts';
import { lengthOf, moved, movement, speedOf, type MachineStep, type Stay } from './machine-update.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;

const ENTERED: Stay = { before: ZERO_CYCLES, entered: true };

/** Advances one machine of one character by dt seconds (f32): the loop of transitions, interruptions and clocks. */
// oxlint-disable-next-line max-lines-per-function
export function stepMachine(machine: Machine, step: MachineStep, dt: number): void {
  const { controller } = step;
  const view = controller.machines[step.index]!;
  startMachine(machine, step);
  let [currentStay, nextStay] = [machine.entered, machine.nextEntered].map((entered): Stay => ({
    before: ZERO_CYCLES,
    entered,
  })) as [Stay, Stay];
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
      : findTransition(machine, step, view, left, taken, currentStay.before);
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

  /** Moves both clocks by some seconds. A clock that crossed an exit time is exactly at it afterwards. */
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
          stay: currentStay,
        },
        next: next && {
          ...next,
          state: machine.next,
          share: progress,
          entered: machine.nextEntered,
          stay: nextStay,
        },
      });
      machine.entered = false;
      if (next) machine.nextEntered = false;
    }
    currentStay = { ...currentStay, before: addCycles(currentStay.before, current.move) };
    if (next) nextStay = { ...nextStay, before: addCycles(nextStay.before, next.move) };
    machine.currentClock = moved(current, current.move);
    if (next) machine.nextClock = moved(next, next.move);
    left = Math.max(0, f(left - seconds));
    elapsed = f(elapsed + seconds);
  }

  function begin(transition: TransitionView): void {
    const before = step.triggers;
    step.taken?.(transition, machine.inTransition);
    const own = holds(controller, transition.conditions, step.parameters, before);
    const { state, consumed } = resolveDestination(controller, transition.destination, step.parameters, before);
    step.triggers &= ~(own.consumed | consumed);
    step.consumed |= own.consumed | consumed;
    beginTransition(machine, step, view, state, transition.index, transition.offset);
    nextStay = ENTERED;
  }

  /** Continues the transition. Returns true if it ended and time may be left. */
  function blendOn(): boolean {
    const { duration, gain } = transitionGain(machine, step, view, left);
    const rest = CYCLE - machine.progress;
    const instant = duration <= 0;
    const whole = toCycles(gain);
    const ends = instant || whole.cycles > 0 || whole.phase >= rest;
    if (!instant) step.margin(Math.abs(gain - rest / CYCLE) / Math.max(1, gain));
    const share = instant ? 0 : gain === 0 ? 1 : Math.min(1, f(f(f(rest) * 2 ** -32) / gain));
    machine.progress = ends ? CYCLE : machine.progress + whole.phase;
    advance(ends ? f(share * left) : left);
    if (!ends) return false;
    complete(machine);
    currentStay = nextStay;
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

/** Cuts to a state, at a clock or at the state's beginning. */
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

/** Begins a transition to a state. If a transition is already running, its blend is frozen. */
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
/** The share of the transition that `seconds` are. */
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
