import type { RootMotionModel } from '../../character/model.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { Bindings, JointBinding } from './bindings.ts';
import { float32, floatBelow, type KeyBudget, rotationError } from './fit.ts';
import { type Signal, withEnds } from './signal.ts';

/** Which parts of the motion stay in the pose instead of moving the character (`m_LoopBlend…` in Unity). */
export interface BakedParts {
  readonly orientation: boolean;
  readonly positionY: boolean;
  readonly positionXZ: boolean;
}

/** The character's motion since the clip's beginning, at a time: a rotation and a position. */
export interface RootSignal {
  readonly knots: readonly number[];
  readonly movesFrom: readonly boolean[];
  readonly turns: boolean;
  /** Writes rotation (4), position (3), and both derivatives (4 + 3). */
  sample(time: number, side: -1 | 1, out: Float64Array): void;
}

/**
 * The motion of a clip's root curves, without the parts baked into the pose. It is a rigid motion of the whole
 * character, which carries the root from its first place to its current one.
 */
export function rootSignal(bindings: Bindings, start: number, baked: BakedParts): RootSignal | undefined {
  const position = bindings.rootPosition;
  const rotation = baked.orientation ? undefined : bindings.rootRotation;
  const movesFrom = [!baked.positionXZ, !baked.positionY, !baked.positionXZ];
  if (!rotation && !(position && movesFrom.includes(true))) return undefined;
  const [p, q] = [new Float64Array(6), new Float64Array(8)];
  const begin = { p: new Float64Array(6), q: new Float64Array([0, 0, 0, 1, 0, 0, 0, 0]) };
  position?.sample(start, 1, begin.p);
  rotation?.sample(start, 1, begin.q);
  const back = [-begin.q[0]!, -begin.q[1]!, -begin.q[2]!, begin.q[3]!];
  const origin = movesFrom.map((moves, c) => (moves ? begin.p[c]! : 0));
  const [turn, rate] = [new Float64Array(4), new Float64Array(4)];
  return {
    knots: [...(position?.knots ?? []), ...(rotation?.knots ?? [])],
    movesFrom: movesFrom.map((moves) => moves && position !== undefined),
    turns: rotation !== undefined,
    sample(time, side, out) {
      position?.sample(time, side, p);
      turn.set([0, 0, 0, 1]);
      rate.fill(0);
      if (rotation) {
        rotation.sample(time, side, q);
        multiplyQuaternion(q, back, turn);
        multiplyQuaternion(q.subarray(4), back, rate);
      }
      const [moved, speed] = rotated(turn, rate, origin, [0, 0, 0]);
      out.set(turn);
      out.set(rate, 7);
      for (let c = 0; c < 3; c++) {
        out[4 + c] = (movesFrom[c] ? p[c]! : 0) - moved[c]!;
        out[11 + c] = (movesFrom[c] ? p[3 + c]! : 0) - speed[c]!;
      }
    },
  };
}

/** q v q⁻¹ and its derivative, for a unit q. */
function rotated(q: Float64Array, dq: Float64Array, v: readonly number[], dv: readonly number[]): [number[], number[]] {
  const conjugate = (r: Float64Array) => [-r[0]!, -r[1]!, -r[2]!, r[3]!];
  const product = (...factors: readonly ArrayLike<number>[]) => {
    const out = Array.from(factors[0]!);
    for (const factor of factors.slice(1)) multiplyQuaternion(out, factor, out);
    return out;
  };
  const pure = [...v, 0];
  const back = conjugate(q);
  const [first, second] = [product(dq, pure, back), product(q, [...dv, 0], back)];
  const third = product(q, pure, conjugate(dq));
  return [product(q, pure, back).slice(0, 3), [0, 1, 2].map((c) => first[c]! + second[c]! + third[c]!)];
}

/**
 * The path of the joint that carries the motion in its own curves. Of those that follow it, the one with the fewest
 * parents.
 */
export function findRootPath(root: RootSignal, { joints }: Bindings, start: number, stop: number): string | undefined {
  const paths = [...new Set(joints.map(({ path }) => path))].sort((a, b) => depth(a) - depth(b));
  // far more than enough to find the right curve
  return paths.slice(0, 64).find((path) => follows(path, root, joints, start, stop));
}

function depth(path: string): number {
  return path === '' ? -1 : path.split('/').length;
}

const SAMPLES = 32;

function follows(path: string, root: RootSignal, joints: Bindings['joints'], start: number, stop: number): boolean {
  const of = (channel: JointBinding['channel']) =>
    joints.find((joint) => joint.path === path && joint.channel === channel)?.signal;
  const [translation, rotation] = [of('translation'), of('rotation')];
  const out = new Float64Array(14);
  const [p, q] = [new Float64Array(6), new Float64Array(8)];
  const [p0, q0] = [new Float64Array(6), new Float64Array(8)];
  translation?.sample(start, 1, p0);
  rotation?.sample(start, 1, q0);
  let [reach, turn, missed, misturned] = [0, 0, 0, 0];
  for (let i = 1; i <= SAMPLES; i++) {
    const time = start + ((stop - start) * i) / SAMPLES;
    root.sample(time, 1, out);
    const [carried] = rotated(out.subarray(0, 4), new Float64Array(4), Array.from(p0.subarray(0, 3)), [0, 0, 0]);
    translation?.sample(time, 1, p);
    for (let c = 0; c < 3; c++) {
      if (!root.movesFrom[c]) continue;
      reach = Math.max(reach, Math.abs(out[4 + c]!));
      missed = Math.max(missed, Math.abs(carried[c]! + out[4 + c]! - p[c]!));
    }
    turn = Math.max(turn, rotationError(out, [0, 0, 0, 1]));
    if (!rotation) continue;
    rotation.sample(time, 1, q);
    const wanted = [0, 0, 0, 0];
    multiplyQuaternion(out.subarray(0, 4), q0.subarray(0, 4), wanted);
    misturned = Math.max(misturned, rotationError(wanted, q));
  }
  const [moves, turns] = [reach > 1e-6, turn > 1e-4];
  if (moves && (!translation || missed > 1e-3 * reach + 1e-5)) return false;
  if (turns && (!rotation || misturned > 2e-3)) return false;
  return moves || turns;
}

