import {
  type ClipFacts,
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type LayerModel,
  type MaskModel,
  type ParameterModel,
} from '../../controller/model.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import { collectDifferences, type Differences } from './differences.ts';
import type { Graph, GraphLayer, GraphParameter } from './graph.ts';
import { importMachine } from './machine.ts';
import { importMotion, sharedNames } from './motions.ts';
import { parseJson, readGraph } from './read-graph.ts';
import { compareTree } from './tree-differences.ts';
import { compareWays } from './way-differences.ts';
import { waysOf } from './ways.ts';

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
export function importPlayCanvasGraph(json: unknown, { name }: PlayCanvasOptions): ControllerModel {
  const issues = new IssueList();
  const graph = readGraph(parseJson(json), issues);
  issues.throwIfErrors();
  const differences = collectDifferences();
  const constant = constantOf(graph.parameters);
  const shared = sharedNames(graph.layers);
  const clips: (readonly [string, ClipFacts])[] = [];
  const layers = graph.layers.map((layer, index): LayerModel => {
    compareLayer(layer, index, differences);
    const ways = waysOf(layer, graph.parameters, differences);
    compareWays(layer, ways, differences);
    const { always } = constant;
    const machine = importMachine({ layer, ways, differences, always }, (state) => {
      const source = layer.states.get(state)!;
      const imported = importMotion(source, layer, shared);
      compareTree(source, differences);
      clips.push(...imported.clips);
      return { motion: imported.motion, ...(source.speed === 1 ? {} : { speed: source.speed }) };
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
  return {
    format: CONTROLLER_FORMAT,
    version: CONTROLLER_VERSION,
    name,
    parameters: Object.fromEntries([...parameters, ...constant.used()]),
    layers,
    clips: Object.fromEntries(clips),
    issues: [...issues.list(), ...differences.list()],
  };
}

function parameterOf({ type, value }: GraphParameter): ParameterModel {
  switch (type) {
    case 'FLOAT':
      return { type: 'float', default: Number(value) };
    case 'INTEGER':
      return { type: 'int', default: Number(value) };
    case 'BOOLEAN':
      return { type: 'bool', default: value === true };
    case 'TRIGGER':
      return { type: 'trigger', default: value === true };
  }
}

/** A parameter that is always true, added once something asks for it. */
function constantOf(parameters: Graph['parameters']): {
  always: () => { parameter: string };
  used: () => (readonly [string, ParameterModel])[];
} {
  let parameter = 'always';
  for (let number = 2; parameters.has(parameter); number++) parameter = `always${number}`;
  let isUsed = false;
  return {
    always: () => {
      isUsed = true;
      return { parameter };
    },
    used: () => (isUsed ? [[parameter, { type: 'bool', default: true }]] : []),
  };
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
