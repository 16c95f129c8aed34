import { canHoldTogether } from './conditions.ts';
import type { Differences } from './differences.ts';
import { ANY, END, type GraphLayer, type GraphState } from './graph.ts';
import type { Way, Ways } from './ways.ts';

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
  const context: Context = { ways, differences, some, lists, ofStates, hasBlends };
  for (const { state, list } of lists) {
    for (const way of list) {
      compareExit(way, state, context);
      compareEnd(way, context);
      compareOffset(way, layer.states.get(way.to), context);
      compareChain(way, context);
      compareInterruption(way, list, ways.any.length, context);
    }
  }
  for (const [index, way] of ways.any.entries()) {
    compareOrder(way, context);
    compareEnd(way, context);
    compareOffset(way, layer.states.get(way.to), context);
    compareChain(way, context);
    compareInterruption(way, ofStates, index, context);
    if (way.exitTime === 0 || !context.hasBlends) continue;
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
  /** All of `lists` in one. */
  readonly ofStates: readonly Way[];
  readonly hasBlends: boolean;
}

const fromPrevious = ({ source }: Way): boolean => source.interruption.includes('PREV_STATE');

function compareExit(way: Way, state: GraphState, { ways, differences, some }: Context): void {
  const { exitTime } = way;
  if (exitTime === 0) return;
  const add = (topic: string, message: string) => differences.add(topic, `${way.path}/exitTime`, message);
  if (state.tree) add('exit-tree', 'is met by the time played; in PlayCanvas by the first clip at its present speed');
  else if (state.speed !== 0 && Math.abs(state.speed) !== 1) {
    const there = exitTime / state.speed ** 2;
    add(
      'exit-speed',
      `the speed ${state.speed} counts once; in PlayCanvas twice: ${there.toPrecision(4)} clip lengths`,
    );
  }
  if (!state.loops) {
    add(
      'exit-once',
      'recurs after every length of the clip; in PlayCanvas the clock of a clip that does not loop stops at its end',
    );
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
function compareEnd({ source, from, to, path }: Way, { differences }: Context): void {
  if (source.to !== END || (from !== to && from !== ANY)) return;
  const message =
    from === ANY
      ? `never leads from ${to} to itself; in PlayCanvas it does once`
      : `leads back to the begin of ${to} each time; in PlayCanvas only the first time`;
  differences.add('end', `${path}/to`, message);
}

function compareOffset({ offset, path }: Way, destination: GraphState | undefined, { differences }: Context): void {
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
  if (
    !differences.isFull('pose') &&
    candidates.some((list) => some(list, (other) => other.seconds > 0 && elsewhere(other)))
  ) {
    const message = 'when it is interrupted, its blend is held; in PlayCanvas its destination plays on';
    differences.add('pose', place, message);
  }
  const goesOn = (other: Way): boolean => other.seconds > 0 && elsewhere(other) && fromPrevious(other);
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
