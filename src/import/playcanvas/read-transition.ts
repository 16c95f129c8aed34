import { type IssueList, quote } from '../model-builder/issue-list.ts';
import { describe, isObject } from '../json-shape.ts';
import {
  choiceOf,
  type Fields,
  fieldsOf,
  type Item,
  itemsOf,
  nameIn,
  nameOf,
  numberOf,
  optionalNumberOf,
  refuse,
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
  const interruption = choiceOf(fields, 'interruptionSource', INTERRUPTIONS, 'NONE');
  const seconds = Math.max(numberOf(fields, 'time', 0), 0);
  const priority = numberOf(fields, 'priority', 0);
  const exitTime = optionalNumberOf(fields, 'exitTime');
  const offset = optionalNumberOf(fields, 'transitionOffset');
  const conditions = itemsOf(fields, 'conditions', GRAPH_LIMITS.conditions)
    .filter(({ value: condition }) => Array.isArray(fields.object.conditions) || isFilledIn(condition))
    .flatMap((item) => readCondition(item, issues, parameters) ?? []);
  if (from === undefined || to === undefined || interruption === undefined) return undefined;
  return { path, from, to, seconds, priority, exitTime, offset, interruption, conditions };
}

function endOf({ object, path, issues }: Fields, key: 'from' | 'to', editorStates: unknown): string | undefined {
  const value = object[key];
  if (editorStates === undefined || !Number.isInteger(value)) return nameIn(value, `${path}/${key}`, issues);
  const states = editorStates as Record<string, unknown> | null;
  const id = String(value);
  const state = states && Object.hasOwn(states, id) ? states[id] : undefined;
  if (!isObject(state)) {
    refuse(issues, `${path}/${key}`, `/states has nothing with the id ${id}`);
    return undefined;
  }
  return nameIn(state.name, `${path}/${key}`, issues);
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
  const parameter = fields && nameOf(fields, 'parameterName');
  const predicate = fields && choiceOf(fields, 'predicate', PREDICATES);
  if (!fields || parameter === undefined || predicate === undefined) return undefined;
  if (!parameters.has(parameter)) {
    refuse(issues, `${path}/parameterName`, `the graph has no parameter ${quote(parameter)}`);
    return undefined;
  }
  const limit = fields.object.value;
  if (typeof limit === 'boolean') return { parameter, predicate, value: limit };
  if (typeof limit === 'number' && optionalNumberOf(fields, 'value') !== undefined) {
    return { parameter, predicate, value: limit };
  }
  if (typeof limit !== 'number')
    refuse(issues, `${path}/value`, `must be a number or a boolean, is ${describe(limit)}`);
  return undefined;
}
