import { describe, isObject, numberBetween, pointer, readValue, type Rule } from '../../forms/rules.ts';
import { MAX_MAGNITUDE } from '../model-builder/limits.ts';
import { type IssueList, quote } from '../model-builder/issue-list.ts';
import { GRAPH_LIMITS } from './graph.ts';

/** An object of the graph's JSON, and its place. Missing fields are reported to `issues`. */
export interface Fields {
  readonly object: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly issues: IssueList;
}

/** One item of a list or map. */
export interface Item {
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
}

/** Reports what is wrong with the graph. */
export function refuse(issues: IssueList, path: string, message: string): void {
  issues.error('PLAYCANVAS_INVALID', path, message);
}

/** Reads a value by a rule; undefined if the rule reported a problem. */
export function read<T>(rule: Rule<T>, value: unknown, path: string, issues: IssueList): T | undefined {
  return readValue(rule, value, (inner, message) => refuse(issues, path + inner, message));
}

/** A field; undefined if it is absent or null, or if its rule reported a problem. */
export function optionalOf<T>({ object, path, issues }: Fields, key: string, rule: Rule<T>): T | undefined {
  const value = object[key] ?? undefined;
  return value === undefined ? undefined : read(rule, value, path + pointer(key), issues);
}

/** A field that has to be there. */
export function requiredOf<T>({ object, path, issues }: Fields, key: string, rule: Rule<T>): T | undefined {
  return read(rule, object[key], path + pointer(key), issues);
}

/** The fields of what should be an object; undefined, and reported, for anything else. */
export function fieldsOf(value: unknown, path: string, issues: IssueList): Fields | undefined {
  if (isObject(value)) return { object: value, path, issues };
  refuse(issues, path, `Expected an object, got ${describe(value)}.`);
  return undefined;
}

/** A number that can be computed with. */
export const number: Rule<number> = numberBetween(-MAX_MAGNITUDE, MAX_MAGNITUDE);

export const nameRule: Rule<string> = (value, place) => {
  if (typeof value !== 'string' || value === '') return place.expected('a name', value);
  if (value.length <= GRAPH_LIMITS.name) return value;
  return place.refuse(`The name has ${value.length} characters; the limit is ${GRAPH_LIMITS.name}.`);
};

/** The items of a list or, keys in their order, of a map; an absent or null one has none. */
export function itemsOf({ object, path, issues }: Fields, key: string, limit: number): Item[] {
  const value = object[key] ?? [];
  const at = path + pointer(key);
  if (typeof value !== 'object') {
    refuse(issues, at, `Expected a list or an object, got ${describe(value)}.`);
    return [];
  }
  const keys = Object.keys(value);
  if (isOver(issues, at, keys.length, limit, 'entries')) return [];
  return keys.map((name) => ({
    key: name,
    value: (value as Record<string, unknown>)[name],
    path: at + pointer(name),
  }));
}

/** Returns true, and reports it, if there are more than Maniple takes. */
export function isOver(issues: IssueList, path: string, count: number, limit: number, what: string): boolean {
  if (count <= limit) return false;
  issues.error('CONTROLLER_LIMIT', path, `There are ${count} ${what}; the limit is ${limit}.`, 'Split the graph.');
  return true;
}

/** Returns true if a name is new to a list. Reports a repeated one. */
export function isNew(names: { has(name: string): boolean }, name: string, path: string, issues: IssueList): boolean {
  if (!names.has(name)) return true;
  refuse(issues, path, `The name ${quote(name)} is used twice.`);
  return false;
}
