import type { DestinationModel, EntryModel, MachineModel, MotionModel, StateModel } from '../controller/model.ts';
import {
  entryLines,
  LABEL_SIZE,
  type LabelLine,
  LINE_HEIGHT,
  lineWidth,
  motionText,
  stateNotes,
  transitionLines,
} from './labels.ts';
import { clean, fit, textWidth } from './text.ts';

/** A layer's machine as boxes, nested boxes and arrows, each with the room that it needs. */
export interface MachineGraph {
  readonly nodes: readonly GraphNode[];
  readonly clusters: readonly Cluster[];
  readonly edges: readonly GraphEdge[];
  /** Notes on the parts that are not shown, or cannot be. */
  readonly notes: readonly string[];
}

export interface GraphNode {
  readonly id: string;
  readonly kind: 'state' | 'entry' | 'any' | 'exit' | 'missing';
  readonly name: string;
  /** Full path, for tooltips and lists. */
  readonly path: string;
  /** Small lines under the name. */
  readonly lines: readonly string[];
  readonly isDefault: boolean;
  /** Id of the cluster around it; none for the root machine. */
  readonly cluster: string | undefined;
  readonly motion: MotionModel | undefined;
  readonly width: number;
  readonly height: number;
}

export interface Cluster {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  readonly cluster: string | undefined;
}

/** All ways from one box to another. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'state' | 'entry' | 'any';
  /** A way that is taken where no other is. */
  readonly dashed: boolean;
  /** How many transitions are in it. */
  readonly count: number;
  readonly lines: readonly LabelLine[];
  readonly width: number;
  readonly height: number;
}

export interface GraphOptions {
  /** Motions in place of the machine's own, by path: those of a synced layer. */
  readonly motions?: Readonly<Record<string, MotionModel>> | undefined;
  /** The prefix of clip names that is not shown. */
  readonly clipPrefix: string;
  /** How many states may be shown. */
  readonly stateLimit: number;
}

const NAME_SIZE = 13;
const STATE_WIDTH = { least: 96, most: 210 };
const DEPTH_LIMIT = 8;
const NOTE_LIMIT = 12;
const LINES_PER_EDGE = 24;
const TRANSITIONS_PER_STATE = 256;

