import type { MachineView, TransitionView } from '../../controller/eval/controller-view.ts';
import { TRANSITION_DYNAMIC } from '../../controller/eval/layout.ts';
import type { Machine } from '../../controller/eval/memory.ts';
import { progressOf } from '../../controller/eval/motion-list.ts';
import { TRANSITION_FIXED } from '../../controller/tables.ts';
import { addCycles, toCycles, ZERO_CYCLES, type Cycles } from '../../math/cycles.ts';
import { holds, resolveDestination } from './conditions.ts';
import { findInterruption, findTransition, type Found } from './find-transition.ts';
import { STEP_LIMIT } from './layout.ts';
import {
  lengthOf,
  moved,
  movement,
  playedOf,
  speedOf,
  type MachineStep,
  type Movement,
  type Stay,
  type SubStepSide,
} from './machine-update.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;

/** Advances one machine of one character by dt seconds (f32). */
export function stepMachine(machine: Machine, step: MachineStep, dt: number): void {
  startMachine(machine, step);
  new MachineUpdate(machine, step, dt).run();
  machine.fresh = machine.nextFresh = false;
}

/** One update of a machine: the loop of transitions, interruptions and clocks. */
class MachineUpdate {
  readonly #machine: Machine;
  readonly #step: MachineStep;
  readonly #view: MachineView;
  #left: number;
  #elapsed = 0;
  #currentStay: Stay;
  #nextStay: Stay;

  constructor(machine: Machine, step: MachineStep, dt: number) {
    [this.#machine, this.#step, this.#view] = [machine, step, step.controller.machines[step.index]!];
    this.#left = dt;
    this.#currentStay = { before: ZERO_CYCLES, entered: machine.entered };
    this.#nextStay = { before: ZERO_CYCLES, entered: machine.nextEntered };
  }

  run(): void {
    const taken: number[] = [];
    for (let turns = 0; turns < STEP_LIMIT; turns++) {
      const found = this.#find(taken);
      if (found) {
        this.#advance(found.used, found);
        this.#begin(found.transition);
        taken.push(found.transition.index);
      } else if (!this.#machine.inTransition) break;
      else if (!this.#blendOn()) return;
    }
    this.#advance(this.#left);
  }

  /** @param taken Transitions that this update has taken: the last one is not interrupted before it has run. */
  #find(taken: readonly number[]): Found | undefined {
    const [machine, step, view] = [this.#machine, this.#step, this.#view];
    const search = { machine, step, view, seconds: this.#left, taken };
    if (!machine.inTransition) return findTransition(search, this.#currentStay.before);
    return taken.length > 0 ? undefined : findInterruption(search);
  }

  /** Moves both clocks by some seconds. A clock that crossed an exit time is exactly at it afterwards. */
  #advance(seconds: number, crossed?: Found): void {
    const [machine, step, view] = [this.#machine, this.#step, this.#view];
    const current = movement(step, view, machine.current, machine.currentClock, seconds);
    if (machine.inTransition && machine.frozen) current.move = ZERO_CYCLES;
    const next = machine.inTransition ? movement(step, view, machine.next, machine.nextClock, seconds) : undefined;
    if (crossed?.distance) {
      if (crossed.onNext) next!.move = crossed.distance;
      else current.move = crossed.distance;
    }
    if (seconds > 0) {
      const progress = progressOf(machine);
      const share = machine.inTransition ? (machine.frozen ? 0 : f(1 - progress)) : 1;
      const { entered, nextEntered } = machine;
      step.moved({
        elapsed: this.#elapsed,
        seconds,
        current: sideOf(current, machine.current, share, entered, this.#currentStay),
        next: next && sideOf(next, machine.next, progress, nextEntered, this.#nextStay),
      });
      machine.entered = false;
      if (next) machine.nextEntered = false;
    }
    this.#currentStay = movedStay(this.#currentStay, current.move);
    machine.currentClock = moved(current, current.move);
    if (next) {
      this.#nextStay = movedStay(this.#nextStay, next.move);
      machine.nextClock = moved(next, next.move);
    }
    this.#left = Math.max(0, f(this.#left - seconds));
    this.#elapsed = f(this.#elapsed + seconds);
  }

  #begin(transition: TransitionView): void {
    const [machine, step] = [this.#machine, this.#step];
    const { controller, parameters, triggers } = step;
    step.taken?.(transition, machine.inTransition);
    const own = holds(controller, transition.conditions, parameters, triggers);
    const { state, consumed } = resolveDestination(controller, transition.destination, parameters, triggers);
    consume(step, own.consumed | consumed);
    beginTransition(machine, step, this.#view, state, transition.index, transition.offset);
    this.#nextStay = { before: ZERO_CYCLES, entered: true };
  }

  /** Continues the transition. Returns true if it ended and time may be left. */
  #blendOn(): boolean {
    const [machine, step] = [this.#machine, this.#step];
    const { duration, gain } = transitionGain(machine, step, this.#view, this.#left);
    const rest = CYCLE - machine.progress;
    const instant = duration <= 0;
    const whole = toCycles(gain);
    const ends = instant || whole.cycles > 0 || whole.phase >= rest;
    if (!instant && step.wantsMargins) step.margin(Math.abs(gain - rest / CYCLE) / Math.max(1, gain));
    const share = instant ? 0 : gain === 0 ? 1 : Math.min(1, f(f(f(rest) * 2 ** -32) / gain));
    machine.progress = ends ? CYCLE : machine.progress + whole.phase;
    this.#advance(ends ? f(share * this.#left) : this.#left);
    if (!ends) return false;
    complete(machine);
    this.#currentStay = this.#nextStay;
    return true;
  }
}

function sideOf(
  { from, move, backward }: Movement,
  state: number,
  share: number,
  entered: boolean,
  stay: Stay,
): SubStepSide {
  return { from, move, backward, state, share, entered, stay };
}

function movedStay({ before, entered }: Stay, move: Cycles): Stay {
  return { before: addCycles(before, move), entered };
}

function consume(step: MachineStep, triggers: number): void {
  step.triggers &= ~triggers;
  step.consumed |= triggers;
}

/** A machine that has not run yet enters its first state. */
export function startMachine(machine: Machine, step: MachineStep): void {
  if (machine.started) return;
  const { entry } = step.controller.machines[step.index]!;
  const { state, consumed } = resolveDestination(step.controller, entry, step.parameters, step.triggers);
  consume(step, consumed);
  enterState(machine, step, state);
  machine.started = true;
}

function endTransition(machine: Machine): void {
  machine.next = machine.transition = machine.progress = machine.duration = 0;
  machine.inTransition = machine.frozen = machine.fixed = false;
  machine.nextFresh = machine.nextEntered = false;
  machine.nextClock = ZERO_CYCLES;
}

/** Cuts to a state, at a clock or at the state's beginning. */
export function enterState(machine: Machine, step: MachineStep, state: number, clock?: Cycles): void {
  const view = step.controller.machines[step.index]!;
  machine.current = state;
  machine.currentClock = clock ?? entryClock(step, view, state, ZERO_CYCLES);
  machine.fresh = machine.entered = true;
  endTransition(machine);
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
  endTransition(machine);
}

/** States that play backwards begin at their end. */
function entryClock(step: MachineStep, view: MachineView, state: number, clock: Cycles): Cycles {
  return playedOf(clock, speedOf(step, view, state) < 0);
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
