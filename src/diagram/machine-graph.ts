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

export function machineGraph(machine: MachineModel, options: GraphOptions): MachineGraph {
  return new GraphBuilder(machine, options).graph();
}

class GraphBuilder {
  readonly #options: GraphOptions;
  readonly #nodes = new Map<string, GraphNode>();
  readonly #clusters: Cluster[] = [];
  readonly #edges = new Map<string, EdgeDraft>();
  readonly #notes: string[] = [];
  readonly #machines: Place[] = [];
  /** Paths of machines, and of their default states. */
  readonly #paths: ReadonlySet<string>;
  readonly #defaults: ReadonlySet<string>;
  #shown = 0;
  #hidden = 0;
  #lostEdges = 0;

  constructor(machine: MachineModel, options: GraphOptions) {
    this.#options = options;
    this.#collect(machine, '', undefined, 0);
    this.#paths = new Set(this.#machines.map(({ path }) => path));
    this.#defaults = new Set(this.#machines.flatMap(({ model }) => model.default ?? []));
    this.#pseudo('entry', '');
    if (machine.any?.length) this.#pseudo('any', '');
    for (const place of this.#machines) this.#addStates(place);
    for (const place of this.#machines) this.#addWays(place);
    for (const { path } of this.#machines) {
      const isEmpty = ![...this.#nodes.values()].some(({ cluster }) => cluster === clusterId(path));
      const holdsMachine = this.#machines.some(({ parent }) => parent === path);
      if (isEmpty && !holdsMachine) this.#pseudo('entry', path);
    }
    // ways out of and into machines inside belong to boxes that exist only once something leads to them
    for (let done = 0; done < this.#machines.length * 2; done++) if (!this.#addPseudoWays()) break;
  }

  graph(): MachineGraph {
    const [hidden, notes] = [this.#hidden, this.#notes];
    if (hidden > 0) notes.push(`${hidden} more states are not shown, nor ${this.#lostEdges} transitions to them`);
    const over = notes.length - NOTE_LIMIT;
    return {
      nodes: [...this.#nodes.values()],
      clusters: this.#clusters,
      edges: Array.from(this.#edges.values(), finished),
      notes: over > 0 ? [...notes.slice(0, NOTE_LIMIT), `… ${over} more notes`] : notes,
    };
  }

  #collect(model: MachineModel, path: string, parent: string | undefined, depth: number): void {
    this.#machines.push({ model, path, parent, waysAdded: false, elseAdded: false });
    if (parent !== undefined) {
      const ignored = `any-state transitions of “${clean(path)}” are ignored: they belong on the root`;
      if (model.any?.length) this.#notes.push(`${model.any.length} ${ignored}`);
      const name = path.slice(parent === '' ? 0 : parent.length + 1);
      this.#clusters.push({ id: clusterId(path)!, name, path, depth, cluster: clusterId(parent) });
    }
    const inner = Object.entries(model.machines ?? {});
    if (inner.length > 0 && (depth >= DEPTH_LIMIT || this.#machines.length + inner.length > this.#options.stateLimit)) {
      const reason = depth >= DEPTH_LIMIT ? 'they are nested too deep' : 'there are too many';
      this.#notes.push(`the machines inside “${clean(path)}” are not shown: ${reason}`);
      return;
    }
    for (const [name, child] of inner) this.#collect(child, join(path, name), path, depth + 1);
  }

  #addStates({ model, path }: Place): void {
    for (const [name, state] of Object.entries(model.states)) {
      const own = join(path, name);
      if (this.#shown++ >= this.#options.stateLimit) {
        this.#hidden++;
        continue;
      }
      const motion = this.#motionOf(state, own);
      const notes = stateNotes(state).join(' · ');
      const lines = [motionText(motion, this.#options.clipPrefix), ...(notes === '' ? [] : [notes])];
      this.#addNode({ kind: 'state', id: `state ${own}`, name, path: own, machine: path, lines, motion });
    }
  }

  #motionOf(state: StateModel, path: string): MotionModel | undefined {
    if (!this.#options.motions) return state.motion;
    return Object.hasOwn(this.#options.motions, path) ? this.#options.motions[path] : undefined;
  }

  /** Adds a box, unless it is known. Returns its id. @param node With the path of the machine that it is in. */
  #addNode({ machine, motion, ...node }: NodeDraft): string {
    const { id, kind, name, path, lines } = node;
    if (this.#nodes.has(id)) return id;
    const wanted =
      Math.max(textWidth(clean(name), NAME_SIZE, true), ...lines.map((line) => textWidth(line, LABEL_SIZE))) + 24;
    const least = kind === 'state' ? STATE_WIDTH.least : 60;
    const width = Math.ceil(Math.min(STATE_WIDTH.most, Math.max(least, wanted)));
    const height = lines.length === 0 ? 28 : 32 + 15 * lines.length;
    const isDefault = kind === 'state' && this.#defaults.has(path);
    const shown = lines.map((line) => fit(line, width - 16, LABEL_SIZE));
    this.#nodes.set(id, { ...node, lines: shown, isDefault, cluster: clusterId(machine), motion, width, height });
    return id;
  }

  #pseudo(kind: 'entry' | 'any' | 'exit', path: string): string {
    const name = { entry: 'Entry', any: 'Any State', exit: 'Exit' }[kind];
    const isBare = kind === 'entry' && this.#machines.find((place) => place.path === path)?.model.default === undefined;
    const fullName = path === '' ? name : `${path} › ${name}`;
    const lines = isBare ? ['no default state'] : [];
    return this.#addNode({ kind, id: `${kind} ${path}`, name, path: fullName, machine: path, lines });
  }

  #destination(to: DestinationModel, machinePath: string): string | undefined {
    if (to.toExit) return this.#pseudo('exit', machinePath);
    if (to.toMachine !== undefined) {
      if (this.#paths.has(to.toMachine)) return this.#pseudo('entry', to.toMachine);
      return this.#missing('machine', to.toMachine);
    }
    const path = to.to ?? '';
    if (this.#nodes.has(`state ${path}`)) return `state ${path}`;
    if (this.#hidden > 0) return undefined;
    // the empty state of a machine without a default is named by the machine
    if (this.#paths.has(path)) return this.#pseudo('entry', path);
    return this.#missing('state', path);
  }

  #missing(what: 'machine' | 'state', path: string): string {
    const lines = [`unknown ${what}`];
    return this.#addNode({ kind: 'missing', id: `missing ${what} ${path}`, name: path, path, machine: '', lines });
  }

  #addWays({ model, path }: Place): void {
    if (path === '' && this.#nodes.has('any ')) this.#addTransitions('any ', 'any', model.any ?? [], '');
    for (const [name, state] of Object.entries(model.states)) {
      const id = `state ${join(path, name)}`;
      if (this.#nodes.has(id)) this.#addTransitions(id, 'state', state.transitions ?? [], path);
    }
  }

  #addTransitions(
    from: string,
    kind: 'state' | 'any',
    list: NonNullable<StateModel['transitions']>,
    path: string,
  ): void {
    for (const [i, transition] of list.slice(0, TRANSITIONS_PER_STATE).entries()) {
      const lines = transitionLines(transition, list.length > 1 ? i + 1 : undefined);
      this.#addEdge(from, this.#destination(transition, path), kind, lines);
    }
    const over = list.length - TRANSITIONS_PER_STATE;
    if (over > 0) this.#notes.push(`${over} more transitions of “${clean(this.#nodes.get(from)!.path)}” are not shown`);
  }

  /** Ways from Entry and Exit boxes that exist by now. Whether any was added. */
  #addPseudoWays(): boolean {
    let added = false;
    for (const place of this.#machines) {
      const { model, path, parent } = place;
      if (!place.waysAdded && this.#nodes.has(`entry ${path}`)) {
        added = place.waysAdded = true;
        this.#addEntries(`entry ${path}`, model.entry ?? [], path);
        if (model.default !== undefined && isOpen(model.entry)) {
          const to = this.#destination({ to: model.default }, path);
          this.#addEdge(`entry ${path}`, to, 'entry', [], Boolean(model.entry?.length));
        }
      }
      if (!place.elseAdded && parent !== undefined && this.#nodes.has(`exit ${path}`)) {
        added = place.elseAdded = true;
        this.#addEntries(`exit ${path}`, model.exits ?? [], parent);
        if (isOpen(model.exits)) this.#addEdge(`exit ${path}`, this.#pseudo('entry', parent), 'entry', [], true);
      }
    }
    return added;
  }

  #addEntries(from: string, list: readonly EntryModel[], path: string): void {
    for (const [i, entry] of list.slice(0, TRANSITIONS_PER_STATE).entries()) {
      const lines = entryLines(entry, list.length > 1 ? i + 1 : undefined);
      this.#addEdge(from, this.#destination(entry, path), 'entry', lines);
    }
    const over = list.length - TRANSITIONS_PER_STATE;
    if (over > 0) this.#notes.push(`${over} more entries are not shown`);
  }

  #addEdge(
    from: string,
    to: string | undefined,
    kind: GraphEdge['kind'],
    lines: readonly LabelLine[],
    dashed = false,
  ): void {
    if (to === undefined) {
      this.#lostEdges++;
      return;
    }
    const key = JSON.stringify([from, to, dashed]);
    const known = this.#edges.get(key);
    if (known) known.lines.push(...lines);
    else this.#edges.set(key, { from, to, kind, dashed, lines: [...lines] });
  }
}

interface Place {
  readonly model: MachineModel;
  readonly path: string;
  readonly parent: string | undefined;
  waysAdded: boolean;
  elseAdded: boolean;
}

type NodeDraft = Pick<GraphNode, 'kind' | 'id' | 'name' | 'path' | 'lines'> & {
  readonly machine: string;
  readonly motion?: MotionModel | undefined;
};

interface EdgeDraft extends Omit<GraphEdge, 'lines' | 'width' | 'height'> {
  readonly lines: LabelLine[];
}

/** Returns true if it can happen that no entry of the list holds. */
function isOpen(list: readonly EntryModel[] | undefined): boolean {
  return !(list ?? []).some(({ when }) => !when?.length);
}

function finished(draft: EdgeDraft): GraphEdge {
  const over = draft.lines.length - LINES_PER_EDGE;
  const lines = draft.lines.slice(0, LINES_PER_EDGE);
  if (over > 0) lines.push({ words: [{ text: `… ${over} more lines`, muted: true }] });
  if (lines.length === 0) return { ...draft, lines, width: 0, height: 0 };
  const width = Math.ceil(Math.max(...lines.map(lineWidth))) + 12;
  return { ...draft, lines, width, height: lines.length * LINE_HEIGHT + 5 };
}

function clusterId(path: string): string | undefined {
  return path === '' ? undefined : `machine ${path}`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
