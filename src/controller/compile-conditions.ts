import { error, type Issue, quoted } from '../errors.ts';
import { listedByNearness } from '../character/names.ts';
import { roundHalfEven } from '../math/cycles.ts';
import type { ConditionModel, ControllerModel, ParameterModel } from './model.ts';
import type { Rows } from './rows.ts';
import {
  COMMON_BITS,
  COMMON_LIMIT,
  CONDITION_AT_LEAST,
  CONDITION_AT_MOST,
  CONDITION_BOOL,
  CONDITION_CONSUMES,
  CONDITION_EQUALS,
  CONDITION_GREATER,
  CONDITION_INT,
  CONDITION_LESS,
  CONDITION_LIMIT,
  CONDITION_NOT_EQUALS,
  CONDITION_TRIGGER,
  ControllerComparisons,
  ControllerSwitches,
  LAYER_LIMIT,
  TRIGGER_LIMIT,
} from './tables.ts';

export interface CompiledParameter {
  readonly name: string;
  readonly type: ParameterModel['type'];
  /** Initial value; 0 or 1 for bools and triggers. */
  readonly value: number;
  /** Bit of a trigger, else −1. */
  readonly trigger: number;
}

export function compileParameters(model: ControllerModel, issues: Issue[]): CompiledParameter[] {
  if (model.layers.length === 0 || model.layers.length > LAYER_LIMIT) {
    const message = `Got ${model.layers.length} layers; a controller has 1 to ${LAYER_LIMIT}.`;
    issues.push(error('CONTROLLER_LIMIT', 'layers', message));
  }
  let triggers = 0;
  const parameters = Object.entries<ParameterModel>(model.parameters).map(([name, parameter]): CompiledParameter => {
    const value = Number(parameter.default ?? 0);
    const finite = Number.isFinite(value) ? value : 0;
    const trigger = parameter.type === 'trigger' ? triggers++ : -1;
    return { name, type: parameter.type, value: parameter.type === 'int' ? Math.trunc(finite) : finite, trigger };
  });
  if (triggers > TRIGGER_LIMIT) {
    const message = `${triggers} triggers; the limit is ${TRIGGER_LIMIT}.`;
    issues.push(error('CONTROLLER_LIMIT', 'parameters', message, 'Use bool parameters for some.'));
  }
  return parameters;
}

export function unknownParameter(name: string, where: string, parameters: readonly CompiledParameter[]): Issue {
  const nearest = parameters.length > 0 ? ` The nearest of ${parameters.length}: ${listedByNearness(parameters, name)}.` : ''; // prettier-ignore
  const message = `The controller has no parameter ${quoted(name)}.`;
  return error('CONTROLLER_NAME_UNKNOWN', where, message, `Declare it in \`parameters\`.${nearest}`);
}

export interface ConditionTable {
  /** First condition and count in one word; undefined when one of them can never hold. */
  add(conditions: readonly ConditionModel[], where: string): number | undefined;
  /** The conditions that occur in most of these runs. */
  common(runs: readonly number[]): CommonConditions;
  write(rows: Rows): number;
}

/** Up to COMMON_LIMIT conditions, each once, with a bit of its own or a shared one. */
export interface CommonConditions {
  /** Numbers of records of four that `write` writes. */
  readonly triggerFours: number;
  readonly boolFours: number;
  readonly comparisonFours: number;
  /** Bits of the common conditions in a run. */
  needsOf(run: number): number;
  write(rows: Rows): number;
}

/** Conditions of all transitions and entries, each as a pair of words. */
export function compileConditions(
  model: ControllerModel,
  indexOf: ReadonlyMap<string, number>,
  issues: Issue[],
): ConditionTable {
  const parameters = compileParameters(model, []);
  const words: number[] = [];
  return {
    add(conditions, where) {
      if (conditions.length > CONDITION_LIMIT) {
        const message = `Got ${conditions.length} conditions; the limit is ${CONDITION_LIMIT}.`;
        issues.push(error('CONTROLLER_LIMIT', where, message));
        return undefined;
      }
      const pairs: number[] = [];
      for (const condition of conditions) {
        const index = indexOf.get(condition.parameter);
        if (index === undefined) {
          issues.push(unknownParameter(condition.parameter, where, parameters));
          return undefined;
        }
        pairs.push(...compileCondition(condition, parameters[index]!, index));
      }
      const first = words.length / 2;
      words.push(...pairs);
      return (first | (conditions.length << 24)) >>> 0;
    },
    common: (runs) => commonConditions(words, runs),
    write(rows) {
      const row = rows.reserve(Math.ceil(words.length / 4));
      words.forEach((word, i) => rows.setWord(row, i, word));
      return row;
    },
  };
}

