import { error, type Issue, quoted, warning } from '../errors.ts';
import { toCycles } from '../math/cycles.ts';
import type { ClipTable, PlayedClip } from './clip-table.ts';
import { type CompiledParameter, unknownParameter } from './compile-conditions.ts';
import type { ChildModel, MotionModel, TreeModel } from './model.ts';
import { areBands, type BandKind, writeBands } from './bands.ts';
import { leafMoments, type Moment, rivalsOf } from './moments.ts';
import type { Rows } from './rows.ts';
import {
  CHILD_LIMIT,
  CHILD_TREE,
  CONTROLLER_NONE,
  ControllerChild,
  ControllerLeaf,
  ControllerMotion,
  ControllerTree,
  INDEX_NONE,
  LEAF_EVENTS,
  LEAF_HELD,
  LEAF_LIMIT,
  LEAF_LOOPS,
  LEAF_MIRROR,
  LEAF_REVERSED,
  LEAF_ROOT,
  MOTION_CONSTANT_LENGTH,
  MOTION_EVENTS,
  MOTION_ROOT,
  PARAMETER_INT,
  TREE_1D,
  TREE_DEPTH_LIMIT,
  TREE_DEPTH_SHIFT,
  TREE_DIRECT,
  TREE_DIRECTIONAL,
  TREE_FREEFORM_CARTESIAN,
  TREE_FREEFORM_DIRECTIONAL,
  TREE_NORMALIZED,
  TREE_PARENT_SHIFT,
  TREE_SLOT_SHIFT,
} from './tables.ts';
import { directionsOf } from './repeated-directions.ts';

export interface MotionContext {
  readonly rows: Rows;
  readonly clips: ClipTable;
  /** Index of a parameter that a motion reads. If it is missing: INDEX_NONE, and an error. */
  readonly parameter: (name: string, where: string) => number;
  readonly issues: Issue[];
  /** When several leaves pass an event of one name together, only the heaviest fires it. */
  readonly firesOnce: boolean;
}

export interface CompiledMotion {
  readonly row: number;
  /** Seconds, if it never changes. */
  readonly length: number | undefined;
  readonly moments: readonly Moment[];
  readonly hasRoot: boolean;
  /** The most clips that can have weight at the same time. */
  readonly shownCount: number;
  /** The tree of gradient bands that determines its length, if only one does; else CONTROLLER_NONE. */
  readonly bandTreeRow: number;
  /** It is one clip, or several under one tree of bands. */
  readonly isSimple: boolean;
}

interface Leaf {
  readonly clip: PlayedClip;
  readonly mirror: boolean;
  /** In 0.32 fixed point. */
  readonly offset: number;
  /** 1, −1 or 0. */
  readonly direction: number;
}

interface Child {
  readonly model: ChildModel & { readonly at?: number | readonly [number, number]; readonly weightParameter?: string };
  readonly node: Node;
}

type Node =
  | { readonly leaf: number; readonly length: number }
  | { readonly tree: number; readonly length: number | undefined };

interface Tree extends Pick<Inherited, 'depth' | 'parent' | 'slot'> {
  readonly model: TreeModel;
  readonly children: readonly Child[];
  readonly where: string;
}

/** Settings that a child inherits from the trees around it. */
interface Inherited {
  /** Index of the tree above, and of the child in it; 0 without one. */
  readonly parent: number;
  readonly slot: number;
  readonly offset: number;
  readonly mirror: boolean;
  readonly direction: number;
  readonly depth: number;
}

/** Writes a motion's records; undefined for a motion that plays nothing. */
export function compileMotion(
  context: MotionContext,
  motion: MotionModel | undefined,
  { state, layer, additive }: { readonly state: string; readonly layer: string; readonly additive: boolean },
): CompiledMotion | undefined {
  const { issues } = context;
  const where = `${layer}/${state}/motion`;
  const pruned = prune(motion);
  if (pruned === undefined) return undefined;
  const before = issues.length;
  const writer = new MotionWriter(context, additive);
  const root = writer.addNode(pruned, ROOT, where);
  if (writer.leafCount > LEAF_LIMIT) {
    const message = `The motion of state ${quoted(state)} plays ${writer.leafCount} clips; the limit is ${LEAF_LIMIT}.`;
    issues.push(error('CONTROLLER_LIMIT', where, message, SPREAD));
  }
  return issues.slice(before).some(({ severity }) => severity === 'error') ? undefined : writer.write(root);
}

