import type { ConditionModel } from '../../controller/model.ts';
import type { Differences } from './differences.ts';
import {
  ANY,
  END,
  type Graph,
  type GraphCondition,
  type GraphLayer,
  type GraphPredicate,
  type GraphTransition,
  START,
} from './graph.ts';

/** A transition that can be taken: with what it really waits for and where it really leads. */
export interface Way {
  readonly source: GraphTransition;
  readonly path: string;
  readonly from: string;
  /** A state, or START. */
  readonly to: string;
  readonly when: readonly ConditionModel[];
  readonly ranges: Ranges;
  /** Triggers that it uses up. */
  readonly triggers: ReadonlySet<string>;
  readonly seconds: number;
  /** 0 for none. */
  readonly exitTime: number;
  /** 0 for none. */
  readonly offset: number;
}

/** The transitions of a layer, each list in the order in which PlayCanvas tries it. */
export interface Ways {
  readonly start: readonly Way[];
  readonly any: readonly Way[];
  readonly of: (state: string) => readonly Way[];
}

/** Sorts out a layer's transitions. Those that PlayCanvas never takes are left out, and reported. */
export function waysOf(layer: GraphLayer, parameters: Graph['parameters'], differences: Differences): Ways {
  const lists = new Map<string, GraphTransition[]>();
  for (const transition of layer.transitions) {
    const list = lists.get(transition.from);
    if (list) list.push(transition);
    else lists.set(transition.from, [transition]);
  }
  // the lists are in file order, and sorting keeps that among equals
  for (const list of lists.values()) list.sort((a, b) => a.priority - b.priority);
  const begin = lists.get(START)?.[0]?.to;
  const waysIn = (list: readonly GraphTransition[]) =>
    list.flatMap((transition) => wayOf(transition, begin, parameters, differences) ?? []);
  const ways = new Map(Array.from(lists, ([from, list]) => [from, waysIn(list)]));
  const of = (name: string): readonly Way[] => ways.get(name) ?? [];
  return { start: of(START), any: of(ANY), of };
}

function wayOf(
  source: GraphTransition,
  begin: string | undefined,
  parameters: Graph['parameters'],
  differences: Differences,
): Way | undefined {
  const { path, from, seconds } = source;
  const leftOut = (place: string, why: string): undefined => {
    differences.add('never', path + place, `PlayCanvas never takes this transition: ${why}; it is left out`);
  };
  const translated = source.conditions.map((condition) => translateCondition(condition, parameters));
  if (translated.includes('never')) return leftOut('/conditions', 'one of its conditions compares what is never equal');
  if (from === source.to) return leftOut('/to', 'it leads back to its own state');
  const exitTime = source.exitTime ?? 0;
  if (exitTime < 0) return leftOut('/exitTime', `no clock reaches ${exitTime}`);
  if (from === START && exitTime !== 0 && exitTime !== 1) return leftOut('/exitTime', 'the clock of START is at 1');
  if (source.exitTime === 0) {
    const message = 'an exit time of 0 means none to PlayCanvas, and it is imported so';
    differences.add('exit-zero', `${path}/exitTime`, message);
  }
  const offset = source.offset ?? 0;
  const isUsed = offset > 0 && offset < 1;
  if (!isUsed && offset !== 0) {
    const message = `the offset ${offset} is left out: PlayCanvas uses offsets between 0 and 1 only`;
    differences.note(`${path}/transitionOffset`, message);
  }
  const when = translated.filter((condition) => typeof condition === 'object');
  const triggers = source.conditions.map(({ parameter }) => parameter);
  return {
    source,
    path,
    from,
    to: source.to === END ? begin! : source.to,
    when,
    ranges: rangesOf(when),
    triggers: new Set(triggers.filter((name) => parameters.get(name)?.type === 'TRIGGER')),
    seconds,
    exitTime: from === START ? 0 : exitTime,
    offset: isUsed ? offset : 0,
  };
}

/** A translated condition: one of ours, or one that holds or fails for any value of the parameter. */
type Translated = ConditionModel | 'always' | 'never';

/**
 * A condition of PlayCanvas, which compares as JavaScript does: a trigger with `true`, an integer with a fraction, and
 * nothing of one type equals anything of another.
 */
