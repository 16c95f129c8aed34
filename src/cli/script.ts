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
/** A check of a field, and its condition in words. */
type Field = readonly [Check, string];

/** The largest finite 32-bit float: what parameters are held in. */
const FLOAT_LIMIT = 3.4028234663852886e38;
/** Seconds of a step, and cycles of a clock, at most. */
const TIME_LIMIT = 1e6;

const isNumber: Check = (value) => typeof value === 'number' && Math.abs(value) <= FLOAT_LIMIT;
const isTime: Check = (value) => typeof value === 'number' && value >= 0 && value <= TIME_LIMIT;
const isClock: Check = (value) => typeof value === 'number' && Math.abs(value) <= TIME_LIMIT;
const isText: Check = (value) => typeof value === 'string';
const isLayer: Check = (value) => isText(value) || (Number.isSafeInteger(value) && (value as number) >= 0);
const isFlag: Check = (value) => typeof value === 'boolean';

const SECONDS: Field = [isTime, 'seconds, 0 to 1e6'];
const CYCLES: Field = [isClock, 'a number of cycles, at most 1e6'];
const STATE: Field = [isText, "a state's path"];
const LAYER: Field = [isLayer, "a layer's name or index"];
const NAME: Field = [isText, 'a name'];
const VALUE: Field = [(value) => isNumber(value) || isFlag(value), 'a 32-bit number, true or false'];

/** Fields that hold others: by names that are known, by any name, or by place in a list. */
type Group = { readonly fields: Readonly<Record<string, Field>>; readonly any?: Field } | { readonly each: Field };

const GROUPS: Readonly<Record<string, Group>> = {
  set: { fields: {}, any: VALUE },
  trigger: { each: NAME },
  reset: { each: NAME },
  play: { fields: { state: STATE, layer: LAYER, phase: CYCLES } },
  crossFade: {
    fields: { state: STATE, layer: LAYER, duration: SECONDS, fixed: [isFlag, 'true or false'], offset: CYCLES },
  },
};

/** Steps of a script at most. */
const STEP_LIMIT = 2 ** 18;
/** Issues that are worth listing. */
const ISSUE_LIMIT = 20;

type Refuse = (path: string, message: string) => void;

/** Reads a script: a list of steps as JSON. @throws ManipleError USAGE, with the place of everything that is wrong */
export function parseScript(text: string, file: string): ScriptStep[] {
  const issues: Issue[] = [];
  const refuse: Refuse = (path, message) => {
    if (issues.length < ISSUE_LIMIT) issues.push(error('USAGE', path === '' ? file : `${file}:${path}`, message));
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (!Array.isArray(value) || value.length > STEP_LIMIT)
      refuse('', `has to be a list of at most ${STEP_LIMIT} steps.`);
  } catch {
    refuse('', 'Not valid JSON.');
  }
  if (issues.length === 0) {
    for (const [index, step] of (value as unknown[]).entries()) {
      checkStep(step, `/${index}`, refuse);
      if (issues.length >= ISSUE_LIMIT) break;
    }
  }
  if (issues.length > 0) throw new ManipleError(issues);
  return value as ScriptStep[];
}

function checkStep(step: unknown, path: string, refuse: Refuse): void {
  if (!isRecord(step)) return refuse(path, 'has to be an object.');
  for (const [key, value] of Object.entries(step)) {
    const place = `${path}/${pointer(key)}`;
    if (key === 'dt') check(value, SECONDS, place, refuse);
    else if (Object.hasOwn(GROUPS, key)) checkGroup(value, GROUPS[key]!, place, refuse);
    else refuse(place, `is not known; a step has dt, ${Object.keys(GROUPS).join(', ')}.`);
  }
  if (!Object.hasOwn(step, 'dt')) refuse(`${path}/dt`, 'is missing.');
}

function checkGroup(value: unknown, group: Group, path: string, refuse: Refuse): void {
  if ('each' in group) {
    if (!Array.isArray(value)) return refuse(path, 'has to be a list of names.');
    return value.forEach((element, i) => check(element, group.each, `${path}/${i}`, refuse));
  }
  if (!isRecord(value)) return refuse(path, 'has to be an object.');
  const { fields, any } = group;
  for (const [key, element] of Object.entries(value)) {
    const field = any ?? (Object.hasOwn(fields, key) ? fields[key] : undefined);
    const place = `${path}/${pointer(key)}`;
    if (field) check(element, field, place, refuse);
    else refuse(place, `is not known; there are ${Object.keys(fields).join(', ')}.`);
  }
  if (fields.state && !Object.hasOwn(value, 'state')) refuse(`${path}/state`, 'is missing.');
}

function check(value: unknown, [holds, what]: Field, path: string, refuse: Refuse): void {
  if (!holds(value)) refuse(path, `has to be ${what}.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name as a step of a JSON pointer, shortened. */
function pointer(name: string): string {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return short.replaceAll('~', '~0').replaceAll('/', '~1');
}
