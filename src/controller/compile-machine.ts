import { error, type Issue, warning } from '../errors.ts';
import { toCycles } from '../math/cycles.ts';
import type { ClipTable } from './clip-table.ts';
import type { ConditionTable } from './compile-conditions.ts';
import { compileMotion, rowOf, type CompiledMotion } from './compile-motion.ts';
import { findDestination, type Destination, type FlatMachine, type MachinePlace } from './flatten.ts';
import type { DestinationModel, EntryModel, LayerModel, StateModel, TransitionModel } from './model.ts';
import { writeMoments, type LayerMoments } from './moments.ts';
import type { Rows } from './rows.ts';
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

type Find = (name: string, where: string) => number;
type Values = Readonly<Record<string, number>>;

/** A layer, and the machine that it shows. */
export interface LayerMotions {
  readonly layer: LayerModel;
  readonly index: number;
  readonly flat: FlatMachine;
  readonly rows: Rows;
  readonly clips: ClipTable;
  readonly find: Find;
  readonly issues: Issue[];
  readonly firesOnce: boolean;
}

interface MachineInputs {
  readonly rows: Rows;
  readonly conditions: ConditionTable;
  readonly find: Find;
  readonly motions: readonly LayerMotions[];
  /** The machine of each layer that has one. */
  readonly flats: readonly (FlatMachine | undefined)[];
  /** For each layer, the index of the layer that owns the machine it shows. */
  readonly sources: readonly number[];
  readonly machineLayers: readonly number[];
  readonly machineRow: number;
  readonly issues: Issue[];
}

/** Records that are written once all of them are known. */
interface CompiledMachines {
  readonly states: readonly Values[];
  readonly transitions: readonly Values[];
  readonly entries: readonly Values[];
  readonly motionListRows: readonly number[];
  /** For each layer, the most samples that it shows at once: two states, or one state and a frozen interruption. */
  readonly layerSamples: readonly number[];
  /** The most trees of one motion. */
  readonly treeCount: number;
  readonly isSimple: boolean;
}

