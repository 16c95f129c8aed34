import { describe, isObject } from '../json-shape.ts';
import { isUsable } from '../model-builder/limits.ts';
import { type IssueList, pointer, quote } from '../model-builder/issue-list.ts';
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

/** The fields of what should be an object; undefined, and reported, for anything else. */
export function fieldsOf(value: unknown, path: string, issues: IssueList): Fields | undefined {
  if (isObject(value)) return { object: value, path, issues };
  refuse(issues, path, `must be an object, is ${describe(value)}`);
  return undefined;
}

/** A number within the range of numbers; `fallback` for a field that is absent or null. */
export function numberOf(fields: Fields, key: string, fallback: number): number {
  return optionalNumberOf(fields, key) ?? fallback;
}

export function optionalNumberOf({ object, path, issues }: Fields, key: string): number | undefined {
  const value = object[key] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && isUsable(value)) return value;
  refuse(issues, path + pointer(key), `must be a number, is ${describe(value)}`);
  return undefined;
}

export function flagOf({ object, path, issues }: Fields, key: string, fallback: boolean): boolean {
  const value = object[key] ?? fallback;
  if (typeof value === 'boolean') return value;
  refuse(issues, path + pointer(key), `must be true or false, is ${describe(value)}`);
  return fallback;
}

/** A name; undefined, and reported, for anything else. */
export function nameOf({ object, path, issues }: Fields, key: string): string | undefined {
  return nameIn(object[key], path + pointer(key), issues);
}

export function nameIn(value: unknown, path: string, issues: IssueList): string | undefined {
  if (typeof value !== 'string' || value === '') {
    refuse(issues, path, `must be a name, is ${value === '' ? 'empty' : describe(value)}`);
    return undefined;
  }
  if (value.length <= GRAPH_LIMITS.name) return value;
  refuse(issues, path, `has ${value.length} characters; the limit is ${GRAPH_LIMITS.name}`);
  return undefined;
}

/** One of the words that `choices` lists. */
export function choiceOf<T extends string>(
  { object, path, issues }: Fields,
  key: string,
  choices: readonly T[],
  fallback?: T,
): T | undefined {
  const value = object[key] ?? fallback;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    refuse(issues, path + pointer(key), `must be one of ${choices.join(', ')}, is ${describe(value)}`);
  }
  return found;
}

/** The items of a list or, keys in their order, of a map; an absent or null one has none. */
export function itemsOf({ object, path, issues }: Fields, key: string, limit: number): Item[] {
  const value = object[key] ?? [];
  const at = path + pointer(key);
  if (typeof value !== 'object') {
    refuse(issues, at, `must be a list or an object, is ${describe(value)}`);
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
  issues.error('CONTROLLER_LIMIT', path, `has ${count} ${what}; the limit is ${limit}`, 'Split the graph.');
  return true;
}

/** Returns true if a name is new to a list. Reports a repeated one. */
export function isNew(names: { has(name: string): boolean }, name: string, path: string, issues: IssueList): boolean {
  if (!names.has(name)) return true;
  refuse(issues, path, `the name ${quote(name)} is used twice`);
  return false;
}
