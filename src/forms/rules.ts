import { quoted, shortened } from '../errors.ts';

/**
 * Rules about JSON-like values from files. A rule returns what it has read, or reports problems and returns INVALID.
 * All readers share the wording of messages, "Expected a number, got …", and paths, which are JSON pointers (RFC 6901).
 */

export const INVALID: unique symbol = Symbol('invalid');

export type Rule<T> = (value: unknown, place: Place) => T | typeof INVALID;
export type RuleValue<R> = R extends Rule<infer T> ? T : never;

/** Receives problems. Throws to end the reading, for example after many of them. */
export type Refuse = (path: string, message: string) => void;

/** Position of a value. Its path is built when a problem is reported. */
export class Place {
  constructor(
    readonly report: Refuse,
    /** The whole value, for references from one part to another. */
    readonly root: unknown,
    readonly outer?: Place,
    readonly key?: string | number,
  ) {}

  get path(): string {
    return this.outer ? `${this.outer.path}/${this.key}` : '';
  }

  /** @param key A known name or an index. A name from a file goes through `insideName`. */
  inside(key: string | number): Place {
    return new Place(this.report, this.root, this, key);
  }

  refuse(message: string): typeof INVALID {
    this.report(this.path, message);
    return INVALID;
  }

  expected(expected: string, value: unknown): typeof INVALID {
    return this.refuse(`Expected ${expected}, got ${describe(value)}.`);
  }
}

/** Reads a value by a rule; undefined if the rule reported a problem. */
export function readValue<T>(rule: Rule<T>, value: unknown, report: Refuse): T | undefined {
  const read = rule(value, new Place(report, value));
  return read === INVALID ? undefined : read;
}

/** Returns the place of a value that has a name from the file. */
function insideName(place: Place, name: string): Place {
  return place.inside(pointer(shortened(name)).slice(1));
}

/** A JSON pointer. */
export function pointer(...segments: readonly PropertyKey[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A short description of a value: text and numbers as they are, the rest by type. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  return isObject(value) ? 'an object' : quoted(value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any value that exists. */
export const anything: Rule<unknown> = (value, place) =>
  value === undefined ? place.expected('a value', value) : value;

export const text: Rule<string> = (value, place) =>
  typeof value === 'string' ? value : place.expected('a string', value);

export function textUpTo(limit: number): Rule<string> {
  return (value, place) => {
    const read = text(value, place);
    return read === INVALID || read.length <= limit
      ? read
      : place.refuse(`Expected at most ${limit} characters, got ${read.length}.`);
  };
}

export const flag: Rule<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : place.expected('true or false', value);

/** The largest finite 32-bit float. */
export const FLOAT_MAX = 3.4028234663852886e38;

/** A number that a 32-bit float can hold, from `low` on. */
export function number(low = -FLOAT_MAX): Rule<number> {
  return (value, place) =>
    typeof value === 'number' && value >= low && value <= FLOAT_MAX
      ? value
      : place.expected(`a number from ${low === -FLOAT_MAX ? '−3.4e38' : low} to 3.4e38`, value);
}

export function numberBetween(low: number, high: number): Rule<number> {
  return (value, place) =>
    typeof value === 'number' && value >= low && value <= high
      ? value
      : place.expected(`a number from ${low} to ${high}`, value);
}

export function integer(low: number, high: number = Number.MAX_SAFE_INTEGER): Rule<number> {
  return (value, place) =>
    Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high
      ? (value as number)
      : place.expected(`an integer from ${low} to ${high}`, value);
}

export function oneOf<const T extends string | number>(...allowed: readonly T[]): Rule<T> {
  return (value, place) =>
    allowed.find((each) => each === value) ?? place.expected(`one of ${allowed.map(quoted).join(', ')}`, value);
}

/** A list of `least` to `most` values. */
export function list<T>(rule: Rule<T>, most = Infinity, least = 0): Rule<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) return place.expected('a list', value);
    if (value.length > most) return place.expected(`a list of at most ${most}`, value);
    if (value.length < least) return place.expected(`a list of at least ${least}`, value);
    const out: T[] = [];
    for (let index = 0; index < value.length; index++) {
      const read = rule(value[index], place.inside(index));
      if (read !== INVALID) out.push(read);
    }
    return out.length === value.length ? out : INVALID;
  };
}

type Tuple<N extends number> = N extends 2
  ? readonly [number, number]
  : N extends 3
    ? readonly [number, number, number]
    : readonly [number, number, number, number];

export function vector<N extends 2 | 3 | 4>(length: N): Rule<Tuple<N>> {
  return list(number(), length, length) as Rule<readonly number[]> as Rule<Tuple<N>>;
}

/** An object with values of one rule, by any name. */
export function map<T>(rule: Rule<T>): Rule<Readonly<Record<string, T>>> {
  return (value, place) => {
    if (!isObject(value)) return place.expected('an object', value);
    let valid = true;
    for (const [key, entry] of Object.entries(value)) {
      if (rule(entry, insideName(place, key)) === INVALID) valid = false;
    }
    return valid ? (value as Readonly<Record<string, T>>) : INVALID;
  };
}

export function optional<T>(rule: Rule<T>): Rule<T | undefined> {
  return defaulted<T | undefined>(rule, undefined);
}

/** A field that may be missing, and is `fallback` then. */
export function defaulted<T>(rule: Rule<T>, fallback: T): Rule<T> {
  return (value, place) => (value === undefined ? fallback : rule(value, place));
}

type Fields = Readonly<Record<string, Rule<unknown>>>;
type RecordOf<F extends Fields> = { readonly [K in keyof F]: RuleValue<F[K]> };

/** An object with these fields, in this order. Other fields are left out. */
export function record<const F extends Fields>(fields: F): Rule<RecordOf<F>> {
  const entries = Object.entries(fields);
  return (value, place) => {
    if (!isObject(value)) return place.expected('an object', value);
    const out: Record<string, unknown> = {};
    let valid = true;
    for (const [key, rule] of entries) {
      const read = rule(Object.hasOwn(value, key) ? value[key] : undefined, place.inside(key));
      if (read === INVALID) valid = false;
      else out[key] = read;
    }
    return valid ? (out as RecordOf<F>) : INVALID;
  };
}

type OptionalKey<F extends Fields> = { [K in keyof F]: undefined extends RuleValue<F[K]> ? K : never }[keyof F];
type ExactOf<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKey<F>>]: RuleValue<F[K]> } & {
  readonly [K in OptionalKey<F>]?: Exclude<RuleValue<F[K]>, undefined>;
};

/** An object with these fields and no others. Absent ones stay absent. */
export function exact<const F extends Fields>(fields: F): Rule<ExactOf<F>> {
  const names = Object.keys(fields).join(', ');
  return (value, place) => {
    if (!isObject(value)) return place.expected('an object', value);
    const out: Record<string, unknown> = {};
    let valid = true;
    for (const [key, entry] of Object.entries(value)) {
      const inner = insideName(place, key);
      const read = Object.hasOwn(fields, key)
        ? fields[key]!(entry, inner)
        : inner.refuse(`Unknown field ${quoted(key)}. Fields: ${names}.`);
      if (read === INVALID) valid = false;
      else out[key] = read;
    }
    for (const [key, rule] of Object.entries(fields)) {
      if (!Object.hasOwn(value, key) && rule(undefined, place.inside(key)) === INVALID) valid = false;
    }
    return valid ? (out as ExactOf<F>) : INVALID;
  };
}
