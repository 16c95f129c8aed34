import type { Vec3 } from '../../character/model.ts';
import { quoted } from '../../errors.ts';
import type { ImportLimits } from '../gltf/limits.ts';
import { type IssueList, refuse } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import { type Budget, FbxNode, type FbxValue } from './node.ts';

type Id = number | bigint;

/** An object that another one is connected to, and the property that it is connected to there. */
export interface Connection {
  readonly object: FbxObject;
  readonly property: string | undefined;
}

/** An object of the file. */
export class FbxObject {
  /** Objects that are connected to this one, in file order. */
  readonly sources: Connection[] = [];
  /** Objects that this one is connected to. */
  readonly targets: Connection[] = [];
  #properties: Map<string, FbxNode> | undefined;

  constructor(
    readonly id: Id,
    /** As `Model`, `Geometry`, `AnimationCurve`. */
    readonly kind: string,
    readonly name: string,
    /** As `LimbNode`, `Mesh`, `Skin`. */
    readonly subtype: string,
    readonly node: FbxNode,
    /** Number among the objects of its kind, in file order. */
    readonly index: number,
    readonly template: ReadonlyMap<string, FbxNode>,
    readonly issues: IssueList,
  ) {}

  /** Where messages place it. */
  get place(): string {
    return `/${this.kind}/${this.name || this.index}`;
  }

  /** Objects of a kind that are connected to this one as a whole or to one of its properties. */
  sourcesOf(kind: string, subtype?: string): FbxObject[] {
    return this.sources.flatMap(({ object }) =>
      object.kind === kind && (subtype === undefined || object.subtype === subtype) ? [object] : [],
    );
  }

  targetsOf(kind: string): FbxObject[] {
    return this.targets.flatMap(({ object }) => (object.kind === kind ? [object] : []));
  }

  /** Values of a property: its own, else those of its kind's template. */
  property(name: string): readonly FbxValue[] | undefined {
    this.#properties ??= propertiesOf(this.node);
    const found = this.#properties.get(name) ?? this.template.get(name);
    // the name, the type, a label and flags come first
    return found?.values.slice(4);
  }

  number(name: string, fallback: number): number {
    return this.#usable(name, this.property(name)?.[0], fallback);
  }

  vector(name: string, fallback: Vec3): Vec3 {
    const values = this.property(name);
    if (!values) return fallback;
    const [x, y, z] = fallback;
    return [this.#usable(name, values[0], x), this.#usable(name, values[1], y), this.#usable(name, values[2], z)];
  }

  #usable(name: string, value: FbxValue | undefined, fallback: number): number {
    if (value === undefined) return fallback;
    const number = typeof value === 'bigint' ? Number(value) : value;
    if (typeof number === 'number' && isUsable(number)) return number;
    const message = `the property ${quoted(name)} cannot be used as a number; taken as ${fallback}`;
    this.issues.warn('GLTF_VALUES_REPAIRED', this.place, message);
    return fallback;
  }
}

function propertiesOf(node: FbxNode | undefined): Map<string, FbxNode> {
  const list = node?.child('Properties70')?.childrenNamed('P') ?? [];
  return new Map(list.map((property) => [property.text(0) ?? '', property]));
}

/** The objects of a file, and what connects them. */
export interface FbxDocument {
  readonly root: FbxNode;
  readonly version: number;
  /** Objects by kind, in file order. */
  readonly objects: ReadonlyMap<string, readonly FbxObject[]>;
  /** Global settings; it has the properties of an object. */
  readonly settings: FbxObject;
  readonly limits: ImportLimits;
  readonly budget: Budget;
  readonly issues: IssueList;
}

