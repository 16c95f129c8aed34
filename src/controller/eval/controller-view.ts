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

export interface LayerView {
  readonly machine: number;
  readonly flags: number;
  readonly weight: number;
  readonly weightParameter: number;
  /** Absolute row, or −1. */
  readonly maskRow: number;
  /** Row of the motion that the layer shows in a state of its machine. */
  motionRow(state: number): number;
}

export interface MachineView {
  readonly anyFirst: number;
  readonly anyCount: number;
  readonly entry: number;
  readonly layerIndex: number;
  /** A bit for each layer that shows it. */
  readonly layers: number;
  readonly timings: readonly { readonly weight: number; motionRow(state: number): number }[];
  state(index: number): StateView;
}

export interface StateView {
  readonly speed: number;
  readonly transitionFirst: number;
  readonly transitionCount: number;
  readonly flags: number;
  readonly length: number;
  readonly speedParameter: number;
  readonly timeParameter: number;
  readonly cycleOffset: number;
  readonly cycleParameter: number;
  readonly mirrorParameter: number;
  readonly motionRow: number;
  /** A bit for each leaf that suppresses an event of this leaf if it is heavier. */
  rivals(layer: number, leaf: number, event: number): number;
}

export interface TransitionView {
  readonly index: number;
  readonly conditions: number;
  readonly destination: number;
  readonly flags: number;
  readonly duration: number;
  readonly offset: Cycles;
  readonly exit: Cycles;
}

interface EntryView {
  readonly conditions: number;
  readonly destination: number;
}

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

export interface ChildView {
  /** Index of the leaf, or of the tree. */
  readonly index: number;
  readonly isTree: boolean;
  readonly x: number;
  readonly y: number;
  /** Parameter of a child of a direct tree. */
  readonly parameter: number;
  readonly lengthScale: number;
}

export interface ClipView {
  readonly rigClip: number;
  readonly events: readonly { readonly at: Cycles; readonly id: number }[];
  readonly root: readonly {
    readonly phase: number;
    readonly position: readonly number[];
    readonly rotation: readonly number[];
  }[];
}

const views = new WeakMap<RigTable, Map<number, ControllerView>>();