function commonConditions(words: readonly number[], runs: readonly number[]): CommonConditions {
  const keysOf = (run: number): string[] =>
    Array.from({ length: run >>> 24 }, (_, i) => {
      const at = 2 * ((run & 0xffffff) + i);
      return `${words[at]},${words[at + 1]}`;
    });
  const uses = new Map<string, number>();
  for (const key of runs.flatMap((run) => [...new Set(keysOf(run))])) uses.set(key, (uses.get(key) ?? 0) + 1);
  const most = [...uses].sort(([, a], [, b]) => b - a).slice(0, COMMON_LIMIT);
  const bitOf = new Map(most.map(([key], i) => [key, (1 << placeOf(i, most.length)) >>> 0]));
  const triggers = new Map<number, Switch>();
  const bools = new Map<number, Switch>();
  const comparisons: { condition: number; operand: number; bit: number }[] = [];
  for (const [key, bit] of bitOf) {
    const [condition, operand] = key.split(',').map(Number) as [number, number];
    const operator = condition & 0xff;
    if (operator === CONDITION_TRIGGER) addSwitch(triggers, condition >>> 16, operand, bit);
    else if (operator === CONDITION_BOOL) addSwitch(bools, condition >>> 16, operand, bit);
    else comparisons.push({ condition, operand, bit });
  }
  const [triggerFours, boolFours] = [inFours([...triggers.values()]), inFours([...bools.values()])];
  const comparisonFours = inFours(comparisons);
  return {
    triggerFours: triggerFours.length,
    boolFours: boolFours.length,
    comparisonFours: comparisonFours.length,
    needsOf: (run) => keysOf(run).reduce((needs, key) => needs | (bitOf.get(key) ?? 0), 0) >>> 0,
    write(rows) {
      const switches = [...triggerFours, ...boolFours];
      const row = rows.reserveFor(ControllerSwitches, switches.length);
      switches.forEach((record, i) => rows.put(ControllerSwitches, row, i, record));
      const comparisonRow = rows.reserveFor(ControllerComparisons, comparisonFours.length);
      comparisonFours.forEach((record, i) => rows.put(ControllerComparisons, comparisonRow, i, record));
      return row;
    },
  };
}

/** Groups records in fours, field by field. The last group is filled up with zeros, which set no bit. */
function inFours<K extends string>(records: readonly Readonly<Record<K, number>>[]): Record<K, number[]>[] {
  return Array.from({ length: Math.ceil(records.length / 4) }, (_, i) => {
    const four = records.slice(4 * i, 4 * i + 4);
    const keys = Object.keys(four[0]!) as K[];
    return Object.fromEntries(keys.map((key) => [key, four.map((record) => record[key])])) as Record<K, number[]>;
  });
}

/** Number of conditions with a bit of their own when there are more conditions than bits. */
const UNSHARED = 16;

/** The bit of the common condition `index`, counted from the most common one. */
function placeOf(index: number, count: number): number {
  if (count <= COMMON_BITS || index < UNSHARED) return index;
  return UNSHARED + ((index - UNSHARED) % (COMMON_BITS - UNSHARED));
}

/** Bits of conditions on one bool or trigger. */
type Switch = Readonly<Record<'place' | 'whenClear' | 'whenSet', number>>;

/** @param table Whether the condition holds when it is clear (bit 0), and when it is set (bit 1). */
function addSwitch(switches: Map<number, Switch>, place: number, table: number, bit: number): void {
  const { whenClear, whenSet } = switches.get(place) ?? { whenClear: 0, whenSet: 0 };
  switches.set(place, {
    place,
    whenClear: (whenClear | (table & 1 ? bit : 0)) >>> 0,
    whenSet: (whenSet | (table & 2 ? bit : 0)) >>> 0,
  });
}

const OPERATORS = {
  greater: CONDITION_GREATER,
  less: CONDITION_LESS,
  equals: CONDITION_EQUALS,
  notEquals: CONDITION_NOT_EQUALS,
  atLeast: CONDITION_AT_LEAST,
  atMost: CONDITION_AT_MOST,
} as const;

const COMPARE: readonly ((a: number, b: number) => boolean)[] = [
  (a, b) => a > b,
  (a, b) => a < b,
  (a, b) => a === b,
  (a, b) => a !== b,
  (a, b) => a >= b,
  (a, b) => a <= b,
];

/** A condition as a pair of words: see `tables.ts`. */
function compileCondition(condition: ConditionModel, { type, trigger }: CompiledParameter, index: number): number[] {
  const { operator, threshold, wantsTrue } = readCondition(condition);
  if (type === 'bool' || type === 'trigger') {
    const holds = (value: number) => COMPARE[operator]!(value, threshold);
    const table = Number(holds(0)) | (Number(holds(1)) << 1);
    const consumes = type === 'trigger' && wantsTrue ? CONDITION_CONSUMES : 0;
    const [kind, place] = type === 'bool' ? [CONDITION_BOOL, index] : [CONDITION_TRIGGER, trigger];
    return [(kind | consumes | (place << 16)) >>> 0, table];
  }
  if (type === 'int') {
    const whole = Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, roundHalfEven(Math.fround(threshold))));
    return [(operator | CONDITION_INT | (index << 16)) >>> 0, whole >>> 0];
  }
  return [(operator | (index << 16)) >>> 0, new Uint32Array(Float32Array.of(threshold).buffer)[0]!];
}

/** `is` compares with 0. */
function readCondition(condition: ConditionModel): { operator: number; threshold: number; wantsTrue: boolean } {
  for (const [name, operator] of Object.entries(OPERATORS)) {
    const threshold = (condition as Readonly<Record<string, unknown>>)[name];
    if (typeof threshold === 'number') return { operator, threshold, wantsTrue: false };
  }
  const wanted = (condition as { readonly is?: boolean }).is ?? true;
  return { operator: wanted ? CONDITION_NOT_EQUALS : CONDITION_EQUALS, threshold: 0, wantsTrue: wanted };
}
