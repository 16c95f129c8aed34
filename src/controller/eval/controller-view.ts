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
  LAYER_SYNCED,
  RootKnot,
  SyncedTiming,
} from '../tables.ts';
import { View, type Fields, type Struct } from '../../layout/index.ts';
import type { Cycles } from '../../math/cycles.ts';

/** Fields of a record. */
type RecordOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends 'f32' | 'i32' | 'u32' ? number : number[] };

type LayerFields = 'flags' | 'weight' | 'weightParameter';

export interface LayerView extends Pick<RecordOf<(typeof ControllerLayer)['fields']>, LayerFields> {
  readonly machine: number;
  /** Absolute row, or −1. */
  readonly maskRow: number;
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
  /** A bit for each leaf that suppresses an event of this leaf if it is heavier. */
  rivals(layer: number, leaf: number, event: number): number;
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

const views = new WeakMap<RigTable, Map<number, ControllerView>>();

/** The controller at a row of the table; read once. */
export function controllerView(rig: RigTable, row: number): ControllerView {
  const known = views.get(rig) ?? new Map<number, ControllerView>();
  views.set(rig, known);
  return cached(known, row, () => new ControllerView(rig, row));
}

/** A compiled controller, read back from its table record by record, for twins. */
export class ControllerView {
  readonly flags: number;
  readonly initialTriggers: number;
  /** Absolute row of the mirror table, or −1. */
  readonly mirrorRow: number;
  readonly layers: readonly LayerView[];
  readonly machines: readonly MachineView[];
  readonly #words: RigTable['words'];
  readonly #first: number;
  readonly #header: RecordOf<(typeof ControllerHeader)['fields']>;
  readonly #states = new Map<number, StateView>();
  readonly #transitions = new Map<number, TransitionView>();
  readonly #motions = new Map<number, MotionView>();
  readonly #clips = new Map<number, ClipView>();

  /** @param first The controller's first row in the table. */
  constructor({ words }: RigTable, first: number) {
    this.#words = words;
    this.#first = first;
    this.#header = this.#record(ControllerHeader, 0);
    const { flags, initialTriggers, mirrorRow, machineCount, layerCount } = this.#header;
    [this.flags, this.initialTriggers, this.mirrorRow] = [flags, initialTriggers, this.#absolute(mirrorRow)];
    this.machines = Array.from({ length: machineCount }, (_, index) => this.#readMachine(index));
    this.layers = Array.from({ length: layerCount }, (_, index) => this.#readLayer(index));
  }

  transition(index: number): TransitionView {
    return cached(this.#transitions, index, () => {
      const row = this.#header.transitionRow + (ControllerTransition.size / 16) * index;
      const record = this.#record(ControllerTransition, row);
      const { offsetCycles, offsetPhase, exitCycles, exitPhase } = record;
      const offset = { cycles: offsetCycles, phase: offsetPhase };
      return { ...record, index, offset, exit: { cycles: exitCycles, phase: exitPhase } };
    });
  }

  selector(destination: number): readonly EntryView[] & { fallback: number } {
    const row = (destination & ~DESTINATION_SELECTOR) >>> 0;
    const { entryFirst, entryCount, fallback } = this.#record(ControllerSelector, row);
    return Object.assign(this.#list(ControllerEntry, this.#header.entryRow + entryFirst, entryCount), { fallback });
  }

  /** Pairs of words of a run of conditions. */
  conditions(word: number): readonly (readonly [number, number])[] {
    const row = this.#header.conditionRow;
    return Array.from({ length: word >>> 24 }, (_, c) => {
      const at = 2 * ((word & 0xffffff) + c);
      return [this.#wordAt(row, at), this.#wordAt(row, at + 1)] as const;
    });
  }

  motion(row: number): MotionView | undefined {
    return row === CONTROLLER_NONE ? undefined : cached(this.#motions, row, () => this.#readMotion(row));
  }

  clip(index: number): ClipView {
    return cached(this.#clips, index, () => this.#readClip(index));
  }

  /** Records that begin at a row of the controller. */
  #list<F extends Fields>(struct: Struct<F>, row: number, count: number): RecordOf<F>[] {
    const view = new View(struct, this.#words.buffer, this.#words.byteOffset + 16 * (this.#first + row), count);
    const keys = Object.keys(struct.fields);
    return Array.from({ length: count }, (_, index) => {
      return Object.fromEntries(keys.map((key) => [key, view.get(index, key as never)])) as RecordOf<F>;
    });
  }

  #record<F extends Fields>(struct: Struct<F>, row: number): RecordOf<F> {
    return this.#list(struct, row, 1)[0]!;
  }

  #wordAt(row: number, index: number): number {
    return this.#words[4 * (this.#first + row) + index]!;
  }

  #absolute(row: number): number {
    return row === CONTROLLER_NONE ? -1 : this.#first + row;
  }

  #readMachine(index: number): MachineView {
    const record = this.#record(ControllerMachine, this.#header.machineRow + 2 * index);
    const { transitions, stateFirst, timingRow, timingCount } = record;
    return {
      ...record,
      anyFirst: transitions & 0xffff,
      anyCount: transitions >>> 16,
      timings: this.#list(SyncedTiming, timingRow, timingCount).map(({ weight, motionListRow }) => {
        return { weight, motionRow: (state) => this.#wordAt(motionListRow, state) };
      }),
      state: (state) => cached(this.#states, stateFirst + state, () => this.#readState(stateFirst + state)),
    };
  }

  #readLayer(index: number): LayerView {
    const record = this.#record(ControllerLayer, this.#header.layerRow + 2 * index);
    const { machineIndex: machine, flags, maskRow, motionListRow } = record;
    return {
      ...record,
      machine,
      maskRow: this.#absolute(maskRow),
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
    return {
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
        children: this.#readChildren(childRow, (kind >>> 8) & 0xff),
      })),
    };
  }

  #readChildren(row: number, count: number): ChildView[] {
    return this.#list(ControllerChild, row, count).map((child, c) => ({
      ...child,
      index: child.node & ~CHILD_TREE,
      isTree: (child.node & CHILD_TREE) !== 0,
      parameter: this.#wordAt(row + c, 1),
    }));
  }

  #readClip(index: number): ClipView {
    const row = this.#wordAt(this.#header.clipRow + (index >> 2), index & 3);
    const { rigClip, eventRow, eventCount, rootRow, rootCount } = this.#record(ControllerClip, row);
    return {
      rigClip,
      events: this.#list(ControllerEvent, eventRow, eventCount).map(({ cycle, phase, id }) => {
        return { at: { cycles: cycle, phase }, id };
      }),
      root: this.#list(RootKnot, rootRow, rootCount),
    };
  }
}

function cached<T>(known: Map<number, T>, key: number, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