/** Compiles the machines of all layers and the motions of their states. */
// oxlint-disable-next-line max-lines-per-function
export function compileMachine(inputs: MachineInputs): CompiledMachines {
  const { rows, conditions, find, motions, flats, sources, machineLayers, machineRow, issues } = inputs;
  const states: Values[] = [];
  const transitions: Values[] = [];
  const entries: Values[] = [];
  const played = motions.map((layer) => compileLayerMotions(layer));
  const motionListRows = motions.map(({ index }) =>
    sources[index] === index ? CONTROLLER_NONE : writeMotionList(rows, played[index]!),
  );
  // oxlint-disable-next-line max-lines-per-function
  machineLayers.forEach((layerIndex, machine) => {
    const flat = flats[layerIndex]!;
    const { name } = motions[layerIndex]!.layer;
    const shown = motions.filter(({ index }) => sources[index] === layerIndex);
    const timed = shown.filter(({ layer }) => layer.sync?.timing);
    const resolve = destinations(flat, name);
    const stateFirst = states.length;
    const anyFirst = nextTransition();
    addTransitions(flat.root.model.any ?? [], flat.root, `${name}/any`, TRANSITION_ANY);
    const any = listOf(anyFirst);
    flat.states.forEach((state, index) => {
      const path = `${name}/${state.path}`;
      const transitionFirst = nextTransition();
      addTransitions(state.model?.transitions ?? [], state.machine, `${path}/transitions`, 0);
      const own = played[layerIndex]![index];
      const lengths = [own, ...timed.map((layer) => played[layer.index]![index])].map((motion) =>
        motion === undefined ? 1 : motion.length,
      );
      states.push(
        stateRecord(state.model, {
          transitions: listOf(transitionFirst),
          length: mixLengths(lengths, timed),
          moments: shown.flatMap((layer): LayerMoments[] => {
            const motion = played[layer.index]![index];
            return motion ? [{ layer: layer.index, motionRow: motion.row, moments: motion.moments }] : [];
          }),
          hasRoot: layerIndex === 0 && (own?.hasRoot ?? false),
          motionRow: rowOf(own),
          bandTreeRow: timed.length === 0 && own ? own.bandTreeRow : CONTROLLER_NONE,
          path,
        }),
      );
    });
    const timingRow = rows.reserveFor(SyncedTiming, timed.length);
    timed.forEach(({ index, layer }, i) => {
      const weight = Math.max(0, Math.min(1, layer.weight ?? 1));
      rows.put(SyncedTiming, timingRow, i, { motionListRow: motionListRows[index]!, weight });
    });
    rows.put(ControllerMachine, machineRow, machine, {
      transitions: any,
      entry: resolve({ enter: flat.root }),
      stateFirst,
      timingRow,
      timingCount: timed.length,
      layerIndex,
      layers: shown.reduce((bits, { index }) => bits | (1 << index), 0) >>> 0,
    });

    function addTransitions(
      list: readonly TransitionModel[],
      from: MachinePlace,
      where: string,
      anyFlag: number,
    ): void {
      list.forEach((transition, i) => {
        const at = `${where}/${i}`;
        const destination = findDestination(flat, transition, from, at, issues);
        const conditionWord = conditions.add(transition.when ?? [], at);
        if (destination === undefined || conditionWord === undefined) return;
        if (transition.exitTime === undefined && !transition.when?.length) {
          const message = 'The transition has neither a condition nor an exit time: it is never taken.';
          issues.push(warning('CONTROLLER_SIMPLIFIED', at, message, 'Give it one of them.'));
          return;
        }
        transitions.push(transitionRecord(transition, conditionWord, resolve(destination), anyFlag));
      });
    }

    /** Destinations as words. The selectors that they need are written once. */
    function destinations(machineOf: FlatMachine, where: string): (destination: Destination) => number {
      const known = new Map<string, number>();
      const toWord = (destination: Destination): number => {
        if ('state' in destination) return destination.state;
        const entering = 'enter' in destination;
        const place = entering ? destination.enter : destination.exit;
        const key = `${entering ? 'enter' : 'exit'} ${place.path}`;
        const word = known.get(key);
        if (word !== undefined) return word;
        return entering ? enter(place, key) : exit(place, key);
      };
      const enter = (place: MachinePlace, key: string): number => {
        const list = place.model.entry ?? [];
        if (list.length === 0) return place.defaultState;
        return selector(
          key,
          list,
          place,
          `${where}/${place.path}/entry`,
          { state: place.defaultState },
          place.defaultState,
        );
      };
      const exit = (place: MachinePlace, key: string): number => {
        const { parent } = place;
        if (!parent) return toWord({ enter: machineOf.root });
        const list = place.model.exits ?? [];
        if (list.length === 0) return toWord({ enter: parent });
        return selector(key, list, parent, `${where}/${place.path}/exits`, { enter: parent }, parent.defaultState);
      };
      const selector = (
        key: string,
        list: readonly EntryModel[],
        from: MachinePlace,
        path: string,
        otherwise: Destination,
        fallback: number,
      ): number => {
        const row = rows.reserveFor(ControllerSelector, 1);
        known.set(key, (DESTINATION_SELECTOR | row) >>> 0);
        const found = list.flatMap((entry, i) => {
          const destination = findDestination(machineOf, entry as DestinationModel, from, `${path}/${i}`, issues);
          const conditionWord = conditions.add(entry.when ?? [], `${path}/${i}`);
          return destination && conditionWord !== undefined ? [{ destination, conditionWord }] : [];
        });
        const words = [...found, { destination: otherwise, conditionWord: 0 }].map(
          ({ destination, conditionWord }) => ({
            conditions: conditionWord,
            destination: toWord(destination),
          }),
        );
        const entryFirst = entries.length;
        entries.push(...words);
        rows.put(ControllerSelector, row, 0, { entryFirst, entryCount: words.length, fallback });
        return known.get(key)!;
      };
      return toWord;
    }
  });
  return {
    states,
    transitions,
    entries,
    motionListRows,
    layerSamples: played.map((list) => {
      const shown = Math.max(0, ...list.map((motion) => motion?.shownCount ?? 0));
      return shown + Math.max(shown, FROZEN_LIMIT);
    }),
    treeCount: Math.max(0, ...played.flat().map((motion) => motion?.treeCount ?? 0)),
    isSimple:
      motions.every(({ layer }) => !layer.sync?.timing) && played.flat().every((motion) => motion?.isSimple ?? true),
  };

  /** Start index of the next list of transitions. */
  function nextTransition(): number {
    while (transitions.length % WATCHED !== 0) transitions.push({});
    return transitions.length;
  }

  /** Transitions from `first` on, as records store them. */
  function listOf(first: number): number {
    return (first | ((transitions.length - first) << 16)) >>> 0;
  }

  function stateRecord(
    model: StateModel | undefined,
    compiled: {
      transitions: number;
      length: number | undefined;
      moments: readonly LayerMoments[];
      hasRoot: boolean;
      motionRow: number;
      bandTreeRow: number;
      path: string;
    },
  ): Values {
    const { length, motionRow, bandTreeRow, path } = compiled;
    const parameter = (key: 'speed' | 'time' | 'cycleOffset' | 'mirror') => {
      const name = model?.[`${key}Parameter`];
      return name === undefined ? INDEX_NONE : find(name, path);
    };
    const cycleOffset = toCycles(Math.fround(model?.cycleOffset ?? 0)).phase;
    const [speedParameter, timeParameter] = [parameter('speed'), parameter('time')];
    const [cycleParameter, mirrorParameter] = [parameter('cycleOffset'), parameter('mirror')];
    const moments = writeMoments(rows, compiled.moments, { cycleOffset, cycleParameter, timeParameter });
    const flags =
      moments.flags |
      (model?.mirror ? STATE_MIRROR : 0) |
      (length === undefined ? 0 : STATE_CONSTANT_LENGTH) |
      (moments.momentCount > 0 ? STATE_EVENTS : 0) |
      (compiled.hasRoot ? STATE_ROOT : 0);
    return {
      speed: model?.speed ?? 1,
      length: length ?? 1,
      flags,
      transitions: compiled.transitions,
      speedAndTimeParameter: (speedParameter | (timeParameter << 16)) >>> 0,
      cycleOffset,
      cycleAndMirrorParameter: (cycleParameter | (mirrorParameter << 16)) >>> 0,
      motionRow,
      momentRow: moments.momentRow,
      momentCount: moments.momentCount,
      distinctRowCount: moments.distinctRowCount,
      bandTreeRow,
    };
  }
}

