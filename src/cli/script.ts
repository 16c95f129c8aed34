import type { CompiledController } from '../controller/compile.ts';
import { error, type Issue, ManipleError, quoted } from '../errors.ts';
import {
  exact,
  flag,
  FLOAT_MAX,
  list,
  map,
  numberBetween,
  optional,
  pointer,
  type Rule,
  type RuleValue,
  text,
} from '../forms/rules.ts';
import { parseJson, readForm } from './read.ts';

/** Seconds of a step, and cycles of a clock, at most. */
const TIME_LIMIT = 1e6;
/** Steps of a script at most. */
const STEP_LIMIT = 2 ** 18;

const seconds = numberBetween(0, TIME_LIMIT);
const cycles = numberBetween(-TIME_LIMIT, TIME_LIMIT);
const parameter: Rule<number | boolean> = (value, place) =>
  typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) <= FLOAT_MAX)
    ? value
    : place.expected('a 32-bit number, true or false', value);
const layer: Rule<number | string> = (value, place) =>
  typeof value === 'string' || (Number.isSafeInteger(value) && (value as number) >= 0)
    ? (value as number | string)
    : place.expected("a layer's name or index", value);

const fade = { duration: optional(seconds), fixed: optional(flag), offset: optional(cycles) };
const step = exact({
  dt: seconds,
  /** Parameters; true sets a trigger, false resets it. */
  set: optional(map(parameter)),
  trigger: optional(list(text)),
  reset: optional(list(text)),
  play: optional(exact({ state: text, layer: optional(layer), phase: optional(cycles) })),
  crossFade: optional(exact({ state: text, layer: optional(layer), ...fade })),
});

/** One step of a script for `maniple simulate`: what the host does, then time passes. */
export type ScriptStep = RuleValue<typeof step>;

/** Reads a script: a list of steps as JSON. @throws ManipleError USAGE, with the place of everything that is wrong */
export function parseScript(text: string, file: string): readonly ScriptStep[] {
  const options = { code: 'USAGE', file } as const;
  return readForm(parseJson(text, options), list(step, STEP_LIMIT), options);
}

/** Issues, and names in a suggestion, that are worth listing. */
const ISSUE_LIMIT = 20;
const NAME_LIMIT = 12;
/** Steps times layers: the answer is kept until it is written. */
const ANSWER_LIMIT = 2 ** 19;

/**
 * Checks that a controller has every name in a script.
 * @throws ManipleError CONTROLLER_NAME_UNKNOWN, each with its step: `steps.json:/12/set/speed`; USAGE (too many steps,
 *   an int out of range)
 */
export function checkScript(script: readonly ScriptStep[], controller: CompiledController, file: string): void {
  const issues: Issue[] = [];
  const { parameters, layers, machines } = controller;
  const typeOf = new Map(parameters.map(({ name, type }) => [name, type]));
  const triggers = parameters.filter(({ type }) => type === 'trigger').map(({ name }) => name);
  const statesOf = machines.map(({ states }) => new Set(states));
  if (script.length * layers.length > ANSWER_LIMIT) {
    const message = `${script.length} steps of ${layers.length} layers; together they may be ${ANSWER_LIMIT}.`;
    throw new ManipleError(error('USAGE', file, message, 'Run it in parts.'));
  }

  const refuse = (path: string, message: string, names: readonly string[]): void => {
    const listed = names.slice(0, NAME_LIMIT).map((name) => quoted(name));
    const more = names.length > NAME_LIMIT ? ` and ${names.length - NAME_LIMIT} more` : '';
    const suggestion = names.length === 0 ? 'It has none.' : `It has ${listed.join(', ')}${more}.`;
    issues.push(error('CONTROLLER_NAME_UNKNOWN', `${file}:${path}`, message, suggestion));
  };

  const checkParameter = (path: string, name: string, isTrigger: boolean, value?: number | boolean): void => {
    const type = typeOf.get(name);
    const what = isTrigger ? 'trigger' : 'parameter';
    if (type === undefined) {
      const names = isTrigger ? triggers : parameters.map((parameter) => parameter.name);
      refuse(path, `The controller has no ${what} ${quoted(name)}.`, names);
    } else if (isTrigger && type !== 'trigger') {
      refuse(path, `${quoted(name)} is a parameter of type ${type}, not a trigger.`, triggers);
    } else if (type === 'int' && Math.abs(Number(value)) >= 2 ** 31) {
      issues.push(error('USAGE', `${file}:${path}`, `Expected an int within ±2³¹, got ${Number(value)}.`));
    }
  };

  const checkState = (path: string, state: string, layer: number | string = 0): void => {
    const found = typeof layer === 'number' ? layers[layer] : layers.find(({ name }) => name === layer);
    if (!found) {
      const names = layers.map(({ name }) => name);
      refuse(`${path}/layer`, `The controller has no layer ${quoted(layer)}.`, names);
    } else if (!statesOf[found.machine]!.has(state)) {
      const message = `The layer ${quoted(found.name)} has no state ${quoted(state)}.`;
      refuse(`${path}/state`, message, machines[found.machine]!.states);
    }
  };

  for (const [index, { set = {}, trigger = [], reset = [], play, crossFade }] of script.entries()) {
    for (const [name, value] of Object.entries(set)) {
      checkParameter(pointer(index, 'set', name), name, false, value);
    }
    trigger.forEach((name, i) => checkParameter(`/${index}/trigger/${i}`, name, true));
    reset.forEach((name, i) => checkParameter(`/${index}/reset/${i}`, name, true));
    if (play) checkState(`/${index}/play`, play.state, play.layer);
    if (crossFade) checkState(`/${index}/crossFade`, crossFade.state, crossFade.layer);
    if (issues.length >= ISSUE_LIMIT) break;
  }
  if (issues.length > 0) throw new ManipleError(issues.slice(0, ISSUE_LIMIT));
}