/** The controller at a row of the table; read once. */
export function controllerView(rig: RigTable, row: number): ControllerView {
  const known = views.get(rig) ?? new Map<number, ControllerView>();
  views.set(rig, known);
  const view = known.get(row) ?? new ControllerView(rig, row);
  known.set(row, view);
  return view;
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
  readonly #header: View<(typeof ControllerHeader)['fields']>;
  readonly #states = new Map<number, StateView>();
  readonly #transitions = new Map<number, TransitionView>();
  readonly #motions = new Map<number, MotionView>();
  readonly #clips = new Map<number, ClipView>();

  /** @param first The controller's first row in the table. */
  constructor({ words }: RigTable, first: number) {
    this.#words = words;
    this.#first = first;
    this.#header = this.#records(ControllerHeader, 0, 1);
    this.flags = this.#of('flags');
    this.initialTriggers = this.#of('initialTriggers');
    this.mirrorRow = this.#absolute(this.#of('mirrorRow'));
    this.machines = Array.from({ length: this.#of('machineCount') }, (_, index) => this.#readMachine(index));
    this.layers = Array.from({ length: this.#of('layerCount') }, (_, index) => this.#readLayer(index));
  }

  transition(index: number): TransitionView {
    return cached(this.#transitions, index, () => {
      const row = this.#of('transitionRow') + (ControllerTransition.size / 16) * index;
      const view = this.#records(ControllerTransition, row, 1);
      return {
        index,
        conditions: view.get(0, 'conditions'),
        destination: view.get(0, 'destination'),
        flags: view.get(0, 'flags'),
        duration: view.get(0, 'duration'),
        offset: { cycles: view.get(0, 'offsetCycles'), phase: view.get(0, 'offsetPhase') },
        exit: { cycles: view.get(0, 'exitCycles'), phase: view.get(0, 'exitPhase') },
      };
    });
  }

  selector(destination: number): readonly EntryView[] & { fallback: number } {
    const view = this.#records(ControllerSelector, (destination & ~DESTINATION_SELECTOR) >>> 0, 1);
    const row = this.#of('entryRow') + view.get(0, 'entryFirst');
    const entries = this.#records(ControllerEntry, row, view.get(0, 'entryCount'));
    const list = Array.from({ length: entries.count }, (_, e) => ({
      conditions: entries.get(e, 'conditions'),
      destination: entries.get(e, 'destination'),
    }));
    return Object.assign(list, { fallback: view.get(0, 'fallback') });
  }

  /** Pairs of words of a run of conditions. */
  conditions(word: number): readonly (readonly [number, number])[] {
    const row = this.#of('conditionRow');
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
  #records<F extends Fields>(struct: Struct<F>, row: number, count: number): View<F> {
    return new View(struct, this.#words.buffer, this.#words.byteOffset + 16 * (this.#first + row), count);
  }

  #wordAt(row: number, index: number): number {
    return this.#words[4 * (this.#first + row) + index]!;
  }

  #of(key: keyof typeof ControllerHeader.fields): number {
    return this.#header.get(0, key);
  }

  #absolute(row: number): number {
    return row === CONTROLLER_NONE ? -1 : this.#first + row;
  }

  #readMachine(index: number): MachineView {
    const view = this.#records(ControllerMachine, this.#of('machineRow') + 2 * index, 1);
    const stateFirst = view.get(0, 'stateFirst');
    const timings = this.#records(SyncedTiming, view.get(0, 'timingRow'), view.get(0, 'timingCount'));
    return {
      anyFirst: view.get(0, 'transitions') & 0xffff,
      anyCount: view.get(0, 'transitions') >>> 16,
      entry: view.get(0, 'entry'),
      layerIndex: view.get(0, 'layerIndex'),
      layers: view.get(0, 'layers'),
      timings: Array.from({ length: timings.count }, (_, t) => {
        const listRow = timings.get(t, 'motionListRow');
        return { weight: timings.get(t, 'weight'), motionRow: (state: number) => this.#wordAt(listRow, state) };
      }),
      state: (state) => cached(this.#states, stateFirst + state, () => this.#readState(stateFirst + state)),
    };
  }

  #readLayer(index: number): LayerView {
    const view = this.#records(ControllerLayer, this.#of('layerRow') + 2 * index, 1);
    const machine = view.get(0, 'machineIndex');
    const flags = view.get(0, 'flags');
    const listRow = view.get(0, 'motionListRow');
    return {
      machine,
      flags,
      weight: view.get(0, 'weight'),
      weightParameter: view.get(0, 'weightParameter'),
      maskRow: this.#absolute(view.get(0, 'maskRow')),
      motionRow: (state) =>
        flags & LAYER_SYNCED ? this.#wordAt(listRow, state) : this.machines[machine]!.state(state).motionRow,
    };
  }

  #readState(index: number): StateView {
    const view = this.#records(ControllerState, this.#of('stateRow') + (ControllerState.size / 16) * index, 1);
    const run = view.get(0, 'transitions');
    const [speedAndTime, cycleAndMirror] = [
      view.get(0, 'speedAndTimeParameter'),
      view.get(0, 'cycleAndMirrorParameter'),
    ];
    let rivals: ReadonlyMap<string, number> | undefined;
    return {
      speed: view.get(0, 'speed'),
      transitionFirst: run & 0xffff,
      transitionCount: run >>> 16,
      flags: view.get(0, 'flags'),
      length: view.get(0, 'length'),
      speedParameter: speedAndTime & 0xffff,
      timeParameter: speedAndTime >>> 16,
      cycleOffset: view.get(0, 'cycleOffset'),
      cycleParameter: cycleAndMirror & 0xffff,
      mirrorParameter: cycleAndMirror >>> 16,
      motionRow: view.get(0, 'motionRow'),
      rivals: (layer, leaf, event) => {
        const phaseRow = view.get(0, 'momentRow') + view.get(0, 'distinctRowCount');
        rivals ??= this.#readRivals(phaseRow, view.get(0, 'momentCount'));
        return rivals.get(`${layer} ${leaf} ${event}`) ?? 0;
      },
    };
  }

  /** Masks of rivals, by layer, leaf and event, for moments that have rivals. */
  #readRivals(phaseRow: number, count: number): ReadonlyMap<string, number> {
    const recordRow = phaseRow + Math.ceil(count / 4);
    const moments = this.#records(ControllerMoment, recordRow, count);
    const masks = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const [word, eventRow] = [moments.get(i, 'layerAndLeaf'), moments.get(i, 'eventRow')];
      const event = this.#records(ControllerEvent, eventRow, 1).get(0, 'id');
      const key = `${word & 0x1f} ${(word >>> 5) & 0x1f} ${event}`;
      if (word >>> 10) masks.set(key, this.#wordAt(recordRow + count, (word >>> 10) - 1));
    }
    return masks;
  }

  #readMotion(row: number): MotionView {
    const view = this.#records(ControllerMotion, row, 1);
    const counts = view.get(0, 'counts');
    const leaves = this.#records(ControllerLeaf, view.get(0, 'leafRow'), counts & 0xff);
    const trees = this.#records(ControllerTree, view.get(0, 'treeRow'), (counts >>> 8) & 0xff);
    return {
      flags: counts >>> 16,
      length: view.get(0, 'length'),
      leaves: Array.from({ length: leaves.count }, (_, l) => ({
        clip: leaves.get(l, 'clipAndFlags') & 0xffff,
        flags: leaves.get(l, 'clipAndFlags') >>> 16,
        offset: leaves.get(l, 'offset'),
        rigClip: leaves.get(l, 'rigClip'),
      })),
      trees: Array.from({ length: trees.count }, (_, t) => this.#readTree(trees, t)),
    };
  }

  #readTree(trees: View<(typeof ControllerTree)['fields']>, index: number): TreeView {
    const kind = trees.get(index, 'kind');
    const parameters = trees.get(index, 'parameters');
    const children = this.#records(ControllerChild, trees.get(index, 'childRow'), (kind >>> 8) & 0xff);
    return {
      type: kind & 0xff,
      flags: kind >>> 16,
      parameterX: parameters & 0xffff,
      parameterY: parameters >>> 16,
      children: Array.from({ length: children.count }, (_, c) => ({
        index: children.get(c, 'node') & ~CHILD_TREE,
        isTree: (children.get(c, 'node') & CHILD_TREE) !== 0,
        x: children.get(c, 'x'),
        y: children.get(c, 'y'),
        parameter: children.words[4 * c + 1]!,
        lengthScale: children.get(c, 'lengthScale'),
      })),
    };
  }

  #readClip(index: number): ClipView {
    const view = this.#records(ControllerClip, this.#wordAt(this.#of('clipRow') + (index >> 2), index & 3), 1);
    const events = this.#records(ControllerEvent, view.get(0, 'eventRow'), view.get(0, 'eventCount'));
    const root = this.#records(RootKnot, view.get(0, 'rootRow'), view.get(0, 'rootCount'));
    return {
      rigClip: view.get(0, 'rigClip'),
      events: Array.from({ length: events.count }, (_, e) => ({
        at: { cycles: events.get(e, 'cycle'), phase: events.get(e, 'phase') },
        id: events.get(e, 'id'),
      })),
      root: Array.from({ length: root.count }, (_, k) => ({
        phase: root.get(k, 'phase'),
        position: root.get(k, 'position'),
        rotation: root.get(k, 'rotation'),
      })),
    };
  }
}

function cached<T>(known: Map<number, T>, key: number, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
