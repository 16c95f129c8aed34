import type { CompiledController } from '../asset/controller/compile.ts';
import { fail, listed, quoted } from '../errors.ts';
import type { AnimatorInputs } from '../frame/backend.ts';
import { Column, Word } from '../frame/column.ts';
import type { CrowdType } from '../frame/types.ts';
import {
  COMMAND_CROSS_FADE,
  COMMAND_FIXED,
  COMMAND_PLAY,
  COMMAND_START,
  COMMAND_STOP,
  COMMAND_TRIGGERS,
} from '../stages/step-controllers/layout.ts';
import { isFloat } from './arguments.ts';

/** How a state is cut to. */
export interface PlayStateOptions {
  /** Name or index of the layer; default the first. */
  readonly layer?: string | number;
  /** Clock to begin at: a phase, with whole cycles in front. Default: where the state begins. */
  readonly phase?: number;
}

/** How a state is gone over to. */
export interface CrossFadeOptions {
  readonly layer?: string | number;
  /** Seconds, or cycles of the state that is left; default 0.25. */
  readonly duration?: number;
  /** Whether `duration` is in seconds; default true. */
  readonly fixed?: boolean;
  /** Clock that the state begins at; default 0. */
  readonly offset?: number;
}

/** A command for one machine, as the kernel takes it: kind, target, and two more words. */
export type CommandWords = readonly [kind: number, target: number, amount: number, offset: number];

