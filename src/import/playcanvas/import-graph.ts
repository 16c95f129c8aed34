import { expectOptions } from '../../character/arguments.ts';
import {
  type ChildModel,
  type ClipFacts,
  type ConditionModel,
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type EntryModel,
  type InterruptionModel,
  type LayerModel,
  type MachineModel,
  type MaskModel,
  type MotionModel,
  type ParameterModel,
  type StateModel,
  type TransitionModel,
  type TreeModel,
} from '../../controller/model.ts';
import { quoted } from '../../errors.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import { compareTree, compareWays } from './compare.ts';
import { Differences } from './differences.ts';
import {
  type Graph,
  type GraphChild,
  type GraphInterruption,
  type GraphLayer,
  type GraphParameter,
  type GraphTree,
  START,
} from './graph.ts';
import { parseJson, readGraph } from './read-graph.ts';
import { type Way, type Ways, waysOf } from './ways.ts';

/** Options that a state graph does not contain itself. */
export interface PlayCanvasOptions {
  /** Name of the controller. */
  readonly name: string;
}

/**
 * Reads an anim state graph of PlayCanvas, as JSON text or parsed: the form that engines load, or the one that the
 * editor stores. A graph holds no clips. References are the paths that `assignAnimation` takes, `State` or
 * `State.child`. Where states of several layers share a name, the layer's name and a colon precede it.
 *
 * Names, conditions, times and trees are taken over. Where this graph can show that PlayCanvas gives them another
 * meaning, the model's `issues` have a PLAYCANVAS_DIFFERS with the place (a JSON pointer). Differences of less than
 * one update are not reported. At most 16 MiB of text, 32 layers, 4,096 states, 65,536 transitions.
 *
 * @throws ManipleError PLAYCANVAS_INVALID or CONTROLLER_LIMIT, with all that is wrong
 */
export function importPlayCanvasGraph(json: unknown, options: PlayCanvasOptions): ControllerModel {
  expectOptions(options);
  const { name } = options;
  const issues = new IssueList();
  const graph = readGraph(parseJson(json), issues);
  issues.throwIfErrors();
  const differences = new Differences();
  const constant = constantName(graph.parameters);
  let isConstantUsed = false;
  const always = (): ConditionModel => {
    isConstantUsed = true;
    return { parameter: constant };
  };
  const shared = sharedNames(graph.layers);
  const clips: (readonly [string, ClipFacts])[] = [];
  const layers = graph.layers.map((layer, index): LayerModel => {
    compareLayer(layer, index, differences);
    const ways = waysOf(layer, graph.parameters, differences);
    compareWays(layer, ways, differences);
    const machine = importMachine({ layer, ways, differences, always }, (name) => {
      const state = layer.states.get(name)!;
      const references: string[] = [];
      const motion = importMotion(state.tree, shared.has(name) ? `${layer.name}:${name}` : name, references);
      compareTree(state, differences);
      clips.push(...references.map((clip) => [clip, { loops: state.loops }] as const));
      return { motion, ...(state.speed === 1 ? {} : { speed: state.speed }) };
    });
    return {
      name: layer.name,
      ...(layer.isAdditive && index > 0 ? { blend: 'additive' as const } : {}),
      ...(layer.weight === 1 || index === 0 ? {} : { weight: layer.weight }),
      ...(layer.mask ? { mask: maskOf(layer.mask) } : {}),
      machine,
    };
  });
  const parameters = Array.from(graph.parameters, ([key, parameter]) => [key, parameterOf(parameter)] as const);
  if (isConstantUsed) parameters.push([constant, { type: 'bool', default: true }]);
  return {
    format: CONTROLLER_FORMAT,
    version: CONTROLLER_VERSION,
    name,
    parameters: Object.fromEntries(parameters),
    layers,
    clips: Object.fromEntries(clips),
    issues: [...issues.list(), ...differences.list()],
  };
}

function parameterOf({ type, value }: GraphParameter): ParameterModel {
  if (type === 'FLOAT' || type === 'INTEGER') {
    return { type: type === 'FLOAT' ? 'float' : 'int', default: Number(value) };
  }
  return { type: type === 'BOOLEAN' ? 'bool' : 'trigger', default: value === true };
}

/** Name of a parameter that is always true. It is added where something asks for it. */
function constantName(parameters: Graph['parameters']): string {
  let name = 'always';
  for (let number = 2; parameters.has(name); number++) name = `always${number}`;
  return name;
}

/** Masks name the root first, and here paths begin below it. */
function maskOf(mask: ReadonlyMap<string, boolean>): MaskModel {
  return Object.fromEntries(
    Array.from(mask, ([path, below]) => {
      const steps = path.split('/');
      const ours = steps.length > 1 ? steps.slice(1).join('/') : path;
      return [below ? `${ours}/**` : ours, 1] as const;
    }),
  );
}

function compareLayer(layer: GraphLayer, index: number, differences: Differences): void {
  const { path, weight, isAdditive } = layer;
  if (index === 0 && weight !== 1) {
    const message = `the first layer has weight 1 here; in PlayCanvas it has ${weight} and the rest pose what is left`;
    differences.add('base-weight', `${path}/weight`, message);
  }
  if (index > 0 && isAdditive) {
    const message =
      'adds the difference to the first frame of each clip; in PlayCanvas that to the rest pose, ' +
      'and scales by their difference in place of their ratio';
    differences.add('additive', `${path}/blendType`, message);
  }
}

const INTERRUPTIONS: Readonly<Record<GraphInterruption, InterruptionModel>> = {
  NONE: 'none',
  PREV_STATE: 'current',
  NEXT_STATE: 'next',
  PREV_STATE_NEXT_STATE: 'currentThenNext',
  NEXT_STATE_PREV_STATE: 'nextThenCurrent',
};

