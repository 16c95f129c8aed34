import { describe, flag, isObject, oneOf, pointer } from '../../forms/rules.ts';
import { scanJson } from '../../forms/scan-json.ts';
import { type IssueList, quote, refuse } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import { Fields, isNew, isOver, type Item, nameRule, number, type Placed, read } from './fields.ts';
import {
  ANY,
  CONTROL_STATES,
  END,
  type Graph,
  GRAPH_LIMITS,
  type GraphChild,
  type GraphCondition,
  type GraphLayer,
  type GraphParameter,
  type GraphState,
  type GraphTransition,
  type GraphTree,
  INTERRUPTIONS,
  PREDICATES,
  START,
} from './graph.ts';

const PARAMETER_TYPE = oneOf('INTEGER', 'FLOAT', 'BOOLEAN', 'TRIGGER');
const BLEND_TYPE = oneOf('OVERWRITE', 'ADDITIVE');
const TREE_TYPE = oneOf('1D', '2D_DIRECTIONAL', '2D_CARTESIAN', 'DIRECT');

/** Parses JSON text. Returns anything else as it is. */
export function parseJson(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  // no character takes less than a byte, so that a far too long text is not even encoded
  const bytes = json.length > GRAPH_LIMITS.bytes ? undefined : new TextEncoder().encode(json);
  if (bytes === undefined || bytes.length > GRAPH_LIMITS.bytes) {
    const size = bytes?.length ?? json.length;
    refuse('CONTROLLER_LIMIT', '', `The text has ${size} bytes; the limit is ${GRAPH_LIMITS.bytes}.`);
  }
  const { depth } = scanJson(bytes);
  if (depth > GRAPH_LIMITS.depth) {
    refuse('PLAYCANVAS_INVALID', '', `The JSON is nested ${depth} deep; the limit is ${GRAPH_LIMITS.depth}.`);
  }
  try {
    return JSON.parse(json) as unknown;
  } catch (thrown) {
    const reason = quote(thrown instanceof Error ? thrown.message : thrown);
    const suggestion = 'Pass the JSON of an anim state graph.';
    return refuse('PLAYCANVAS_INVALID', '', `Not valid JSON: ${reason}.`, suggestion);
  }
}

/**
 * Reads either JSON form. In the one that engines load, layers hold their states and transitions. In the one that the
 * editor stores, maps of layers, states and transitions refer to each other by id. Everything wrong goes to `issues`;
 * the graph is of use only if there is no error among them.
 */
export function readGraph(json: unknown, issues: IssueList): Graph {
  const root = Fields.of({ value: json, path: '' }, issues);
  if (root === undefined) return { parameters: new Map(), layers: [] };
  const parameters = readParameters(root);
  const reader = new LayerReader(issues, parameters, Array.isArray(root.object.layers) ? undefined : root.object);
  const names = new Set<string>();
  const layers = root.items('layers', GRAPH_LIMITS.layers).flatMap((item) => {
    const layer = reader.read(item);
    return layer && isNew(names, layer, issues) ? layer : [];
  });
  const total = (sizeOf: (layer: GraphLayer) => number) => layers.reduce((sum, layer) => sum + sizeOf(layer), 0);
  const states = total((layer) => layer.states.size);
  const transitions = total((layer) => layer.transitions.length);
  isOver(issues, '/layers', states, GRAPH_LIMITS.states, 'states in all');
  isOver(issues, '/layers', transitions, GRAPH_LIMITS.transitions, 'transitions in all');
  if (layers.length === 0 && !issues.hasErrors) root.refuse('A state graph needs a layer.', '/layers');
  return { parameters, layers };
}

function readParameters(root: Fields): Map<string, GraphParameter> {
  const { issues } = root;
  const parameters = new Map<string, GraphParameter>();
  const names = new Set<string>();
  for (const item of root.items('parameters', GRAPH_LIMITS.parameters)) {
    const { path } = item;
    const fields = Fields.of(item, issues);
    const name = fields?.required('name', nameRule);
    const type = fields?.required('type', PARAMETER_TYPE);
    if (!fields || name === undefined || type === undefined || !isNew(names, { name, path }, issues)) continue;
    const isNumber = type === 'INTEGER' || type === 'FLOAT';
    const value = isNumber ? (fields.optional('value', number) ?? 0) : (fields.optional('value', flag) ?? false);
    if (type === 'INTEGER' && !Number.isInteger(value)) fields.refuse(`Expected an integer, got ${value}.`, '/value');
    parameters.set(name, { path, type, value });
  }
  return parameters;
}

/** Reads layers. `editor` has the maps of states and transitions that ids point into, in a graph of the editor. */
class LayerReader {
  constructor(
    readonly issues: IssueList,
    readonly parameters: Graph['parameters'],
    readonly editor: Readonly<Record<string, unknown>> | undefined,
  ) {}

