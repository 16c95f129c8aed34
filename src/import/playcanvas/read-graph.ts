import { describe, flag, oneOf } from '../../forms/rules.ts';
import { scanJson } from '../../forms/scan-json.ts';
import { type IssueList, pointer, quote, refuse as refuseAll } from '../model-builder/issue-list.ts';
import {
  type Fields,
  fieldsOf,
  isNew,
  isOver,
  type Item,
  itemsOf,
  nameRule,
  number,
  optionalOf,
  refuse,
  requiredOf,
} from './fields.ts';
import {
  ANY,
  CONTROL_STATES,
  END,
  type Graph,
  GRAPH_LIMITS,
  type GraphLayer,
  type GraphParameter,
  type GraphState,
  type GraphTransition,
  START,
} from './graph.ts';
import { readTransition } from './read-transition.ts';
import { readTree } from './read-tree.ts';

const PARAMETER_TYPE = oneOf('INTEGER', 'FLOAT', 'BOOLEAN', 'TRIGGER');
const BLEND_TYPE = oneOf('OVERWRITE', 'ADDITIVE');

/** Parses JSON text. Returns anything else as it is. */
export function parseJson(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  const suggestion = 'Pass the JSON of an anim state graph.';
  // no character takes less than a byte, so that a far too long text is not even encoded
  const bytes = json.length > GRAPH_LIMITS.bytes ? undefined : new TextEncoder().encode(json);
  if (bytes === undefined || bytes.length > GRAPH_LIMITS.bytes) {
    const size = bytes?.length ?? json.length;
    refuseAll('CONTROLLER_LIMIT', '', `The text has ${size} bytes; the limit is ${GRAPH_LIMITS.bytes}.`);
  }
  const { depth } = scanJson(bytes);
  if (depth > GRAPH_LIMITS.depth) {
    refuseAll('PLAYCANVAS_INVALID', '', `The JSON is nested ${depth} deep; the limit is ${GRAPH_LIMITS.depth}.`);
  }
  try {
    return JSON.parse(json) as unknown;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return refuseAll('PLAYCANVAS_INVALID', '', `Not valid JSON: ${quote(reason)}.`, suggestion);
  }
}

/**
 * Reads either JSON form. In the one that engines load, layers hold their states and transitions. In the one that the
 * editor stores, maps of layers, states and transitions refer to each other by id. Everything wrong goes to `issues`;
 * the graph is of use only if there is no error among them.
 */
export function readGraph(json: unknown, issues: IssueList): Graph {
  const root = fieldsOf(json, '', issues);
  if (root === undefined) return { parameters: new Map(), layers: [] };
  const parameters = readParameters(root);
  const isEditorForm = !Array.isArray(root.object.layers);
  const layers: GraphLayer[] = [];
  const names = new Set<string>();
  for (const item of itemsOf(root, 'layers', GRAPH_LIMITS.layers)) {
    const fields = fieldsOf(item.value, item.path, issues);
    const layer = fields && readLayer(fields, isEditorForm ? root : undefined, parameters);
    if (!layer || !isNew(names, layer.name, `${item.path}/name`, issues)) continue;
    names.add(layer.name);
    layers.push(layer);
  }
  for (const key of ['states', 'transitions'] as const) {
    const count = layers.reduce(
      (sum, layer) => sum + (key === 'states' ? layer.states.size : layer.transitions.length),
      0,
    );
    isOver(issues, '/layers', count, GRAPH_LIMITS[key], `${key} in all`);
  }
  if (layers.length === 0 && !issues.hasErrors) refuse(issues, '/layers', 'A state graph needs a layer.');
  return { parameters, layers };
}

function readParameters(root: Fields): Map<string, GraphParameter> {
  const { issues } = root;
  const parameters = new Map<string, GraphParameter>();
  for (const { value, path } of itemsOf(root, 'parameters', GRAPH_LIMITS.parameters)) {
    const fields = fieldsOf(value, path, issues);
    const name = fields && requiredOf(fields, 'name', nameRule);
    const type = fields && requiredOf(fields, 'type', PARAMETER_TYPE);
    if (!fields || name === undefined || type === undefined) continue;
    if (!isNew(parameters, name, `${path}/name`, issues)) continue;
    const isNumber = type === 'INTEGER' || type === 'FLOAT';
    const initial = isNumber
      ? (optionalOf(fields, 'value', number) ?? 0)
      : (optionalOf(fields, 'value', flag) ?? false);
    if (type === 'INTEGER' && !Number.isInteger(initial)) {
      refuse(issues, `${path}/value`, `Expected an integer, got ${initial}.`);
    }
    parameters.set(name, { path, type, value: initial });
  }
  return parameters;
}

