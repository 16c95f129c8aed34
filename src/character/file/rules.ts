import type { Report } from './report.ts';

/**
 * Rules about JSON values. A rule returns a new value that contains only known fields, or reports problems and returns
 * INVALID. The same rules normalise a description before it is written.
 */

export const INVALID: unique symbol = Symbol('invalid');

export type Rule<T> = (value: unknown, place: Place) => T | typeof INVALID;
export type RuleValue<R> = R extends Rule<infer T> ? T : never;

/** Position of a value in the JSON. */
export class Place {
  constructor(
    readonly report: Report,
    readonly path: string,
  ) {}

  inside(key: string | number): Place {
    return new Place(this.report, `${this.path}/${key}`);
  }

  /** Reports an unexpected value. */
  refuse(expected: string, value: unknown): typeof INVALID {
    this.report.corrupt(this.path, `has to be ${expected}, is ${nameOf(value)}.`);
    return INVALID;
  }
}

/**
 * The value that the rule reads at the top of the JSON.
 * @throws ManipleError BAKED_CORRUPT with all that the rule rejected
 */
export function readWith<T>(rule: Rule<T>, value: unknown, report: Report): T {
  const read = rule(value, new Place(report, 'json'));
  report.throwIfFailed();
  if (read === INVALID) throw new Error('a rule refused a value without saying why');
  return read;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const text: Rule<string> = (value, place) => (typeof value === 'string' ? value : place.refuse('text', value));

export const flag: Rule<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : place.refuse('true or false', value);

/** A number that a 32-bit float can hold, from `low` on. */
export function number(low = -FLOAT_MAX): Rule<number> {
  return (value, place) =>
    typeof value === 'number' && value >= low && value <= FLOAT_MAX
      ? value
      : place.refuse(`a number from ${low === -FLOAT_MAX ? '−3.4e38' : low} to 3.4e38`, value);
}

const FLOAT_MAX = 3.4028234663852886e38;

export function integer(low: number, high: number = Number.MAX_SAFE_INTEGER): Rule<number> {
  return (value, place) =>
    Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high
      ? (value as number)
      : place.refuse(`an integer from ${low} to ${high}`, value);
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Rule<T> {
  return (value, place) =>
    allowed.find((each) => each === value) ?? place.refuse(`one of ${allowed.join(', ')}`, value);
}

export function list<T>(rule: Rule<T>, most = Infinity): Rule<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) return place.refuse('a list', value);
    if (value.length > most) return place.refuse(`a list of at most ${most}`, value);
    const out: T[] = [];
    value.forEach((entry: unknown, index) => {
      const read = rule(entry, place.inside(index));
      if (read !== INVALID) out.push(read);
    });
    return out.length === value.length ? out : INVALID;
  };
}

type Tuple<N extends number> = N extends 2
  ? readonly [number, number]
  : N extends 3
    ? readonly [number, number, number]
    : readonly [number, number, number, number];

/** A list of exactly `length` numbers. */
export function vector<N extends 2 | 3 | 4>(length: N): Rule<Tuple<N>> {
  const numbers = list(number());
  return (value, place) => {
    if (!Array.isArray(value) || value.length !== length) return place.refuse(`a list of ${length} numbers`, value);
    return numbers(value, place) as Tuple<N> | typeof INVALID;
  };
}

/** A field that may be missing. */
export function optional<T>(rule: Rule<T>): Rule<T | undefined> {
  return (value, place) => (value === undefined ? undefined : rule(value, place));
}

/** A field that may be missing, and is `fallback` then. */
export function defaulted<T>(rule: Rule<T>, fallback: T): Rule<T> {
  return (value, place) => (value === undefined ? fallback : rule(value, place));
}

type Fields = Readonly<Record<string, Rule<unknown>>>;

/** An object with these fields, in this order. Other fields are left out. */
export function record<const F extends Fields>(fields: F): Rule<{ readonly [K in keyof F]: RuleValue<F[K]> }> {
  const entries = Object.entries(fields);
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return place.refuse('an object', value);
    const out: Record<string, unknown> = {};
    let valid = true;
    for (const [key, rule] of entries) {
      const read = rule(
        Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
        place.inside(key),
      );
      if (read === INVALID) valid = false;
      else out[key] = read;
    }
    return valid ? (out as { readonly [K in keyof F]: RuleValue<F[K]> }) : INVALID;
  };
}
