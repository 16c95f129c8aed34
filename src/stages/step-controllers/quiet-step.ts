import type { ControllerView, MachineView, StateView, TransitionView } from '../../controller/eval/controller-view.ts';
import {
  MACHINE_DYNAMIC_FIXED,
  MACHINE_ENTERED,
  MACHINE_FRESH,
  MACHINE_FROZEN,
  MACHINE_IN_TRANSITION,
  MACHINE_NEXT_ENTERED,
  MACHINE_NEXT_FRESH,
  MACHINE_STARTED,
  MachineState,
  TRANSITION_DYNAMIC,
} from '../../controller/eval/layout.ts';
import type { AnimatorMemory, CharacterParameters } from '../../controller/eval/memory.ts';
import { numberParameter, stateLength } from '../../controller/eval/motion.ts';
import { stateOffset } from '../../controller/eval/motion-list.ts';
import {
  CONTROLLER_LATCHED_EXIT,
  DESTINATION_SELECTOR,
  INDEX_NONE,
  STATE_CONSTANT_LENGTH,
  STATE_EVENTS,
  STATE_ROOT,
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_FIXED,
  TRANSITION_INTERRUPTION_SHIFT,
  TRANSITION_ORDERED,
  TRANSITION_REPEATS,
  TRANSITION_TO_SELF,
} from '../../controller/tables.ts';
import { wordOffsets } from '../../layout/index.ts';
import { roundHalfEven, type Cycles } from '../../math/cycles.ts';
import { isHeld, resolveDestination } from './conditions.ts';
import type { SubStep, SubStepSide } from './machine-update.ts';
import { momentsOf } from './quiet-moments.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;
const WORDS = /* @__PURE__ */ wordOffsets(MachineState);
/** Words of the first of a machine's two rows. */
const ROW = 4;

/** The character that is stepped. */
export interface QuietScope {
  readonly memory: AnimatorMemory;
  readonly parameters: CharacterParameters;
  controller: ControllerView;
  character: number;
  /** Triggers that the machine can see. */
  triggers: number;
  dt: number;
}

/** The current state of a machine or the next one, and how far its clock goes. */
class Side {
  state!: StateView;
  index = 0;
  cycles = 0;
  phase = 0.5;
  speed = 0.5;
  length = 0.5;
  /** A fraction of a cycle in 0.32 fixed point, forwards or backwards. */
  move = 0.5;
  backward = false;
  fresh = false;
  entered = false;

  /** Returns false if the clock goes a whole cycle or more. */
  set({ controller, parameters, dt }: QuietScope, machine: MachineView, index: number): boolean {
    const state = machine.state(index);
    const isConstant = (state.flags & STATE_CONSTANT_LENGTH) !== 0;
    [this.state, this.index] = [state, index];
    this.speed = f(state.speed * numberParameter(parameters, state.speedParameter, 1));
    this.length = isConstant ? state.length : stateLength(controller, machine, index, parameters);
    const rate = f(this.speed / this.length);
    const way = Math.abs(f(rate * dt));
    this.backward = rate < 0;
    if (!(way < 1)) return false;
    this.move = roundHalfEven(way * CYCLE);
    return this.move < CYCLE;
  }

  /** Returns true if the clock reaches an exit time, or has passed one that is latched. As `findTransition`. */
  exits({ exit, flags }: TransitionView, isLatched: boolean): boolean {
    if (this.fresh || this.move === 0) return false;
    let cycles = exit.cycles - this.cycles;
    let phase = exit.phase - this.phase;
    if (this.backward) {
      // time played is 1 − clock
      cycles = exit.cycles - 1 + this.cycles;
      phase = exit.phase + this.phase;
    }
    if (phase < 0) {
      phase += CYCLE;
      cycles--;
    } else if (phase >= CYCLE) {
      phase -= CYCLE;
      cycles++;
    }
    cycles |= 0;
    const isPassed = cycles < 0 || (cycles === 0 && phase === 0);
    if (isLatched && isPassed) return true;
    if (flags & TRANSITION_REPEATS) return phase !== 0 && phase <= this.move;
    return !isPassed && cycles === 0 && phase <= this.move;
  }

  /** Returns true if the clock passes a moment of its state, or is on one. */
  passes({ controller, parameters }: QuietScope, machine: number): boolean {
    const { state } = this;
    if (!(state.flags & STATE_EVENTS)) return false;
    const { looped, held } = state.moments ?? momentsOf(controller, machine, this.index, state);
    const start = this.backward ? this.phase - this.move : this.phase;
    const shift = looped.length === 0 || state.timeParameter !== INDEX_NONE ? 0 : stateOffset(state, parameters);
    return isWithin(looped, start + shift, this.move) || isWithin(held, start, this.move);
  }

