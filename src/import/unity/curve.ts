import { refuseArgument } from '../../character/arguments.ts';

/** A key of one scalar curve, as Unity keeps it. */
export interface UnityKey {
  /** Seconds. */
  readonly time: number;
  readonly value: number;
  /** Per second; ±Infinity on either side of a segment makes it a step. */
  readonly inSlope: number;
  readonly outSlope: number;
  /** Which weights count: 1 in, 2 out, 3 both; default 0, none. */
  readonly weightedMode?: number;
  /** Fractions of the segments before and after the key, 0 to 1. Default ⅓, which is an ordinary Hermite cubic. */
  readonly inWeight?: number;
  readonly outWeight?: number;
}

export interface CurvePoint {
  value: number;
  /** Per second, from the side that was asked for. */
  slope: number;
}

/**
 * The value of a Unity curve: steps, Hermite cubics, weighted Béziers; clamped to its first and last key.
 *
 * @param keys By ascending time, at least one.
 * @param time Seconds.
 */
export function evaluateUnityCurve(keys: readonly UnityKey[], time: number): number {
  if (!Array.isArray(keys) || keys.length === 0) refuseArgument('keys', keys, 'a list of at least one key');
  const point = { value: 0, slope: 0 };
  sampleCurve(keys, time, 1, point);
  return point.value;
}

/** Value and slope. Where two segments meet, `side` chooses one: -1 the one before, 1 the one after. */
export function sampleCurve(keys: readonly UnityKey[], time: number, side: -1 | 1, out: CurvePoint): void {
  const last = keys.length - 1;
  const isBefore = side < 0 ? time <= keys[0]!.time : time < keys[0]!.time;
  const isBehind = side < 0 ? time > keys[last]!.time : time >= keys[last]!.time;
  if (isBefore || isBehind) {
    out.value = keys[isBefore ? 0 : last]!.value;
    out.slope = 0;
    return;
  }
  // the last key at or before the time; strictly before it, seen from the left
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const key = keys[middle]!;
    if (side < 0 ? key.time < time : key.time <= time) low = middle;
    else high = middle;
  }
  sampleSegment(keys[low]!, keys[high]!, time, out);
}

function sampleSegment(from: UnityKey, to: UnityKey, time: number, out: CurvePoint): void {
  const [a, b] = [from.outSlope, to.inSlope];
  const length = to.time - from.time;
  const s = (time - from.time) / length;
  if (!Number.isFinite(a) || !Number.isFinite(b)) {
    out.value = from.value;
    out.slope = 0;
  } else if (isWeighted(from, to)) {
    sampleBezier(from, to, s, out);
  } else {
    const [v0, v1, m0, m1] = [from.value, to.value, a * length, b * length];
    out.value = hermite(v0, m0, v1, m1, s);
    out.slope = hermiteSlope(v0, m0, v1, m1, s) / length;
  }
}

/** Returns true if the segment between two keys has a weight of its own. */
export function isWeighted(from: UnityKey, to: UnityKey): boolean {
  return ((from.weightedMode ?? 0) & 2) !== 0 || ((to.weightedMode ?? 0) & 1) !== 0;
}

export function hermite(v0: number, m0: number, v1: number, m1: number, s: number): number {
  const t = 1 - s;
  return v0 * (1 + 2 * s) * t * t + m0 * s * t * t + v1 * s * s * (3 - 2 * s) - m1 * s * s * t;
}

/** Per segment, not per second. */
export function hermiteSlope(v0: number, m0: number, v1: number, m1: number, s: number): number {
  return 6 * s * (1 - s) * (v1 - v0) + m0 * (1 - s) * (1 - 3 * s) + m1 * s * (3 * s - 2);
}

function sampleBezier(from: UnityKey, to: UnityKey, s: number, out: CurvePoint): void {
  const length = to.time - from.time;
  const left = ((from.weightedMode ?? 0) & 2) !== 0 ? (from.outWeight ?? 1 / 3) : 1 / 3;
  const right = ((to.weightedMode ?? 0) & 1) !== 0 ? (to.inWeight ?? 1 / 3) : 1 / 3;
  const [x1, x2] = [left, 1 - right];
  const y1 = from.value + from.outSlope * left * length;
  const y2 = to.value - to.inSlope * right * length;
  const u = solveBezier(x1, x2, s);
  out.value = bezier(from.value, y1, y2, to.value, u);
  let [dx, dy] = [bezierSlope(0, x1, x2, 1, u), bezierSlope(from.value, y1, y2, to.value, u)];
  if (dx < 1e-6) {
    // the curve is vertical here, or both derivatives vanish: a chord is better than 0 / 0
    const [u0, u1] = [Math.max(0, u - 1e-4), Math.min(1, u + 1e-4)];
    dx = Math.max(1e-9, bezier(0, x1, x2, 1, u1) - bezier(0, x1, x2, 1, u0));
    dy = bezier(from.value, y1, y2, to.value, u1) - bezier(from.value, y1, y2, to.value, u0);
  }
  out.slope = dy / dx / length;
}

/** Where x(u) = s; x never falls while its points lie in 0 … 1. */
function solveBezier(x1: number, x2: number, s: number): number {
  let [low, high, u] = [0, 1, s];
  for (let i = 0; i < 60; i++) {
    const miss = bezier(0, x1, x2, 1, u) - s;
    if (Math.abs(miss) < 1e-15) break;
    if (miss < 0) low = u;
    else high = u;
    const step = u - miss / bezierSlope(0, x1, x2, 1, u);
    u = step > low && step < high ? step : (low + high) / 2;
  }
  return u;
}

function bezier(p0: number, p1: number, p2: number, p3: number, u: number): number {
  const t = 1 - u;
  return t * t * t * p0 + 3 * t * t * u * p1 + 3 * t * u * u * p2 + u * u * u * p3;
}

function bezierSlope(p0: number, p1: number, p2: number, p3: number, u: number): number {
  const t = 1 - u;
  return 3 * (t * t * (p1 - p0) + 2 * t * u * (p2 - p1) + u * u * (p3 - p2));
}