/** Reads objects and connections. */
export function readDocument(
  { root, version }: { readonly root: FbxNode; readonly version: number },
  budget: Budget,
  issues: IssueList,
): FbxDocument {
  const templates = readTemplates(root);
  const objects = new Map<string, FbxObject[]>();
  const byId = new Map<Id, FbxObject>();
  const records = root.child('Objects')?.children ?? [];
  if (records.length > budget.limits.nodes) budget.over('objects', records.length, budget.limits.nodes);
  let repeated = 0;
  for (const node of records) {
    const [id] = node.values;
    if (typeof id !== 'number' && typeof id !== 'bigint') continue;
    const list = objects.get(node.name) ?? [];
    objects.set(node.name, list);
    const template = templates.get(node.name) ?? NO_TEMPLATE;
    const name = nameOf(node.text(1) ?? '');
    const object = new FbxObject(id, node.name, name, node.text(2) ?? '', node, list.length, template, issues);
    list.push(object);
    if (byId.has(id)) repeated++;
    else byId.set(id, object);
  }
  if (repeated > 0) issues.warn('FBX_IGNORED', '/Objects', `${repeated} objects have the identifier of an earlier one`);
  readConnections(root, byId, issues);
  const globalSettings = root.child('GlobalSettings') ?? new FbxNode('GlobalSettings', []);
  const settings = new FbxObject(0, 'GlobalSettings', '', '', globalSettings, 0, NO_TEMPLATE, issues);
  return { root, version, objects, settings, limits: budget.limits, budget, issues };
}

const NO_TEMPLATE: ReadonlyMap<string, FbxNode> = new Map();

/** Binary files have the name, two control characters and the class; ASCII files the class, two colons and the name. */
function nameOf(text: string): string {
  const end = text.indexOf('\0\x01');
  if (end >= 0) return text.slice(0, end);
  const colons = text.indexOf('::');
  return colons >= 0 ? text.slice(colons + 2) : text;
}

/** Defaults of properties, by kind of object. */
function readTemplates(root: FbxNode): Map<string, Map<string, FbxNode>> {
  const types = root.child('Definitions')?.childrenNamed('ObjectType') ?? [];
  return new Map(types.map((type) => [type.text(0) ?? '', propertiesOf(type.child('PropertyTemplate'))]));
}

function readConnections(root: FbxNode, byId: ReadonlyMap<Id, FbxObject>, issues: IssueList): void {
  let dangling = 0;
  for (const { values, name } of root.child('Connections')?.children ?? []) {
    const [type, from, to, property] = values;
    if (name !== 'C' || (type !== 'OO' && type !== 'OP')) continue;
    // 0 is the scene itself
    const [source, target] = [byId.get(from as Id), byId.get(to as Id)];
    if (!source || (!target && Number(to) !== 0)) dangling++;
    if (!source || !target) continue;
    const named = typeof property === 'string' ? property : undefined;
    source.targets.push({ object: target, property: named });
    target.sources.push({ object: source, property: named });
  }
  if (dangling === 0) return;
  const message = `${dangling} connections name objects that the file does not have`;
  issues.info('FBX_IGNORED', '/Connections', message);
}

/**
 * The parent of every model, by its index; −1 for those of the scene.
 *
 * @throws ManipleError FBX_INVALID if models are below themselves
 */
export function readParents({ objects, issues }: FbxDocument): Int32Array {
  const models = objects.get('Model') ?? [];
  const parents = new Int32Array(models.length).fill(-1);
  for (const model of models) {
    const [first, ...others] = model.targetsOf('Model');
    parents[model.index] = first?.index ?? -1;
    if (others.length === 0) continue;
    issues.warn('FBX_IGNORED', model.place, `the node has ${others.length + 1} parents; it is below the first`);
  }
  // 0: not visited, 1: on the way up, 2: reaches a root
  const state = new Uint8Array(models.length);
  for (let start = 0; start < models.length; start++) {
    let node = start;
    for (; node >= 0 && state[node] === 0; node = parents[node]!) state[node] = 1;
    if (node >= 0 && state[node] === 1) {
      refuse('FBX_INVALID', models[node]!.place, 'the node is below itself', 'Export it again.');
    }
    for (node = start; node >= 0 && state[node] === 1; node = parents[node]!) state[node] = 2;
  }
  return parents;
}