  /** The clock after its movement. */
  write(words: Uint32Array, ints: Int32Array, at: number): void {
    let phase = this.backward ? this.phase - this.move : this.phase + this.move;
    let { cycles } = this;
    if (phase < 0) {
      phase += CYCLE;
      cycles--;
    } else if (phase >= CYCLE) {
      phase -= CYCLE;
      cycles++;
    }
    words[at] = phase;
    ints[at + 1] = cycles;
  }

  part(share: number): SubStepSide {
    const { index: state, backward, entered } = this;
    const from: Cycles = { cycles: this.cycles, phase: this.phase };
    const move: Cycles = { cycles: 0, phase: this.move };
    return { state, from, move, backward, share, entered, stay: { before: { cycles: 0, phase: 0 }, entered } };
  }
}

/** Returns true if a moment is between a phase and one that is `move` later, or on either. */
function isWithin(moments: Float64Array, start: number, move: number): boolean {
  for (let i = 0; i < moments.length; i++) {
    // exact: the sum is far below 2⁵³
    if ((((moments[i]! - start) % CYCLE) + CYCLE) % CYCLE <= move) return true;
  }
  return false;
}

/**
 * Updates in which nothing is decided: clocks move, a blend continues. Nearly all updates are like this. They allocate nothing, and
 * leave the memory as `stepMachine` does, bit by bit.
 */
export class QuietStep {
  readonly #current = new Side();
  readonly #next = new Side();
  #isBlending = false;
  #isFrozen = false;
  #progress = 0.5;

