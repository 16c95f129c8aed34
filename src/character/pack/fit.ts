import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { Channel } from './channels.ts';
import { SAMPLE_BETWEEN, SAMPLE_KEY, type ClipSamples } from './samples.ts';
import type { Steps } from './steps.ts';

/** A part of the clip between two knots, and the curves of its channels. */
export interface FittedInterval {
  /** Sample indices of its ends. */
  readonly from: number;
  readonly to: number;
  /** Undefined: straight lines (nlerp). Else per channel the rates per second at both ends, 2 × 3 numbers. */
  readonly rates: readonly Float64Array[] | undefined;
}

/**
 * Chooses the knots. From each knot it extends an interval as far as all channels stay within their tolerance, once
 * with straight lines and once with cubics. It takes the one that costs fewer rows for the time covered. Knots are at
 * keys. They are between keys only where not even the next key can be reached (a large turn in one step). Adjacent cubics
 * share rates where they can.
 *
 * @param error Metres of error allowed for a single channel; each channel's own tolerance follows from its reach.
 */
export function* fitIntervals(
  channels: readonly Channel[],
  samples: ClipSamples,
  error: number,
): Steps<readonly FittedInterval[]> {
  const fitter = new Fitter(channels, samples, error);
  const intervals: FittedInterval[] = [];
  for (const [first, last] of samples.runs) {
    let from = first;
    while (from < last) {
      const next = fitter.next(from, last);
      intervals.push(next);
      from = next.to;
      yield;
    }
  }
  yield* fitter.shareRates(intervals);
  return intervals;
}

/** Rows: a straight interval adds one, a cubic one more for each rate row; neighbours often share one. */
const CUBIC_COST = 2.2;

class Fitter {
  readonly #h10: number[] = [];
  readonly #h11: number[] = [];
  /** At both ends of an interval. */
  readonly #tangents = new Float64Array(8);
  readonly #ends = [new Float64Array(4), new Float64Array(4)] as const;
  readonly #point = new Float64Array(4);
  /** Limits of differences in values. For rotations it is the chord between quaternions: half the angle, if small. */
  readonly #limits: readonly number[];

  constructor(
    readonly channels: readonly Channel[],
    readonly samples: ClipSamples,
    error: number,
  ) {
    this.#limits = channels.map(({ kind, unitsPerMetre: units }) => (units * error) / (kind === 'rotation' ? 2 : 1));
  }