// oxlint-disable-next-line max-lines-per-function
export function machineGraph(machine: MachineModel, options: GraphOptions): MachineGraph {
  const nodes = new Map<string, GraphNode>();
  const clusters: Cluster[] = [];
  const edges = new Map<string, EdgeDraft>();
  const notes: string[] = [];
  const machines: Place[] = [];
  let [shown, hidden, lostWays] = [0, 0, 0];

  const defaults = new Set<string>();
  collect(machine, '', undefined, 0);
  for (const place of machines) if (place.model.default !== undefined) defaults.add(place.model.default);
  const paths = new Set(machines.map(({ path }) => path));
  pseudo('entry', '');
  if (machine.any?.length) pseudo('any', '');
  for (const place of machines) addStates(place);
  for (const place of machines) addWays(place);
  for (const { path } of machines) {
    const isEmpty = ![...nodes.values()].some(({ cluster }) => cluster === clusterId(path));
    const holdsMachine = machines.some(({ parent }) => parent === path);
    if (isEmpty && !holdsMachine) pseudo('entry', path);
  }
  // ways out of and into machines inside belong to boxes that exist only once something leads to them
  for (let done = 0; done < machines.length * 2; done++) if (!addPseudoWays()) break;
  if (hidden > 0) notes.push(`${hidden} more states are not shown, nor ${lostWays} transitions to them`);
  return {
    nodes: [...nodes.values()],
    clusters,
    edges: Array.from(edges.values(), finished),
    notes:
      notes.length > NOTE_LIMIT ? [...notes.slice(0, NOTE_LIMIT), `… ${notes.length - NOTE_LIMIT} more notes`] : notes,
  };

  function collect(model: MachineModel, path: string, parent: string | undefined, depth: number): void {
    machines.push({ model, path, parent, waysAdded: false, elseAdded: false });
    if (parent !== undefined) {
      if (model.any?.length)
        notes.push(
          `${model.any.length} any-state transitions of “${clean(path)}” are ignored: they belong on the root`,
        );
      const name = path.slice(parent === '' ? 0 : parent.length + 1);
      clusters.push({ id: clusterId(path)!, name, path, depth, cluster: clusterId(parent) });
    }
    const inner = Object.entries(model.machines ?? {});
    if (inner.length > 0 && (depth >= DEPTH_LIMIT || machines.length + inner.length > options.stateLimit)) {
      notes.push(
        `the machines inside “${clean(path)}” are not shown: ${depth >= DEPTH_LIMIT ? 'they are nested too deep' : 'there are too many'}`,
      );
      return;
    }
    for (const [name, child] of inner) collect(child, join(path, name), path, depth + 1);
  }

  function addStates({ model, path }: Place): void {
    for (const [name, state] of Object.entries(model.states)) {
      const own = join(path, name);
      if (shown >= options.stateLimit) hidden++;
      else {
        shown++;
        addNode('state', `state ${own}`, name, own, path, stateLines(state, own), motionOf(state, own));
      }
    }
  }

  function motionOf(state: StateModel, path: string): MotionModel | undefined {
    if (!options.motions) return state.motion;
    return Object.hasOwn(options.motions, path) ? options.motions[path] : undefined;
  }

  function stateLines(state: StateModel, path: string): string[] {
    const notesOfState = stateNotes(state);
    return [
      motionText(motionOf(state, path), options.clipPrefix),
      ...(notesOfState.length > 0 ? [notesOfState.join(' · ')] : []),
    ];
  }

  function addNode(
    kind: GraphNode['kind'],
    id: string,
    name: string,
    path: string,
    machinePath: string,
    lines: readonly string[],
    motion?: MotionModel,
  ): string {
    const known = nodes.get(id);
    if (known) return id;
    const wanted =
      Math.max(textWidth(clean(name), NAME_SIZE, true), ...lines.map((line) => textWidth(line, LABEL_SIZE))) + 24;
    const least = kind === 'state' ? STATE_WIDTH.least : 60;
    const width = Math.ceil(Math.min(STATE_WIDTH.most, Math.max(least, wanted)));
    const height = lines.length === 0 ? 28 : 32 + 15 * lines.length;
    const isDefault = kind === 'state' && defaults.has(path);
    const shown = lines.map((line) => fit(line, width - 16, LABEL_SIZE));
    nodes.set(id, {
      id,
      kind,
      name,
      path,
      lines: shown,
      isDefault,
      cluster: clusterId(machinePath),
      motion,
      width,
      height,
    });
    return id;
  }

  function pseudo(kind: 'entry' | 'any' | 'exit', path: string): string {
    const name = { entry: 'Entry', any: 'Any State', exit: 'Exit' }[kind];
    const isBare = kind === 'entry' && machines.find((place) => place.path === path)?.model.default === undefined;
    return addNode(
      kind,
      `${kind} ${path}`,
      name,
      path === '' ? name : `${path} › ${name}`,
      path,
      isBare ? ['no default state'] : [],
    );
  }

  function destination(to: DestinationModel, machinePath: string): string | undefined {
    if (to.toExit) return pseudo('exit', machinePath);
    if (to.toMachine !== undefined) {
      if (paths.has(to.toMachine)) return pseudo('entry', to.toMachine);
      return addNode('missing', `missing machine ${to.toMachine}`, to.toMachine, to.toMachine, '', ['unknown machine']);
    }
    const path = to.to ?? '';
    if (nodes.has(`state ${path}`)) return `state ${path}`;
    if (hidden > 0) return undefined;
    // the empty state of a machine without a default is named by the machine
    if (paths.has(path)) return pseudo('entry', path);
    return addNode('missing', `missing state ${path}`, path, path, '', ['unknown state']);
  }

  function addWays({ model, path }: Place): void {
    if (path === '' && nodes.has('any ')) addTransitions('any ', 'any', model.any ?? [], '');
    for (const [name, state] of Object.entries(model.states)) {
      const id = `state ${join(path, name)}`;
      if (nodes.has(id)) addTransitions(id, 'state', state.transitions ?? [], path);
    }
  }

  function addTransitions(
    from: string,
    kind: 'state' | 'any',
    list: NonNullable<StateModel['transitions']>,
    path: string,
  ): void {
    for (const [i, transition] of list.slice(0, TRANSITIONS_PER_STATE).entries()) {
      const lines = transitionLines(transition, list.length > 1 ? i + 1 : undefined);
      addEdge(from, destination(transition, path), kind, lines);
    }
    const over = list.length - TRANSITIONS_PER_STATE;
    if (over > 0) notes.push(`${over} more transitions of “${clean(nodes.get(from)!.path)}” are not shown`);
  }

  /** Ways from Entry and Exit boxes that exist by now. Whether any was added. */
  function addPseudoWays(): boolean {
    let added = false;
    for (const place of machines) {
      const { model, path, parent } = place;
      if (!place.waysAdded && nodes.has(`entry ${path}`)) {
        added = place.waysAdded = true;
        addEntries(`entry ${path}`, model.entry ?? [], path);
        if (model.default !== undefined && isOpen(model.entry)) {
          addEdge(
            `entry ${path}`,
            destination({ to: model.default }, path),
            'entry',
            [],
            model.entry?.length !== 0 && model.entry !== undefined,
          );
        }
      }
      if (!place.elseAdded && parent !== undefined && nodes.has(`exit ${path}`)) {
        added = place.elseAdded = true;
        addEntries(`exit ${path}`, model.exits ?? [], parent);
        if (isOpen(model.exits)) addEdge(`exit ${path}`, pseudo('entry', parent), 'entry', [], true);
      }
    }
    return added;
  }

  function addEntries(from: string, list: readonly EntryModel[], path: string): void {
    for (const [i, entry] of list.slice(0, TRANSITIONS_PER_STATE).entries()) {
      addEdge(from, destination(entry, path), 'entry', entryLines(entry, list.length > 1 ? i + 1 : undefined));
    }
    if (list.length > TRANSITIONS_PER_STATE)
      notes.push(`${list.length - TRANSITIONS_PER_STATE} more entries are not shown`);
  }

  function addEdge(
    from: string,
    to: string | undefined,
    kind: GraphEdge['kind'],
    lines: readonly LabelLine[],
    dashed = false,
  ): void {
    if (to === undefined) {
      lostWays++;
      return;
    }
    const key = JSON.stringify([from, to, dashed]);
    const known = edges.get(key);
    if (!known) edges.set(key, { from, to, kind, dashed, count: 1, lines: [...lines] });
    else {
      known.count++;
      known.lines.push(...lines);
    }
  }
}

interface Place {
  readonly model: MachineModel;
  readonly path: string;
  readonly parent: string | undefined;
  waysAdded: boolean;
  elseAdded: boolean;
}

interface EdgeDraft extends Omit<GraphEdge, 'lines' | 'width' | 'height'> {
  count: number;
  lines: LabelLine[];
}

/** Returns true if it can happen that no entry of the list holds. */
function isOpen(list: readonly EntryModel[] | undefined): boolean {
  return !(list ?? []).some(({ when }) => !when?.length);
}

function finished(draft: EdgeDraft): GraphEdge {
  const over = draft.lines.length - LINES_PER_EDGE;
  const lines: LabelLine[] =
    over > 0
      ? [...draft.lines.slice(0, LINES_PER_EDGE), { words: [{ text: `… ${over} more lines`, muted: true }] }]
      : draft.lines;
  if (lines.length === 0) return { ...draft, lines, width: 0, height: 0 };
  return {
    ...draft,
    lines,
    width: Math.ceil(Math.max(...lines.map(lineWidth))) + 12,
    height: lines.length * LINE_HEIGHT + 5,
  };
}

function clusterId(path: string): string | undefined {
  return path === '' ? undefined : `machine ${path}`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
