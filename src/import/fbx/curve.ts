import { findKey } from '../../character/evaluate.ts';
import { isUsable } from '../model-builder/limits.ts';
import type { FbxObject } from './document.ts';

/** Units of FBX times in a second. */
export const TICKS_PER_SECOND = 46_186_158_000;

// flags of a key
const CONSTANT = 0x2;
const LINEAR = 0x4;
const CONSTANT_NEXT = 0x100;
const TANGENT_AUTO = 0x100;
const TANGENT_TCB = 0x200;
const CLAMP = 0x1000;
const CLAMP_PROGRESSIVE = 0x4000;
const WEIGHTED_RIGHT = 0x100_0000;
const WEIGHTED_NEXT_LEFT = 0x200_0000;
const VELOCITY = 0x3000_0000;

/** Weights are stored as 16-bit integers. */
const WEIGHT_UNIT = 9_999;
/** The weight of a tangent without one, which makes a segment a Hermite cubic. */
const PLAIN_WEIGHT = 1 / 3;

/** From a key to the next one. */
type Segment = 'constant' | 'next' | 'linear' | 'cubic';

/** Counts of keys that are approximated, or could not be used. */
export interface CurveFaults {
  /** Keys that are unusable, or not later than the one before. */
  readonly dropped: number;
  /** Keys with tension, continuity and bias. */
  readonly tcb: number;
  /** Keys with velocities, which are not evaluated. */
  readonly velocity: number;
  /** True if it repeats outside its keys, which is not evaluated. */
  readonly repeats: boolean;
}

/** Attributes of a key. */
interface KeyAttributes {
  readonly flags: number;
  /** Slopes per second, or the tangent's parameters: of this key, and on the left side of the next one. */
  readonly right: number;
  readonly nextLeft: number;
  readonly rightWeight: number;
  readonly nextLeftWeight: number;
  /** The third number, for keys with tension, continuity and bias. */
  readonly bias: number;
}

const NO_ATTRIBUTES: KeyAttributes = {
  flags: LINEAR,
  right: 0,
  nextLeft: 0,
  rightWeight: PLAIN_WEIGHT,
  nextLeftWeight: PLAIN_WEIGHT,
  bias: 0,
};

/** An animation curve: constant, linear and cubic segments between keys. Before and after them the end values hold. */
export class Curve {
  /** Seconds, strictly increasing. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly faults: CurveFaults;
  readonly #attributes: readonly KeyAttributes[];

  constructor(object: FbxObject) {
    const { node } = object;
    const ticks = node.numbers('KeyTime');
    const given = node.child('KeyValueFloat') ? node.numbers('KeyValueFloat') : node.numbers('KeyValueDouble');
    const all = readAttributes(object, ticks.length);
    const count = Math.min(ticks.length, given.length);
    const kept: number[] = [];
    let last = -Infinity;
    for (let key = 0; key < count; key++) {
      if (!isUsable(ticks[key]!) || !isUsable(given[key]!) || !(ticks[key]! > last)) continue;
      last = ticks[key]!;
      kept.push(key);
    }
    this.times = Float64Array.from(kept, (key) => ticks[key]! / TICKS_PER_SECOND);
    this.values = Float64Array.from(kept, (key) => given[key]!);
    this.#attributes = kept.map((key) => all[key]!);
    const having = (flag: number) => this.#attributes.filter(({ flags }) => !isStraight(flags) && flags & flag).length;
    const extrapolations = ['Pre-Extrapolation', 'Post-Extrapolation', 'PreExtrapolation', 'PostExtrapolation'];
    const repeats = extrapolations.some((name) => ['R', 'M', 'K'].includes(node.child(name)?.childText('Type') ?? ''));
    const dropped = ticks.length - kept.length;
    this.faults = { dropped, tcb: having(TANGENT_TCB), velocity: having(VELOCITY), repeats };
  }

  /** The form of the curve from a key to the next. */
  segment(key: number): Segment {
    const { flags } = this.#attributes[key]!;
    if (flags & CONSTANT) return flags & CONSTANT_NEXT ? 'next' : 'constant';
    return flags & LINEAR ? 'linear' : 'cubic';
  }

  /** The value at a time in seconds; `fallback` if the curve has no keys. */
  evaluate(time: number, fallback: number): number {
    const { times, values } = this;
    const last = times.length - 1;
    if (last < 0) return fallback;
    const key = findKey(times, time);
    if (key < 0) return values[0]!;
    if (key >= last) return values[last]!;
    const [v0, v1] = [values[key]!, values[key + 1]!];
    const span = times[key + 1]! - times[key]!;
    const f = (time - times[key]!) / span;
    switch (this.segment(key)) {
      case 'constant':
        return v0;
      case 'next':
        return f > 0 ? v1 : v0;
      case 'linear':
        return v0 + (v1 - v0) * f;
      default:
        return this.#cubic(key, f, span);
    }
  }

