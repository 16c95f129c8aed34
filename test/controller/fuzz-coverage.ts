import { controllerView, type TransitionView } from '../../src/controller/eval/controller-view.ts';
import {
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_INTERRUPTION_SHIFT,
  TREE_1D,
  TREE_DIRECT,
  TREE_DIRECTIONAL,
  TREE_FREEFORM_CARTESIAN,
  TREE_FREEFORM_DIRECTIONAL,
} from '../../src/controller/tables.ts';
import type { ControllerModel } from '../../src/controller/model.ts';
import type { AnimatorScene } from '../support/animator-scene.ts';

const TREES = {
  [TREE_1D]: '1d',
  [TREE_DIRECTIONAL]: 'directional',
  [TREE_FREEFORM_DIRECTIONAL]: 'freeformDirectional',
  [TREE_FREEFORM_CARTESIAN]: 'freeformCartesian',
  [TREE_DIRECT]: 'direct',
} as const;
const SOURCES = ['none', 'current', 'next', 'currentThenNext', 'nextThenCurrent'] as const;

/** What random controllers did, to be printed: a test that passes says little if nothing happened. */
export interface Coverage {
  transitions: number;
  exits: number;
  any: number;
  interruptions: number;
  /** By the setting of what was interrupted: a transition from any state, or by its source. */
  interrupted: Record<string, number>;
  /** Machines that were frozen after a step, and such that were in a transition. */
  frozen: number;
  blending: number;
  truncations: number;
  events: number;
  samples: number;
  /** Trees inside trees that machines stood in, by type. */
  nested: Record<string, number>;
  rootMoves: number;
  machines: number;
  nearTies: number;
  /** Steps of characters, and entries in the lists of what such a step leaves for later. */
  steps: number;
  busy: number;
  late: number;
  passing: number;
}

export function noCoverage(): Coverage {
  return {
    transitions: 0,
    exits: 0,
    any: 0,
    interruptions: 0,
    interrupted: Object.fromEntries(SOURCES.map((name) => [name, 0])),
    frozen: 0,
    blending: 0,
    truncations: 0,
    events: 0,
    samples: 0,
    nested: Object.fromEntries(Object.values(TREES).map((name) => [name, 0])),
    rootMoves: 0,
    machines: 0,
    nearTies: 0,
    steps: 0,
    busy: 0,
    late: 0,
    passing: 0,
  };
}

/** Counts a transition that the twin takes; before it, the scene's machines stand as they did. */
export function countTransition(
  coverage: Coverage,
  scene: AnimatorScene,
  character: number,
  machine: number,
  { flags }: TransitionView,
  interrupts: boolean,
): void {
  coverage.transitions++;
  if (flags & TRANSITION_EXIT) coverage.exits++;
  if (flags & TRANSITION_ANY) coverage.any++;
  if (!interrupts) return;
  coverage.interruptions++;
  const view = controllerView(scene.rig, scene.rows[scene.of[character]!]!);
  const { transition, inTransition } = scene.memory.machine(machine, character);
  if (!inTransition || transition === 0xffff) return;
  const source = SOURCES[(view.transition(transition).flags >> TRANSITION_INTERRUPTION_SHIFT) & 7]!;
  coverage.interrupted[source]!++;
}

/** Counts what the scene's characters stand in after a step. */
export function countState(coverage: Coverage, scene: AnimatorScene): void {
  const { memory } = scene;
  for (let character = 0; character < scene.count; character++) {
    coverage.steps++;
    coverage.truncations += Number((memory.head(character, 'counters') & 0xffff) > 0);
    const view = controllerView(scene.rig, scene.rows[scene.of[character]!]!);
    const at = memory.rootWord(character);
    if (memory.hasRoot && memory.floats.subarray(at, at + 3).some((p) => p !== 0)) coverage.rootMoves++;
    view.layers.forEach((layer) => {
      const machine = memory.machine(layer.machine, character);
      const motion = view.motion(layer.motionRow(machine.current));
      for (const { type } of motion?.trees.slice(1) ?? []) coverage.nested[TREES[type as keyof typeof TREES]]!++;
    });
    view.machines.forEach((_, m) => {
      const { frozen, inTransition } = memory.machine(m, character);
      coverage.frozen += Number(frozen);
      coverage.blending += Number(inTransition);
    });
  }
}

/** How large the controllers came out: a share of them has to reach the bounds. */
export function sizesOf(models: readonly ControllerModel[]): Record<string, number> {
  const states = (machine: unknown): number => {
    const { states: own, machines = {} } = machine as { states: object; machines?: Record<string, unknown> };
    return Object.keys(own).length + Object.values(machines).reduce<number>((sum, inner) => sum + states(inner), 0);
  };
  const transitions = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    return Object.entries(value).reduce(
      (sum, [key, inner]) =>
        sum + (key === 'transitions' || key === 'any' ? (inner as unknown[]).length : transitions(inner)),
      0,
    );
  };
  const most = (count: (model: ControllerModel) => number): number => Math.max(...models.map(count));
  const layerStates = ({ layers }: ControllerModel): number =>
    layers.reduce((sum, { machine }) => sum + (machine ? states(machine) : 0), 0);
  const isSynced = (model: ControllerModel, depth: number): boolean =>
    model.layers.some(({ sync }) => {
      let [at, hops] = [sync?.layer, 0];
      for (; at !== undefined; hops++) at = model.layers.find(({ name }) => name === at)?.sync?.layer;
      return hops >= depth;
    });
  const share = (holds: (model: ControllerModel) => boolean): number => models.filter(holds).length;
  return {
    controllers: models.length,
    mostLayers: most(({ layers }) => layers.length),
    mostStates: most(layerStates),
    mostTransitions: most((model) => transitions(model.layers)),
    withSixLayers: share(({ layers }) => layers.length === 6),
    with24States: share((model) => layerStates(model) === 24),
    with80Transitions: share((model) => transitions(model.layers) === 80),
    withSyncedLayers: share((model) => isSynced(model, 1)),
    withSyncedChains: share((model) => isSynced(model, 2)),
  };
}

/** Conditions of a controller's transitions, each once. */
export function countConditions({ layers }: ControllerModel): number {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'when') for (const condition of inner as unknown[]) found.add(JSON.stringify(condition));
      else visit(inner);
    }
  };
  visit(layers.map(({ machine }) => machine));
  return found.size;
}
