import { exact, flag, FLOAT_MAX, list, map, numberBetween, optional, type Rule, text } from '../forms/rules.ts';
import { parseJson, readForm } from './read-form.ts';

/** One step of a script for `maniple simulate`: what the host does, then time passes. */
export interface ScriptStep {
  /** Seconds. */
  readonly dt: number;
  /** Parameters; true sets a trigger, false resets it. */
  readonly set?: Readonly<Record<string, number | boolean>>;
  readonly trigger?: readonly string[];
  readonly reset?: readonly string[];
  readonly play?: { readonly layer?: number | string; readonly state: string; readonly phase?: number };
  readonly crossFade?: {
    readonly layer?: number | string;
    readonly state: string;
    readonly duration?: number;
    readonly fixed?: boolean;
    readonly offset?: number;
  };
}

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

const script: Rule<readonly ScriptStep[]> = list(
  exact({
    dt: seconds,
    set: optional(map(parameter)),
    trigger: optional(list(text)),
    reset: optional(list(text)),
    play: optional(exact({ state: text, layer: optional(layer), phase: optional(cycles) })),
    crossFade: optional(
      exact({
        state: text,
        layer: optional(layer),
        duration: optional(seconds),
        fixed: optional(flag),
        offset: optional(cycles),
      }),
    ),
  }),
  STEP_LIMIT,
);

/** Reads a script: a list of steps as JSON. @throws ManipleError USAGE, with the place of everything that is wrong */
export function parseScript(text: string, file: string): readonly ScriptStep[] {
  const options = { code: 'USAGE', file } as const;
  return readForm(parseJson(text, options), script, options);
}