  read(item: Item): GraphLayer | undefined {
    const layer = Fields.of(item, this.issues);
    if (!layer) return undefined;
    const name = layer.required('name', nameRule);
    const blend = layer.optional('blendType', BLEND_TYPE);
    const weight = Math.min(Math.max(layer.optional('weight', number) ?? 1, 0), 1);
    const states = new Map<string, GraphState>();
    const known = new Set<string>(CONTROL_STATES);
    for (const part of this.#parts(layer, 'states')) {
      const state = this.#state(part);
      if (state === undefined || CONTROL_STATES.includes(state.name) || !isNew(known, state, this.issues)) continue;
      states.set(state.name, state);
    }
    const transitions = this.#parts(layer, 'transitions').flatMap((part) => this.#transition(part, known) ?? []);
    if (transitions.some(({ to }) => to === END) && !transitions.some(({ from }) => from === START)) {
      layer.refuse('A transition leads to END, and none from START says where that is.');
    }
    const mask = this.#mask(layer);
    if (name === undefined) return undefined;
    return { path: item.path, name, isAdditive: blend === 'ADDITIVE', weight, mask, states, transitions };
  }

  /** The parts of a layer: its own, or those that it lists by their ids in the editor's maps. */
  #parts(layer: Fields, key: 'states' | 'transitions'): Item[] {
    const items = layer.items(key, GRAPH_LIMITS[key]);
    if (this.editor === undefined) return items;
    const parts = this.editor[key];
    return items.flatMap(({ value: id, path, key: index }) => {
      const isId = typeof id === 'number' || typeof id === 'string';
      if (isId && typeof parts === 'object' && parts !== null && Object.hasOwn(parts, id)) {
        return { key: index, value: (parts as Record<string, unknown>)[id], path: pointer(key, id) };
      }
      this.issues.error('PLAYCANVAS_INVALID', path, `/${key} has no entry with the id ${describe(id)}.`);
      return [];
    });
  }

  #state(item: Item): GraphState | undefined {
    const fields = Fields.of(item, this.issues);
    const name = nameForClips(fields);
    if (!fields || name === undefined) return undefined;
    const blendTree = fields.object.blendTree ?? undefined;
    const place = { value: blendTree, path: `${item.path}/blendTree` };
    const tree = blendTree === undefined ? undefined : this.#tree(place, name, 1);
    return {
      path: item.path,
      name,
      speed: fields.optional('speed', number) ?? 1,
      loops: fields.optional('loop', flag) ?? true,
      isDefault: fields.optional('defaultState', flag) ?? false,
      tree,
    };
  }

  /** A blend tree and those inside it, at most four deep. */
  #tree(item: Placed, name: string, depth: number): GraphTree | undefined {
    const { path } = item;
    if (isOver(this.issues, path, depth, GRAPH_LIMITS.treeDepth, 'levels of trees')) return undefined;
    const fields = Fields.of(item, this.issues);
    const type = fields?.required('type', TREE_TYPE);
    if (!fields || type === undefined) return undefined;
    const items = fields.items('children', GRAPH_LIMITS.children);
    if (items.length === 0) fields.refuse('A blend tree needs children.', '/children');
    const names = new Set<string>();
    const children = items.flatMap((inner) => {
      const child = this.#child(inner, type, depth);
      return child && isNew(names, child, this.issues) ? child : [];
    });
    const parameters = this.#parameterNames(fields, type === 'DIRECT' ? items.length : type === '1D' ? 1 : 2);
    return { path, name, type, parameters, isSynced: fields.optional('syncAnimations', flag) ?? true, children };
  }

  #parameterNames(tree: Fields, needed: number): string[] {
    const { parameter } = tree.object;
    const items = parameter
      ? [{ value: parameter, path: `${tree.path}/parameter` }]
      : tree.items('parameters', GRAPH_LIMITS.children);
    if (items.length < needed) tree.refuse(`The tree names ${items.length} parameters; it needs ${needed}.`);
    return items.slice(0, needed).flatMap((item) => {
      const name = read(nameRule, item, this.issues);
      if (name === undefined) return [];
      const type = this.parameters.get(name)?.type;
      if (type === 'FLOAT' || type === 'INTEGER') return name;
      const known = `The parameter ${quote(name)} is not a number.`;
      const message = type === undefined ? `The graph has no parameter ${quote(name)}.` : known;
      this.issues.error('PLAYCANVAS_INVALID', item.path, message);
      return [];
    });
  }

  #child(item: Item, type: GraphTree['type'], depth: number): GraphChild | undefined {
    const fields = Fields.of(item, this.issues);
    const name = nameForClips(fields);
    if (!fields || name === undefined) return undefined;
    const point = type === 'DIRECT' ? [] : readPoint(fields, type === '1D' ? 1 : 2);
    const isTree = (fields.object.children ?? undefined) !== undefined;
    const tree = isTree ? this.#tree(item, name, depth + 1) : undefined;
    return { path: item.path, name, point, speed: isTree ? 1 : (fields.optional('speed', number) ?? 1), tree };
  }

  #transition(item: Item, known: ReadonlySet<string>): GraphTransition | undefined {
    const fields = Fields.of(item, this.issues);
    if (fields === undefined) return undefined;
    const [from, to] = [this.#end(fields, 'from'), this.#end(fields, 'to')];
    const interruption = fields.optional('interruptionSource', oneOf(...INTERRUPTIONS)) ?? 'NONE';
    const seconds = Math.max(fields.optional('time', number) ?? 0, 0);
    const priority = fields.optional('priority', number) ?? 0;
    const exitTime = fields.optional('exitTime', number);
    const offset = fields.optional('transitionOffset', number);
    const conditions = fields
      .items('conditions', GRAPH_LIMITS.conditions)
      .filter(({ value }) => Array.isArray(fields.object.conditions) || isFilledIn(value))
      .flatMap((condition) => this.#condition(condition) ?? []);
    if (from === undefined || to === undefined || !areEnds(from, to, known, fields)) return undefined;
    return { path: item.path, from, to, seconds, priority, exitTime, offset, interruption, conditions };
  }

  #end(transition: Fields, key: 'from' | 'to'): string | undefined {
    const value = transition.object[key];
    if (this.editor?.states === undefined || !Number.isInteger(value)) return transition.required(key, nameRule);
    const states = this.editor.states as Record<string, unknown> | null;
    const id = String(value);
    const state = states && Object.hasOwn(states, id) ? states[id] : undefined;
    if (isObject(state)) return read(nameRule, { value: state.name, path: `${transition.path}/${key}` }, this.issues);
    transition.refuse(`/states has no entry with the id ${id}.`, `/${key}`);
    return undefined;
  }

  #condition(item: Item): GraphCondition | undefined {
    const fields = Fields.of(item, this.issues);
    const parameter = fields?.required('parameterName', nameRule);
    const predicate = fields?.required('predicate', oneOf(...PREDICATES));
    if (!fields || parameter === undefined || predicate === undefined) return undefined;
    if (!this.parameters.has(parameter)) {
      fields.refuse(`The graph has no parameter ${quote(parameter)}.`, '/parameterName');
      return undefined;
    }
    const { value } = fields.object;
    if (typeof value === 'boolean') return { parameter, predicate, value };
    if (typeof value !== 'number') {
      fields.refuse(`Expected a number, true or false, got ${describe(value)}.`, '/value');
      return undefined;
    }
    return fields.required('value', number) === undefined ? undefined : { parameter, predicate, value };
  }

  #mask(layer: Fields): Map<string, boolean> | undefined {
    if ((layer.object.mask ?? undefined) === undefined) return undefined;
    if (this.editor) {
      const message = 'PlayCanvas reads no mask of a graph in its editor’s form; the layer moves all joints';
      this.issues.warn('PLAYCANVAS_DIFFERS', `${layer.path}/mask`, message, 'Add the mask to the imported layer.');
      return undefined;
    }
    const mask = new Map<string, boolean>();
    for (const item of layer.items('mask', GRAPH_LIMITS.maskPaths)) {
      if (item.value === true) mask.set(item.key, false);
      if (item.value === true || !item.value) continue;
      const fields = Fields.of(item, this.issues);
      if (!fields) continue;
      const below = fields.optional('children', flag) ?? false;
      if (below || (fields.optional('value', flag) ?? true)) mask.set(item.key, below);
    }
    return mask;
  }
}

