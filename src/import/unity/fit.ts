import type { Interpolation } from '../../character/model.ts';
import { hermite } from './curve.ts';
import type { Signal } from './signal.ts';
import { refuseSize, UNITY_LIMITS } from './fields.ts';

/** Largest distance between a fitted curve and its original. */
export const FIT_TOLERANCE = {
  /** Share of a component's range. */
  value: 1e-5,
  /** Radians. */
  rotation: 2e-5,
} as const;

/** Keys of one signal, as a track holds them. */
export interface FittedKeys {
  readonly interpolation: Interpolation;
  /** Seconds from the clip’s begin. */
  readonly times: Float32Array;
  /** CUBICSPLINE: in-tangent, value, out-tangent. */
  readonly values: Float32Array;
}

/** Counts the keys that one clip may still add. */
export class KeyBudget {
  #own = 0;
  #added = 0;

  /** @param clip Its name, for errors. */
  constructor(readonly clip: string) {}

  /** For a key of the file. */
  take(): void {
    this.#own++;
    this.#check();
  }

  /** Counts a key between those of the file. A curve that needs too many is soon refused. */
  add(): void {
    this.#added++;
    this.#check();
    const limit = UNITY_LIMITS.addedKeys + UNITY_LIMITS.addedPerKey * this.#own;
    if (this.#added <= limit) return;
    const message = `its curves take over ${limit} keys in addition to its own ${this.#own}: they rise too steeply`;
    refuseSize(this.clip, message);
  }

  #check(): void {
    const { keys } = UNITY_LIMITS;
    if (this.#own + this.#added > keys) refuseSize(this.clip, `the clip has over ${keys} keys`);
  }
}

/** A time where curves meet: values and slopes before and after it. */
interface Node {
  readonly time: number;
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/**
 * Turns a signal into Hermite cubics between its own knots, and more knots where they are needed. A jump becomes two
 * keys, at neighbouring numbers.
 *
 * @param start Second of the file at which the clip begins.
 */
export function fitSignal(signal: Signal, start: number, stop: number, budget: KeyBudget): FittedKeys {
  const clamp = (time: number) => Math.min(stop, Math.max(start, time));
  const { knots, size } = signal;
  const [first, last] = [clamp(knots[0]!), clamp(knots.at(-1)!)];
  const inner = knots.filter((time) => time > first && time < last);
  const times = first === last ? [first] : [first, ...inner, last];
  const nodes = times.map((time): Node => {
    budget.take();
    return { time, left: sampled(signal, time, -1), right: sampled(signal, time, 1) };
  });
  if (isStepped(nodes, size)) return stepKeys(nodes, size, start);
  const isClose = signal.isCubic ? () => true : closeness(signal, nodes);
  const all: Node[] = [nodes[0]!];
  for (let i = 1; i < nodes.length; i++) {
    subdivide(signal, nodes[i - 1]!, nodes[i]!, isClose, all, budget);
    all.push(nodes[i]!);
  }
  return cubicKeys(all, signal, start);
}

function sampled(signal: Signal, time: number, side: -1 | 1): Float64Array {
  const out = new Float64Array(2 * signal.size);
  signal.sample(time, side, out);
  return out;
}

type Closeness = (from: Node, to: Node) => boolean;

function subdivide(signal: Signal, from: Node, to: Node, isClose: Closeness, out: Node[], budget: KeyBudget): void {
  const middle = (from.time + to.time) / 2;
  // times of keys are 32-bit numbers; closer keys add nothing
  if (to.time - from.time < 1e-6 * Math.max(1, Math.abs(middle)) || isClose(from, to)) return;
  budget.add();
  const point = sampled(signal, middle, 1);
  const node: Node = { time: middle, left: point, right: point };
  subdivide(signal, from, node, isClose, out, budget);
  out.push(node);
  subdivide(signal, node, to, isClose, out, budget);
}

const PROBES = [1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8] as const;

function closeness(signal: Signal, nodes: readonly Node[]): Closeness {
  const { size, isRotation } = signal;
  const tolerance = Array.from({ length: size }, (_, c) => {
    const values = nodes.flatMap(({ left, right }) => [left[c]!, right[c]!]);
    const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    return Math.max(FIT_TOLERANCE.value * (high - low), 1e-7 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  });
  const truth = new Float64Array(2 * size);
  const guess = new Float64Array(size);
  return (from, to) =>
    PROBES.every((s) => {
      const length = to.time - from.time;
      signal.sample(from.time + s * length, 1, truth);
      for (let c = 0; c < size; c++) {
        const [m0, m1] = [from.right[size + c]! * length, to.left[size + c]! * length];
        guess[c] = hermite(from.right[c]!, m0, to.left[c]!, m1, s);
      }
      if (isRotation) return rotationError(guess, truth) <= FIT_TOLERANCE.rotation;
      return guess.every((value, c) => Math.abs(value - truth[c]!) <= tolerance[c]!);
    });
}

/** Radians between two quaternions of any length. */
export function rotationError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [m, n] = [Math.hypot(a[0]!, a[1]!, a[2]!, a[3]!), Math.hypot(b[0]!, b[1]!, b[2]!, b[3]!)];
  if (m < 1e-9 || n < 1e-9) return Math.PI;
  let [same, opposite] = [0, 0];
  for (let c = 0; c < 4; c++) {
    same += (a[c]! / m - b[c]! / n) ** 2;
    opposite += (a[c]! / m + b[c]! / n) ** 2;
  }
  // a chord: the angle's cosine would say nothing about small angles
  return 4 * Math.asin(Math.min(1, Math.sqrt(Math.min(same, opposite)) / 2));
}

/** Returns true if nothing moves between knots. */
function isStepped(nodes: readonly Node[], size: number): boolean {
  return nodes.every(({ right }, i) => {
    const next = nodes[i + 1]?.left;
    if (!next) return true;
    for (let c = 0; c < size; c++) {
      if (right[c] !== next[c] || right[size + c] !== 0 || next[size + c] !== 0) return false;
    }
    return true;
  });
}

function stepKeys(nodes: readonly Node[], size: number, start: number): FittedKeys {
  // Hermite cubics with equal ends and flat tangents are flat, so one key says as much as several equal ones
  const kept = nodes.filter(
    ({ right }, i) => i === 0 || right.subarray(0, size).some((value, c) => value !== nodes[i - 1]!.right[c]),
  );
  const times: number[] = [];
  const values: number[] = [];
  for (const { time, right } of kept) {
    const at = Math.fround(time - start);
    if (times.length > 0 && at <= times.at(-1)!) values.length -= size;
    else times.push(at);
    values.push(...right.subarray(0, size));
  }
  return {
    interpolation: times.length > 1 ? 'STEP' : 'LINEAR',
    times: Float32Array.from(times),
    values: unitKeys(float32(values), size),
  };
}

function unitKeys(values: Float32Array, size: number): Float32Array {
  if (size !== 4) return values;
  for (let at = 0; at < values.length; at += 4) {
    const length = Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!);
    for (let c = 0; c < 4; c++) values[at + c] = values[at + c]! / length;
  }
  return values;
}

function cubicKeys(nodes: readonly Node[], { size, isRotation }: Signal, start: number): FittedKeys {
  const times: number[] = [];
  const values: number[] = [];
  type Slopes = Float64Array | undefined;
  const put = (time: number, before: Slopes, value: Float64Array, behind: Slopes) => {
    const scale = isRotation ? 1 / Math.hypot(...value.subarray(0, 4)) : 1;
    times.push(time);
    for (let c = 0; c < size; c++) values.push((before?.[size + c] ?? 0) * scale);
    for (let c = 0; c < size; c++) values.push(value[c]! * scale);
    for (let c = 0; c < size; c++) values.push((behind?.[size + c] ?? 0) * scale);
  };
  // q and −q are one rotation: curves after a jump get the sign of those before it
  let sign = 1;
  nodes.forEach((node, i) => {
    const time = Math.fround(node.time - start);
    const left = scaled(node.left, sign);
    if (isRotation && i > 0 && dot(node.left, node.right) < 0) sign = -sign;
    const right = scaled(node.right, sign);
    const previous = times.at(-1);
    if (previous !== undefined && time <= previous) {
      // two knots at one 32-bit number: the later one counts from here on
      const at = values.length - 3 * size;
      times.pop();
      const before = Float64Array.from([...right.subarray(0, size), ...values.slice(at, at + size)]);
      values.length = at;
      put(previous, before, right, right);
      return;
    }
    const isJump = i > 0 && left.subarray(0, size).some((value, c) => differs(value, right[c]!));
    const below = floatBelow(time);
    if (isJump && previous !== undefined && below > previous) {
      put(below, left, left, undefined);
      put(time, undefined, right, right);
    } else put(time, left, right, right);
  });
  return { interpolation: 'CUBICSPLINE', times: Float32Array.from(times), values: float32(values) };
}

/** Without −0, which turned axes are full of. */
export function float32(values: readonly number[]): Float32Array {
  return Float32Array.from(values, (value) => value + 0);
}

function scaled(values: Float64Array, sign: number): Float64Array {
  return sign === 1 ? values : values.map((value) => -value);
}

function dot(a: Float64Array, b: Float64Array): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]! + a[3]! * b[3]!;
}

function differs(a: number, b: number): boolean {
  return Math.abs(a - b) > 1e-7 * Math.max(1, Math.abs(a), Math.abs(b));
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next smaller 32-bit number of a positive one. */
export function floatBelow(value: number): number {
  float[0] = value;
  bits[0] = bits[0]! - 1;
  return float[0];
}
