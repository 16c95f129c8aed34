import { error, warning } from '../errors.ts';
import { toCycles } from '../math/cycles.ts';
import type { ConditionTable } from './compile-conditions.ts';
import { type CompiledMotion, compileMotion, type MotionContext, rowOf } from './compile-motion.ts';
import {
  type Destination,
  findDestination,
  type FlatMachine,
  type MachinePlace,
  type ResolvedLayers,
} from './flatten.ts';
import type { DestinationModel, EntryModel, LayerModel, StateModel, TransitionModel } from './model.ts';
import { type LayerMoments, writeMoments } from './moments.ts';
import {
  CONTROLLER_NONE,
  ControllerMachine,
  ControllerSelector,
  DESTINATION_SELECTOR,
  FROZEN_LIMIT,
  INDEX_NONE,
  STATE_CONSTANT_LENGTH,
  STATE_EVENTS,
  STATE_MIRROR,
  STATE_ROOT,
  SyncedTiming,
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_FIXED,
  TRANSITION_INTERRUPTION_SHIFT,
  TRANSITION_ORDERED,
  TRANSITION_REPEATS,
  TRANSITION_TO_SELF,
  WATCHED,
} from './tables.ts';

type Values = Readonly<Record<string, number>>;

interface LayerMotions {
  readonly layer: LayerModel;
  readonly index: number;
  readonly flat: FlatMachine;
}

interface MachineInputs extends MotionContext, ResolvedLayers {
  readonly conditions: ConditionTable;
  readonly motions: readonly LayerMotions[];
  readonly machineRow: number;
}

/** Records that are written once all of them are known. */
export interface CompiledMachines {
  readonly states: readonly Values[];
  readonly transitions: readonly Values[];
  readonly entries: readonly Values[];
  readonly motionListRows: readonly number[];
  /** For each layer, the most samples that it shows at once: two states, or one state and a frozen interruption. */
  readonly layerSamples: readonly number[];
  readonly isSimple: boolean;
}

/** Compiles the machines of all layers and the motions of their states. */
export function compileMachine(inputs: MachineInputs): CompiledMachines {
  return new MachineCompiler(inputs).compile();
}

class MachineCompiler {
  readonly #states: Values[] = [];
  readonly #transitions: Values[] = [];
  readonly #entries: Values[] = [];
  /** By layer, the motions of its states. */
  readonly #played: readonly (readonly (CompiledMotion | undefined)[])[];
  readonly #motionListRows: readonly number[];

  constructor(readonly inputs: MachineInputs) {
    const { rows, motions, sources } = inputs;
    this.#played = motions.map((layer) => compileLayerMotions(layer, inputs));
    this.#motionListRows = motions.map(({ index }) =>
      sources[index] === index ? CONTROLLER_NONE : rows.addWords(this.#played[index]!.map(rowOf)),
    );
  }

