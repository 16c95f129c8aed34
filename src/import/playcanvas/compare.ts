import type { Differences } from './differences.ts';
import { ANY, END, type GraphLayer, type GraphState, type GraphTree } from './graph.ts';
import { canHoldTogether, type Way, type Ways } from './ways.ts';

/** Reports what a state's motion does otherwise than in PlayCanvas 2.23. */
export function compareTree(state: GraphState, differences: Differences): void {
  const { tree, path, speed, loops } = state;
  if (!tree) return;
  if (speed !== 1) {
    const message = 'the speed counts for the clips of the tree; in PlayCanvas only for its exit times';
    differences.add('tree-speed', `${path}/speed`, message);
  }
  compareWeights(tree, differences);
  comparePhases(tree, loops, differences);
  for (const child of tree.children) {
    if (!child.tree) continue;
    const message = 'the tree inside the tree is imported; PlayCanvas stops with an error when it plays one';
    differences.add('nested', child.path, message);
  }
}

function compareWeights({ type, path, children }: GraphTree, differences: Differences): void {
  const points = children.map(({ point }) => point.join());
  const hasTwice = new Set(points).size < points.length;
  if (type === '1D') {
    const message =
      children.length === 1
        ? 'its only child always plays; in PlayCanvas it never has any weight'
        : `outside ${range(children.map(({ point }) => point[0]!))} the nearest child plays; in PlayCanvas all weights are 0`;
    differences.add('range', path, message);
  }
  if (type === '2D_DIRECTIONAL' && children.length > 1) {
    const message = 'weights are those of gradient bands with signed angles; PlayCanvas takes them unsigned';
    differences.add('directional', path, message);
  }
  if (type === 'DIRECT' || !hasTwice) return;
  const message =
    type === '1D'
      ? 'of children at one value the last counts; in PlayCanvas both have half of the weight, everywhere'
      : 'children at one point share their weight; in PlayCanvas they make the weights NaN';
  differences.add('duplicate', `${path}/children`, message);
}

function range(values: readonly number[]): string {
  return `${Math.min(...values)} … ${Math.max(...values)}`;
}

function comparePhases({ type, path, children, isSynced }: GraphTree, loops: boolean, differences: Differences): void {
  const add = (topic: string, message: string) => differences.add(topic, path, message);
  if (children.length > 1 && !isSynced) {
    add('unsynced', 'all clips run in one common phase; in PlayCanvas each has its own, as syncAnimations is off');
  }
  if (children.some(({ speed }) => speed < 0) && !loops) {
    add('reversed', 'clips of negative speed play from end to begin; in PlayCanvas, not looping, they do not move');
  }
  if (!isSynced) return;
  if (children.some(({ speed }) => speed === 0)) {
    add('held', 'clips of speed 0 do not move and do not count for the length; in PlayCanvas they make it infinite');
  }
  if (children.length > 1) {
    add(
      'phase',
      'all clips keep one common phase; in PlayCanvas a clip without weight is held and speeds are not matched ' +
        'during a transition, so that phases drift apart',
    );
  }
  if (type === 'DIRECT') add('matched', 'speeds follow the weights; in PlayCanvas those of the change before');
  if (type === '2D_CARTESIAN' && children.length > 2) {
    add('matched', 'speeds follow the weights; in PlayCanvas, the weights before they are scaled to sum 1');
  }
  if (type === '2D_DIRECTIONAL' && children.some(({ speed }) => Math.abs(speed) !== 1)) {
    add('matched', 'a child’s speed counts for the common length only; in PlayCanvas also for its own clip');
  }
}

/** Pairs of transitions that are compared per layer; beyond them a difference is taken to be possible. */
const PAIR_LIMIT = 1_000_000;

/**
 * Reports what the transitions of a layer do otherwise than in PlayCanvas 2.23: only where the graph has what it takes
 * to show it.
 */
export function compareWays(layer: GraphLayer, ways: Ways, differences: Differences): void {
  let pairs = 0;
  const some = (list: readonly Way[], test: (way: Way) => boolean): boolean =>
    list.some((way) => pairs++ >= PAIR_LIMIT || test(way));
  const lists = Array.from(layer.states.values(), (state) => ({ state, list: ways.of(state.name) })).filter(
    ({ list }) => list.length > 0,
  );
  const ofStates = lists.flatMap(({ list }) => list);
  const hasBlends = [...ways.any, ...ofStates].some((way) => way.seconds > 0);
  const context: Context = { ways, differences, some, lists };
  const compareWay = (way: Way, siblings: readonly Way[], above: number): void => {
    compareEnd(way, differences);
    compareOffset(way, layer.states.get(way.to), differences);
    compareChain(way, context);
    compareInterruption(way, siblings, above, context);
  };
  for (const { state, list } of lists) {
    for (const way of list) {
      compareExit(way, state, context);
      compareWay(way, list, ways.any.length);
    }
  }
  for (const [index, way] of ways.any.entries()) {
    compareOrder(way, context);
    compareWay(way, ofStates, index);
    if (way.exitTime === 0 || !hasBlends) continue;
    const message =
      'during a transition its exit time is met by the source’s clock; in PlayCanvas by the destination’s';
    differences.add('exit-any', `${way.path}/exitTime`, message);
  }
}

interface Context {
  readonly ways: Ways;
  readonly differences: Differences;
  readonly some: (list: readonly Way[], test: (way: Way) => boolean) => boolean;
  readonly lists: readonly { readonly state: GraphState; readonly list: readonly Way[] }[];
}

const fromPrevious = ({ source }: Way): boolean => source.interruption.includes('PREV_STATE');

