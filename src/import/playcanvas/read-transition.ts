import { describe, isObject, oneOf } from '../../forms/rules.ts';
import { type IssueList, quote } from '../model-builder/issue-list.ts';
import {
  type Fields,
  fieldsOf,
  type Item,
  itemsOf,
  nameRule,
  number,
  optionalOf,
  read,
  refuse,
  requiredOf,
} from './fields.ts';
import {
  type Graph,
  GRAPH_LIMITS,
  type GraphCondition,
  type GraphTransition,
  INTERRUPTIONS,
  PREDICATES,
} from './graph.ts';

/** One transition; `editorStates` is the map that ids of its ends point into, in a graph of the editor. */
export function readTransition(
  { value, path }: Item,
  issues: IssueList,
  parameters: Graph['parameters'],
  editorStates: unknown,
): GraphTransition | undefined {
  const fields = fieldsOf(value, path, issues);
  if (fields === undefined) return undefined;
  const from = endOf(fields, 'from', editorStates);
  const to = endOf(fields, 'to', editorStates);
  const interruption = optionalOf(fields, 'interruptionSource', oneOf(...INTERRUPTIONS)) ?? 'NONE';
  const seconds = Math.max(optionalOf(fields, 'time', number) ?? 0, 0);
  const priority = optionalOf(fields, 'priority', number) ?? 0;
  const exitTime = optionalOf(fields, 'exitTime', number);
  const offset = optionalOf(fields, 'transitionOffset', number);
  const conditions = itemsOf(fields, 'conditions', GRAPH_LIMITS.conditions)
    .filter(({ value: condition }) => Array.isArray(fields.object.conditions) || isFilledIn(condition))
    .flatMap((item) => readCondition(item, issues, parameters) ?? []);
  if (from === undefined || to === undefined) return undefined;
  return { path, from, to, seconds, priority, exitTime, offset, interruption, conditions };
}

function endOf({ object, path, issues }: Fields, key: 'from' | 'to', editorStates: unknown): string | undefined {
  const value = object[key];
  if (editorStates === undefined || !Number.isInteger(value)) return read(nameRule, value, `${path}/${key}`, issues);
  const states = editorStates as Record<string, unknown> | null;
  const id = String(value);
  const state = states && Object.hasOwn(states, id) ? states[id] : undefined;
  if (!isObject(state)) {
    refuse(issues, `${path}/${key}`, `/states has no entry with the id ${id}.`);
    return undefined;
  }
  return read(nameRule, state.name, `${path}/${key}`, issues);
}

/** Returns false for conditions that are still empty in the editor. PlayCanvas skips those. */
function isFilledIn(condition: unknown): boolean {
  return !isObject(condition) || Boolean(condition.parameterName);
}

function readCondition(
  { value, path }: Item,
  issues: IssueList,
  parameters: Graph['parameters'],
): GraphCondition | undefined {
  const fields = fieldsOf(value, path, issues);
  const parameter = fields && requiredOf(fields, 'parameterName', nameRule);
  const predicate = fields && requiredOf(fields, 'predicate', oneOf(...PREDICATES));
  if (!fields || parameter === undefined || predicate === undefined) return undefined;
  if (!parameters.has(parameter)) {
    refuse(issues, `${path}/parameterName`, `The graph has no parameter ${quote(parameter)}.`);
    return undefined;
  }
  const limit = fields.object.value;
  if (typeof limit === 'boolean') return { parameter, predicate, value: limit };
  if (typeof limit === 'number' && optionalOf(fields, 'value', number) !== undefined) {
    return { parameter, predicate, value: limit };
  }
  if (typeof limit !== 'number')
    refuse(issues, `${path}/value`, `Expected a number, true or false, got ${describe(limit)}.`);
  return undefined;
}
