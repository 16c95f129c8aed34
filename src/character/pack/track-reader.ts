import { findKey, trackWidth } from '../evaluate.ts';
import type { TrackModel } from '../model.ts';

/**
 * Reads a joint's track at many times: equal to `sampleTrack` up to rounding, at a fraction of its cost. A reader
 * caches the last interval between two keys, and values derived from its ends. Ascending times seldom need a search.
 */
export class TrackReader {
  readonly #width: number;
  readonly #kind: 'hold' | 'line' | 'slerp' | 'cubic';
  /** Start and end of the cached interval, in seconds. */
  #from = Infinity;
  #until = -Infinity;
  /** Key at the start of the cached interval, −1 before the first. */
  #key = -2;
  /** True if one value holds over the interval. */
  #isHeld = true;
  /** Four each: values at both ends, of a slerp unit and in one hemisphere; or the coefficients of a cubic. */
  readonly #ends = new Float64Array(16);
  /** A slerp's angle, and the sine of it. */
  #angle = 0;
  #sine = 0;

  constructor(readonly track: TrackModel) {
    const { path, interpolation } = track;
    this.#width = trackWidth(track);
    const straight = path === 'rotation' ? 'slerp' : 'line';
    this.#kind = interpolation === 'STEP' ? 'hold' : interpolation === 'CUBICSPLINE' ? 'cubic' : straight;
  }

  /** Writes the value at a time, in seconds, to `out[to…]`. */
  read(time: number, out: Float64Array, to: number): void {
    if (!(time >= this.#from && time < this.#until)) this.#enter(time);
    const width = this.#width;
    const ends = this.#ends;
    if (this.#isHeld) {
      for (let c = 0; c < width; c++) out[to + c] = ends[c]!;
      return;
    }
    const f = (time - this.#from) / (this.#until - this.#from);
    if (this.#kind === 'cubic') {
      for (let c = 0; c < width; c++) {
        out[to + c] = ends[c]! + f * (ends[c + 4]! + f * (ends[c + 8]! + f * ends[c + 12]!));
      }
    } else {
      const isLine = this.#kind === 'line' || this.#sine < 1e-9;
      const w0 = isLine ? 1 - f : Math.sin((1 - f) * this.#angle) / this.#sine;
      const w1 = isLine ? f : Math.sin(f * this.#angle) / this.#sine;
      for (let c = 0; c < width; c++) out[to + c] = ends[c]! * w0 + ends[c + 4]! * w1;
    }
    if (width === 4) normalize(out, to);
  }

  /** Finds the interval that contains a time, and caches it. */
  #enter(time: number): void {
    const { times, values } = this.track;
    const width = this.#width;
    const isCubic = this.#kind === 'cubic';
    const stride = isCubic ? 3 * width : width;
    // mostly the next one
    const after = this.#key + 1;
    const isNext = time >= times[after]! && !(time >= times[after + 1]!);
    const key = isNext ? after : findKey(times, time);
    this.#key = key;
    const last = times.length - 1;
    this.#from = key < 0 ? -Infinity : times[key]!;
    this.#until = key < last ? times[key + 1]! : Infinity;
    this.#isHeld = key < 0 || key === last || this.#kind === 'hold';
    const at = Math.max(key, 0) * stride + (isCubic ? width : 0);
    const ends = this.#ends;
    for (let c = 0; c < width; c++) ends[c] = values[at + c]!;
    if (width === 4 && (this.#isHeld || !isCubic)) normalize(ends, 0);
    if (this.#isHeld) return;
    const next = at + stride;
    for (let c = 0; c < width; c++) ends[c + 4] = values[next + c]!;
    if (isCubic) {
      const span = this.#until - this.#from;
      for (let c = 0; c < width; c++) {
        const [v0, v1] = [ends[c]!, ends[c + 4]!];
        const t0 = values[at + width + c]! * span;
        const t1 = values[next - width + c]! * span;
        ends[c + 4] = t0;
        ends[c + 8] = 3 * (v1 - v0) - 2 * t0 - t1;
        ends[c + 12] = 2 * (v0 - v1) + t0 + t1;
      }
    } else if (width === 4) {
      normalize(ends, 4);
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += ends[c]! * ends[c + 4]!;
      if (dot < 0) for (let c = 4; c < 8; c++) ends[c] = -ends[c]!;
      this.#angle = Math.acos(Math.min(1, Math.abs(dot)));
      this.#sine = Math.sin(this.#angle);
    }
  }
}

export function isStill({ interpolation, times, values }: TrackModel): boolean {
  if (interpolation === 'CUBICSPLINE') return false;
  const width = values.length / times.length;
  for (let i = width; i < values.length; i++) if (values[i] !== values[i - width]) return false;
  return true;
}

/**
 * Control points of a track between a key and the next one: both values, or the four Bézier points of a cubic. The hull
 * of the Bézier points contains the curve. For a step, and after the last key: the key's own value.
 */
export function controlPoints(track: TrackModel, key: number): number[][] {
  const { times, values, interpolation } = track;
  const width = trackWidth(track);
  const stride = values.length / times.length;
  /** Value of a key, plus a multiple of its incoming (-1) or outgoing (1) tangent. */
  const pointAt = (k: number, tangent = 0, seconds = 0): number[] => {
    const at = k * stride + (stride === width ? 0 : width);
    const point: number[] = [];
    for (let c = 0; c < width; c++) {
      point.push(values[at + c]! + (tangent === 0 ? 0 : seconds * values[at + tangent * width + c]!));
    }
    return point;
  };
  if (key + 1 >= times.length || interpolation === 'STEP') return [pointAt(key)];
  if (interpolation === 'LINEAR') return [pointAt(key), pointAt(key + 1)];
  const third = (times[key + 1]! - times[key]!) / 3;
  return [pointAt(key), pointAt(key, 1, third), pointAt(key + 1, -1, -third), pointAt(key + 1)];
}

/** Visits all control points, some of them twice. The list that is passed is reused for the next one. */
export function eachControlPoint(track: TrackModel, use: (point: number[]) => void): void {
  const { times, values, interpolation } = track;
  if (interpolation === 'CUBICSPLINE') {
    for (let key = 0; key < times.length; key++) for (const point of controlPoints(track, key)) use(point);
    return;
  }
  const width = trackWidth(track);
  const point: number[] = [];
  for (let at = 0; at < (isStill(track) ? width : values.length); at += width) {
    for (let c = 0; c < width; c++) point[c] = values[at + c]!;
    use(point);
  }
}

function normalize(v: Float64Array, at: number): void {
  let square = 0;
  for (let c = at; c < at + 4; c++) square += v[c]! * v[c]!;
  // not Math.hypot, which takes several times as long
  const length = Math.sqrt(square) || 1;
  for (let c = at; c < at + 4; c++) v[c] = v[c]! / length;
}
