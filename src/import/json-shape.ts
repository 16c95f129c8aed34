import { type IssueList, pointer, quote } from './model-builder/issue-list.ts';
import { isUsable } from './model-builder/limits.ts';

/** One rule about a JSON value: reports what breaks it, and says whether it held. */
export type Shape = (value: unknown, check: Check) => boolean;

/** Errors after which the check of a file ends. */
const MAX_ERRORS = 100;

/** The state of a check: the whole file (references need its lists), the path so far, and the list for problems. */
export class Check {
  readonly root: Record<string, unknown>;
  readonly issues: IssueList;
  readonly path: (string | number)[] = [];
  #errors = 0;

  constructor(root: Record<string, unknown>, issues: IssueList) {
    this.root = root;
    this.issues = issues;
  }

  /** True if there are enough errors to end the check. */
  get hasEnough(): boolean {
    return this.#errors >= MAX_ERRORS;
  }

  refuse(message: string): false {
    this.#errors++;
    this.issues.error('GLTF_INVALID', pointer(...this.path), message);
    return false;
  }

  /** Checks what lies one step further down. */
  inside(key: string | number, value: unknown, shape: Shape): boolean {
    this.path.push(key);
    const held = shape(value, this);
    this.path.pop();
    return held;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with these properties; others are not looked at. */
export function object(required: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape {
  const requiredList = Object.entries(required);
  const optionalList = Object.entries(optional);
  return (value, check) => {
    if (!isObject(value)) return check.refuse(`must be an object, is ${describe(value)}`);
    let held = true;
    for (const [key, shape] of requiredList) {
      if (value[key] === undefined) held = check.refuse(`"${key}" is missing`);
      else if (!check.inside(key, value[key], shape)) held = false;
    }
    for (const [key, shape] of optionalList) {
      if (value[key] !== undefined && !check.inside(key, value[key], shape)) held = false;
    }
    return held;
  };
}

/** An object with values of one shape, such as a primitive's attributes. */
export function map(item: Shape): Shape {
  return (value, check) => {
    if (!isObject(value)) return check.refuse(`must be an object, is ${describe(value)}`);
    let held = true;
    for (const [key, entry] of Object.entries(value)) {
      if (!check.inside(key, entry, item)) held = false;
      if (check.hasEnough) break;
    }
    return held;
  };
}

export function list(item: Shape, minLength = 0, maxLength: number = Infinity): Shape {
  return (value, check) => {
    if (!Array.isArray(value)) return check.refuse(`must be an array, is ${describe(value)}`);
    if (value.length < minLength) return check.refuse(`must have at least ${minLength} entries, has ${value.length}`);
    if (value.length > maxLength) return check.refuse(`must have at most ${maxLength} entries, has ${value.length}`);
    let held = true;
    for (let i = 0; i < value.length && !check.hasEnough; i++) if (!check.inside(i, value[i], item)) held = false;
    return held;
  };
}

/** `length` finite numbers. */
export function numbers(length: number): Shape {
  const each = list(number);
  return (value, check) => {
    if (Array.isArray(value) && value.length !== length) {
      return check.refuse(`must have ${length} numbers, has ${value.length}`);
    }
    return each(value, check);
  };
}

/** A number that can be computed with (JSON may say 1e999). */
export const number: Shape = (value, check) =>
  (typeof value === 'number' && isUsable(value)) || check.refuse(`must be a usable number, is ${describe(value)}`);

export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Shape {
  return (value, check) =>
    (Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum) ||
    check.refuse(`must be an integer from ${minimum} to ${maximum}, is ${describe(value)}`);
}

/** An index into one of the file's top-level lists. */
export function index(listName: string): Shape {
  return (value, check) => {
    const entries = check.root[listName];
    const length = Array.isArray(entries) ? entries.length : 0;
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < length) return true;
    return check.refuse(`refers to ${listName}[${describe(value)}], the file has ${length} ${listName}`);
  };
}

export function oneOf(...allowed: readonly (string | number)[]): Shape {
  return (value, check) =>
    allowed.includes(value as string) || check.refuse(`must be one of ${allowed.join(', ')}, is ${describe(value)}`);
}

export const text: Shape = (value, check) =>
  typeof value === 'string' || check.refuse(`must be a string, is ${describe(value)}`);

export const boolean: Shape = (value, check) =>
  typeof value === 'boolean' || check.refuse(`must be true or false, is ${describe(value)}`);

export const anything: Shape = () => true;

/** A JSON value, short enough for a message. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? quote(value) : String(value);
}