interface MachineContext {
  readonly layer: GraphLayer;
  readonly ways: Ways;
  readonly differences: Differences;
  /** A condition that always holds, for a transition that waits for nothing. */
  readonly always: () => ConditionModel;
}

/** A layer's machine; `stateOf` gives a state without its transitions. */
function importMachine(context: MachineContext, stateOf: (name: string) => StateModel): MachineModel {
  const { layer, ways } = context;
  const states: [string, StateModel][] = Array.from(layer.states.keys(), (name) => {
    const transitions = ways.of(name).map((way) => importTransition(way, context));
    return [name, { ...stateOf(name), ...(transitions.length > 0 ? { transitions } : {}) }];
  });
  const begin = importStart(context);
  if (begin.transitions)
    states.unshift([START, begin.transitions.length > 0 ? { transitions: begin.transitions } : {}]);
  const any = ways.any.map((way) => ({ ...importTransition(way, context), toSelf: false }));
  return {
    ...(begin.default === undefined ? {} : { default: begin.default }),
    ...(begin.entry?.length ? { entry: begin.entry } : {}),
    // not an assignment: a state may be called __proto__
    states: Object.fromEntries(states),
    ...(any.length > 0 ? { any } : {}),
  };
}

/** Where a machine begins: in a state, by conditions, or in an empty state that represents START. */
interface Begin {
  readonly default?: string;
  readonly entry?: readonly EntryModel[];
  readonly transitions?: readonly TransitionModel[];
}

function importStart(context: MachineContext): Begin {
  const { layer, ways, differences } = context;
  for (const { source } of ways.start) {
    if (source.seconds === 0) continue;
    const message = `takes no time here; in PlayCanvas nothing else happens for ${source.seconds} s`;
    differences.add('start-time', `${source.path}/time`, message);
  }
  const isReturnedTo = layer.transitions.some(({ to }) => to === START);
  if (!layer.transitions.some(({ from }) => from === START)) {
    return { ...firstState(context), ...(isReturnedTo ? { transitions: [] } : {}) };
  }
  const last = ways.start.findIndex(({ when }) => when.length === 0);
  if (last >= 0 && !isReturnedTo && !ways.start.some(({ offset }) => offset > 0)) {
    const entry = ways.start.slice(0, last).map(({ to, when }) => ({ to, when }));
    return { default: ways.start[last]!.to, entry };
  }
  // START waits until a condition holds, and entries are asked only once
  const transitions = ways.start.map((way) => importTransition({ ...way, seconds: 0 }, context));
  return { default: START, transitions };
}

function firstState({ layer, differences }: MachineContext): Begin {
  const states = [...layer.states.values()];
  const first = states.find(({ isDefault }) => isDefault) ?? states[0];
  if (first === undefined) return {};
  const message =
    `nothing leads away from START: the layer begins in ${quoted(first.name)} here; ` +
    'in PlayCanvas it plays only what a script starts';
  differences.add('no-start', layer.path, message);
  return { default: first.name };
}

function importTransition(way: Way, { differences, always }: MachineContext): TransitionModel {
  const { to, exitTime, seconds, offset, source } = way;
  const waits = way.when.length > 0 || exitTime !== 0;
  if (!waits) {
    const message = 'waits for nothing: here it gets a condition that always holds';
    differences.note(way.path, message);
  }
  const when = waits ? way.when : [always()];
  return {
    to,
    ...(when.length > 0 ? { when } : {}),
    ...(exitTime === 0 ? {} : { exitTime }),
    ...(seconds === 0 ? {} : { duration: seconds }),
    ...(offset === 0 ? {} : { offset }),
    // without a source only transitions from any state interrupt here, and none at all in PlayCanvas: keeping these
    // ordered stops most of them
    ...(source.interruption === 'NONE' ? {} : { interruption: INTERRUPTIONS[source.interruption], ordered: false }),
  };
}

/** Names that states of more than one layer have. */
function sharedNames(layers: readonly GraphLayer[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { states } of layers) {
    for (const name of states.keys()) (seen.has(name) ? shared : seen).add(name);
  }
  return shared;
}

/**
 * A graph holds no clips: they are assigned by path, `State` or `State.child`, and that path is the reference here. If
 * other layers use the state's name as well, its layer's name and a colon precede it.
 *
 * @param references Receives those of the motion's clips.
 */
function importMotion(tree: GraphTree | undefined, reference: string, references: string[]): MotionModel {
  if (tree) return importTree(tree, reference, references);
  references.push(reference);
  return reference;
}

function importTree(tree: GraphTree, reference: string, references: string[]): TreeModel {
  const { name, parameters } = tree;
  const children = tree.children.map((child) => ({ child, model: importChild(child, reference, references) }));
  switch (tree.type) {
    case '1D':
      return {
        name,
        blend: '1d',
        parameter: parameters[0]!,
        children: children.map(({ child, model }) => ({ at: child.point[0]!, ...model })),
      };
    case 'DIRECT':
      return {
        name,
        blend: 'direct',
        normalized: true,
        children: children.map(({ model }, index) => ({ weightParameter: parameters[index]!, ...model })),
      };
    default:
      return {
        name,
        blend: tree.type === '2D_DIRECTIONAL' ? 'freeformDirectional' : 'freeformCartesian',
        parameters: [parameters[0]!, parameters[1]!],
        children: children.map(({ child, model }) => ({ at: [child.point[0]!, child.point[1]!] as const, ...model })),
      };
  }
}

function importChild({ name, tree, speed }: GraphChild, parent: string, references: string[]): ChildModel {
  const motion = importMotion(tree, `${parent}.${name}`, references);
  return { motion, ...(speed === 1 ? {} : { timeScale: speed }) };
}
