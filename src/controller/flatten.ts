import { error, type Issue, quoted, warning } from '../errors.ts';
import { listedByNearness } from '../character/names.ts';
import type { DestinationModel, LayerModel, MachineModel, StateModel } from './model.ts';

/** A machine and the machines inside it as one list of states. Destinations can be looked up. */
export interface FlatMachine {
  readonly root: MachinePlace;
  /** In file order. States of inner machines follow those of the machine around them. */
  readonly states: readonly FlatState[];
  readonly stateByPath: ReadonlyMap<string, number>;
  readonly machineByPath: ReadonlyMap<string, MachinePlace>;
}

export interface FlatState {
  /** From below the root machine, names joined by dots. */
  readonly path: string;
  /** Undefined for the empty state of a machine that has no default. */
  readonly model: StateModel | undefined;
  readonly machine: MachinePlace;
}

export interface MachinePlace {
  /** '' for the root. */
  readonly path: string;
  readonly model: MachineModel;
  readonly parent: MachinePlace | undefined;
  /** Index of the state that it begins in. */
  defaultState: number;
}

/**
 * Flattens a layer's machine.
 *
 * @param where Path of the layer for issues.
 */
export function flattenMachine(machine: MachineModel, where: string, issues: Issue[]): FlatMachine {
  const states: FlatState[] = [];
  const stateByPath = new Map<string, number>();
  const machineByPath = new Map<string, MachinePlace>();

  function place(model: MachineModel, path: string, parent: MachinePlace | undefined): MachinePlace {
    const here: MachinePlace = { path, model, parent, defaultState: -1 };
    machineByPath.set(path, here);
    if (parent && model.any?.length) {
      const message = `${model.any.length} transitions from any state are on a machine inside another; they are ignored.`;
      issues.push(warning('CONTROLLER_SIMPLIFIED', `${where}/${path}/any`, message, 'Move them to the root machine.'));
    }
    for (const [name, state] of Object.entries(model.states)) addState(join(path, name), state, here);
    for (const [name, inner] of Object.entries(model.machines ?? {})) place(inner, join(path, name), here);
    return here;
  }

  function addState(path: string, model: StateModel | undefined, here: MachinePlace): number {
    if (!stateByPath.has(path)) stateByPath.set(path, states.length);
    else {
      issues.push(error('CONTROLLER_INVALID', `${where}/${path}`, 'Two states have this path.', 'Rename one of them.'));
    }
    return states.push({ path, model, machine: here }) - 1;
  }

  const root = place(machine, '', undefined);
  for (const here of machineByPath.values()) {
    const wanted = here.model.default;
    const known = wanted === undefined ? undefined : stateByPath.get(wanted);
    if (wanted !== undefined && known === undefined) {
      const at = [where, here.path, 'default'].filter(Boolean).join('/');
      issues.push(unknownState(at, wanted, stateByPath, issues.length));
    }
    here.defaultState = known ?? -1;
  }
  // a machine without a default begins in an empty state, named after the machine
  for (const here of machineByPath.values()) {
    if (here.defaultState >= 0) continue;
    const taken = stateByPath.get(here.path);
    here.defaultState = taken ?? addState(here.path, undefined, here);
  }
  return { root, states, stateByPath, machineByPath };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A destination, resolved from a machine: a state, the way into a machine, or the way out of one. */
export type Destination =
  | { readonly state: number }
  | { readonly enter: MachinePlace }
  | { readonly exit: MachinePlace };

/** Finds a destination. Returns undefined, and reports, if it does not exist. */
export function findDestination(
  flat: FlatMachine,
  { to, toMachine, toExit }: DestinationModel,
  from: MachinePlace,
  where: string,
  issues: Issue[],
): Destination | undefined {
  if (toExit) return { exit: from };
  if (toMachine !== undefined) {
    const machine = flat.machineByPath.get(toMachine);
    if (machine) return { enter: machine };
    issues.push(error('CONTROLLER_NAME_UNKNOWN', where, `There is no machine ${quoted(toMachine)} in this layer.`));
    return undefined;
  }
  const state = flat.stateByPath.get(to);
  if (state !== undefined) return { state };
  issues.push(unknownState(where, to, flat.stateByPath, issues.length));
  return undefined;
}

/**
 * @param before Number of earlier problems. Comparing names takes long, so it is skipped for a controller that is wrong
 * throughout.
 */
function unknownState(where: string, path: string, known: ReadonlyMap<string, number>, before: number): Issue {
  const names = before < 16 && known.size < 1024 ? [...known.keys()].map((name) => ({ name })) : [];
  const nearest = names.length > 0 ? ` The nearest: ${listedByNearness(names, path)}.` : '';
  const suggestion = `Name a state by its path in the layer: Combat.Attack.${nearest}`;
  return error('CONTROLLER_NAME_UNKNOWN', where, `There is no state ${quoted(path)} in this layer.`, suggestion);
}

/** For each layer, the layer that owns the machine that it shows, and that machine's index. */
export interface ResolvedLayers {
  readonly sources: readonly number[];
  readonly machineOf: readonly number[];
  readonly machineLayers: readonly number[];
  /** The machine of each layer that has one. */
  readonly flats: readonly (FlatMachine | undefined)[];
}

export function resolveLayers(layers: readonly LayerModel[], issues: Issue[]): ResolvedLayers {
  if (layers[0]?.sync) {
    const message = 'The first layer needs a machine of its own.';
    issues.push(error('CONTROLLER_INVALID', `${layers[0].name}/sync`, message));
  }
  const sources = layers.map((layer, index) => sourceOf(layers, layer, index, issues));
  const flats = layers.map((layer, index) =>
    sources[index] === index && layer.machine ? flattenMachine(layer.machine, layer.name, issues) : undefined,
  );
  const machineLayers = sources.flatMap((source, index) => (source === index ? [index] : []));
  return { sources, flats, machineLayers, machineOf: sources.map((source) => machineLayers.indexOf(source)) };
}

/**
 * Index of the layer that owns a layer's machine: itself, or another layer, reached over any number of synced layers.
 */
function sourceOf(layers: readonly LayerModel[], layer: LayerModel, index: number, issues: Issue[]): number {
  let [at, current] = [index, layer];
  for (let hops = 0; hops <= layers.length; hops++) {
    if (current.sync === undefined) {
      if (current.machine) return at;
      issues.push(error('CONTROLLER_INVALID', `${layer.name}/machine`, 'The layer needs `machine` or `sync`.'));
      return index;
    }
    const { layer: name } = current.sync;
    const next = layers.findIndex((other) => other.name === name);
    if (next < 0) {
      issues.push(error('CONTROLLER_NAME_UNKNOWN', `${current.name}/sync`, `There is no layer ${quoted(name)}.`));
      return index;
    }
    [at, current] = [next, layers[next]!];
  }
  issues.push(error('CONTROLLER_INVALID', `${layer.name}/sync`, 'Synced layers form a circle.'));
  return index;
}