  next(from: number, last: number): FittedInterval {
    const straight = this.#reach(from, last, (to) => this.#straightFits(from, to));
    // Cubics are worth trying only where straight lines give up early.
    if (straight.to === last && straight.fits) return { from, to: last, rates: undefined };
    const curved = this.#reach(from, last, (to) => this.#cubicFit(from, to) !== undefined);
    const { times } = this.samples;
    const gain = (times[curved.to]! - times[from]!) / (times[straight.to]! - times[from]!);
    if (!curved.fits || (straight.fits && gain < CUBIC_COST)) return { from, to: straight.to, rates: undefined };
    return { from, to: curved.to, rates: this.#cubicFit(from, curved.to) };
  }

  /** The farthest key that fits (doubling, then bisection), or the farthest point between if no key does. */
  #reach(from: number, last: number, fits: (to: number) => boolean) {
    const keys: number[] = [];
    const { kinds } = this.samples;
    let good = from;
    let step = 1;
    let at = from;
    while (at < last) {
      // the next `step` keys after `at`
      keys.length = 0;
      for (let s = at + 1; s <= last && keys.length < step; s++) if (kinds[s] === SAMPLE_KEY) keys.push(s);
      const target = keys.at(-1)!;
      if (!fits(target)) break;
      good = at = target;
      keys.length = 0;
      step *= 2;
    }
    if (good === last) return { to: last, fits: true };
    if (good === from && keys.length === 1) return this.#reachBetween(from, keys[0]!, fits);
    let low = 0;
    let high = keys.length - 1; // keys[high] does not fit; keys before `low` fit
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fits(keys[middle]!)) {
        good = keys[middle]!;
        low = middle + 1;
      } else high = middle;
    }
    return good === from ? this.#reachBetween(from, keys[0]!, fits) : { to: good, fits: true };
  }

  /** The farthest point before `key` that fits, or the nearest one with `fits: false` if none does. */
  #reachBetween(from: number, key: number, fits: (to: number) => boolean) {
    const { kinds } = this.samples;
    let nearest = key;
    for (let to = key - 1; to > from; to--) {
      if (kinds[to] !== SAMPLE_BETWEEN) continue;
      if (fits(to)) return { to, fits: true };
      nearest = to;
    }
    return { to: nearest, fits: false };
  }

  #straightFits(from: number, to: number): boolean {
    const { times, values } = this.samples;
    const span = times[to]! - times[from]!;
    for (let i = 0; i < this.channels.length; i++) {
      const { width, kind } = this.channels[i]!;
      const v = values[i]!;
      const limit = this.#limits[i]! ** 2;
      for (let s = from + 1; s < to; s++) {
        const f = (times[s]! - times[from]!) / span;
        let length = 1;
        if (kind === 'rotation') {
          let square = 0;
          for (let c = 0; c < 4; c++) square += (v[4 * from + c]! * (1 - f) + v[4 * to + c]! * f) ** 2;
          length = Math.sqrt(square);
        }
        let error = 0;
        for (let c = 0; c < width; c++) {
          const value = v[width * from + c]! * (1 - f) + v[width * to + c]! * f;
          error += (value / length - v[width * s + c]!) ** 2;
        }
        if (error > limit) return false;
      }
    }
    return true;
  }

  /** Least-squares tangents for all channels, or undefined if one of them cannot keep its tolerance. */
  #cubicFit(from: number, to: number): Float64Array[] | undefined {
    const { times } = this.samples;
    const span = times[to]! - times[from]!;
    let a = 1e-9;
    let b = 0;
    let d = 1e-9;
    for (let s = from + 1; s < to; s++) {
      const f = (times[s]! - times[from]!) / span;
      const h10 = f * (1 - f) * (1 - f);
      const h11 = f * f * (f - 1);
      this.#h10[s - from] = h10;
      this.#h11[s - from] = h11;
      a += h10 * h10;
      b += h10 * h11;
      d += h11 * h11;
    }
    const determinant = a * d - b * b;
    const rates: Float64Array[] = [];
    for (let i = 0; i < this.channels.length; i++) {
      const fitted = this.#cubicChannel(i, from, to, span, a / determinant, b / determinant, d / determinant);
      if (!fitted) return undefined;
      rates.push(fitted);
    }
    return rates;
  }

  #cubicChannel(
    i: number,
    from: number,
    to: number,
    span: number,
    a: number,
    b: number,
    d: number,
  ): Float64Array | undefined {
    const { width, kind } = this.channels[i]!;
    const v = this.samples.values[i]!;
    const { times } = this.samples;
    const tangents = this.#tangents;
    for (let c = 0; c < width; c++) {
      // The fit is of the difference from a straight line; both of the line's tangents are the chord. With too few
      // samples the curve stays straight.
      const v0 = v[width * from + c]!;
      const chord = v[width * to + c]! - v0;
      let r0 = 0;
      let r1 = 0;
      for (let s = from + 1; s < to; s++) {
        const rest = v[width * s + c]! - v0 - (chord * (times[s]! - times[from]!)) / span;
        r0 += rest * this.#h10[s - from]!;
        r1 += rest * this.#h11[s - from]!;
      }
      tangents[c] = chord + d * r0 - b * r1;
      tangents[width + c] = chord + a * r1 - b * r0;
    }
    if (kind === 'rotation') {
      makeTangent(tangents, 0, v, 4 * from);
      makeTangent(tangents, 4, v, 4 * to);
    }
    const rates =
      kind === 'rotation'
        ? bodyRates(tangents, v, from, to, span)
        : tangents.subarray(0, 6).map((tangent) => tangent / span);
    return this.#cubicFits(i, from, to, rates) ? rates : undefined;
  }

  /** Returns true if the cubic with these rates, as the decoder evaluates it, stays within the limit of every sample. */
  #cubicFits(i: number, from: number, to: number, rates: Float64Array): boolean {
    const { kind, width } = this.channels[i]!;
    const v = this.samples.values[i]!;
    const { times } = this.samples;
    const limit = this.#limits[i]!;
    const span = times[to]! - times[from]!;
    const [start, end] = this.#ends;
    const point = this.#point;
    // rates × span, for rotations q ω / 2 × span
    for (let side = 0; side < 2; side++) {
      const tangent = this.#ends[side]!;
      for (let c = 0; c < 3; c++) tangent[c] = rates[3 * side + c]! * (kind === 'rotation' ? span / 2 : span);
      if (kind !== 'rotation') continue;
      tangent[3] = 0;
      const at = 4 * (side === 0 ? from : to);
      for (let c = 0; c < 4; c++) point[c] = v[at + c]!;
      multiplyQuaternion(point, tangent, tangent);
    }
    for (let s = from + 1; s < to; s++) {
      const f = (times[s]! - times[from]!) / span;
      const h01 = f * f * (3 - 2 * f);
      const h10 = f * (1 - f) * (1 - f);
      const h11 = f * f * (f - 1);
      let square = 0;
      for (let c = 0; c < width; c++) {
        const a = v[width * from + c]!;
        const value = a + (v[width * to + c]! - a) * h01 + start[c]! * h10 + end[c]! * h11;
        point[c] = value;
        square += value * value;
      }
      const length = kind === 'rotation' ? Math.sqrt(square) : 1;
      let error = 0;
      for (let c = 0; c < width; c++) {
        const off = point[c]! / length - v[width * s + c]!;
        error += off * off;
      }
      if (error > limit * limit) return false;
    }
    return true;
  }

  /** Merges the rates where two cubics meet into one row, if both stay within their limits with the mean: most are smooth. */
  *shareRates(intervals: FittedInterval[]): Steps<void> {
    for (let k = 1; k < intervals.length; k++) {
      const before = intervals[k - 1]!;
      const after = intervals[k]!;
      if (!before.rates || !after.rates || before.to !== after.from) continue;
      const [left, right]: [Float64Array[], Float64Array[]] = [[], []];
      const fits = this.channels.every((_, i) => {
        const a = before.rates![i]!.slice();
        const b = after.rates![i]!.slice();
        for (let c = 0; c < 3; c++) a[3 + c] = b[c] = (a[3 + c]! + b[c]!) / 2;
        left.push(a);
        right.push(b);
        return this.#cubicFits(i, before.from, before.to, a) && this.#cubicFits(i, after.from, after.to, b);
      });
      if (fits)
        [intervals[k - 1], intervals[k]] = [
          { ...before, rates: left },
          { ...after, rates: right },
        ];
      yield;
    }
  }
}