  /** A cubic Bezier of time and value; without weights its time is f itself. */
  #cubic(key: number, f: number, span: number): number {
    const { flags, rightWeight, nextLeftWeight } = this.#attributes[key]!;
    const [v0, v1] = [this.values[key]!, this.values[key + 1]!];
    const w0 = flags & WEIGHTED_RIGHT ? rightWeight : PLAIN_WEIGHT;
    const w1 = flags & WEIGHTED_NEXT_LEFT ? nextLeftWeight : PLAIN_WEIGHT;
    const u = w0 === PLAIN_WEIGHT && w1 === PLAIN_WEIGHT ? f : parameterAt(f, w0, 1 - w1);
    const a = v0 + this.#rightSlope(key) * span * w0;
    const b = v1 - this.#leftSlope(key + 1) * span * w1;
    return bezier(u, v0, a, b, v1);
  }

  #rightSlope(key: number): number {
    const { flags, right } = this.#attributes[key]!;
    return flags & (TANGENT_AUTO | TANGENT_TCB) ? this.#autoSlope(key, 1) : right;
  }

  #leftSlope(key: number): number {
    const { flags } = this.#attributes[key]!;
    return flags & (TANGENT_AUTO | TANGENT_TCB) ? this.#autoSlope(key, 0) : this.#attributes[key - 1]!.nextLeft;
  }

  /** The slope of a key with tangents that follow its neighbours. @param side 0: left, 1: right. */
  #autoSlope(key: number, side: 0 | 1): number {
    const { times, values } = this;
    const { flags, right: tension, nextLeft: continuity, bias } = this.#attributes[key]!;
    const [before, after] = [Math.max(0, key - 1), Math.min(times.length - 1, key + 1)];
    // an end is flat
    if (before === key || after === key) return 0;
    const [rise0, rise1] = [values[key]! - values[before]!, values[after]! - values[key]!];
    const [span0, span1] = [times[key]! - times[before]!, times[after]! - times[key]!];
    if (flags & TANGENT_TCB) {
      // Kochanek and Bartels, Interpolating splines with local tension, continuity, and bias control (1984)
      const c = side === 1 ? continuity : -continuity;
      const tangent = (1 - tension) * ((1 + bias) * (1 + c) * rise0 + (1 - bias) * (1 - c) * rise1);
      return tangent / (span0 + span1);
    }
    const slope = (rise0 + rise1) / (span0 + span1);
    if (flags & CLAMP_PROGRESSIVE) {
      // its control points stay between the neighbours
      if (rise0 * rise1 <= 0) return 0;
      const steepest = 3 * Math.min(Math.abs(rise0 / span0), Math.abs(rise1 / span1));
      return Math.sign(slope) * Math.min(Math.abs(slope), steepest);
    }
    return flags & CLAMP && (rise0 === 0 || rise1 === 0) ? 0 : slope;
  }
}

function isStraight(flags: number): boolean {
  return (flags & (CONSTANT | LINEAR)) !== 0;
}

function bezier(u: number, a: number, b: number, c: number, d: number): number {
  const v = 1 - u;
  return v * v * (v * a + 3 * u * b) + u * u * (3 * v * c + u * d);
}

/** The parameter at which a Bezier from 0 to 1, with inner control points within these, has the value x: bisection. */
function parameterAt(x: number, b: number, c: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 48; i++) {
    const middle = (low + high) / 2;
    if (bezier(middle, 0, b, c, 1) < x) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const bits = new DataView(new ArrayBuffer(4));

/** Attributes of each key. Those that follow each other with the same attributes are stored once, with their count. */
function readAttributes({ node }: FbxObject, keyCount: number): KeyAttributes[] {
  const flags = node.numbers('KeyAttrFlags');
  const data = node.numbers('KeyAttrDataFloat');
  const counts = node.numbers('KeyAttrRefCount');
  const all: KeyAttributes[] = [];
  const usable = (value: number | undefined): number => (value !== undefined && isUsable(value) ? value : 0);
  for (let i = 0; i < flags.length && all.length < keyCount; i++) {
    const [right, nextLeft, third] = [0, 1, 2].map((c) => usable(data[4 * i + c])) as [number, number, number];
    // weights are bits of the number in a binary file, and printed as an integer in ASCII
    if (third >= 1 && Number.isInteger(third)) bits.setUint32(0, third);
    else bits.setFloat32(0, third);
    const [nextLeftWeight, rightWeight] = [bits.getUint16(0) / WEIGHT_UNIT, bits.getUint16(2) / WEIGHT_UNIT];
    const attributes = {
      flags: flags[i]!,
      right,
      nextLeft,
      rightWeight: Math.min(1, rightWeight),
      nextLeftWeight: Math.min(1, nextLeftWeight),
      bias: third,
    };
    for (let n = Math.min(counts[i] ?? 1, keyCount - all.length); n > 0; n--) all.push(attributes);
  }
  while (all.length < keyCount) all.push(all.at(-1) ?? NO_ATTRIBUTES);
  return all;
}