function readLayer(layer: Fields, editor: Fields | undefined, parameters: Graph['parameters']): GraphLayer | undefined {
  const { path, issues } = layer;
  const name = requiredOf(layer, 'name', nameRule);
  const blend = optionalOf(layer, 'blendType', BLEND_TYPE);
  const weight = Math.min(Math.max(optionalOf(layer, 'weight', number) ?? 1, 0), 1);
  const named = new Map<string, GraphState>();
  const known = new Set<string>(CONTROL_STATES);
  for (const item of resolved(layer, 'states', editor)) {
    const state = readState(item, issues, parameters);
    if (state === undefined || CONTROL_STATES.includes(state.name)) continue;
    if (!isNew(known, state.name, `${item.path}/name`, issues)) continue;
    known.add(state.name);
    named.set(state.name, state);
  }
  const transitions: GraphTransition[] = [];
  for (const item of resolved(layer, 'transitions', editor)) {
    const transition = readTransition(item, issues, parameters, editor?.object.states);
    if (transition === undefined) continue;
    if (isWay(transition, known, issues)) transitions.push(transition);
  }
  if (transitions.some(({ to }) => to === END) && !transitions.some(({ from }) => from === START)) {
    refuse(issues, path, 'A transition leads to END, and none from START says where that is.');
  }
  const mask = readMask(layer, editor !== undefined);
  if (name === undefined) return undefined;
  return { path, name, isAdditive: blend === 'ADDITIVE', weight, mask, states: named, transitions };
}

/** The parts of a layer: its own, or those that it lists by their ids in the editor's maps. */
function resolved(layer: Fields, key: 'states' | 'transitions', editor: Fields | undefined): Item[] {
  const items = itemsOf(layer, key, GRAPH_LIMITS[key]);
  if (editor === undefined) return items;
  const { issues } = layer;
  const parts = editor.object[key];
  return items.flatMap(({ value: id, path, key: index }) => {
    const isId = typeof id === 'number' || typeof id === 'string';
    if (!isId || typeof parts !== 'object' || parts === null || !Object.hasOwn(parts, id)) {
      refuse(issues, path, `/${key} has no entry with the id ${describe(id)}.`);
      return [];
    }
    return [{ key: index, value: (parts as Record<string, unknown>)[id], path: pointer(key, id) }];
  });
}

function readState({ value, path }: Item, issues: IssueList, parameters: Graph['parameters']): GraphState | undefined {
  const fields = fieldsOf(value, path, issues);
  const name = fields && requiredOf(fields, 'name', nameRule);
  if (!fields || name === undefined) return undefined;
  if (name.includes('.'))
    refuse(issues, `${path}/name`, `The name ${quote(name)} has a dot in it, so no clip can be assigned to it.`);
  const blendTree = fields.object.blendTree ?? undefined;
  const tree = blendTree === undefined ? undefined : readTree(blendTree, `${path}/blendTree`, name, issues, parameters);
  return {
    path,
    name,
    speed: optionalOf(fields, 'speed', number) ?? 1,
    loops: optionalOf(fields, 'loop', flag) ?? true,
    isDefault: optionalOf(fields, 'defaultState', flag) ?? false,
    tree,
  };
}

function isWay({ from, to, path }: GraphTransition, known: ReadonlySet<string>, issues: IssueList): boolean {
  const problems: [place: string, message: string][] = [];
  if (!known.has(from)) problems.push(['from', `The layer has no state ${quote(from)}.`]);
  else if (from === END) problems.push(['from', 'No transition can lead away from END.']);
  if (!known.has(to)) problems.push(['to', `The layer has no state ${quote(to)}.`]);
  else if (to === ANY) problems.push(['to', 'No transition can lead to ANY.']);
  else if (from === START && (to === END || to === START)) problems.push(['to', `START cannot lead to ${to}.`]);
  for (const [place, message] of problems) refuse(issues, `${path}/${place}`, message);
  return problems.length === 0;
}

function readMask(layer: Fields, isEditorForm: boolean): Map<string, boolean> | undefined {
  if ((layer.object.mask ?? undefined) === undefined) return undefined;
  const { issues, path } = layer;
  if (isEditorForm) {
    const message = 'PlayCanvas reads no mask of a graph in its editor’s form; the layer moves all joints';
    issues.warn('PLAYCANVAS_DIFFERS', `${path}/mask`, message, 'Add the mask to the imported layer.');
    return undefined;
  }
  const mask = new Map<string, boolean>();
  const items = itemsOf(layer, 'mask', GRAPH_LIMITS.maskPaths);
  for (const item of items) {
    if (item.value === true) mask.set(item.key, false);
    if (item.value === true || !item.value) continue;
    const fields = fieldsOf(item.value, item.path, issues);
    if (!fields) continue;
    const below = optionalOf(fields, 'children', flag) ?? false;
    if (below || (optionalOf(fields, 'value', flag) ?? true)) mask.set(item.key, below);
  }
  return mask;
}
