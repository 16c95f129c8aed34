import type { LeafView, StateView } from '../../controller/eval/controller-view.ts';
import { MotionWeights } from '../../controller/eval/motion.ts';
import { layerWeight, stateOffset } from '../../controller/eval/motion-list.ts';
import {
  INDEX_NONE,
  LEAF_EVENTS,
  LEAF_HELD,
  LEAF_LOOPS,
  LEAF_REVERSED,
  STATE_EVENTS,
} from '../../controller/tables.ts';
import { addCycles, compareCycles, ZERO_CYCLES, type Cycles } from '../../math/cycles.ts';
import { EVENT_REPEATS } from './layout.ts';
import { cyclesFloat, marginOf, shareOf, subtract, type MachineStep, type SubStep } from './machine-update.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;

type Side = SubStep['current'];

/** Finds the events that a part of an update passes, from both sides of a transition. */
export function fireEvents(step: MachineStep, part: SubStep): void {
  fireSide(step, part, part.current, false);
  if (part.next) fireSide(step, part, part.next, true);
}

function fireSide(step: MachineStep, { elapsed, seconds }: SubStep, side: Side, fromNext: boolean): void {
  const { controller, parameters } = step;
  const machine = controller.machines[step.index]!;
  const state = machine.state(side.state);
  if (side.share <= 0 || !(state.flags & STATE_EVENTS)) return;
  for (let index = 0; index < controller.layers.length; index++) {
    const weight = layerWeight(controller, index, parameters);
    if (!((machine.layers >>> index) & 1) || weight <= 0) continue;
    const motion = controller.motion(controller.layers[index]!.motionRow(side.state));
    if (!motion) continue;
    evaluated.evaluate(motion, parameters);
    const { weights } = evaluated;
    for (let l = 0; l < motion.leaves.length; l++) {
      const leaf = motion.leaves[l]!;
      const share = f(f(weights[l]! * side.share) * weight);
      if (!(leaf.flags & LEAF_EVENTS) || share <= 0) continue;
      for (const { at, id } of controller.clip(leaf.clip).events) {
        if (isOutweighed(weights, motion.leaves.length, l, state.rivals(index, l, id), step)) continue;
        findCrossings(step, leaf, state, side, at);
        const { passed, count } = crossings;
        for (let n = passed; n < Math.min(count, EVENT_REPEATS); n++) {
          const first = { cycles: crossings.cycles + n, phase: crossings.phase };
          const distance = subtract(first, side.stay.before);
          const time = f(elapsed + f(seconds * timeShare(distance, side.move)));
          step.fire({ layer: index, id, time, weight: share, fromNext });
        }
        if (count > EVENT_REPEATS) step.lost(count - Math.max(passed, EVENT_REPEATS));
      }
    }
  }
}

const evaluated = new MotionWeights();

/** True if one of a leaf's rivals, a bit each, is heavier. At equal weights the first counts. */
function isOutweighed(weights: Float64Array, count: number, leaf: number, rivals: number, step: MachineStep): boolean {
  if (rivals === 0) return false;
  const own = weights[leaf]!;
  for (let other = 0; other < count; other++) {
    if (((rivals >>> other) & 1) === 0) continue;
    const weight = weights[other]!;
    if (step.wantsMargins) step.margin(Math.abs(weight - own));
    if (weight > own || (weight === own && other < leaf)) return true;
  }
  return false;
}

function timeShare(distance: Cycles, move: Cycles): number {
  return cyclesFloat(move) === 0 ? 0 : Math.min(1, shareOf(distance, move));
}

/**
 * Crossings of an event by a leaf since its state's stay in this update began: of the last one that was looked at. `passed`: number
 * before this part of the update. `count`: number including it. `cycles` and `phase`: distance to the first crossing; the others
 * follow a cycle apart.
 */
const crossings = { cycles: 0, phase: 0.5, passed: 0, count: 0 };

function findCrossings(
  step: MachineStep,
  { flags, offset }: LeafView,
  state: StateView,
  { from, move, backward, entered, stay }: Side,
  at: Cycles,
): void {
  crossings.cycles = crossings.phase = crossings.passed = crossings.count = 0;
  if (flags & LEAF_HELD) return;
  const reversed = (flags & LEAF_REVERSED) !== 0;
  const loops = (flags & LEAF_LOOPS) !== 0;
  const timed = state.timeParameter !== INDEX_NONE;
  const { before } = stay;
  const start = before.cycles === 0 && before.phase === 0 ? from : backward ? addCycles(from, before) : subtract(from, before); // prettier-ignore
  const phase = (start.phase + offset + (timed ? 0 : stateOffset(state, step.parameters))) % CYCLE;
  if (loops) setLoopDistance(phase, at.phase, backward, reversed);
  else setDistanceInOne(start, at, backward, reversed);
  const isAhead = crossings.cycles > 0 || (crossings.cycles === 0 && crossings.phase > 0);
  const whole = addCycles(before, move);
  if (isAhead && step.wantsMargins) {
    step.margin(marginOf(whole, crossings));
    if (compareCycles(before, ZERO_CYCLES) > 0) step.margin(marginOf(before, crossings));
  }
  crossings.passed = isAhead ? timesIn(before, loops) : 0;
  crossings.count = isAhead ? timesIn(whole, loops) : 0;
  const standsOnIt = loops ? phase === 0 : start.cycles === 0 && start.phase === 0;
  const isBegin = at.cycles === 0 && at.phase === 0;
  if (!(isBegin && stay.entered && !reversed && !backward && standsOnIt)) return;
  crossings.cycles = crossings.phase = 0;
  crossings.passed += Number(!entered);
  crossings.count++;
}

/** How often a way passes the event, the first time after the distance in `crossings`. */
function timesIn({ cycles, phase }: Cycles, loops: boolean): number {
  const rest = cycles - crossings.cycles - Number(phase < crossings.phase);
  return rest < 0 ? 0 : loops ? 1 + rest : 1;
}

/** Distance, in time played, to the next return of the event's phase in the leaf's own phase: a cycle at most, never 0. */
function setLoopDistance(phase: number, event: number, backward: boolean, reversed: boolean): void {
  const start = backward ? (CYCLE - phase) % CYCLE : phase;
  const target = backward !== reversed ? (CYCLE - event) % CYCLE : event;
  crossings.phase = (target - start + CYCLE) % CYCLE;
  crossings.cycles = Number(crossings.phase === 0);
}

/** Distance in a clip that does not loop; 0 or less if the event has been passed. */
function setDistanceInOne(start: Cycles, at: Cycles, backward: boolean, reversed: boolean): void {
  const target = reversed ? subtract({ cycles: 1, phase: 0 }, at) : at;
  const { cycles, phase } = backward ? subtract(start, target) : subtract(target, start);
  crossings.cycles = cycles;
  crossings.phase = phase;
}