/** Whether a controller is started by commands of one character. */
export function isStarted(commands: readonly CommandWords[] = []): boolean {
  return commands.some(([kind]) => (kind & 0xff) === COMMAND_START);
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

function bitsOf(value: number): number {
  float[0] = value;
  return word[0]!;
}

/**
 * The host's side of state machines: parameters, in columns that are uploaded where they change, and commands of the
 * coming frame.
 */
export class Animators {
  /** Column 0 holds speeds, column 1 + p parameter p of the character's controller. */
  columns: readonly Column<typeof Word.fields>[] = [];
  #floats: readonly Float32Array[] = [];
  #ints: readonly Int32Array[] = [];
  #commands = new Map<number, CommandWords[]>();

  constructor(capacity: number, parameterCount: number) {
    this.resize(capacity, parameterCount);
  }

  /** Makes room for more characters, for more parameters or fewer. */
  resize(capacity: number, parameterCount: number): void {
    this.columns = Array.from(
      { length: parameterCount + 1 },
      (_, index) => this.columns[index]?.grown(capacity) ?? new Column(Word, capacity),
    );
    this.#floats = this.columns.map(({ view }) => view.floats);
    this.#ints = this.columns.map(({ view }) => view.ints);
  }

  /** Commands of the coming frame, by row. */
  get pending(): ReadonlyMap<number, readonly CommandWords[]> {
    return this.#commands;
  }

  /** Puts others in their place. */
  expect(commands: ReadonlyMap<number, readonly CommandWords[]>): void {
    this.#commands = new Map(Array.from(commands, ([row, list]) => [row, [...list]]));
  }

  /** A character begins to run its type's controller, with the parameters that it starts with. */
  start(row: number, { character, controllerRow }: CrowdType): void {
    if (!character.controller) return;
    this.#floats[0]![row] = 1;
    this.columns[0]!.changed(row);
    character.controller.parameters.forEach(({ value }, index) => this.set(row, character.controller!, index, value));
    // alone: commands of this frame that were meant for who lived in the row before must not reach this one
    this.#commands.set(row, [[COMMAND_START, controllerRow, 0, 0]]);
  }

  stop(row: number, { character }: CrowdType): void {
    if (character.controller) this.#commands.set(row, [[COMMAND_STOP, 0, 0, 0]]);
  }

  /** Forgets speed and parameters of who lived in a row. */
  clear(row: number): void {
    for (const column of this.columns) column.view.words[row] = 0;
    for (const column of this.columns) column.changed(row);
  }

  set(row: number, controller: CompiledController, index: number, value: number): void {
    const { type } = controller.parameters[index]!;
    if (type === 'float') this.#floats[1 + index]![row] = value;
    else this.#ints[1 + index]![row] = value;
    this.columns[1 + index]!.changed(row);
  }

  get(row: number, controller: CompiledController, index: number): number {
    return (controller.parameters[index]!.type === 'float' ? this.#floats : this.#ints)[1 + index]![row]!;
  }

  setSpeed(row: number, speed: number): void {
    this.#floats[0]![row] = speed;
    this.columns[0]!.changed(row);
  }

  trigger(row: number, bit: number, set: boolean): void {
    const mask = (1 << bit) >>> 0;
    this.#push(row, [COMMAND_TRIGGERS, set ? mask : 0, set ? 0 : mask, 0]);
  }

  play(row: number, { machine, state }: StatePlace, phase: number | undefined): void {
    // not a number: where the state begins
    this.#push(row, [COMMAND_PLAY | (machine << 8), state, bitsOf(phase ?? NaN), 0]);
  }

  crossFade(
    row: number,
    { machine, state }: StatePlace,
    { duration = 0.25, fixed = true, offset = 0 }: CrossFadeOptions,
  ): void {
    const kind = COMMAND_CROSS_FADE | (machine << 8) | (fixed ? COMMAND_FIXED : 0);
    this.#push(row, [kind, state, bitsOf(duration), bitsOf(offset)]);
  }

  /** What a frame brings to the machines; the commands are gone after that. */
  take(dt: number, characterCount: number): AnimatorInputs {
    const commands = this.#commands;
    this.#commands = new Map();
    const runCount = commands.size;
    const total = Array.from(commands.values()).reduce((sum, list) => sum + list.length, 0);
    const words = new Uint32Array(4 * (runCount + total));
    let [run, next] = [0, 0];
    for (const [row, list] of commands) {
      words.set([row, next, list.length, 0], 4 * run++);
      for (const command of list) words.set(command, 4 * (runCount + next++));
    }
    return { dt, characterCount, columns: this.columns, commands: words, runCount };
  }

  #push(row: number, command: CommandWords): void {
    const known = this.#commands.get(row);
    if (known) known.push(command);
    else this.#commands.set(row, [command]);
  }
}

/** A state, as commands name it. */
export interface StatePlace {
  readonly machine: number;
  readonly state: number;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT when the character has none */
export function controllerOf({ character }: CrowdType): CompiledController {
  const suggestion = 'Pack it with one: packCharacter(model, { controller }).';
  return character.controller ?? fail('CROWD_BAD_ARGUMENT', character.name, 'It has no controller.', suggestion);
}

/** Index of a parameter of a kind. @throws ManipleError CROWD_BAD_ARGUMENT */
export function parameterIndex(controller: CompiledController, name: string, kind: 'value' | 'trigger'): number {
  const index = controller.parameters.findIndex((parameter) => parameter.name === name);
  const found = controller.parameters[index];
  if (found && (found.type === 'trigger') === (kind === 'trigger')) return index;
  const wanted = kind === 'trigger' ? 'trigger' : 'parameter';
  const message = found
    ? `${quoted(name)} is of type ${found.type}.`
    : `The controller has no ${wanted} ${quoted(name)}.`;
  const names = controller.parameters
    .filter(({ type }) => (type === 'trigger') === (kind === 'trigger'))
    .map((parameter) => parameter.name);
  const suggestion = names.length > 0 ? `It has ${listed(names)}.` : 'It has none.';
  return fail('CROWD_BAD_ARGUMENT', controller.name, message, suggestion);
}

/** A parameter's value as its column holds it. @throws ManipleError CROWD_BAD_ARGUMENT for numbers that are none */
export function parameterValue(controller: CompiledController, index: number, value: number | boolean): number {
  const { name, type } = controller.parameters[index]!;
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (!isFloat(number)) {
    fail('CROWD_BAD_ARGUMENT', name, `is set to ${quoted(value)}.`, 'Use a finite number that 32 bits hold.');
  }
  if (type === 'bool') return Number(number !== 0);
  if (type !== 'int') return number;
  const whole = Math.trunc(number);
  if (whole !== (whole | 0)) fail('CROWD_BAD_ARGUMENT', name, `is set to ${number}.`, 'Use −2³¹ to 2³¹ − 1.');
  return whole;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT when there is no such layer or state */
export function findState(controller: CompiledController, state: string, layer: string | number = 0): StatePlace {
  const known = typeof layer === 'number' ? layer : controller.layers.findIndex(({ name }) => name === layer);
  const found = controller.layers[known];
  if (!found) {
    const names = listed(controller.layers.map(({ name }) => name));
    fail('CROWD_BAD_ARGUMENT', controller.name, `has no layer ${quoted(layer)}.`, `It has ${names}.`);
  }
  const { states } = controller.machines[found.machine]!;
  const index = states.indexOf(state);
  if (index < 0) {
    const some = listed(states);
    fail('CROWD_BAD_ARGUMENT', `${controller.name}/${found.name}`, `has no state ${quoted(state)}.`, `It has ${some}.`);
  }
  return { machine: found.machine, state: index };
}