const INTERRUPTION = { none: 0, current: 1, next: 2, currentThenNext: 3, nextThenCurrent: 4 } as const;

function transitionRecord(model: TransitionModel, conditions: number, destination: number, anyFlag: number): Values {
  const {
    exitTime,
    duration = 0,
    fixed = true,
    offset = 0,
    interruption = 'none',
    ordered = true,
    toSelf = true,
  } = model;
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
function compileLayerMotions({ layer, flat, find, ...shared }: LayerMotions): (CompiledMotion | undefined)[] {
  const context = { ...shared, parameter: find };
  const { issues } = shared;
  for (const path of Object.keys(layer.sync?.motions ?? {})) {
    if (flat.stateByPath.has(path)) continue;
    const message = 'There is no such state in the layer that this one is synced to.';
    issues.push(error('CONTROLLER_NAME_UNKNOWN', `${layer.name}/sync/motions/${path}`, message));
  }
  return flat.states.map(({ path, model }) => {
    const listed = layer.sync && Object.hasOwn(layer.sync.motions, path) ? layer.sync.motions[path] : undefined;
    const motion = layer.sync ? listed : model?.motion;
    return compileMotion(context, motion, { state: path, layer: layer.name, additive: layer.blend === 'additive' });
  });
}

function writeMotionList(rows: Rows, motions: readonly (CompiledMotion | undefined)[]): number {
  const row = rows.reserve(Math.ceil(motions.length / 4));
  motions.forEach((motion, i) => rows.setWord(row, i, rowOf(motion)));
  return row;
}

/**
 * The length of a state, if the lengths in its layers never change. The lengths of synced layers count by weight, in
 * their order.
 */
function mixLengths(lengths: readonly (number | undefined)[], timed: readonly LayerMotions[]): number | undefined {
  return lengths.reduce((length, other, i) => {
    if (length === undefined || other === undefined) return undefined;
    const weight = Math.max(0, Math.min(1, timed[i - 1]!.layer.weight ?? 1));
    return length * (1 - weight) + other * weight;
  });
}