/** A joint's signal without the root's motion, which moves the character itself. */
export function withoutRoot(signal: Signal, root: RootSignal, start: number, stop: number): Signal {
  const motion = new Float64Array(14);
  const back = { q: new Float64Array(4), dq: new Float64Array(4) };
  const knots = withEnds([...signal.knots, ...root.knots.filter((time) => time > start && time < stop)], start, stop);
  const isCubic = signal.isCubic && !root.turns;
  return {
    ...signal,
    knots,
    isCubic,
    sample(time, side, out) {
      signal.sample(time, side, out);
      root.sample(time, side, motion);
      for (let c = 0; c < 4; c++) {
        const flip = c < 3 ? -1 : 1;
        back.q[c] = flip * motion[c]!;
        back.dq[c] = flip * motion[7 + c]!;
      }
      if (signal.isRotation) {
        const [value, slope, other] = [out.slice(0, 4), out.slice(4, 8), out.slice(0, 4)];
        multiplyQuaternion(back.q, value, value);
        multiplyQuaternion(back.q, slope, slope);
        multiplyQuaternion(back.dq, other, other);
        out.set(value);
        for (let c = 0; c < 4; c++) out[4 + c] = slope[c]! + other[c]!;
        return;
      }
      const offset = [0, 1, 2].map((c) => out[c]! - motion[4 + c]!);
      const speed = [0, 1, 2].map((c) => out[3 + c]! - motion[11 + c]!);
      const [value, slope] = root.turns ? rotated(back.q, back.dq, offset, speed) : [offset, speed];
      out.set(value);
      out.set(slope, 3);
    },
  };
}

/** As far as straight lines between keys may be from the motion. */
const ROOT_TOLERANCE = { position: 1e-4, rotation: 5e-4 } as const;

/** The motion as keys, with straight lines between them. */
export function rootKeys(root: RootSignal, start: number, stop: number, budget: KeyBudget): RootMotionModel {
  const times: number[] = [];
  const values: Float64Array[] = [];
  const at = (time: number, side: -1 | 1) => {
    const out = new Float64Array(14);
    root.sample(time, side, out);
    return out;
  };
  const put = (seconds: number, value: Float64Array) => {
    if (times.length > 0 && seconds <= times.at(-1)!) values[values.length - 1] = value;
    else {
      times.push(seconds);
      values.push(value);
    }
  };
  const fill = (t0: number, v0: Float64Array, t1: number, v1: Float64Array) => {
    const middle = (t0 + t1) / 2;
    if (t1 - t0 < 1e-6 * Math.max(1, Math.abs(middle))) return;
    const isClose = [1 / 4, 1 / 2, 3 / 4].every((s) => isBetween(v0, v1, s, at(t0 + s * (t1 - t0), 1)));
    if (isClose) return;
    budget.add();
    const value = at(middle, 1);
    fill(t0, v0, middle, value);
    put(Math.fround(middle - start), value);
    fill(middle, value, t1, v1);
  };
  const inner = root.knots.filter((time) => time > start && time < stop);
  const knots = withEnds(inner, start, stop);
  put(0, at(start, 1));
  for (let i = 1; i < knots.length; i++) {
    budget.take();
    const [t0, t1] = [knots[i - 1]!, knots[i]!];
    const [left, right] = [at(t1, -1), at(t1, 1)];
    fill(t0, at(t0, 1), t1, left);
    const seconds = Math.fround(t1 - start);
    if (!isBetween(left, left, 0, right)) put(floatBelow(seconds), left);
    put(seconds, right);
  }
  // exactly, whatever was rounded on the way
  values[0] = Float64Array.from([0, 0, 0, 1, 0, 0, 0]);
  const rotations = values.flatMap((value) => {
    const length = Math.hypot(...value.subarray(0, 4));
    return Array.from(value.subarray(0, 4), (c) => c / length);
  });
  return {
    times: Float32Array.from(times),
    positions: float32(values.flatMap((value) => Array.from(value.subarray(4, 7)))),
    rotations: float32(rotations),
  };
}

function isBetween(a: Float64Array, b: Float64Array, s: number, truth: Float64Array): boolean {
  for (let c = 4; c < 7; c++) {
    if (Math.abs(a[c]! + s * (b[c]! - a[c]!) - truth[c]!) > ROOT_TOLERANCE.position) return false;
  }
  let cosine = 0;
  for (let c = 0; c < 4; c++) cosine += a[c]! * b[c]!;
  const blend = Array.from({ length: 4 }, (_, c) => (1 - s) * a[c]! + (cosine < 0 ? -s : s) * b[c]!);
  return rotationError(blend, truth) <= ROOT_TOLERANCE.rotation;
}
