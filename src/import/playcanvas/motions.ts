import type { ChildModel, ClipFacts, MotionModel, TreeModel } from '../../controller/model.ts';
import type { GraphChild, GraphLayer, GraphState, GraphTree } from './graph.ts';

/** The motion of a state, and facts about its clips. */
export interface ImportedMotion {
  readonly motion: MotionModel;
  readonly clips: readonly (readonly [reference: string, facts: ClipFacts])[];
}

/**
 * A graph holds no clips: they are assigned by path, `State` or `State.child`, and that path is the reference here. If
 * other layers use the state's name as well, its layer's name and a colon precede it.
 */
export function importMotion(state: GraphState, layer: GraphLayer, shared: ReadonlySet<string>): ImportedMotion {
  const reference = shared.has(state.name) ? `${layer.name}:${state.name}` : state.name;
  const references: string[] = [];
  const motion = state.tree ? importTree(state.tree, reference, references) : reference;
  if (!state.tree) references.push(reference);
  return { motion, clips: references.map((clip) => [clip, { loops: state.loops }] as const) };
}

/** Names that states of more than one layer have. */
export function sharedNames(layers: readonly GraphLayer[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { states } of layers) {
    for (const name of states.keys()) (seen.has(name) ? shared : seen).add(name);
  }
  return shared;
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

function importChild(child: GraphChild, parent: string, references: string[]): ChildModel {
  const reference = `${parent}.${child.name}`;
  if (child.tree) return { motion: importTree(child.tree, reference, references) };
  references.push(reference);
  return { motion: reference, ...(child.speed === 1 ? {} : { timeScale: child.speed }) };
}
