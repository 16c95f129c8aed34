import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { Channel } from './channels.ts';
import { SAMPLE_BETWEEN, SAMPLE_KEY, type ClipSamples } from './samples.ts';
import type { Steps } from './steps.ts';

/** A part of the clip between two knots, and the curves of its channels. */
export interface FittedInterval {
  /** Sample indices of its ends. */
  readonly from: number;
  readonly to: number;
  /** Undefined: straight lines (nlerp). Else the rates per second of every channel at both ends, 2 × 3 numbers each. */
  readonly rates: Float64Array | undefined;
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
      if (intervals.length % INTERVALS_PER_STEP === 0) yield;
    }
  }
  yield* fitter.shareRates(intervals);
  return intervals;
}

/** Rows: a straight interval adds one, a cubic one more for each rate row; neighbours often share one. */
const CUBIC_COST = 2.2;
/** Numbers of an interval's rates per channel: three at each end. */
const RATES = 6;
const INTERVALS_PER_STEP = 8;

class Fitter {
  readonly #h10: number[] = [];
  readonly #h11: number[] = [];
  readonly #h01: number[] = [];
  /** At both ends of an interval. */
  readonly #tangents = new Float64Array(8);
  readonly #ends = [new Float64Array(4), new Float64Array(4)] as const;
  readonly #point = new Float64Array(4);
  /** Limits of differences in values. For rotations it is the chord between quaternions: half the angle, if small. */
  readonly #limits: readonly number[];
  /** All channels. One that failed is first, since it is the likeliest to fail again. */
  readonly #straightOrder: Int32Array;
  readonly #cubicOrder: Int32Array;
  /** Rates of the last cubics that fitted, and those of the next attempt. */
  #fitted: Float64Array;
  #tried: Float64Array;
  /** Samples that are keys, and for every sample the position of the first key after it. */
  readonly #keys: Int32Array;
  readonly #nextKey: Int32Array;
  /** Keys that the last interval covered, of straight lines and of cubics. */
  #straightKeys = 1;
  #cubicKeys = 4;

  constructor(
    readonly channels: readonly Channel[],
    readonly samples: ClipSamples,
    error: number,
  ) {
    this.#limits = channels.map(({ kind, unitsPerMetre: units }) => (units * error) / (kind === 'rotation' ? 2 : 1));
    this.#straightOrder = Int32Array.from(channels, (_, i) => i);
    this.#cubicOrder = this.#straightOrder.slice();
    this.#fitted = new Float64Array(RATES * channels.length);
    this.#tried = this.#fitted.slice();
    const { kinds } = samples;
    this.#keys = Int32Array.from(kinds.keys()).filter((s) => kinds[s] === SAMPLE_KEY);
    this.#nextKey = new Int32Array(kinds.length);
    let next = this.#keys.length;
    for (let s = kinds.length - 1; s >= 0; s--) {
      this.#nextKey[s] = next;
      if (kinds[s] === SAMPLE_KEY) next--;
    }
  }

  next(from: number, last: number): FittedInterval {
    const straight = this.#reach(from, last, this.#straightKeys, 0, (to) => this.#straightFits(from, to));
    this.#straightKeys = Math.max(1, straight.keys);
    if (straight.to === last && straight.fits) return { from, to: last, rates: undefined };
    // Cubics are worth trying only where straight lines give up early, and where they reach farther by their cost.
    const { times } = this.samples;
    const least = straight.fits ? times[from]! + CUBIC_COST * (times[straight.to]! - times[from]!) : 0;
    if (times[last]! < least) return { from, to: straight.to, rates: undefined };
    const curved = this.#reach(from, last, this.#cubicKeys, least, (to) => this.#cubicFit(from, to));
    if (!curved.fits || (straight.fits && times[curved.to]! < least))
      return { from, to: straight.to, rates: undefined };
    this.#cubicKeys = Math.max(1, curved.keys);
    return { from, to: curved.to, rates: this.#fitted.slice() };
  }

  /**
   * The farthest key that fits, or the farthest point between if no key does. Looks at `hint` keys first, then at more
   * or fewer, and gives up if a key before the time `least` does not fit.
   */
  #reach(from: number, last: number, hint: number, least: number, fits: (to: number) => boolean) {
    const keys = this.#keys;
    const first = this.#nextKey[from]!;
    const most = this.#nextKey[last]! - first;
    let start = 0;
    if (least > 0) while (start + 1 < most && this.samples.times[keys[first + start]!]! < least) start++;
    let good = 0;
    let bad = most + 1;
    let step = Math.max(1, start + 1, hint);
    while (good + 1 < bad) {
      const probe = bad > most ? Math.min(good + step, most) : (good + bad) >> 1;
      if (fits(keys[first + probe - 1]!)) good = probe;
      else {
        bad = probe;
        if (start > 0 && bad <= start + 1) return { to: from, keys: 0, fits: false };
      }
      step *= 2;
    }
    if (good > 0) return { to: keys[first + good - 1]!, keys: good, fits: true };
    return { ...this.#reachBetween(from, keys[first]!, fits), keys: 0 };
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
    return everyInOrder(this.#straightOrder, (i) => {
      const { kind } = this.channels[i]!;
      const limit = this.#limits[i]!;
      return kind === 'rotation'
        ? this.#turnFits(this.samples.values[i]!, from, to, limit * limit)
        : this.#lineFits(this.samples.values[i]!, from, to, limit * limit);
    });
  }

