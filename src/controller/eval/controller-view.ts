import type { RigTable } from '../../character/format/clip-format.ts';
import {
  CHILD_TREE,
  CONTROLLER_NONE,
  ControllerChild,
  ControllerClip,
  ControllerEntry,
  ControllerEvent,
  ControllerHeader,
  ControllerLayer,
  ControllerLeaf,
  ControllerMachine,
  ControllerMoment,
  ControllerMotion,
  ControllerSelector,
  ControllerState,
  ControllerTransition,
  ControllerTree,
  DESTINATION_SELECTOR,
  LAYER_IS_ADDITIVE,
  LAYER_SYNCED,
  RootKnot,
  SyncedTiming,
} from '../tables.ts';
import { repeatedDirections } from '../repeated-directions.ts';
import { View, type Fields, type Struct } from '../../layout/index.ts';
import type { Cycles } from '../../math/cycles.ts';

/** Fields of a record. */
type RecordOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends 'f32' | 'i32' | 'u32' ? number : number[] };

type LayerFields = 'flags' | 'weight' | 'weightParameter';

export interface LayerView extends Pick<RecordOf<(typeof ControllerLayer)['fields']>, LayerFields> {
  readonly machine: number;
  /** Absolute row, or −1. */
  readonly maskRow: number;
  readonly isAdditive: boolean;
  /** True if it needs no layer record: the first layer, without a mask, that adds nothing. */
  readonly isPlain: boolean;
  /** Row of the motion that the layer shows in a state of its machine. */
  motionRow(state: number): number;
}

type MachineFields = 'entry' | 'layerIndex' | 'layers';

export interface MachineView extends Pick<RecordOf<(typeof ControllerMachine)['fields']>, MachineFields> {
  readonly anyFirst: number;
  readonly anyCount: number;
  readonly timings: readonly { readonly weight: number; motionRow(state: number): number }[];
  state(index: number): StateView;
}

type StateFields = 'speed' | 'flags' | 'length' | 'cycleOffset' | 'motionRow';

export interface StateView extends Pick<RecordOf<(typeof ControllerState)['fields']>, StateFields> {
  readonly transitionFirst: number;
  readonly transitionCount: number;
  readonly speedParameter: number;
  readonly timeParameter: number;
  readonly cycleParameter: number;
  readonly mirrorParameter: number;
  /** For updates in which nothing is decided: see `quiet-moments.ts` of step-controllers. */
  moments: StateMoments | undefined;
  /** A bit for each leaf that suppresses an event of this leaf if it is heavier. */
  rivals(layer: number, leaf: number, event: number): number;
}

/** Phases of a state's clock at which an event of some clip may be due. */
export interface StateMoments {
  /** Those of looping clips, without the state's offset, and those of other clips. */
  readonly looped: Float64Array;
  readonly held: Float64Array;
}

export interface TransitionView extends RecordOf<(typeof ControllerTransition)['fields']> {
  readonly index: number;
  readonly offset: Cycles;
  readonly exit: Cycles;
}

type EntryView = RecordOf<(typeof ControllerEntry)['fields']>;

export interface MotionView {
  readonly flags: number;
  readonly length: number;
  readonly leaves: readonly LeafView[];
  readonly trees: readonly TreeView[];
}

export interface LeafView {
  readonly clip: number;
  readonly flags: number;
  readonly offset: number;
  readonly rigClip: number;
}

export interface TreeView {
  readonly type: number;
  readonly flags: number;
  readonly parameterX: number;
  readonly parameterY: number;
  readonly children: readonly ChildView[];
  /** See `repeatedDirections`. */
  readonly repeats: number;
}

export interface ChildView extends RecordOf<(typeof ControllerChild)['fields']> {
  /** Index of the leaf, or of the tree. */
  readonly index: number;
  readonly isTree: boolean;
  /** Parameter of a child of a direct tree. */
  readonly parameter: number;
}

export interface ClipView {
  readonly rigClip: number;
  readonly events: readonly { readonly at: Cycles; readonly id: number }[];
  readonly root: readonly RecordOf<(typeof RootKnot)['fields']>[];
}

/** The controllers of a rig table, each read once. */
export class ControllerTable {
  readonly #rig: RigTable;
  readonly #known = new Map<number, ControllerView>();

  constructor(rig: RigTable) {
    this.#rig = rig;
  }

  /** The controller at a row of the table. */
  at(row: number): ControllerView {
    return this.#known.get(row) ?? this.#read(row);
  }

  #read(row: number): ControllerView {
    const view = new ControllerView(this.#rig, row);
    this.#known.set(row, view);
    return view;
  }
}

const tables = new WeakMap<RigTable, ControllerTable>();

