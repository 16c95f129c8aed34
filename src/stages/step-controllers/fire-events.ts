import type { LeafView, StateView } from '../../controller/eval/controller-view.ts';
import { evaluateMotion } from '../../controller/eval/motion.ts';
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
import {
  cyclesFloat,
  distanceToPhase,
  marginOf,
  reaches,
  shareOf,
  subtract,
  type MachineStep,
  type Movement,
  type SubStep,
} from './machine-update.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;

/** An event that is due. */
export interface Firing {
  readonly layer: number;
  readonly id: number;
  /** Seconds since the update began. */
  readonly time: number;
  readonly weight: number;
  readonly fromNext: boolean;
}

type Side = SubStep['current'];

/** Finds the events that a part of an update passes, from both sides of a transition. */
export function fireEvents(
  step: MachineStep,
  { current, next, elapsed, seconds }: SubStep,
  fire: (firing: Firing) => void,
  lost: (count: number) => void,
): void {
  const { controller, parameters } = step;
  for (const side of [current, next]) {
    if (!side || side.share <= 0) continue;
    const machine = controller.machines[step.index]!;
    const state = machine.state(side.state);
    if (!(state.flags & STATE_EVENTS)) continue;
    controller.layers.forEach((layer, index) => {
      const weight = layerWeight(controller, index, parameters);
      if (!((machine.layers >>> index) & 1) || weight <= 0) return;
      const motion = controller.motion(layer.motionRow(side.state));
      if (!motion) return;
      const { weights } = evaluateMotion(motion, parameters);
      motion.leaves.forEach((leaf, l) => {
        const share = f(f(weights[l]! * side.share) * weight);
        if (!(leaf.flags & LEAF_EVENTS) || share <= 0) return;
        for (const { at, id } of controller.clip(leaf.clip).events) {
          if (isOutweighed(weights, l, state.rivals(index, l, id), step)) continue;
          const { first, passed, count } = crossings(step, leaf, state, side, at);
          for (let n = passed; n < Math.min(count, EVENT_REPEATS); n++) {
            const distance = subtract(addCycles(first, { cycles: n, phase: 0 }), side.stay.before);
            const time = f(elapsed + f(seconds * timeShare(distance, side.move)));
            fire({ layer: index, id, time, weight: share, fromNext: side === next });
          }
          if (count > EVENT_REPEATS) lost(count - Math.max(passed, EVENT_REPEATS));
        }
      });
    });
  }
}

/** True if one of a leaf's rivals, a bit each, is heavier. At equal weights the first counts. */
function isOutweighed(weights: readonly number[], leaf: number, rivals: number, step: MachineStep): boolean {
  const own = weights[leaf]!;
  return weights.some((weight, other) => {
    if (((rivals >>> other) & 1) === 0) return false;
    step.margin(Math.abs(weight - own));
    return weight > own || (weight === own && other < leaf);
  });
}

function timeShare(distance: Cycles, move: Cycles): number {
  return cyclesFloat(move) === 0 ? 0 : Math.min(1, shareOf(distance, move));
}

/**
 * Crossings of an event by a leaf since its state's stay in this update began. `passed`: number before this part of the
 * update. `count`: number including it. `first`: distance to the first crossing; the others follow a cycle apart.
 */
function crossings(
  step: MachineStep,
  { flags, offset }: LeafView,
  state: StateView,
  { from, move, backward, entered, stay }: Side,
  at: Cycles,
): { first: Cycles; passed: number; count: number } {
  if (flags & LEAF_HELD) return { first: ZERO_CYCLES, passed: 0, count: 0 };
  const reversed = (flags & LEAF_REVERSED) !== 0;
  const loops = (flags & LEAF_LOOPS) !== 0;
  const timed = state.timeParameter !== INDEX_NONE;
  const start = backward ? addCycles(from, stay.before) : subtract(from, stay.before);
  const phase = (start.phase + offset + (timed ? 0 : stateOffset(state, step.parameters))) % CYCLE;
  const isBegin = compareCycles(at, ZERO_CYCLES) === 0;
  const standsOnIt = loops ? phase === 0 : compareCycles(start, ZERO_CYCLES) === 0;
  const begins = isBegin && stay.entered && !reversed && !backward && standsOnIt;
  const distance = loops
    ? loopDistance(phase, at.phase, backward, reversed)
    : distanceInOne({ from: start, move, backward }, reversed ? subtract({ cycles: 1, phase: 0 }, at) : at);
  const isAhead = compareCycles(distance, ZERO_CYCLES) > 0;
  const timesIn = (way: Cycles): number =>
    isAhead && reaches(way, distance) ? (loops ? 1 + subtract(way, distance).cycles : 1) : 0;
  const whole = addCycles(stay.before, move);
  if (isAhead) step.margin(marginOf(whole, distance));
  if (isAhead && compareCycles(stay.before, ZERO_CYCLES) > 0) step.margin(marginOf(stay.before, distance));
  const [passed, count] = [timesIn(stay.before), timesIn(whole)];
  if (begins) return { first: ZERO_CYCLES, passed: passed + Number(!entered), count: count + 1 };
  return { first: distance, passed, count };
}

/** Distance, in time played, to the next return of the event's phase in the leaf's own phase. */
function loopDistance(phase: number, event: number, backward: boolean, reversed: boolean): Cycles {
  const start = backward ? (CYCLE - phase) % CYCLE : phase;
  const target = backward !== reversed ? (CYCLE - event) % CYCLE : event;
  return distanceToPhase(start, target);
}

/** Distance in a clip that does not loop; 0 or less if the event has been passed. */
function distanceInOne({ from, backward }: Movement, at: Cycles): Cycles {
  return backward ? subtract(from, at) : subtract(at, from);
}