/** Collects the leaves and trees of a motion, then writes their records. */
class MotionWriter {
  readonly #leaves: Leaf[] = [];
  readonly #trees: Tree[] = [];

  constructor(
    readonly context: MotionContext,
    readonly additive: boolean,
  ) {}

  get leafCount(): number {
    return this.#leaves.length;
  }

  addNode(model: MotionModel, inherited: Inherited, path: string): Node {
    const { clips, issues } = this.context;
    if (typeof model === 'string') {
      const clip = clips.play(model, this.additive);
      const { mirror, direction } = inherited;
      const offset = toCycles(Math.fround(inherited.offset + clip.cycleOffset)).phase;
      this.#leaves.push({ clip, mirror: mirror !== clip.mirror, offset, direction });
      return { leaf: this.#leaves.length - 1, length: clip.length };
    }
    const refuse = (message: string): Node => {
      issues.push(error('CONTROLLER_LIMIT', path, message, SPLIT));
      return { tree: 0, length: undefined };
    };
    const { length } = model.children;
    if (inherited.depth === TREE_DEPTH_LIMIT) return refuse(`Trees are nested deeper than ${TREE_DEPTH_LIMIT}.`);
    if (length > CHILD_LIMIT) return refuse(`Got ${length} children; the limit is ${CHILD_LIMIT}.`);
    const index = this.#trees.length;
    const { depth, parent, slot } = inherited;
    const tree = { model, children: [] as Child[], where: path, depth, parent, slot };
    this.#trees.push(tree);
    for (const child of sortedChildren(model)) {
      const timeScale = child.timeScale ?? 1;
      const below: Inherited = {
        offset: inherited.offset + (child.cycleOffset ?? 0),
        mirror: inherited.mirror !== (child.mirror ?? false),
        direction: inherited.direction * Math.sign(timeScale),
        depth: depth + 1,
        parent: index,
        slot: tree.children.length,
      };
      tree.children.push({
        model: child,
        node: this.addNode(child.motion!, below, `${path}/children/${tree.children.length}`),
      });
    }
    return { tree: index, length: constantLength(tree) };
  }

  write(root: Node): CompiledMotion {
    const { rows, firesOnce } = this.context;
    const [leaves, trees] = [this.#leaves, this.#trees];
    const row = rows.reserveFor(ControllerMotion, 1);
    const leafRecords = leaves.map(({ clip, mirror, offset, direction }) => {
      const flags =
        (clip.loops ? LEAF_LOOPS : 0) |
        (mirror ? LEAF_MIRROR : 0) |
        (direction < 0 ? LEAF_REVERSED : 0) |
        (direction === 0 ? LEAF_HELD : 0) |
        (clip.eventPhases.length > 0 ? LEAF_EVENTS : 0) |
        (clip.hasRoot ? LEAF_ROOT : 0);
      return { clipAndFlags: clip.index | (flags << 16), offset, rigClip: clip.rigClip, clipRow: clip.row };
    });
    const leafRow = rows.add(ControllerLeaf, leafRecords);
    const treeRow = rows.reserveFor(ControllerTree, trees.length);
    trees.forEach((tree, i) => this.#writeTree(treeRow, i, tree));
    const hasEvents = leaves.some(({ clip }) => clip.eventPhases.length > 0);
    const hasRoot = leaves.some(({ clip }) => clip.hasRoot);
    const flags =
      (root.length === undefined ? 0 : MOTION_CONSTANT_LENGTH) |
      (hasEvents ? MOTION_EVENTS : 0) |
      (hasRoot ? MOTION_ROOT : 0);
    const counts = leaves.length | (trees.length << 8) | (flags << 16);
    rows.put(ControllerMotion, row, 0, { leafRow, counts, treeRow, length: root.length ?? 1 });
    const moments = leaves.flatMap((played, leaf) =>
      leafMoments({ ...played, leaf, leafRow: leafRow + leaf }).map((moment, event) =>
        firesOnce ? { ...moment, rivals: rivalsOf(leaves, leaf, event) } : moment,
      ),
    );
    const isBands = trees.length === 1 && bandKindOf(trees[0]!) !== undefined;
    return {
      row,
      length: root.length,
      moments,
      hasRoot,
      shownCount: this.#shownOf(root),
      bandTreeRow: isBands && root.length === undefined ? treeRow : CONTROLLER_NONE,
      isSimple: trees.length === 0 || isBands,
    };
  }

  /** The most leaves below a node that can have weight at the same time. */
  #shownOf(node: Node): number {
    if ('leaf' in node) return 1;
    const { model, children } = this.#trees[node.tree]!;
    const counts = children.map((child) => this.#shownOf(child.node));
    // the two thresholds that the parameter is between
    if (model.blend === '1d') return Math.max(...counts.map((count, i) => count + (counts[i + 1] ?? 0)));
    // a child on either side of the direction, and the centre, which gets the rest. Without a centre all children share
    // the rest
    const most = model.blend === 'directional' && children.some(isCentre) ? 3 : counts.length;
    const largest = counts.sort((a, b) => b - a).slice(0, most);
    return largest.reduce((sum, count) => sum + count, 0);
  }

  #writeTree(treeRow: number, index: number, tree: Tree): void {
    const { rows, parameter, issues } = this.context;
    const { model, children, where: path, depth, parent, slot } = tree;
    const childRow = rows.reserveFor(ControllerChild, children.length);
    const names = model.blend === '1d' ? [model.parameter] : model.blend === 'direct' ? [] : model.parameters;
    const [x = INDEX_NONE, y = INDEX_NONE] = names.map((name) => parameter(name, path));
    const normalized = model.blend === 'direct' && (model.normalized ?? false);
    const places = children.map(({ model: child }) => placeOf(model, child));
    const bands = bandKindOf(tree);
    const scaled = children.map(({ model: child, node }, c) => {
      return { ...places[c]!, lengthScale: lengthScale(child, node) };
    });
    const directions = model.blend === 'directional' ? directionsOf(places) : 0;
    const bandRow = bands ? writeBands(rows, scaled, bands) : directions;
    const position = (depth << TREE_DEPTH_SHIFT) | (slot << TREE_SLOT_SHIFT) | (parent << TREE_PARENT_SHIFT);
    rows.put(ControllerTree, treeRow, index, {
      kind: TYPES[model.blend] | (children.length << 8) | ((normalized ? TREE_NORMALIZED : 0) << 16) | position,
      childRow,
      parameters: x | (y << 16),
      bandRow,
    });
    children.forEach(({ model: child, node }, c) => {
      const place = 'leaf' in node ? node.leaf : (CHILD_TREE | node.tree) >>> 0;
      rows.put(ControllerChild, childRow, c, { node: place, ...scaled[c]! });
      if (model.blend === 'direct') rows.setWord(childRow + c, 1, parameter(child.weightParameter ?? '', path));
    });
    warnOfCentres(model, children, path, issues);
  }
}

const ROOT: Inherited = { offset: 0, mirror: false, direction: 1, depth: 0, parent: 0, slot: 0 };
const SPLIT = 'Split it into trees or states of their own.';
const SPREAD = 'Remove clips, or spread them over several states or layers.';

const TYPES = {
  '1d': TREE_1D,
  directional: TREE_DIRECTIONAL,
  freeformDirectional: TREE_FREEFORM_DIRECTIONAL,
  freeformCartesian: TREE_FREEFORM_CARTESIAN,
  direct: TREE_DIRECT,
} as const;

/** Removes children that play nothing; undefined when nothing is left. The caller's check bounds the depth. */
function prune(motion: MotionModel | undefined, depth = 0): MotionModel | undefined {
  if (motion === undefined || typeof motion === 'string' || depth > 4 * TREE_DEPTH_LIMIT) return motion;
  const children = (motion.children as readonly ChildModel[]).flatMap((child) => {
    const inner = prune(child.motion, depth + 1);
    return inner === undefined ? [] : [{ ...child, motion: inner }];
  });
  return children.length === 0 ? undefined : ({ ...motion, children } as unknown as TreeModel);
}

/** Thresholds of a 1D tree rise; equal ones keep their order. */
function sortedChildren(tree: TreeModel): readonly Child['model'][] {
  return tree.blend === '1d' ? [...tree.children].sort((a, b) => a.at - b.at) : tree.children;
}

function lengthScale({ timeScale = 1 }: ChildModel, node: Node): number {
  if (timeScale === 0) return 0;
  return ('leaf' in node ? node.length : 1) / Math.abs(timeScale);
}

function bandKindOf({ model, children }: Tree): BandKind | undefined {
  if (model.blend === 'freeformDirectional') return 'polar';
  if (model.blend === 'freeformCartesian') return 'cartesian';
  const thresholds = children.map(({ model: child }) => Math.fround(placeOf(model, child).x));
  return model.blend === '1d' && areBands(thresholds) ? 'thresholds' : undefined;
}

/** Position of a child in the tree: a threshold, or a point, as coordinates or as magnitude and angle. */
function placeOf({ blend }: TreeModel, { at = 0 }: Child['model']): { x: number; y: number } {
  if (typeof at === 'number') return { x: at, y: 0 };
  const [x, y] = at.map(Math.fround) as [number, number];
  return blend === 'freeformDirectional'
    ? { x: Math.fround(Math.hypot(x, y)), y: Math.fround(Math.atan2(y, x)) }
    : { x, y };
}

/** The length of a tree, if its weights cannot change it. */
function constantLength({ model, children }: Tree): number | undefined {
  const lengths = children.map(({ model: { timeScale = 1 }, node }) =>
    timeScale === 0 || node.length === undefined ? undefined : node.length / Math.abs(timeScale),
  );
  const [first] = lengths;
  if (first === undefined || lengths.some((length) => length !== first)) return undefined;
  // weights of a direct tree may all be 0, and nothing counts as 1 s
  return model.blend === 'direct' && first !== 1 ? undefined : first;
}

function isCentre({ model: { at } }: Child): boolean {
  return typeof at === 'object' && at[0] === 0 && at[1] === 0;
}

function warnOfCentres({ blend }: TreeModel, children: readonly Child[], where: string, issues: Issue[]): void {
  if (blend !== 'directional') return;
  const centres = children.filter(isCentre);
  if (centres.length <= 1) return;
  const message = `${centres.length} children are at the centre; the first one is shown there.`;
  issues.push(warning('CONTROLLER_SIMPLIFIED', where, message));
}

/** Finds a parameter that is read as a number: its index, combined with PARAMETER_INT if it is an integer. */
export function parameterFinder(
  parameters: readonly CompiledParameter[],
  issues: Issue[],
): (name: string, where: string) => number {
  const indexOf = new Map(parameters.map(({ name }, index) => [name, index]));
  const reported = new Set<string>();
  const refuse = (issue: Issue, name: string): number => {
    if (!reported.has(name)) issues.push(issue);
    reported.add(name);
    return INDEX_NONE;
  };
  return (name, where) => {
    const index = indexOf.get(name);
    if (index === undefined) return refuse(unknownParameter(name, where, parameters), name);
    const { type } = parameters[index]!;
    if (type !== 'trigger') return type === 'float' ? index : index | PARAMETER_INT;
    const message = `The parameter ${quoted(name)} is a trigger, and not a number.`;
    return refuse(error('CONTROLLER_NAME_UNKNOWN', where, message, 'Name a float, an int or a bool.'), name);
  };
}

/** The row of a motion, or CONTROLLER_NONE. */
export function rowOf(motion: CompiledMotion | undefined): number {
  return motion?.row ?? CONTROLLER_NONE;
}