export function controllerTable(rig: RigTable): ControllerTable {
  const table = tables.get(rig) ?? new ControllerTable(rig);
  tables.set(rig, table);
  return table;
}

/** The controller at a row of the table. */
export function controllerView(rig: RigTable, row: number): ControllerView {
  return controllerTable(rig).at(row);
}

/** A compiled controller, read back from its table record by record, for twins. */
export class ControllerView {
  readonly flags: number;
  readonly initialTriggers: number;
  /** Absolute row of the mirror table, or −1. */
  readonly mirrorRow: number;
  readonly layers: readonly LayerView[];
  readonly machines: readonly MachineView[];
  readonly words: RigTable['words'];
  readonly floats: RigTable['floats'];
  readonly #first: number;
  readonly #header: RecordOf<(typeof ControllerHeader)['fields']>;
  readonly #transitions: TransitionView[] = [];
  readonly #conditions = new Map<number, readonly (readonly [number, number])[]>();
  readonly #selectors = new Map<number, readonly EntryView[] & { fallback: number }>();
  readonly #motions = new Map<number, MotionView>();
  readonly #clips = new Map<number, ClipView>();

  /** @param first The controller's first row in the table. */
  constructor({ words, floats }: RigTable, first: number) {
    [this.words, this.floats] = [words, floats];
    this.#first = first;
    this.#header = this.#record(ControllerHeader, 0);
    const { flags, initialTriggers, mirrorRow, machineCount, layerCount } = this.#header;
    [this.flags, this.initialTriggers, this.mirrorRow] = [flags, initialTriggers, this.#absolute(mirrorRow)];
    this.machines = Array.from({ length: machineCount }, (_, index) => this.#readMachine(index));
    this.layers = Array.from({ length: layerCount }, (_, index) => this.#readLayer(index));
  }

  transition(index: number): TransitionView {
    return (this.#transitions[index] ??= this.#readTransition(index));
  }

  selector(destination: number): readonly EntryView[] & { fallback: number } {
    return cached(this.#selectors, destination, () => {
      const row = (destination & ~DESTINATION_SELECTOR) >>> 0;
      const { entryFirst, entryCount, fallback } = this.#record(ControllerSelector, row);
      return Object.assign(this.#list(ControllerEntry, this.#header.entryRow + entryFirst, entryCount), { fallback });
    });
  }

  /** Pairs of words of a run of conditions. */
  conditions(word: number): readonly (readonly [number, number])[] {
    return cached(this.#conditions, word, () => {
      const at = this.conditionWord(word);
      return Array.from({ length: word >>> 24 }, (_, c) => [this.words[at + 2 * c]!, this.words[at + 2 * c + 1]!]);
    });
  }

  /** Where a run of conditions begins in `words`. */
  conditionWord(word: number): number {
    return 4 * (this.#first + this.#header.conditionRow) + 2 * (word & 0xffffff);
  }

  motion(row: number): MotionView | undefined {
    return row === CONTROLLER_NONE ? undefined : (this.#motions.get(row) ?? this.#readMotion(row));
  }

  clip(index: number): ClipView {
    return this.#clips.get(index) ?? this.#readClip(index);
  }

  /** Records that begin at a row of the controller. */
  #list<F extends Fields>(struct: Struct<F>, row: number, count: number): RecordOf<F>[] {
    const view = new View(struct, this.words.buffer, this.words.byteOffset + 16 * (this.#first + row), count);
    const keys = Object.keys(struct.fields);
    return Array.from({ length: count }, (_, index) => {
      return Object.fromEntries(keys.map((key) => [key, view.get(index, key as never)])) as RecordOf<F>;
    });
  }

  #record<F extends Fields>(struct: Struct<F>, row: number): RecordOf<F> {
    return this.#list(struct, row, 1)[0]!;
  }

  #wordAt(row: number, index: number): number {
    return this.words[4 * (this.#first + row) + index]!;
  }

  #absolute(row: number): number {
    return row === CONTROLLER_NONE ? -1 : this.#first + row;
  }

  #readTransition(index: number): TransitionView {
    const row = this.#header.transitionRow + (ControllerTransition.size / 16) * index;
    const record = this.#record(ControllerTransition, row);
    const { offsetCycles, offsetPhase, exitCycles, exitPhase } = record;
    const offset = { cycles: offsetCycles, phase: offsetPhase };
    return { ...record, index, offset, exit: { cycles: exitCycles, phase: exitPhase } };
  }

  #readMachine(index: number): MachineView {
    const record = this.#record(ControllerMachine, this.#header.machineRow + 2 * index);
    const { transitions, stateFirst, timingRow, timingCount } = record;
    const states: StateView[] = [];
    return {
      ...record,
      anyFirst: transitions & 0xffff,
      anyCount: transitions >>> 16,
      timings: this.#list(SyncedTiming, timingRow, timingCount).map(({ weight, motionListRow }) => {
        return { weight, motionRow: (state) => this.#wordAt(motionListRow, state) };
      }),
      state: (state) => (states[state] ??= this.#readState(stateFirst + state)),
    };
  }

  #readLayer(index: number): LayerView {
    const record = this.#record(ControllerLayer, this.#header.layerRow + 2 * index);
    const { machineIndex: machine, flags, maskRow, motionListRow } = record;
    const isAdditive = (flags & LAYER_IS_ADDITIVE) !== 0;
    return {
      ...record,
      machine,
      maskRow: this.#absolute(maskRow),
      isAdditive,
      isPlain: index === 0 && maskRow === CONTROLLER_NONE && !isAdditive,
      motionRow: (state) =>
        flags & LAYER_SYNCED ? this.#wordAt(motionListRow, state) : this.machines[machine]!.state(state).motionRow,
    };
  }

  #readState(index: number): StateView {
    const record = this.#record(ControllerState, this.#header.stateRow + (ControllerState.size / 16) * index);
    const { transitions, speedAndTimeParameter, cycleAndMirrorParameter } = record;
    let rivals: ReadonlyMap<string, number> | undefined;
    return {
      ...record,
      transitionFirst: transitions & 0xffff,
      transitionCount: transitions >>> 16,
      speedParameter: speedAndTimeParameter & 0xffff,
      timeParameter: speedAndTimeParameter >>> 16,
      cycleParameter: cycleAndMirrorParameter & 0xffff,
      mirrorParameter: cycleAndMirrorParameter >>> 16,
      moments: undefined,
      rivals: (layer, leaf, event) => {
        rivals ??= this.#readRivals(record.momentRow + record.distinctRowCount, record.momentCount);
        return rivals.get(`${layer} ${leaf} ${event}`) ?? 0;
      },
    };
  }

  /** Masks of rivals, by layer, leaf and event, for moments that have rivals. */
  #readRivals(phaseRow: number, count: number): ReadonlyMap<string, number> {
    const recordRow = phaseRow + Math.ceil(count / 4);
    const masks = new Map<string, number>();
    for (const { layerAndLeaf: word, eventRow } of this.#list(ControllerMoment, recordRow, count)) {
      const { id } = this.#record(ControllerEvent, eventRow);
      const key = `${word & 0x1f} ${(word >>> 5) & 0x1f} ${id}`;
      if (word >>> 10) masks.set(key, this.#wordAt(recordRow + count, (word >>> 10) - 1));
    }
    return masks;
  }

  #readMotion(row: number): MotionView {
    const { counts, length, leafRow, treeRow } = this.#record(ControllerMotion, row);
    const motion: MotionView = {
      flags: counts >>> 16,
      length,
      leaves: this.#list(ControllerLeaf, leafRow, counts & 0xff).map(({ clipAndFlags, offset, rigClip }) => {
        return { clip: clipAndFlags & 0xffff, flags: clipAndFlags >>> 16, offset, rigClip };
      }),
      trees: this.#list(ControllerTree, treeRow, (counts >>> 8) & 0xff).map(({ kind, parameters, childRow }) => ({
        type: kind & 0xff,
        flags: kind >>> 16,
        parameterX: parameters & 0xffff,
        parameterY: parameters >>> 16,
        ...this.#readChildren(childRow, (kind >>> 8) & 0xff),
      })),
    };
    this.#motions.set(row, motion);
    return motion;
  }

  #readChildren(row: number, count: number): Pick<TreeView, 'children' | 'repeats'> {
    const children = this.#list(ControllerChild, row, count).map((child, c) => ({
      ...child,
      index: child.node & ~CHILD_TREE,
      isTree: (child.node & CHILD_TREE) !== 0,
      parameter: this.#wordAt(row + c, 1),
    }));
    return { children, repeats: repeatedDirections(children) };
  }

  #readClip(index: number): ClipView {
    const row = this.#wordAt(this.#header.clipRow + (index >> 2), index & 3);
    const { rigClip, eventRow, eventCount, rootRow, rootCount } = this.#record(ControllerClip, row);
    const clip: ClipView = {
      rigClip,
      events: this.#list(ControllerEvent, eventRow, eventCount).map(({ cycle, phase, id }) => {
        return { at: { cycles: cycle, phase }, id };
      }),
      root: this.#list(RootKnot, rootRow, rootCount),
    };
    this.#clips.set(index, clip);
    return clip;
  }
}

function cached<T>(known: Map<number, T>, key: number, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
