import { describe, isObject, numberBetween, pointer, readValue, type Rule } from '../../forms/rules.ts';
import { MAX_MAGNITUDE } from '../model-builder/limits.ts';
import { type IssueList, quote } from '../model-builder/issue-list.ts';
import { GRAPH_LIMITS } from './graph.ts';

/** A value of the graph's JSON, and its place. */
export interface Placed {
  readonly value: unknown;
  readonly path: string;
}

/** One item of a list or map. */
export interface Item extends Placed {
  readonly key: string;
}

/** An object of the graph's JSON, and its place. Problems of its fields are reported to `issues`. */
export class Fields {
  private constructor(
    readonly object: Readonly<Record<string, unknown>>,
    readonly path: string,
    readonly issues: IssueList,
  ) {}

  /** The fields of what should be an object; undefined, and reported, for anything else. */
  static of({ value, path }: Placed, issues: IssueList): Fields | undefined {
    if (isObject(value)) return new Fields(value, path, issues);
    issues.error('PLAYCANVAS_INVALID', path, `Expected an object, got ${describe(value)}.`);
    return undefined;
  }

  /** A field; undefined if it is absent or null, or if its rule reported a problem. */
  optional<T>(key: string, rule: Rule<T>): T | undefined {
    return (this.object[key] ?? undefined) === undefined ? undefined : this.required(key, rule);
  }

  /** A field that has to be there. */
  required<T>(key: string, rule: Rule<T>): T | undefined {
    return read(rule, { value: this.object[key], path: this.path + pointer(key) }, this.issues);
  }

  /** Reports what is wrong. @param place Below the object. */
  refuse(message: string, place = ''): void {
    this.issues.error('PLAYCANVAS_INVALID', this.path + place, message);
  }

  /** The items of a list or, keys in their order, of a map; an absent or null one has none. */
  items(key: string, limit: number): Item[] {
    const value = this.object[key] ?? [];
    if (typeof value !== 'object') {
      this.refuse(`Expected a list or an object, got ${describe(value)}.`, pointer(key));
      return [];
    }
    const path = this.path + pointer(key);
    const keys = Object.keys(value);
    if (isOver(this.issues, path, keys.length, limit, 'entries')) return [];
    const values = value as Readonly<Record<string, unknown>>;
    return keys.map((name) => ({ key: name, value: values[name], path: path + pointer(name) }));
  }
}

/** Reads a value by a rule; undefined if the rule reported a problem. */
export function read<T>(rule: Rule<T>, { value, path }: Placed, issues: IssueList): T | undefined {
  return readValue(rule, value, (inner, message) => issues.error('PLAYCANVAS_INVALID', path + inner, message));
}

/** A number that can be computed with. */
export const number: Rule<number> = numberBetween(-MAX_MAGNITUDE, MAX_MAGNITUDE);

export const nameRule: Rule<string> = (value, place) => {
  if (typeof value !== 'string' || value === '') return place.expected('a name', value);
  if (value.length <= GRAPH_LIMITS.name) return value;
  return place.refuse(`The name has ${value.length} characters; the limit is ${GRAPH_LIMITS.name}.`);
};

/** Returns true, and reports it, if there are more than Maniple takes. */
export function isOver(issues: IssueList, path: string, count: number, limit: number, what: string): boolean {
  if (count <= limit) return false;
  issues.error('CONTROLLER_LIMIT', path, `There are ${count} ${what}; the limit is ${limit}.`, 'Split the graph.');
  return true;
}

/** Adds a name to those of a list, and returns true if it is new to them. Reports a repeated one. */
export function isNew(names: Set<string>, { name, path }: { name: string; path: string }, issues: IssueList): boolean {
  const isRepeated = names.has(name);
  if (isRepeated) issues.error('PLAYCANVAS_INVALID', `${path}/name`, `The name ${quote(name)} is used twice.`);
  names.add(name);
  return !isRepeated;
}
