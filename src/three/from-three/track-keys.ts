import type { KeyframeTrack } from 'three';
import { type Keys, nextFloat } from './keys.ts';

type TrackValues = Omit<Keys, 'interpolation'>;

/** three's constants for interpolation. */
const [DISCRETE, LINEAR, SMOOTH, BEZIER] = [2300, 2301, 2302, 2303];

/**
 * Returns the keys of a three track, or a string with the reason why they cannot be read.
 *
 * @param width Count of numbers in one value.
 */
export function trackKeys(track: KeyframeTrack, width: number): Keys | string {
  const { createInterpolant } = track as {
    createInterpolant?: { isInterpolantFactoryMethodGLTFCubicSpline?: boolean };
  };
  const isSpline = createInterpolant?.isInterpolantFactoryMethodGLTFCubicSpline === true;
  const perKey = track.values.length / track.times.length;
  const expected = isSpline ? 3 * width : width;
  if (!NUMBERS.has(track.ValueTypeName)) return `its values are of type ${track.ValueTypeName}`;
  if (perKey !== expected) return `it has ${perKey} numbers for each key, ${expected} are needed`;
  const given = { times: distinct(track.times), values: Float32Array.from(track.values) };
  if (isSpline) return { ...given, interpolation: 'CUBICSPLINE' };
  switch (track.getInterpolation() as number | undefined) {
    case DISCRETE:
      return { ...given, interpolation: 'STEP' };
    case LINEAR:
      return { ...given, interpolation: 'LINEAR' };
    case SMOOTH:
      return smoothKeys(given, width);
    case BEZIER:
      return bezierKeys(given, (track as { settings?: Handles }).settings, width);
    default:
      return 'its interpolation is not one of three’s own';
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['vector', 'quaternion', 'number', 'color']);

/** Makes times distinct. Two keys at one time are a jump, so the second moves to the next float. */
function distinct(times: ArrayLike<number>): Float32Array {
  const out = Float32Array.from(times);
  for (let i = 1; i < out.length; i++) if (times[i] === times[i - 1]) out[i] = nextFloat(out[i - 1]!);
  return out;
}

/**
 * Converts three's smooth curves (`CubicInterpolant`: Catmull-Rom over uneven times) to cubics with tangents, exactly. The tangent of a
 * key is the mean of the slopes to both neighbours. The first and last key use the neighbour at the other end, as in clips that loop.
 * In three the ends also depend on how an action plays the clip.
 */
function smoothKeys({ times, values }: TrackValues, width: number): Keys {
  const last = times.length - 1;
  const out = new Float32Array(3 * values.length);
  for (let key = 0; key <= last; key++) {
    const [before, after] = [key === 0 ? last - 1 : key - 1, key === last ? 1 : key + 1];
    const back = key === 0 ? times[last]! - times[last - 1]! : times[key]! - times[before]!;
    const ahead = key === last ? times[1]! - times[0]! : times[after]! - times[key]!;
    for (let c = 0; c < width; c++) {
      const at = 3 * width * key + c;
      const value = values[key * width + c]!;
      out[at + width] = value;
      if (last === 0) continue;
      const tangent = ((value - values[before * width + c]!) / back + (values[after * width + c]! - value) / ahead) / 2;
      out[at] = out[at + 2 * width] = tangent;
    }
  }
  return { interpolation: 'CUBICSPLINE', times, values: out };
}

/** Handles on both sides of keys: (time, value) per key and component. */
interface Handles {
  readonly inTangents?: ArrayLike<number>;
  readonly outTangents?: ArrayLike<number>;
}

/** Pieces between two keys of an uneven curve. Their cubics stay within 1e-5 of the curve's height, for any easing. */
const PIECES = 24;

/**
 * Converts three's Bézier curves, which bend in both time and value, to cubics of time with tangents. The result is exact if handles
 * are at thirds of their intervals. Otherwise a curve is split into pieces. Straight lines if there are no handles, as in three.
 */
function bezierKeys({ times, values }: TrackValues, handles: Handles | undefined, width: number): Keys {
  const { inTangents, outTangents } = handles ?? {};
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
  const step = NEARBY * (to - from);
  const [a, b] = [Math.max(from, time - step), Math.min(to, time + step)];
  const s = parameterAt(curve, time);
  const speed = derivative(curve.times, s);
  const slope = speed > step ? derivative(curve.values, s) / speed : (valueAt(curve, b) - valueAt(curve, a)) / (b - a);
  return { value: bezier(curve.values, s), slope };
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
