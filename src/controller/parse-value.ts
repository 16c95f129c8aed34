import { error, type Issue } from '../errors.ts';
import { CONTROLLER_LIMITS, join } from './parse-limits.ts';
import { checkLimit } from './parse-text.ts';

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
