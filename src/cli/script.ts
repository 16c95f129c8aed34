import { error, type Issue, ManipleError } from '../errors.ts';

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

type Check = (value: unknown) => boolean;

const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isRecord: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isLayer: Check = (value) => isText(value) || (Number.isInteger(value) && (value as number) >= 0);

/** Fields of a step: what each has to be. */
const FIELDS: Readonly<Record<string, readonly [Check, string]>> = {
  dt: [(value) => isNumber(value) && (value as number) >= 0, 'seconds, 0 or more'],
  set: [
    (value) => isRecord(value) && Object.values(value as object).every((v) => isNumber(v) || typeof v === 'boolean'),
    'numbers, true or false by parameter',
  ],
  trigger: [isTexts, 'a list of names'],
  reset: [isTexts, 'a list of names'],
  play: [(value) => hasFields(value, PLAY), '{ state, layer?, phase? }'],
  crossFade: [(value) => hasFields(value, CROSS_FADE), '{ state, layer?, duration?, fixed?, offset? }'],
};

const PLAY: Readonly<Record<string, Check>> = { state: isText, layer: isLayer, phase: isNumber };
const CROSS_FADE: Readonly<Record<string, Check>> = {
  state: isText,
  layer: isLayer,
  duration: (value) => isNumber(value) && (value as number) >= 0,
  fixed: (value) => typeof value === 'boolean',
  offset: isNumber,
};

function hasFields(value: unknown, fields: Readonly<Record<string, Check>>): boolean {
  if (!isRecord(value) || !Object.hasOwn(value as object, 'state')) return false;
  return Object.entries(value as object).every(([key, field]) => Object.hasOwn(fields, key) && fields[key]!(field));
}

/** Steps of a script at most. */
const STEP_LIMIT = 1_000_000;
/** Issues that are worth listing. */
const ISSUE_LIMIT = 20;

/** Reads a script: a list of steps as JSON. @throws ManipleError USAGE, with the place of everything that is wrong */
export function parseScript(text: string, file: string): ScriptStep[] {
  const issues: Issue[] = [];
  const refuse = (path: string, message: string): void => {
    if (issues.length < ISSUE_LIMIT) issues.push(error('USAGE', `${file}:${path}`, message));
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse('', 'is no JSON.');
  }
  if (Array.isArray(value) && value.length <= STEP_LIMIT) {
    value.forEach((step: unknown, index) => {
      if (!isRecord(step)) return refuse(`/${index}`, 'has to be an object.');
      for (const [key, field] of Object.entries(step as object)) {
        const known = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
        if (!known) refuse(`/${index}/${key}`, `is not known; a step has ${Object.keys(FIELDS).join(', ')}.`);
        else if (!known[0](field)) refuse(`/${index}/${key}`, `has to be ${known[1]}.`);
      }
      if (!Object.hasOwn(step as object, 'dt')) refuse(`/${index}/dt`, 'is missing.');
      return undefined;
    });
  } else if (issues.length === 0) refuse('', `has to be a list of at most ${STEP_LIMIT} steps.`);
  if (issues.length > 0) throw new ManipleError(issues);
  return value as ScriptStep[];
}
