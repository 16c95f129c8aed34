import type { ConditionModel } from '../../controller/model.ts';
import type { Graph, GraphCondition, GraphPredicate } from './graph.ts';

/** A translated condition: one of ours, or one that holds or fails for any value of the parameter. */
export type Translated = ConditionModel | 'always' | 'never';

/**
 * A condition of PlayCanvas, which compares as JavaScript does: a trigger with `true`, an integer with a fraction, and
 * nothing of one type equals anything of another.
 */
export function translateCondition(condition: GraphCondition, parameters: Graph['parameters']): Translated {
  const { parameter, predicate, value } = condition;
  const type = parameters.get(parameter)?.type;
  if (type === 'BOOLEAN' || type === 'TRIGGER') {
    const [whenSet, whenClear] = [holds(true, predicate, value), holds(false, predicate, value)];
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

function holds(parameter: boolean, predicate: GraphPredicate, value: number | boolean): boolean {
  const [left, right] = [Number(parameter), Number(value)];
  switch (predicate) {
    case 'GREATER_THAN':
      return left > right;
    case 'LESS_THAN':
      return left < right;
    case 'GREATER_THAN_EQUAL_TO':
      return left >= right;
    case 'LESS_THAN_EQUAL_TO':
      return left <= right;
    case 'EQUAL_TO':
      return parameter === value;
    case 'NOT_EQUAL_TO':
      return parameter !== value;
  }
}

/** The values that conditions leave a parameter; true counts as 1. Open bounds are outside. */
interface Range {
  low: number;
  high: number;
  isLowOpen: boolean;
  isHighOpen: boolean;
  readonly not: number[];
}

/** By parameter. */
export type Ranges = ReadonlyMap<string, Range>;

/** Values that each parameter may have if all conditions of a list hold. */
export function rangesOf(conditions: readonly ConditionModel[]): Ranges {
  const ranges = new Map<string, Range>();
  for (const condition of conditions) {
    const { parameter } = condition;
    const range = ranges.get(parameter) ?? {
      low: -Infinity,
      high: Infinity,
      isLowOpen: false,
      isHighOpen: false,
      not: [],
    };
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
