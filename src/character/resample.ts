import { alignQuaternion, multiplyQuaternion, normalizeQuaternion } from '../math/quaternion.ts';

/** Functions of time as straight lines between keys, with as few keys as a tolerance allows. */

/** Numbers of a row that are interpolated together. */
export interface Curve {
  /** Index of its first number. */
  readonly at: number;
  /** Three: a point, in any unit. Four: a unit quaternion. */
  readonly width: 3 | 4;
  /** In the point's unit, or radians. */
  readonly tolerance: number;
}

/** A row of numbers per time; neighbouring quaternions are in the same hemisphere. */
export interface Samples {
  /** Strictly increasing, all of them 32-bit floats. */
  readonly times: readonly number[];
  readonly rows: readonly Float64Array[];
}

/** The most halvings between two given times. */
const DEPTH_LIMIT = 12;
/** The most samples between two keys. Bounds the work. */
const LOOKAHEAD = 64;
/** Shares of the tolerance: for the curve between samples, and for samples between keys. */
const [FINE, COARSE] = [0.25, 0.75];

/**
 * Samples a function so densely that straight lines between neighbours stay within a quarter of the tolerances.
 *
 * @param times Times at which the function may bend or, between neighbours among the 32-bit floats, jump: strictly
 * increasing.
 * @param evaluate Writes the row of a time.
 * @returns Undefined if more than `limit` samples are needed.
 */
export function sampleAdaptively(
  times: readonly number[],
  width: number,
  evaluate: (time: number, out: Float64Array) => void,
  curves: readonly Curve[],
  limit: number,
): Samples | undefined {
  const rowAt = (time: number) => {
    const row = new Float64Array(width);
    evaluate(time, row);
    return row;
  };
  const found: { times: number[]; rows: Float64Array[] } = { times: [times[0]!], rows: [rowAt(times[0]!)] };
  const append = (time: number, row: Float64Array) => {
    const last = found.rows.at(-1)!;
    for (const { at, width } of curves) {
      if (width === 4) alignQuaternion(row.subarray(at, at + 4), last.subarray(at, at + 4));
    }
    found.times.push(time);
    found.rows.push(row);
  };
  const probe = new Float64Array(width);
  const isStraight = (from: number, to: number, a: Float64Array, b: Float64Array) =>
    [0.25, 0.5, 0.75].every((f) => {
      evaluate(from + (to - from) * f, probe);
      return curves.every((curve) => isNear(curve, FINE, a, b, f, probe));
    });
  /** Appends the samples after `from`, up to and including `to`. */
  const fill = (from: number, to: number, a: Float64Array, b: Float64Array, depth: number): void => {
    const middle = Math.fround((from + to) / 2);
    const splits = depth < DEPTH_LIMIT && middle > from && middle < to && found.times.length <= limit;
    if (splits && !isStraight(from, to, a, b)) {
      const row = rowAt(middle);
      fill(from, middle, a, row, depth + 1);
      fill(middle, to, row, b, depth + 1);
    } else append(to, b);
  };
  for (let i = 1; i < times.length && found.times.length <= limit; i++) {
    fill(times[i - 1]!, times[i]!, found.rows.at(-1)!, rowAt(times[i]!), 0);
  }
  return found.times.length > limit ? undefined : found;
}

/** Indices of the samples that suffice as keys of some curves: lines between them stay within the tolerances. */
export function chooseKeys({ times, rows }: Samples, curves: readonly Curve[]): number[] {
  const keys = [0];
  const reaches = (from: number, to: number): boolean => {
    for (let i = from + 1; i < to; i++) {
      const f = (times[i]! - times[from]!) / (times[to]! - times[from]!);
      if (!curves.every((curve) => isNear(curve, COARSE, rows[from]!, rows[to]!, f, rows[i]!))) return false;
    }
    return true;
  };
  for (let from = 0; from < times.length - 1;) {
    let to = from + 1;
    while (to + 1 < times.length && to < from + LOOKAHEAD && reaches(from, to + 1)) to++;
    keys.push(to);
    from = to;
  }
  return keys;
}

const line = new Float64Array(4);
const end = new Float64Array(4);
const inverse = new Float64Array(4);

/** Returns true if the curve from a to b passes near a row, both with slerp and with normalised straight lines. */
function isNear(
  { at, width, tolerance }: Curve,
  share: number,
  a: Float64Array,
  b: Float64Array,
  f: number,
  row: Float64Array,
): boolean {
  const limit = share * tolerance;
  if (width === 3) {
    let square = 0;
    for (let c = at; c < at + 3; c++) square += (a[c]! * (1 - f) + b[c]! * f - row[c]!) ** 2;
    return square <= limit * limit;
  }
  const start = a.subarray(at, at + 4);
  const expected = row.subarray(at, at + 4);
  for (let c = 0; c < 4; c++) end[c] = b[at + c]!;
  alignQuaternion(end, start);
  for (let c = 0; c < 4; c++) line[c] = start[c]! * (1 - f) + end[c]! * f;
  normalizeQuaternion(line);
  if (angleBetween(line, expected) > limit) return false;
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += start[c]! * end[c]!;
  const angle = Math.acos(Math.min(1, dot));
  if (angle < 1e-4) return true; // both ways are the same
  const [w0, w1] = [Math.sin((1 - f) * angle) / Math.sin(angle), Math.sin(f * angle) / Math.sin(angle)];
  for (let c = 0; c < 4; c++) line[c] = w0 * start[c]! + w1 * end[c]!;
  return angleBetween(line, expected) <= limit;
}

/** Radians; exact for small angles, where a cosine would not be. */
function angleBetween(a: Float64Array, b: Float64Array): number {
  for (let c = 0; c < 4; c++) inverse[c] = c < 3 ? -a[c]! : a[c]!;
  multiplyQuaternion(inverse, b, inverse);
  return 2 * Math.atan2(Math.hypot(inverse[0]!, inverse[1]!, inverse[2]!), Math.abs(inverse[3]!));
}