export function translateCondition(condition: GraphCondition, parameters: Graph['parameters']): Translated {
  const { parameter, predicate, value } = condition;
  const type = parameters.get(parameter)?.type;
  if (type === 'BOOLEAN' || type === 'TRIGGER') {
    const [whenSet, whenClear] = [HOLDS[predicate](true, value), HOLDS[predicate](false, value)];
    if (whenSet === whenClear) return whenSet ? 'always' : 'never';
    return whenSet ? { parameter } : { parameter, is: false };
  }
  const isFraction = type === 'INTEGER' && !Number.isInteger(Number(value));
  if (predicate === 'EQUAL_TO' || predicate === 'NOT_EQUAL_TO') {
    const isEqual = predicate === 'EQUAL_TO';
    if (typeof value === 'boolean' || isFraction) return isEqual ? 'never' : 'always';
    return isEqual ? { parameter, equals: value } : { parameter, notEquals: value };
  }
  // an integer above 1.5 is one above 1: thresholds of integers are rounded otherwise
  const limit = Number(value);
  const [below, above] = isFraction ? [Math.floor(limit), Math.ceil(limit)] : [limit, limit];
  if (predicate === 'GREATER_THAN') return { parameter, greater: below };
  if (predicate === 'LESS_THAN') return { parameter, less: above };
  return predicate === 'GREATER_THAN_EQUAL_TO' ? { parameter, atLeast: above } : { parameter, atMost: below };
}

type Test = (left: number | boolean, right: number | boolean) => boolean;

const HOLDS: Readonly<Record<GraphPredicate, Test>> = {
  GREATER_THAN: (left, right) => left > right,
  LESS_THAN: (left, right) => left < right,
  GREATER_THAN_EQUAL_TO: (left, right) => left >= right,
  LESS_THAN_EQUAL_TO: (left, right) => left <= right,
  EQUAL_TO: (left, right) => left === right,
  NOT_EQUAL_TO: (left, right) => left !== right,
};

/** The values that conditions leave a parameter; true counts as 1. Open bounds are outside. */
interface Range {
  low: number;
  high: number;
  isLowOpen: boolean;
  isHighOpen: boolean;
  readonly not: number[];
}

const ANY_VALUE = { low: -Infinity, high: Infinity, isLowOpen: false, isHighOpen: false };

/** By parameter. */
type Ranges = ReadonlyMap<string, Range>;

/** Values that each parameter may have if all conditions of a list hold. */
export function rangesOf(conditions: readonly ConditionModel[]): Ranges {
  const ranges = new Map<string, Range>();
  for (const condition of conditions) {
    const { parameter } = condition;
    const range: Range = ranges.get(parameter) ?? { ...ANY_VALUE, not: [] };
    ranges.set(parameter, range);
    if ('greater' in condition) raise(range, condition.greater, true);
    else if ('atLeast' in condition) raise(range, condition.atLeast, false);
    else if ('less' in condition) lower(range, condition.less, true);
    else if ('atMost' in condition) lower(range, condition.atMost, false);
    else if ('notEquals' in condition) range.not.push(condition.notEquals);
    else {
      const value = 'equals' in condition ? condition.equals : Number(condition.is ?? true);
      raise(range, value, false);
      lower(range, value, false);
    }
  }
  return ranges;
}

/** Returns true if two lists of conditions can hold at once. */
export function canHoldTogether(a: Ranges, b: Ranges): boolean {
  for (const [parameter, range] of a) {
    const other = b.get(parameter);
    if (other && isEmpty(range, other)) return false;
  }
  return true;
}

function isEmpty(a: Range, b: Range): boolean {
  const both: Range = { ...a, not: [...a.not, ...b.not] };
  raise(both, b.low, b.isLowOpen);
  lower(both, b.high, b.isHighOpen);
  if (both.low !== both.high) return both.low > both.high;
  return both.isLowOpen || both.isHighOpen || both.not.includes(both.low);
}

function raise(range: Range, low: number, isOpen: boolean): void {
  if (low > range.low) [range.low, range.isLowOpen] = [low, isOpen];
  else if (low === range.low) range.isLowOpen ||= isOpen;
}

function lower(range: Range, high: number, isOpen: boolean): void {
  if (high < range.high) [range.high, range.isHighOpen] = [high, isOpen];
  else if (high === range.high) range.isHighOpen ||= isOpen;
}
