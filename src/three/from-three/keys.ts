import { findKey } from '../../character/evaluate.ts';
import type { Interpolation } from '../../character/model.ts';

/** Keys of a track in glTF's layout. A key of a cubic is in-tangent, value, out-tangent. */
export interface Keys {
  readonly interpolation: Interpolation;
  readonly times: Float32Array;
  readonly values: Float32Array;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next larger 32-bit float. */
export function nextFloat(value: number): number {
  float[0] = value;
  if (value === 0) bits[0] = 1;
  else bits[0] = bits[0]! + (value > 0 ? 1 : -1);
  return float[0];
}

/** The next smaller 32-bit float. */
function previousFloat(value: number): number {
  return -nextFloat(-value);
}

/** Keys of one component of a value. */
export interface ComponentKeys {
  readonly component: number;
  readonly keys: Keys;
}

/**
 * Merges keys of single components into keys of whole values, exactly. Straight lines and cubics keep their shape between the added
 * keys. If other components are continuous, a jump becomes two keys, one right after the other.
 *
 * @param rest Value of components without keys.
 */
export function mergeKeys(rest: readonly number[], parts: readonly ComponentKeys[]): Keys {
  const kinds = new Set(parts.map(({ keys }) => keys.interpolation));
  const [only] = kinds;
  const interpolation = kinds.size === 1 ? only! : 'CUBICSPLINE';
  const knots = timesOf(parts, interpolation !== 'STEP');
  const isCubic = interpolation === 'CUBICSPLINE';
  const width = rest.length;
  const stride = isCubic ? 3 * width : width;
  const values = new Float32Array(stride * knots.length);
  for (let k = 0; k < knots.length; k++) values.set(rest, k * stride + (isCubic ? width : 0));
  for (const { component, keys } of parts) {
    knots.forEach((time, k) => {
      const at = k * stride + component;
      const { value, before, after } = pointAt(keys, time, knots[k - 1], knots[k + 1]);
      if (!isCubic) values[at] = value;
      else for (const [i, number] of [before, value, after].entries()) values[at + i * width] = number;
    });
  }
  return { interpolation, times: knots, values };
}

/** All times of keys, ascending. With `splitsJumps`, also the float before each jump, for the value before it. */
export function timesOf(parts: readonly ComponentKeys[], splitsJumps: boolean): Float32Array<ArrayBuffer> {
  const times = new Set<number>();
  for (const { keys } of parts) {
    const isSplit = splitsJumps && keys.interpolation === 'STEP';
    keys.times.forEach((time, key) => {
      times.add(time);
      if (isSplit && key > 0) times.add(previousFloat(time));
    });
  }
  return Float32Array.from(times).sort();
}

/** A value, and its slopes towards the knots on both sides. */
interface Point {
  readonly value: number;
  readonly before: number;
  readonly after: number;
}

function pointAt(keys: Keys, time: number, previous: number | undefined, next: number | undefined): Point {
  const { interpolation, times, values } = keys;
  const last = times.length - 1;
  const key = findKey(times, time);
  if (interpolation === 'STEP') {
    const value = values[Math.max(0, key)]!;
    // the jump itself, between this knot and its neighbour
    const after = next === undefined ? value : values[Math.max(0, findKey(times, next))]!;
    const before = previous === undefined ? value : values[Math.max(0, findKey(times, previous))]!;
    return {
      value,
      before: value === before ? 0 : (value - before) / (time - previous!),
      after: value === after ? 0 : (after - value) / (next! - time),
    };
  }
  const isKey = key >= 0 && times[key] === time;
  const after = key < 0 || key >= last ? undefined : pieceAt(keys, key, time);
  const before = !isKey ? after : key > 0 ? pieceAt(keys, key - 1, time) : undefined;
  const held = interpolation === 'CUBICSPLINE' ? 3 * Math.max(0, key) + 1 : Math.max(0, key);
  return {
    value: after?.value ?? values[held]!,
    before: before?.slope ?? 0,
    after: after?.slope ?? 0,
  };
}

/** Value and slope between a key and the next one, at a time between them. */
function pieceAt({ interpolation, times, values }: Keys, key: number, time: number): { value: number; slope: number } {
  const span = times[key + 1]! - times[key]!;
  const f = (time - times[key]!) / span;
  if (interpolation === 'LINEAR') {
    const [a, b] = [values[key]!, values[key + 1]!];
    return { value: a + (b - a) * f, slope: (b - a) / span };
  }
  const [p0, m0, m1, p1] = [3 * key + 1, 3 * key + 2, 3 * key + 3, 3 * key + 4].map((i) => values[i]!) as Four;
  const [a, b] = [m0 * span, m1 * span];
  return {
    value:
      (2 * f ** 3 - 3 * f ** 2 + 1) * p0 +
      (f ** 3 - 2 * f ** 2 + f) * a +
      (3 * f ** 2 - 2 * f ** 3) * p1 +
      (f ** 3 - f ** 2) * b,
    slope: ((6 * f ** 2 - 6 * f) * (p0 - p1) + (3 * f ** 2 - 4 * f + 1) * a + (3 * f ** 2 - 2 * f) * b) / span,
  };
}

type Four = [number, number, number, number];