function compareExit(way: Way, state: GraphState, { ways, differences, some }: Context): void {
  const { exitTime } = way;
  if (exitTime === 0) return;
  const add = (topic: string, message: string) => differences.add(topic, `${way.path}/exitTime`, message);
  if (state.tree) add('exit-tree', 'is met by the time played; in PlayCanvas by the first clip at its present speed');
  else if (state.speed !== 0 && Math.abs(state.speed) !== 1) {
    const there = exitTime / state.speed ** 2;
    const twice = `in PlayCanvas twice: ${there.toPrecision(4)} clip lengths`;
    add('exit-speed', `the speed ${state.speed} counts once; ${twice}`);
  }
  if (!state.loops) {
    const message = 'recurs after every length of the clip; in PlayCanvas the clock of a clip that does not loop';
    add('exit-once', `${message} stops at its end`);
  } else if (exitTime === 1) {
    add('exit-one', 'recurs in every cycle; in PlayCanvas only after the first');
  } else if (exitTime < 1) {
    add('exit-wrap', 'is always met; PlayCanvas misses it in an update that also passes the end of the clip');
  }
  const isPrevious = (other: Way): boolean => other.seconds > 0 && fromPrevious(other) && other.to !== way.to;
  if (differences.isFull('exit-previous')) return;
  if (some(ways.of(state.name), isPrevious) || some(ways.any, isPrevious)) {
    add('exit-previous', 'as an interruption it is met by this state’s clock; in PlayCanvas by the destination’s');
  }
}

/** PlayCanvas remembers where END led, and from then on takes the transition for one to that state. */
function compareEnd({ source, from, to, path }: Way, differences: Differences): void {
  if (source.to !== END || (from !== to && from !== ANY)) return;
  const message =
    from === ANY
      ? `never leads from ${to} to itself; in PlayCanvas it does once`
      : `leads back to the begin of ${to} each time; in PlayCanvas only the first time`;
  differences.add('end', `${path}/to`, message);
}

function compareOffset({ offset, path }: Way, destination: GraphState | undefined, differences: Differences): void {
  if (offset === 0 || !destination?.tree || destination.tree.children.length < 2) return;
  const message = 'all clips begin at this phase; in PlayCanvas all at that of the longest, in seconds';
  differences.add('offset', `${path}/transitionOffset`, message);
}

/** Several transitions in one update. */
function compareChain(way: Way, { ways, differences, some }: Context): void {
  if (way.seconds > 0 || differences.isFull('chain')) return;
  const follows = (next: Way): boolean =>
    next.exitTime === 0 &&
    next.to !== way.to &&
    ![...next.triggers].some((name) => way.triggers.has(name)) &&
    canHoldTogether(way.ranges, next.ranges);
  if (!some(ways.of(way.to), follows) && !some(ways.any, (next) => next !== way && follows(next))) return;
  const message = `may go on from ${way.to} in the same update; PlayCanvas takes one transition per update`;
  differences.add('chain', way.path, message);
}

/** Transitions from any state come first here, and after the state's own in PlayCanvas. */
function compareOrder(any: Way, { lists, differences, some }: Context): void {
  if (differences.isFull('order')) return;
  const names: string[] = [];
  for (const { state, list } of lists) {
    if (state.name === any.to || names.length > 3) continue;
    if (some(list, (way) => way.to !== any.to && canHoldTogether(way.ranges, any.ranges))) names.push(state.name);
  }
  if (names.length === 0) return;
  const where = names.length > 3 ? `${names.slice(0, 3).join(', ')} and others` : names.join(', ');
  const message = `is tried before the transitions of states; in PlayCanvas after them (it matters in ${where})`;
  differences.add('order', any.path, message);
}

/** `siblings`: of the state that it leaves; `above`: how many transitions from any state are never ordered below it. */
function compareInterruption(
  way: Way,
  siblings: readonly Way[],
  above: number,
  { ways, differences, some }: Context,
): void {
  if (way.seconds === 0) return;
  const elsewhere = (other: Way): boolean => other.to !== way.to;
  if (way.source.interruption === 'NONE') {
    if (differences.isFull('any')) return;
    // ordered: a transition from any state is interrupted only by those above it in its list
    let index = 0;
    if (!some(ways.any, (other) => index++ < above && elsewhere(other))) return;
    const message = 'transitions from any state may interrupt it; in PlayCanvas nothing does';
    differences.add('any', way.path, message);
    return;
  }
  const previous = fromPrevious(way) ? siblings : [];
  const next = way.source.interruption.includes('NEXT_STATE') ? ways.of(way.to) : [];
  const place = `${way.path}/interruptionSource`;
  const candidates = [previous, next, ways.any];
  const blends = (other: Way): boolean => other.seconds > 0 && elsewhere(other);
  if (!differences.isFull('pose') && candidates.some((list) => some(list, blends))) {
    const message = 'when it is interrupted, its blend is held; in PlayCanvas its destination plays on';
    differences.add('pose', place, message);
  }
  const goesOn = (other: Way): boolean => blends(other) && fromPrevious(other);
  if (!differences.isFull('previous') && candidates.some((list) => some(list, goesOn))) {
    const message =
      `when it is interrupted, ${way.from === ANY ? 'the state it left' : way.from} stays the previous state; ` +
      `in PlayCanvas ${way.to} becomes it`;
    differences.add('previous', place, message);
  }
  if (differences.isFull('again')) return;
  if (some(previous, (other) => other !== way && other.to === way.to)) {
    const message = `another transition to ${way.to} may interrupt it; PlayCanvas ignores those to where it already leads`;
    differences.add('again', place, message);
  }
}