/** Removes the part of a tangent that would change the quaternion's length. */
function makeTangent(tangents: Float64Array, at: number, q: Float32Array, qAt: number): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += tangents[at + c]! * q[qAt + c]!;
  for (let c = 0; c < 4; c++) tangents[at + c]! -= dot * q[qAt + c]!;
}

/** ω = 2 q⁻¹ dq/dt, in the joint's own frame, for both ends. */
function bodyRates(tangents: Float64Array, v: Float32Array, from: number, to: number, span: number): Float64Array {
  const out = new Float64Array(6);
  for (let end = 0; end < 2; end++) {
    const q = 4 * (end === 0 ? from : to);
    const x = v[q]!;
    const y = v[q + 1]!;
    const z = v[q + 2]!;
    const w = v[q + 3]!;
    const at = 4 * end;
    const tx = tangents[at]! / span;
    const ty = tangents[at + 1]! / span;
    const tz = tangents[at + 2]! / span;
    const tw = tangents[at + 3]! / span;
    out[3 * end] = 2 * (w * tx - tw * x - (y * tz - z * ty));
    out[3 * end + 1] = 2 * (w * ty - tw * y - (z * tx - x * tz));
    out[3 * end + 2] = 2 * (w * tz - tw * z - (x * ty - y * tx));
  }
  return out;
}
