import type { ClipView, ControllerView, LeafView, StateView } from '../../controller/eval/controller-view.ts';
import { evaluateMotion, type Parameters } from '../../controller/eval/motion.ts';
import { isMirrored, PHASE_END, stateOffset } from '../../controller/eval/motion-list.ts';
import {
  INDEX_NONE,
  LEAF_HELD,
  LEAF_LOOPS,
  LEAF_MIRROR,
  LEAF_REVERSED,
  LEAF_ROOT,
  STATE_ROOT,
} from '../../controller/tables.ts';
import type { Cycles } from '../../math/cycles.ts';
import { alignQuaternion, multiplyQuaternion, normalizeQuaternion } from '../../math/quaternion.ts';
import { moved, type Movement, type SubStep } from './machine-update.ts';

/** A rigid motion relative to its start: a rotation about the start, then a translation. */
export interface RootStep {
  readonly position: readonly number[];
  readonly rotation: readonly number[];
}

export const ROOT_STILL: RootStep = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };

const CYCLE = 2 ** 32;

/** Root motion of a part of an update: the weighted motions of the base layer's leaves. */
export function rootOf(controller: ControllerView, parameters: Parameters, { current, next }: SubStep): RootStep {
  const position = [0, 0, 0];
  const rotation = [0, 0, 0, 1];
  for (const side of [current, next]) {
    if (!side || side.share <= 0) continue;
    const state = controller.machines[0]!.state(side.state);
    if (!(state.flags & STATE_ROOT) || state.timeParameter !== INDEX_NONE) continue;
    const motion = controller.motion(state.motionRow)!;
    const { weights } = evaluateMotion(motion, parameters);
    const mirrored = isMirrored(state, parameters);
    motion.leaves.forEach((leaf, l) => {
      const weight = weights[l]! * side.share;
      if (weight <= 0 || !(leaf.flags & LEAF_ROOT) || leaf.flags & LEAF_HELD) return;
      const own = leafStep(controller.clip(leaf.clip), leaf, state, side, parameters);
      const mirror = mirrored !== ((leaf.flags & LEAF_MIRROR) !== 0);
      const step = mirror ? mirrorStep(own) : own;
      const turned = [...step.rotation];
      alignQuaternion(turned, [0, 0, 0, 1]);
      for (let c = 0; c < 3; c++) position[c]! += weight * step.position[c]!;
      // weight without root motion adds no movement
      for (let c = 0; c < 4; c++) rotation[c]! += weight * (turned[c]! - (c === 3 ? 1 : 0));
    });
  }
  normalizeQuaternion(rotation);
  return { position, rotation };
}

/** Root motion of a leaf in a movement of its clock, through all cycles that it passes. */
function leafStep(
  clip: ClipView,
  leaf: LeafView,
  state: StateView,
  movement: Movement,
  parameters: Parameters,
): RootStep {
  const { from: start, move, backward } = movement;
  const end = moved(movement, move);
  const [low, high] = backward ? [end, start] : [start, end];
  const reversed = (leaf.flags & LEAF_REVERSED) !== 0;
  const loops = (leaf.flags & LEAF_LOOPS) !== 0;
  const offset = loops ? leaf.offset + stateOffset(state, parameters) : 0;
  const place = (clock: Cycles): { wraps: number; phase: number } => {
    if (!loops) return { wraps: 0, phase: clock.cycles < 0 ? 0 : clock.cycles > 0 ? PHASE_END : clock.phase };
    const sum = clock.phase + (offset % CYCLE);
    return { wraps: clock.cycles + Math.floor(sum / CYCLE), phase: sum % CYCLE };
  };
  const [a, b] = [place(low), place(high)];
  // mirrored in time, the clip runs from 1 − high to 1 − low, and is undone
  const flip = (phase: number): number => (loops ? (CYCLE - phase) / CYCLE : 1 - phase / CYCLE);
  const [from, to, wraps] = reversed
    ? [flip(b.phase), flip(a.phase), b.wraps - a.wraps]
    : [a.phase / CYCLE, b.phase / CYCLE, b.wraps - a.wraps];
  const forward = stretch(clip, from, to, wraps);
  return backward !== reversed ? inverse(forward) : forward;
}

/** Root motion from one phase to another, with `wraps` ends of the clip between them. */
function stretch(clip: ClipView, from: number, to: number, wraps: number): RootStep {
  const begin = inverse(rootAt(clip, from));
  if (wraps === 0) return compose(begin, rootAt(clip, to));
  const first = compose(begin, rootAt(clip, 1));
  return compose(compose(first, power(rootAt(clip, 1), wraps - 1)), rootAt(clip, to));
}

function power(step: RootStep, exponent: number): RootStep {
  let result = ROOT_STILL;
  let square = step;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = compose(result, square);
    square = compose(square, square);
  }
  return result;
}

/** A clip's root motion from its start to a phase: straight lines between its knots. */
function rootAt({ root }: ClipView, phase: number): RootStep {
  const k = Math.max(
    0,
    root.findLastIndex((knot) => knot.phase <= phase),
  );
  const [a, b] = [root[k]!, root[k + 1] ?? root[k]!];
  const span = b.phase - a.phase;
  const share = span > 0 ? Math.min(1, Math.max(0, (phase - a.phase) / span)) : 0;
  const to = [...b.rotation];
  alignQuaternion(to, a.rotation);
  const rotation = a.rotation.map((q, c) => q * (1 - share) + to[c]! * share);
  normalizeQuaternion(rotation);
  return { position: a.position.map((p, c) => p * (1 - share) + b.position[c]! * share), rotation };
}

/** First a, then b relative to the end of a. */
export function compose(a: RootStep, b: RootStep): RootStep {
  const rotation = [0, 0, 0, 0];
  multiplyQuaternion(a.rotation, b.rotation, rotation);
  normalizeQuaternion(rotation);
  return { position: a.position.map((p, c) => p + rotate(a.rotation, b.position)[c]!), rotation };
}

function inverse({ position, rotation }: RootStep): RootStep {
  const back = [-rotation[0]!, -rotation[1]!, -rotation[2]!, rotation[3]!];
  return { position: rotate(back, position).map((p) => -p), rotation: back };
}

function mirrorStep({ position: [x, y, z], rotation: [qx, qy, qz, qw] }: RootStep): RootStep {
  return { position: [-x!, y!, z!], rotation: [qx!, -qy!, -qz!, qw!] };
}

/** v turned by a unit quaternion: v + 2 u × (u × v + w v). */
export function rotate(q: readonly number[], v: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const [vx, vy, vz] = v as [number, number, number];
  const [tx, ty, tz] = [y * vz - z * vy + w * vx, z * vx - x * vz + w * vy, x * vy - y * vx + w * vz];
  return [vx + 2 * (y * tz - z * ty), vy + 2 * (z * tx - x * tz), vz + 2 * (x * ty - y * tx)];
}