  /** Returns false, and changes nothing, where something is or may be decided. Then `stepMachine` has to do the update. */
  run(scope: QuietScope, index: number): boolean {
    const { memory, controller, character } = scope;
    const { words, ints, floats } = memory;
    const first = memory.machineWord(index, character, 0);
    const second = memory.machineWord(index, character, 1);
    const flags = words[first + WORDS.transitionAndFlags]! >>> 16;
    if (!(flags & MACHINE_STARTED)) return false;
    const machine = controller.machines[index]!;
    const [current, next] = [this.#current, this.#next];
    const states = words[first + WORDS.states]!;
    this.#isBlending = (flags & MACHINE_IN_TRANSITION) !== 0;
    this.#isFrozen = this.#isBlending && (flags & MACHINE_FROZEN) !== 0;
    current.phase = words[first + WORDS.currentPhase]!;
    current.cycles = ints[first + WORDS.currentCycles]!;
    current.fresh = (flags & MACHINE_FRESH) !== 0;
    current.entered = (flags & MACHINE_ENTERED) !== 0;
    if (!current.set(scope, machine, states & 0xffff)) return false;
    if (this.#isBlending) {
      next.phase = words[second + WORDS.nextPhase - ROW]!;
      next.cycles = ints[second + WORDS.nextCycles - ROW]!;
      next.fresh = (flags & MACHINE_NEXT_FRESH) !== 0;
      next.entered = (flags & MACHINE_NEXT_ENTERED) !== 0;
      if (!next.set(scope, machine, states >>> 16)) return false;
      const index = words[first + WORDS.transitionAndFlags]! & 0xffff;
      const active = index === TRANSITION_DYNAMIC ? undefined : controller.transition(index);
      const duration = active ? active.duration : floats[second + WORDS.duration - ROW]!;
      const isFixed = active ? (active.flags & TRANSITION_FIXED) !== 0 : (flags & MACHINE_DYNAMIC_FIXED) !== 0;
      const progress = words[second + WORDS.progress - ROW]!;
      const gain = this.#gain(scope.dt, duration, isFixed);
      if (gain >= CYCLE - progress) return false;
      this.#progress = progress + gain;
      if (this.#isFrozen) current.move = 0;
      if (this.#interrupts(scope, machine, active)) return false;
    } else if (this.#leaves(scope, machine)) return false;
    current.write(words, ints, first + WORDS.currentPhase);
    if (this.#isBlending) {
      next.write(words, ints, second + WORDS.nextPhase - ROW);
      words[second + WORDS.progress - ROW] = this.#progress;
    }
    const over = MACHINE_FRESH | MACHINE_NEXT_FRESH | (scope.dt > 0 ? this.#enteredFlags : 0);
    words[first + WORDS.transitionAndFlags] = words[first + WORDS.transitionAndFlags]! & ~(over << 16);
    return true;
  }

  get #enteredFlags(): number {
    return this.#isBlending ? MACHINE_ENTERED | MACHINE_NEXT_ENTERED : MACHINE_ENTERED;
  }

  /** Returns true if the last update may have passed an event, or has root motion. */
  needsPart(scope: QuietScope, index: number): boolean {
    if (!(scope.dt > 0)) return false;
    const isFirst = scope.controller.machines[index]!.layerIndex === 0;
    if (this.#sideNeedsPart(this.#current, scope, index, isFirst)) return true;
    return this.#isBlending && this.#sideNeedsPart(this.#next, scope, index, isFirst);
  }

  #sideNeedsPart(side: Side, scope: QuietScope, index: number, isFirst: boolean): boolean {
    return (isFirst && (side.state.flags & STATE_ROOT) !== 0) || side.passes(scope, index);
  }

  /** The last update as a part, for events and root motion. */
  part(seconds: number): SubStep {
    const progress = f(f(this.#progress) * 2 ** -32);
    const share = !this.#isBlending ? 1 : this.#isFrozen ? 0 : f(1 - progress);
    const next = this.#isBlending ? this.#next.part(progress) : undefined;
    return { elapsed: 0, seconds, current: this.#current.part(share), next };
  }

  /** How far the blend goes, in 0.32 fixed point; 2³² or more: it ends. */
  #gain(dt: number, duration: number, isFixed: boolean): number {
    if (!(duration > 0)) return CYCLE;
    const { speed, length } = this.#current;
    const size = Math.abs(speed);
    const rate = size === 0 ? f(1 / length) : f(size / length);
    const gain = isFixed ? f(dt / duration) : f(f(dt * rate) / duration);
    return gain < 1 ? roundHalfEven(gain * CYCLE) : CYCLE;
  }

  /** Returns true if a transition leaves the state: from any state, or from its own list. */
  #leaves(scope: QuietScope, { anyFirst, anyCount }: MachineView): boolean {
    const current = this.#current;
    const { transitionFirst, transitionCount } = current.state;
    return (
      this.#takes(scope, anyFirst, anyCount, current, current.index) ||
      this.#takes(scope, transitionFirst, transitionCount, current, current.index)
    );
  }

  #takes(scope: QuietScope, first: number, count: number, side: Side, self: number): boolean {
    for (let i = first; i < first + count; i++) if (isTaken(scope, i, side, self)) return true;
    return false;
  }

  /** Returns true if a transition interrupts the active one: see `findInterruption`. */
  #interrupts(scope: QuietScope, machine: MachineView, active: TransitionView | undefined): boolean {
    const flags = active ? active.flags : 0;
    const source = flags >> TRANSITION_INTERRUPTION_SHIFT;
    const any = this.#isFrozen ? this.#next : this.#current;
    const found = this.#scan(scope, machine.anyFirst, machine.anyCount, any, active);
    if (found !== NONE || source === 0 || source > 4) return found === TAKES;
    const isNextFirst = source === 2 || source === 4;
    const [one, other] = isNextFirst ? [this.#next, this.#current] : [this.#current, this.#next];
    const { transitionFirst, transitionCount } = one.state;
    const own = this.#scan(scope, transitionFirst, transitionCount, one, active);
    if (own !== NONE || source < 3) return own === TAKES;
    const { transitionFirst: otherFirst, transitionCount: otherCount } = other.state;
    return this.#scan(scope, otherFirst, otherCount, other, active) === TAKES;
  }

  /** Tests a list of transitions up to the active one, if that keeps out those after it. */
  #scan(scope: QuietScope, first: number, count: number, side: Side, active: TransitionView | undefined): number {
    for (let i = first; i < first + count; i++) {
      const isActive = active !== undefined && i === active.index;
      const isTested = !isActive || (active.flags & TRANSITION_ANY && active.flags & TRANSITION_TO_SELF);
      if (isTested && isTaken(scope, i, side, this.#next.index)) return TAKES;
      if (isActive && active.flags & TRANSITION_ORDERED) return ENDS;
    }
    return NONE;
  }
}

/** Answers for a list: a transition is taken; the search ends there; neither. */
const TAKES = 1;
const ENDS = 2;
const NONE = 0;

/** Returns true if a transition is taken. @param self The state that it must not lead to, if it does not lead to itself. */
function isTaken(scope: QuietScope, index: number, side: Side, self: number): boolean {
  const { controller, parameters, triggers } = scope;
  const transition = controller.transition(index);
  const { flags, destination } = transition;
  if (!isHeld(controller, transition.conditions, parameters, triggers)) return false;
  if (flags & TRANSITION_ANY && !(flags & TRANSITION_TO_SELF)) {
    const isPlain = (destination & DESTINATION_SELECTOR) === 0;
    const goal = isPlain ? destination : resolveDestination(controller, destination, parameters, triggers).state;
    if (goal === self) return false;
  }
  return !(flags & TRANSITION_EXIT) || side.exits(transition, (controller.flags & CONTROLLER_LATCHED_EXIT) !== 0);
}
