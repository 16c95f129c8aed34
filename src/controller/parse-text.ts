import { error, fail, type Issue, quoted, reasonOf } from '../errors.ts';
import { CONTROLLER_LIMITS, join } from './parse-limits.ts';

/**
 * Parses a JSON text. Size, nesting and number of values are measured before anything is built. A name that is
 * duplicated in one object is added to `issues`, because the parser would silently keep the last one.
 *
 * @throws ManipleError CONTROLLER_LIMIT, CONTROLLER_INVALID
 */
export function parseText(source: string | Uint8Array, issues: Issue[]): unknown {
  checkLimit(source.length, CONTROLLER_LIMITS.text, typeof source === 'string' ? 'characters' : 'bytes');
  const text = (typeof source === 'string' ? source : decode(source)).replace(/^\uFEFF/, '');
  const { values, depth, repeated } = scanText(text);
  checkLimit(values, CONTROLLER_LIMITS.values, 'values');
  checkLimit(depth, CONTROLLER_LIMITS.nesting, 'or more objects and lists inside each other');
  try {
    const value = JSON.parse(text) as unknown;
    issues.push(...repeated);
    return value;
  } catch (thrown) {
    const advice = /^\s*%YAML/.test(text) ? 'Import it: it looks like a Unity file.' : 'Correct the text.';
    return fail('CONTROLLER_INVALID', '', `Not valid JSON: ${reasonOf(thrown)}.`, advice);
  }
}

function checkLimit(count: number, limit: number, what: string, path = ''): void {
  if (count <= limit) return;
  fail('CONTROLLER_LIMIT', path, `${count} ${what}; the limit is ${limit}.`, 'Split the controller.');
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fail('CONTROLLER_INVALID', '', 'Not valid UTF-8.', 'Save the file as JSON in UTF-8.');
  }
}

/** An open object or list; `keys` is undefined in a list. */
interface Open {
  readonly keys: Set<string> | undefined;
  place: string | number;
}

/** Repetitions above this number are not listed: they have one cause. */
const REPEATED_LIMIT = 100;

/** Scans any text, JSON or not, once from start to end. Stops when a limit is exceeded. */
function scanText(text: string) {
  const open: Open[] = [];
  const repeated: Issue[] = [];
  let [values, depth] = [1, 0];
  const tooMuch = () => values > CONTROLLER_LIMITS.values || depth > CONTROLLER_LIMITS.nesting;
  for (let i = 0; i < text.length && !tooMuch(); i++) {
    const character = text[i]!;
    const inner = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, i);
      if (inner?.keys && isKey(text, end)) {
        const key = unescaped(text.slice(i, end));
        if (inner.keys.has(key) && repeated.length < REPEATED_LIMIT) repeated.push(repeatedIssue(open, key));
        inner.keys.add(key);
        inner.place = key;
      }
      i = end - 1;
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? { keys: new Set(), place: '' } : { keys: undefined, place: 0 });
      values++;
      depth = Math.max(depth, open.length);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',') {
      values++;
      if (typeof inner?.place === 'number') inner.place++;
    }
  }
  return { values, depth, repeated };
}

function repeatedIssue(open: readonly Open[], key: string): Issue {
  const pointer = join('', ...open.slice(0, -1).map(({ place }) => place), key);
  return error('CONTROLLER_INVALID', pointer, `Duplicate name ${quoted(key)}.`, 'Rename one of them.');
}

/** Position after the closing quote of the string that opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return Math.min(i + 1, text.length);
}

function isKey(text: string, from: number): boolean {
  let i = from;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++;
  return text[i] === ':';
}

function unescaped(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal; // the parser refuses it as well
  }
}

/** The largest finite 32-bit float: what kernels compute with. */
const FLOAT_LIMIT = 3.4028234663852886e38;

/** Problems listed one by one; the rest are counted. */
export const PROBLEM_LIMIT = 100;

/**
 * Copies a value, keeping only what JSON can hold, into objects without a prototype. So a look-up of a name, even
 * `constructor`, never finds an inherited property. Values that JSON cannot hold are added to `issues`. Undefined
 * properties count as absent.
 *
 * @throws ManipleError CONTROLLER_LIMIT if values or nesting exceed their limits
 */
export function plainCopy(value: unknown, issues: Issue[]): { readonly copy: unknown; readonly count: number } {
  const steps: (string | number)[] = [];
  let count = 0;

  const refuse = (found: string): void => {
    if (issues.length >= PROBLEM_LIMIT) return;
    issues.push(error('CONTROLLER_INVALID', join('', ...steps), `${found} cannot be in a controller.`));
  };

  function copy(original: unknown): unknown {
    checkLimit(++count, CONTROLLER_LIMITS.values, 'or more values');
    if (typeof original === 'number') {
      if (!(Math.abs(original) <= FLOAT_LIMIT)) refuse(`The number ${original}`);
      return original;
    }
    if (typeof original !== 'object' || original === null) {
      if (typeof original === 'function' || typeof original === 'symbol' || typeof original === 'bigint') {
        refuse(`A ${typeof original}`);
      }
      return original;
    }
    checkLimit(steps.length + 1, CONTROLLER_LIMITS.nesting, 'or more objects and lists inside each other');
    if (Array.isArray(original)) {
      // a list may claim more elements than memory holds
      checkLimit(count + original.length, CONTROLLER_LIMITS.values, 'or more values');
      return Array.from(original, (element: unknown, i) => {
        steps.push(i);
        const copied = copy(element);
        steps.pop();
        return copied;
      });
    }
    const prototype: unknown = Object.getPrototypeOf(original);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      refuse(`A ${nameOfClass(original)}`);
      return null;
    }
    const entries = Object.entries(original);
    if (entries.length > CONTROLLER_LIMITS.names) {
      checkLimit(entries.length, CONTROLLER_LIMITS.names, 'names in one object', join('', ...steps));
    }
    const result = Object.create(null) as Record<string, unknown>;
    for (const [key, inner] of entries) {
      if (inner === undefined) continue;
      steps.push(key);
      if (key === '__proto__') refuse('The name "__proto__"');
      else result[key] = copy(inner);
      steps.pop();
    }
    return result;
  }

  return { copy: copy(value), count };
}

function nameOfClass(value: object): string {
  const { constructor } = value;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'class instance';
}