  compile(): CompiledMachines {
    const { machineLayers, motions } = this.inputs;
    machineLayers.forEach((layerIndex, machine) => this.#addMachine(layerIndex, machine));
    const played = this.#played.flat();
    return {
      states: this.#states,
      transitions: this.#transitions,
      entries: this.#entries,
      motionListRows: this.#motionListRows,
      layerSamples: this.#played.map((list) => {
        const shown = Math.max(0, ...list.map((motion) => motion?.shownCount ?? 0));
        return shown + Math.max(shown, FROZEN_LIMIT);
      }),
      isSimple: motions.every(({ layer }) => !layer.sync?.timing) && played.every((motion) => motion?.isSimple ?? true),
    };
  }

  #addMachine(layerIndex: number, machine: number): void {
    const { rows, motions, flats, sources, machineRow } = this.inputs;
    const flat = flats[layerIndex]!;
    const { name } = motions[layerIndex]!.layer;
    const shown = motions.filter(({ index }) => sources[index] === layerIndex);
    const timed = shown.filter(({ layer }) => layer.sync?.timing);
    const destinations = new DestinationWriter(this.inputs, this.#entries, flat, name);
    const stateFirst = this.#states.length;
    const any = this.#addTransitions(flat.root.model.any, flat.root, `${name}/any`, destinations, TRANSITION_ANY);
    flat.states.forEach((state, index) => {
      const path = `${name}/${state.path}`;
      const { transitions: models } = state.model ?? {};
      const transitions = this.#addTransitions(models, state.machine, `${path}/transitions`, destinations);
      const own = this.#played[layerIndex]![index];
      const timedMotions = timed.map((layer) => this.#played[layer.index]![index]);
      const lengths = [own, ...timedMotions].map((motion) => (motion === undefined ? 1 : motion.length));
      const moments = shown.flatMap((layer): LayerMoments[] => {
        const motion = this.#played[layer.index]![index];
        return motion ? [{ layer: layer.index, motionRow: motion.row, moments: motion.moments }] : [];
      });
      const length = mixLengths(lengths, timed);
      const hasRoot = layerIndex === 0 && own?.hasRoot;
      const flags = (length === undefined ? 0 : STATE_CONSTANT_LENGTH) | (hasRoot ? STATE_ROOT : 0);
      this.#states.push({
        ...this.#stateRecord(state.model, path, moments, flags),
        transitions,
        length: length ?? 1,
        motionRow: rowOf(own),
        bandTreeRow: timed.length === 0 && own ? own.bandTreeRow : CONTROLLER_NONE,
      });
    });
    const timings = timed.map(({ index, layer }) => {
      return { motionListRow: this.#motionListRows[index]!, weight: weightOf(layer) };
    });
    const timingRow = rows.add(SyncedTiming, timings);
    rows.put(ControllerMachine, machineRow, machine, {
      transitions: any,
      entry: destinations.toWord({ enter: flat.root }),
      stateFirst,
      timingRow,
      timingCount: timed.length,
      layerIndex,
      layers: shown.reduce((bits, { index }) => bits | (1 << index), 0) >>> 0,
    });
  }

  /** Adds a list of transitions. Returns the first and the count, as records store them. */
  #addTransitions(
    list: readonly TransitionModel[] = [],
    from: MachinePlace,
    where: string,
    destinations: DestinationWriter,
    anyFlag = 0,
  ): number {
    const { conditions, issues } = this.inputs;
    const transitions = this.#transitions;
    while (transitions.length % WATCHED !== 0) transitions.push({});
    const first = transitions.length;
    list.forEach((transition, i) => {
      const at = `${where}/${i}`;
      const destination = destinations.find(transition, from, at);
      const conditionWord = conditions.add(transition.when ?? [], at);
      if (destination === undefined || conditionWord === undefined) return;
      if (transition.exitTime === undefined && !transition.when?.length) {
        const message = 'The transition has neither a condition nor an exit time: it is never taken.';
        issues.push(warning('CONTROLLER_SIMPLIFIED', at, message, 'Give it one of them.'));
        return;
      }
      transitions.push(transitionRecord(transition, conditionWord, destinations.toWord(destination), anyFlag));
    });
    return (first | ((transitions.length - first) << 16)) >>> 0;
  }

  /** The part of a state's record that does not depend on its motions' rows. */
  #stateRecord(model: StateModel | undefined, path: string, shown: readonly LayerMoments[], flags: number): Values {
    const parameter = (key: 'speed' | 'time' | 'cycleOffset' | 'mirror') => {
      const name = model?.[`${key}Parameter`];
      return name === undefined ? INDEX_NONE : this.inputs.parameter(name, path);
    };
    const cycleOffset = toCycles(Math.fround(model?.cycleOffset ?? 0)).phase;
    const [speedParameter, timeParameter] = [parameter('speed'), parameter('time')];
    const [cycleParameter, mirrorParameter] = [parameter('cycleOffset'), parameter('mirror')];
    const clock = { cycleOffset, cycleParameter, timeParameter };
    const moments = writeMoments(this.inputs.rows, shown, clock);
    return {
      ...moments,
      speed: model?.speed ?? 1,
      flags: flags | moments.flags | (model?.mirror ? STATE_MIRROR : 0) | (moments.momentCount > 0 ? STATE_EVENTS : 0),
      speedAndTimeParameter: (speedParameter | (timeParameter << 16)) >>> 0,
      cycleOffset,
      cycleAndMirrorParameter: (cycleParameter | (mirrorParameter << 16)) >>> 0,
    };
  }
}

/** Destinations as words. The selectors that they need are written once. */
class DestinationWriter {
  readonly #words = new Map<string, number>();

  /** @param entries Receives the entries of selectors. */
  constructor(
    readonly inputs: MachineInputs,
    readonly entries: Values[],
    readonly machine: FlatMachine,
    readonly where: string,
  ) {}

  find(model: DestinationModel, from: MachinePlace, where: string): Destination | undefined {
    return findDestination(this.machine, model, from, where, this.inputs.issues);
  }

  toWord(destination: Destination): number {
    if ('state' in destination) return destination.state;
    const isEntry = 'enter' in destination;
    const place = isEntry ? destination.enter : destination.exit;
    const key = `${isEntry ? 'enter' : 'exit'} ${place.path}`;
    return this.#words.get(key) ?? (isEntry ? this.#enter(place, key) : this.#exit(place, key));
  }

