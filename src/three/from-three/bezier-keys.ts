import type { Keys } from './keys.ts';

/** Keys with a handle on each side: (time, value) per key and component. */
interface BezierCurves {
  readonly times: Float32Array;
  readonly values: Float32Array;
  readonly inTangents: ArrayLike<number> | undefined;
  readonly outTangents: ArrayLike<number> | undefined;
}

/** Pieces between two keys of an uneven curve. Their cubics stay within 1e-5 of the curve's height, for any easing. */
const PIECES = 24;

/**
 * Converts three's Bézier curves, which bend in both time and value, to cubics of time with tangents. The result is exact if handles
 * are at thirds of their intervals. Otherwise a curve is split into pieces. Straight lines if there are no handles, as in three.
 */
export function bezierKeys({ times, values, inTangents, outTangents }: BezierCurves, width: number): Keys {
  if (!inTangents || !outTangents) return { interpolation: 'LINEAR', times, values };
  const knots: number[] = [];
  const rows: number[][] = [];
  const curveOf = (key: number, c: number): Curve => {
    const [from, to] = [key * width + c, (key + 1) * width + c];
    return {
      times: [times[key]!, outTangents[2 * from]!, inTangents[2 * to]!, times[key + 1]!],
      values: [values[from]!, outTangents[2 * from + 1]!, inTangents[2 * to + 1]!, values[to]!],
    };
  };
  const components = Array.from({ length: width }, (_, c) => c);
  const last = times.length - 1;
  for (let key = 0; key <= last; key++) {
    const before = key > 0 ? components.map((c) => curveOf(key - 1, c)) : undefined;
    const after = key < last ? components.map((c) => curveOf(key, c)) : undefined;
    knots.push(times[key]!);
    rows.push([
      ...components.map((c) => (before ? pointAt(before[c]!, times[key]!).slope : 0)),
      ...components.map((c) => values[key * width + c]!),
      ...components.map((c) => (after ? pointAt(after[c]!, times[key]!).slope : 0)),
    ]);
    if (!after || after.every(isUniform)) continue;
    for (let piece = 1; piece < PIECES; piece++) {
      const time = times[key]! + ((times[key + 1]! - times[key]!) * piece) / PIECES;
      const points = after.map((curve) => pointAt(curve, time));
      const slopes = points.map(({ slope }) => slope);
      knots.push(time);
      rows.push([...slopes, ...points.map(({ value }) => value), ...slopes]);
    }
  }
  return { interpolation: 'CUBICSPLINE', times: Float32Array.from(knots), values: Float32Array.from(rows.flat()) };
}

type Four = readonly [number, number, number, number];

interface Curve {
  readonly times: Four;
  readonly values: Four;
}

/** Returns true if time advances evenly along a curve. */
function isUniform({ times: [a, b, c, d] }: Curve): boolean {
  const third = (d - a) / 3;
  return Math.abs(b - a - third) < 1e-6 * third && Math.abs(d - c - third) < 1e-6 * third;
}

/** Bisection steps that find a curve's parameter to the precision of a double. */
const HALVINGS = 52;
/** Share of the interval over which the slope is measured where time does not advance along a curve. */
const NEARBY = 1e-4;

function pointAt(curve: Curve, time: number): { value: number; slope: number } {
  const [from, , , to] = curve.times;
  const value = valueAt(curve, time);
  const step = NEARBY * (to - from);
  const [a, b] = [Math.max(from, time - step), Math.min(to, time + step)];
  const s = parameterAt(curve, time);
  const speed = derivative(curve.times, s);
  const isStill = !(speed > NEARBY * (to - from));
  return {
    value,
    slope: isStill ? (valueAt(curve, b) - valueAt(curve, a)) / (b - a) : derivative(curve.values, s) / speed,
  };
}

function valueAt(curve: Curve, time: number): number {
  return bezier(curve.values, parameterAt(curve, time));
}

function parameterAt({ times }: Curve, time: number): number {
  if (time <= times[0]) return 0;
  if (time >= times[3]) return 1;
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (bezier(times, middle) <= time) low = middle;
    else high = middle;
  }
  return low;
}

function bezier([a, b, c, d]: Four, s: number): number {
  const k = 1 - s;
  return k * k * k * a + 3 * k * k * s * b + 3 * k * s * s * c + s * s * s * d;
}

function derivative([a, b, c, d]: Four, s: number): number {
  const k = 1 - s;
  return 3 * k * k * (b - a) + 6 * k * s * (c - b) + 3 * s * s * (d - c);
}