/** The name of a state or child, by which clips are assigned. */
function nameForClips(fields: Fields | undefined): string | undefined {
  const name = fields?.required('name', nameRule);
  if (name?.includes('.')) {
    fields!.refuse(`The name ${quote(name)} has a dot in it, so no clip can be assigned to it.`, '/name');
  }
  return name;
}

function readPoint(child: Fields, size: number): number[] {
  const { point } = child.object;
  const list: unknown[] = size === 1 ? [point] : Array.isArray(point) ? point.slice(0, 3) : [];
  const numbers = list.filter((value): value is number => typeof value === 'number' && isUsable(value));
  if (numbers.length === size && list.length === size) return numbers;
  const wanted = size === 1 ? 'a number' : 'two numbers';
  child.refuse(`Expected ${wanted}, got ${describe(point)}.`, '/point');
  return Array.from({ length: size }, () => 0);
}

/** Returns false for conditions that are still empty in the editor. PlayCanvas skips those. */
function isFilledIn(condition: unknown): boolean {
  return !isObject(condition) || Boolean(condition.parameterName);
}

/** Returns true if a transition can lead from one end to the other. Reports why not. */
function areEnds(from: string, to: string, known: ReadonlySet<string>, transition: Fields): boolean {
  const problems: [message: string, place: string][] = [];
  if (!known.has(from)) problems.push([`The layer has no state ${quote(from)}.`, '/from']);
  else if (from === END) problems.push(['No transition can lead away from END.', '/from']);
  if (!known.has(to)) problems.push([`The layer has no state ${quote(to)}.`, '/to']);
  else if (to === ANY) problems.push(['No transition can lead to ANY.', '/to']);
  else if (from === START && (to === END || to === START)) problems.push([`START cannot lead to ${to}.`, '/to']);
  for (const problem of problems) transition.refuse(...problem);
  return problems.length === 0;
}