  #enter(place: MachinePlace, key: string): number {
    const list = place.model.entry ?? [];
    if (list.length === 0) return place.defaultState;
    const path = `${this.where}/${place.path}/entry`;
    return this.#writeSelector(key, list, place, path, { state: place.defaultState });
  }

  #exit(place: MachinePlace, key: string): number {
    const { parent } = place;
    if (!parent) return this.toWord({ enter: this.machine.root });
    const list = place.model.exits ?? [];
    if (list.length === 0) return this.toWord({ enter: parent });
    return this.#writeSelector(key, list, parent, `${this.where}/${place.path}/exits`, { enter: parent });
  }

  /** @param from The machine that destinations are relative to. Its default state is the last resort. */
  #writeSelector(
    key: string,
    list: readonly EntryModel[],
    from: MachinePlace,
    path: string,
    otherwise: Destination,
  ): number {
    const { rows, conditions } = this.inputs;
    const row = rows.reserveFor(ControllerSelector, 1);
    const word = (DESTINATION_SELECTOR | row) >>> 0;
    this.#words.set(key, word);
    const resolved = list.flatMap((entry, i) => {
      const destination = this.find(entry as DestinationModel, from, `${path}/${i}`);
      const conditionWord = conditions.add(entry.when ?? [], `${path}/${i}`);
      return destination && conditionWord !== undefined ? [{ destination, conditionWord }] : [];
    });
    const records = [...resolved, { destination: otherwise, conditionWord: 0 }].map(
      ({ destination, conditionWord }) => ({ conditions: conditionWord, destination: this.toWord(destination) }),
    );
    const [entryFirst, entryCount] = [this.entries.length, records.length];
    this.entries.push(...records);
    rows.put(ControllerSelector, row, 0, { entryFirst, entryCount, fallback: from.defaultState });
    return word;
  }
}

const INTERRUPTION = { none: 0, current: 1, next: 2, currentThenNext: 3, nextThenCurrent: 4 } as const;

function transitionRecord(model: TransitionModel, conditions: number, destination: number, anyFlag: number): Values {
  const { exitTime, duration = 0, offset = 0, interruption = 'none' } = model;
  const { fixed = true, ordered = true, toSelf = true } = model;
  const exit = toCycles(Math.fround(exitTime ?? 0));
  const start = toCycles(Math.fround(offset));
  const flags =
    anyFlag |
    (exitTime === undefined ? 0 : TRANSITION_EXIT) |
    (exitTime !== undefined && Math.fround(exitTime) <= 1 ? TRANSITION_REPEATS : 0) |
    (fixed ? TRANSITION_FIXED : 0) |
    (ordered ? TRANSITION_ORDERED : 0) |
    (toSelf ? TRANSITION_TO_SELF : 0) |
    (INTERRUPTION[interruption] << TRANSITION_INTERRUPTION_SHIFT);
  return {
    conditions,
    destination,
    flags,
    duration: Math.max(0, duration),
    offsetPhase: start.phase,
    offsetCycles: start.cycles,
    exitPhase: exit.phase,
    exitCycles: exit.cycles,
  };
}

/** Motions of a layer's states, in the order of the states. */
function compileLayerMotions({ layer, flat }: LayerMotions, context: MotionContext): (CompiledMotion | undefined)[] {
  for (const path of Object.keys(layer.sync?.motions ?? {})) {
    if (flat.stateByPath.has(path)) continue;
    const message = 'There is no such state in the layer that this one is synced to.';
    context.issues.push(error('CONTROLLER_NAME_UNKNOWN', `${layer.name}/sync/motions/${path}`, message));
  }
  return flat.states.map(({ path, model }) => {
    const listed = layer.sync && Object.hasOwn(layer.sync.motions, path) ? layer.sync.motions[path] : undefined;
    const motion = layer.sync ? listed : model?.motion;
    return compileMotion(context, motion, { state: path, layer: layer.name, additive: layer.blend === 'additive' });
  });
}

/**
 * The length of a state, if the lengths in its layers never change. The lengths of synced layers count by weight, in
 * their order.
 */
function mixLengths(lengths: readonly (number | undefined)[], timed: readonly LayerMotions[]): number | undefined {
  return lengths.reduce((length, other, i) => {
    if (length === undefined || other === undefined) return undefined;
    const weight = weightOf(timed[i - 1]!.layer);
    return length * (1 - weight) + other * weight;
  });
}

function weightOf({ weight = 1 }: LayerModel): number {
  return Math.max(0, Math.min(1, weight));
}