  #turnFits(v: Float32Array, from: number, to: number, limit: number): boolean {
    const { times } = this.samples;
    const [a, b] = [4 * from, 4 * to];
    const start = times[from]!;
    const span = times[to]! - start;
    const [ax, ay, az, aw] = [v[a]!, v[a + 1]!, v[a + 2]!, v[a + 3]!];
    const [bx, by, bz, bw] = [v[b]! - ax, v[b + 1]! - ay, v[b + 2]! - az, v[b + 3]! - aw];
    for (let s = from + 1; s < to; s++) {
      const f = (times[s]! - start) / span;
      const x = ax + bx * f;
      const y = ay + by * f;
      const z = az + bz * f;
      const w = aw + bw * f;
      const inverse = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
      const o = 4 * s;
      const dx = x * inverse - v[o]!;
      const dy = y * inverse - v[o + 1]!;
      const dz = z * inverse - v[o + 2]!;
      const dw = w * inverse - v[o + 3]!;
      // written so that NaN does not fit
      if (!(dx * dx + dy * dy + dz * dz + dw * dw <= limit)) return false;
    }
    return true;
  }

  #lineFits(v: Float32Array, from: number, to: number, limit: number): boolean {
    const { times } = this.samples;
    const [a, b] = [3 * from, 3 * to];
    const start = times[from]!;
    const span = times[to]! - start;
    for (let s = from + 1; s < to; s++) {
      const f = (times[s]! - start) / span;
      let error = 0;
      for (let c = 0; c < 3; c++) error += (v[a + c]! * (1 - f) + v[b + c]! * f - v[3 * s + c]!) ** 2;
      if (!(error <= limit)) return false;
    }
    return true;
  }

  /** Least-squares tangents for all channels. Returns false if one of them cannot keep its tolerance. */
  #cubicFit(from: number, to: number): boolean {
    const { times } = this.samples;
    const span = times[to]! - times[from]!;
    let a = 1e-9;
    let b = 0;
    let d = 1e-9;
    this.#weigh(from, to);
    for (let s = 1; s < to - from; s++) {
      const h10 = this.#h10[s]!;
      const h11 = this.#h11[s]!;
      a += h10 * h10;
      b += h10 * h11;
      d += h11 * h11;
    }
    const determinant = a * d - b * b;
    const inverse = [a / determinant, b / determinant, d / determinant] as const;
    const fits = everyInOrder(this.#cubicOrder, (i) => this.#cubicChannel(i, from, to, span, inverse));
    if (fits) [this.#fitted, this.#tried] = [this.#tried, this.#fitted];
    return fits;
  }

  #cubicChannel(
    i: number,
    from: number,
    to: number,
    span: number,
    [a, b, d]: readonly [a: number, b: number, d: number],
  ): boolean {
    const { width, kind } = this.channels[i]!;
    const v = this.samples.values[i]!;
    const { times } = this.samples;
    const tangents = this.#tangents;
    for (let c = 0; c < width; c++) {
      // The fit is of the difference from a straight line; both of the line's tangents are the chord. With too few
      // samples the curve stays straight.
      const v0 = v[width * from + c]!;
      const chord = v[width * to + c]! - v0;
      const slope = chord / span;
      let r0 = 0;
      let r1 = 0;
      for (let s = from + 1; s < to; s++) {
        const rest = v[width * s + c]! - v0 - slope * (times[s]! - times[from]!);
        r0 += rest * this.#h10[s - from]!;
        r1 += rest * this.#h11[s - from]!;
      }
      tangents[c] = chord + d * r0 - b * r1;
      tangents[width + c] = chord + a * r1 - b * r0;
    }
    const rates = this.#tried;
    const at = RATES * i;
    if (kind === 'rotation') {
      makeTangent(tangents, 0, v, 4 * from);
      makeTangent(tangents, 4, v, 4 * to);
      bodyRates(tangents, v, from, to, span, rates, at);
    } else for (let c = 0; c < RATES; c++) rates[at + c] = tangents[c]! / span;
    return this.#cubicFits(i, from, to, rates, at);
  }

  /** Writes the basis of every sample inside an interval. */
  #weigh(from: number, to: number): void {
    const { times } = this.samples;
    const span = times[to]! - times[from]!;
    for (let s = from + 1; s < to; s++) {
      const f = (times[s]! - times[from]!) / span;
      this.#h10[s - from] = f * (1 - f) * (1 - f);
      this.#h11[s - from] = f * f * (f - 1);
      this.#h01[s - from] = f * f * (3 - 2 * f);
    }
  }

  /**
   * Returns true if the cubic with these rates, as the decoder evaluates it, stays within the limit of every sample.
   * The basis of the interval has been written.
   */
  #cubicFits(i: number, from: number, to: number, rates: Float64Array, at: number): boolean {
    const { kind, width } = this.channels[i]!;
    const isRotation = kind === 'rotation';
    const v = this.samples.values[i]!;
    const { times } = this.samples;
    const limit = this.#limits[i]! ** 2;
    const span = times[to]! - times[from]!;
    // rates × span, for rotations q ω / 2 × span
    for (let side = 0; side < 2; side++) {
      const tangent = this.#ends[side]!;
      for (let c = 0; c < 3; c++) tangent[c] = rates[at + 3 * side + c]! * (isRotation ? span / 2 : span);
      tangent[3] = 0;
      if (isRotation) this.#turnTangent(v, 4 * (side === 0 ? from : to), tangent);
    }
    const [t0, t1] = this.#ends;
    const [s0x, s0y, s0z, s0w] = t0 as unknown as readonly [number, number, number, number];
    const [s1x, s1y, s1z, s1w] = t1 as unknown as readonly [number, number, number, number];
    const [a, b] = [width * from, width * to];
    const [ax, ay, az, aw] = [v[a]!, v[a + 1]!, v[a + 2]!, isRotation ? v[a + 3]! : 0];
    const [bx, by, bz, bw] = [v[b]! - ax, v[b + 1]! - ay, v[b + 2]! - az, isRotation ? v[b + 3]! - aw : 0];
    for (let s = from + 1; s < to; s++) {
      const h01 = this.#h01[s - from]!;
      const h10 = this.#h10[s - from]!;
      const h11 = this.#h11[s - from]!;
      const x = ax + bx * h01 + s0x * h10 + s1x * h11;
      const y = ay + by * h01 + s0y * h10 + s1y * h11;
      const z = az + bz * h01 + s0z * h10 + s1z * h11;
      const o = width * s;
      let inverse = 1;
      let error = 0;
      if (isRotation) {
        const w = aw + bw * h01 + s0w * h10 + s1w * h11;
        inverse = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
        const dw = w * inverse - v[o + 3]!;
        error = dw * dw;
      }
      const dx = x * inverse - v[o]!;
      const dy = y * inverse - v[o + 1]!;
      const dz = z * inverse - v[o + 2]!;
      if (!(error + dx * dx + dy * dy + dz * dz <= limit)) return false;
    }
    return true;
  }

  /** tangent = q × tangent */
  #turnTangent(v: Float32Array, at: number, tangent: Float64Array): void {
    const point = this.#point;
    for (let c = 0; c < 4; c++) point[c] = v[at + c]!;
    multiplyQuaternion(point, tangent, tangent);
  }

  /** Merges the rates where two cubics meet into one row, if both stay within their limits with the mean: most are smooth. */
  *shareRates(intervals: readonly FittedInterval[]): Steps<void> {
    for (let k = 1; k < intervals.length; k++) {
      const before = intervals[k - 1]!;
      const after = intervals[k]!;
      if (!before.rates || !after.rates || before.to !== after.from) continue;
      const [left, right] = [before.rates.slice(), after.rates.slice()];
      for (let at = 0; at < left.length; at += RATES) {
        for (let c = 0; c < 3; c++) left[at + 3 + c] = right[at + c] = (left[at + 3 + c]! + right[at + c]!) / 2;
      }
      if (this.#cubicsFit(before, left) && this.#cubicsFit(after, right)) {
        before.rates.set(left);
        after.rates.set(right);
      }
      if (k % INTERVALS_PER_STEP === 0) yield;
    }
  }

  #cubicsFit({ from, to }: FittedInterval, rates: Float64Array): boolean {
    this.#weigh(from, to);
    return everyInOrder(this.#cubicOrder, (i) => this.#cubicFits(i, from, to, rates, RATES * i));
  }
}

/** Returns true if all pass. One that does not moves to the front of the order. */
function everyInOrder(order: Int32Array, passes: (i: number) => boolean): boolean {
  for (let k = 0; k < order.length; k++) {
    const i = order[k]!;
    if (passes(i)) continue;
    order.copyWithin(1, 0, k);
    order[0] = i;
    return false;
  }
  return true;
}

/** Removes the part of a tangent that would change the quaternion's length. */
function makeTangent(tangents: Float64Array, at: number, q: Float32Array, qAt: number): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += tangents[at + c]! * q[qAt + c]!;
  for (let c = 0; c < 4; c++) tangents[at + c]! -= dot * q[qAt + c]!;
}

/** ω = 2 q⁻¹ dq/dt, in the joint's own frame, for both ends. */
function bodyRates(
  tangents: Float64Array,
  v: Float32Array,
  from: number,
  to: number,
  span: number,
  out: Float64Array,
  first: number,
): void {
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
    out[first + 3 * end] = 2 * (w * tx - tw * x - (y * tz - z * ty));
    out[first + 3 * end + 1] = 2 * (w * ty - tw * y - (z * tx - x * tz));
    out[first + 3 * end + 2] = 2 * (w * tz - tw * z - (x * ty - y * tx));
  }
}
