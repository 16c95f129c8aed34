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
  CONTROLLER_NONE,
  ControllerComparisons,
  ControllerSwitches,
  ControllerWatch,
  LAYER_LIMIT,
  NEEDS_EXIT,
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_TO_SELF,
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

/** Conditions of all transitions and entries, each as a pair of words. */
export class ConditionTable {
  readonly #words: number[] = [];
  readonly #indexOf: ReadonlyMap<string, number>;

  constructor(
    readonly parameters: readonly CompiledParameter[],
    readonly issues: Issue[],
  ) {
    this.#indexOf = new Map(parameters.map(({ name }, index) => [name, index]));
  }

  /** First condition and count in one word; undefined when one of them can never hold. */
  add(conditions: readonly ConditionModel[], where: string): number | undefined {
    if (conditions.length > CONDITION_LIMIT) {
      const message = `Got ${conditions.length} conditions; the limit is ${CONDITION_LIMIT}.`;
      this.issues.push(error('CONTROLLER_LIMIT', where, message));
      return undefined;
    }
    const pairs: number[] = [];
    for (const condition of conditions) {
      const index = this.#indexOf.get(condition.parameter);
      if (index === undefined) {
        this.issues.push(unknownParameter(condition.parameter, where, this.parameters));
        return undefined;
      }
      pairs.push(...compileCondition(condition, this.parameters[index]!, index));
    }
    const first = this.#words.length / 2;
    this.#words.push(...pairs);
    return (first | (conditions.length << 24)) >>> 0;
  }

  /** The conditions that occur in most of these runs. */
  common(runs: readonly number[]): CommonConditions {
    return new CommonConditions(this.#words, runs);
  }

  write(rows: Rows): number {
    return rows.addWords(this.#words);
  }
}

/** Up to COMMON_LIMIT conditions, each once, with a bit of its own or a shared one. */
class CommonConditions {
  readonly #bitOf: ReadonlyMap<string, number>;
  readonly #triggers: readonly Four<Switch>[];
  readonly #bools: readonly Four<Switch>[];
  readonly #comparisons: readonly Four<Comparison>[];

  constructor(
    readonly words: readonly number[],
    runs: readonly number[],
  ) {
    const uses = new Map<string, number>();
    for (const key of runs.flatMap((run) => [...new Set(this.#keysOf(run))])) uses.set(key, (uses.get(key) ?? 0) + 1);
    const most = [...uses].sort(([, a], [, b]) => b - a).slice(0, COMMON_LIMIT);
    this.#bitOf = new Map(most.map(([key], i) => [key, (1 << placeOf(i, most.length)) >>> 0]));
    const triggers = new Map<number, Switch>();
    const bools = new Map<number, Switch>();
    const comparisons: Comparison[] = [];
    for (const [key, bit] of this.#bitOf) {
      const [condition, operand] = key.split(',').map(Number) as [number, number];
      const operator = condition & 0xff;
      if (operator === CONDITION_TRIGGER) addSwitch(triggers, condition >>> 16, operand, bit);
      else if (operator === CONDITION_BOOL) addSwitch(bools, condition >>> 16, operand, bit);
      else comparisons.push({ condition, operand, bit });
    }
    this.#triggers = inFours([...triggers.values()]);
    this.#bools = inFours([...bools.values()]);
    this.#comparisons = inFours(comparisons);
  }

  /** Numbers of records of four that `write` writes. */
  get fours() {
    const [triggerFours, boolFours] = [this.#triggers.length, this.#bools.length];
    return { triggerFours, boolFours, comparisonFours: this.#comparisons.length };
  }

  /** Bits of the common conditions in a run. */
  needsOf(run: number): number {
    return this.#keysOf(run).reduce((needs, key) => needs | (this.#bitOf.get(key) ?? 0), 0) >>> 0;
  }

  write(rows: Rows): number {
    const row = rows.add(ControllerSwitches, [...this.#triggers, ...this.#bools]);
    rows.add(ControllerComparisons, this.#comparisons);
    return row;
  }

  #keysOf(run: number): string[] {
    return Array.from({ length: run >>> 24 }, (_, i) => {
      const at = 2 * ((run & 0xffffff) + i);
      return `${this.words[at]},${this.words[at + 1]}`;
    });
  }
}

type Transition = Readonly<Record<string, number>>;

/** The first row of one record for every four transitions; those that only fill one up are never asked for. */
export function writeWatches(
  rows: Rows,
  transitions: readonly Transition[],
  common: CommonConditions,
  latchedExit: boolean,
): number {
  const watches = transitions.map(({ conditions = 0, destination = 0, exitCycles = 0, exitPhase = 0, flags = 0 }) => {
    const exits = (flags & TRANSITION_EXIT) !== 0;
    const avoids = (flags & TRANSITION_ANY) !== 0 && (flags & TRANSITION_TO_SELF) === 0;
    return {
      needs: (common.needsOf(conditions) | (exits ? NEEDS_EXIT : 0)) >>> 0,
      exitPhase: !latchedExit || exitCycles === 0 ? exitPhase : exitCycles > 0 ? 0xffffffff : 0,
      avoids: avoids ? destination : CONTROLLER_NONE,
    };
  });
  return rows.add(ControllerWatch, inFours(watches));
}

type Four<T> = Readonly<Record<keyof T, number[]>>;

interface Comparison {
  readonly condition: number;
  readonly operand: number;
  readonly bit: number;
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

const OPERATORS: Readonly<Record<string, readonly [operator: number, holds: (a: number, b: number) => boolean]>> = {
  greater: [CONDITION_GREATER, (a, b) => a > b],
  less: [CONDITION_LESS, (a, b) => a < b],
  equals: [CONDITION_EQUALS, (a, b) => a === b],
  notEquals: [CONDITION_NOT_EQUALS, (a, b) => a !== b],
  atLeast: [CONDITION_AT_LEAST, (a, b) => a >= b],
  atMost: [CONDITION_AT_MOST, (a, b) => a <= b],
};

/** A condition as a pair of words: see `tables.ts`. */
function compileCondition(condition: ConditionModel, { type, trigger }: CompiledParameter, index: number): number[] {
  const { name, threshold, wantsTrue } = readCondition(condition);
  const [operator, holds] = OPERATORS[name]!;
  if (type === 'bool' || type === 'trigger') {
    const table = Number(holds(0, threshold)) | (Number(holds(1, threshold)) << 1);
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
function readCondition(condition: ConditionModel) {
  for (const name of Object.keys(OPERATORS)) {
    const threshold = (condition as Readonly<Record<string, unknown>>)[name];
    if (typeof threshold === 'number') return { name, threshold, wantsTrue: false };
  }
  const wanted = (condition as { readonly is?: boolean }).is ?? true;
  return { name: wanted ? 'notEquals' : 'equals', threshold: 0, wantsTrue: wanted };
}
