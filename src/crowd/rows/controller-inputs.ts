import type { CompiledController } from '../../controller/compile.ts';
import { fail, listed, quoted } from '../../errors.ts';
import type { AnimatorInputs } from '../../frame/backend.ts';
import { Column, Word } from '../../frame/tables/column.ts';
import type { CrowdTables, CrowdType } from '../../frame/tables/crowd-types.ts';
import {
  COMMAND_CROSS_FADE,
  COMMAND_FIXED,
  COMMAND_PLAY,
  COMMAND_START,
  COMMAND_STOP,
  COMMAND_TRIGGERS,
} from '../../stages/step-controllers/layout.ts';
import { expectOptions, isFloat, type Names, refuseArgument } from '../arguments.ts';
import type { Section } from './ids.ts';

/** Options of a cut to a state. */
export interface PlayStateOptions {
  /** Name or index of the layer; default the first. */
  readonly layer?: string | number;
  /** Clock to begin at: a phase, with whole cycles in front. Default: where the state begins. */
  readonly phase?: number;
}

/** Options of a cross-fade to a state. */
export interface CrossFadeOptions {
  readonly layer?: string | number;
  /** Clock that the state begins at: a phase, with whole cycles in front; default 0. */
  readonly phase?: number;
  /** In `durationUnit`; default 0.25. */
  readonly duration?: number;
  /** 'seconds' (default), or 'cycles' of the state that is left. */
  readonly durationUnit?: 'seconds' | 'cycles';
}

const PLAY_STATE_OPTIONS: Names<PlayStateOptions> = { layer: true, phase: true };
const CROSS_FADE_OPTIONS: Names<CrossFadeOptions> = { layer: true, phase: true, duration: true, durationUnit: true };

/** A command for one machine, as the kernel takes it: kind, target, and two more words. */
export type CommandWords = readonly [kind: number, target: number, amount: number, offset: number];

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

function bitsOf(value: number): number {
  float[0] = value;
  return word[0]!;
}

/**
 * Inputs of state machines: speeds and parameters in columns, of which frames upload what changed, and the commands of the next
 * frame. Methods that take sections change all of their rows or none.
 */
export class ControllerInputs {
  /** Column 0 holds speeds, column 1 + p parameter p of the character's controller. */
  columns: readonly Column<typeof Word.fields>[] = [];
  #floats: readonly Float32Array[] = [];
  #ints: readonly Int32Array[] = [];
  #commands = new Map<number, CommandWords[]>();

  constructor(tables: CrowdTables, capacity: number) {
    this.resize(tables, capacity);
  }

  resize(tables: CrowdTables, capacity: number): void {
    const length = 1 + mostOf(tables, ({ parameters }) => parameters.length);
    this.columns = Array.from(
      { length },
      (_, index) => this.columns[index]?.grown(capacity) ?? new Column(Word, capacity),
    );
    this.#floats = this.columns.map(({ view }) => view.floats);
    this.#ints = this.columns.map(({ view }) => view.ints);
  }

  /** Commands of the next frame, by row. */
  get commands(): ReadonlyMap<number, readonly CommandWords[]> {
    return this.#commands;
  }

  set commands(commands: ReadonlyMap<number, readonly CommandWords[]>) {
    this.#commands = new Map(Array.from(commands, ([row, list]) => [row, [...list]]));
  }

  /** Starts the controller of a character's type, with its parameters at their defaults. */
  start(row: number, { character: { controller }, controllerRow }: CrowdType): void {
    if (!controller) return;
    this.#setSpeed(row, 1);
    controller.parameters.forEach(({ value }, index) => this.#fill([row], controller, index, value));
    // replaces commands of this frame for an earlier character of the row
    this.#commands.set(row, [[COMMAND_START, controllerRow, 0, 0]]);
  }

  stop(row: number, { character }: CrowdType): void {
    if (character.controller) this.#commands.set(row, [[COMMAND_STOP, 0, 0, 0]]);
  }

  clear(row: number): void {
    for (const column of this.columns) column.view.words[row] = 0;
    for (const column of this.columns) column.changed(row);
  }

  /** Sets a parameter to a number, or to true or false. */
  set(sections: readonly Section[], name: string, value: number | boolean): void {
    const found = sections.map(({ type, rows }) => {
      const controller = controllerOf(type);
      const index = parameterIndex(controller, name, 'value');
      return { rows, controller, index, value: parameterValue(controller, index, value) };
    });
    for (const { rows, controller, index, value: number } of found) this.#fill(rows, controller, index, number);
  }

  /** Sets parameter `index` of rows that have this controller. */
  setAt(rows: readonly number[], controller: CompiledController, index: number, value: number | boolean): void {
    this.#fill(rows, controller, index, parameterValue(controller, index, value));
  }

  get(row: number, controller: CompiledController, index: number): number {
    return (controller.parameters[index]!.type === 'float' ? this.#floats : this.#ints)[1 + index]![row]!;
  }

  setSpeed(sections: readonly Section[], speed: number): void {
    if (!(isFloat(speed) && speed >= 0)) refuseArgument('speed', speed, '0 or more');
    for (const { type } of sections) controllerOf(type);
    for (const { rows } of sections) for (const row of rows) this.#setSpeed(row, speed);
  }

  setTrigger(sections: readonly Section[], name: string, set: boolean): void {
    this.#command(sections, (controller) => {
      const mask = (1 << controller.parameters[parameterIndex(controller, name, 'trigger')]!.trigger) >>> 0;
      return [COMMAND_TRIGGERS, set ? mask : 0, set ? 0 : mask, 0];
    });
  }

  playState(sections: readonly Section[], state: string, options: PlayStateOptions): void {
    expectOptions('options', options, PLAY_STATE_OPTIONS);
    const { layer, phase } = options;
    if (phase !== undefined && !isFloat(phase)) fail('CROWD_BAD_ARGUMENT', 'play', `Got ${quoted(phase)} for phase.`);
    this.#command(sections, (controller) => {
      const found = findState(controller, state, layer);
      // NaN: where the state begins
      return [COMMAND_PLAY | (found.machine << 8), found.state, bitsOf(phase ?? NaN), 0];
    });
  }

  crossFade(sections: readonly Section[], state: string, options: CrossFadeOptions): void {
    expectOptions('options', options, CROSS_FADE_OPTIONS);
    const { layer, duration = 0.25, phase = 0, durationUnit: unit = 'seconds' } = options;
    if (unit !== 'seconds' && unit !== 'cycles') refuseArgument('durationUnit', unit, "'seconds' or 'cycles'");
    if (!(isFloat(duration) && duration >= 0) || !isFloat(phase)) {
      const message = `Got duration ${quoted(duration)}, phase ${quoted(phase)}.`;
      fail('CROWD_BAD_ARGUMENT', 'crossFade', message, 'Use finite numbers.');
    }
    this.#command(sections, (controller) => {
      const found = findState(controller, state, layer);
      const kind = COMMAND_CROSS_FADE | (found.machine << 8) | (unit === 'seconds' ? COMMAND_FIXED : 0);
      return [kind, found.state, bitsOf(duration), bitsOf(phase)];
    });
  }

  /** Inputs of a frame. Takes its commands. */
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

  #command(sections: readonly Section[], make: (controller: CompiledController) => CommandWords): void {
    const commands = sections.map(({ type, rows }) => ({ rows, command: make(controllerOf(type)) }));
    for (const { rows, command } of commands) {
      for (const row of rows) {
        const list = this.#commands.get(row);
        if (list) list.push(command);
        else this.#commands.set(row, [command]);
      }
    }
  }

  #fill(rows: readonly number[], controller: CompiledController, index: number, value: number): void {
    const values = (controller.parameters[index]!.type === 'float' ? this.#floats : this.#ints)[1 + index]!;
    const column = this.columns[1 + index]!;
    let from = rows[0]!;
    for (const [i, row] of rows.entries()) {
      values[row] = value;
      if (rows[i + 1] === row + 1) continue;
      column.changed(from, row + 1);
      from = rows[i + 1]!;
    }
  }

  #setSpeed(row: number, speed: number): void {
    this.#floats[0]![row] = speed;
    this.columns[0]!.changed(row);
  }
}

/** The largest count among the controllers of all types; 0 without controllers. */
export function mostOf({ types }: CrowdTables, count: (controller: CompiledController) => number): number {
  return Math.max(0, ...types.map(({ character: { controller } }) => (controller ? count(controller) : 0)));
}

/** @throws ManipleError CROWD_BAD_ARGUMENT when the character has none */
export function controllerOf({ character }: Pick<CrowdType, 'character'>): CompiledController {
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
    ? `${quoted(name)} is of type ${found.type}: use ${kind === 'trigger' ? 'setParameter' : 'trigger'}.`
    : `The controller has no ${wanted} ${quoted(name)}.`;
  const names = controller.parameters
    .filter(({ type }) => (type === 'trigger') === (kind === 'trigger'))
    .map((parameter) => parameter.name);
  const suggestion = names.length > 0 ? `It has ${listed(names)}.` : 'It has none.';
  return fail('CROWD_BAD_ARGUMENT', controller.name, message, suggestion);
}

/** A parameter's value as its column holds it. @throws ManipleError CROWD_BAD_ARGUMENT for numbers that are not finite */
export function parameterValue(controller: CompiledController, index: number, value: number | boolean): number {
  const { name, type } = controller.parameters[index]!;
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (!isFloat(number)) {
    fail('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)}.`, 'Use a finite number that 32 bits hold.');
  }
  if (type === 'bool') return Number(number !== 0);
  if (type !== 'int') return number;
  const whole = Math.trunc(number);
  if (whole !== (whole | 0)) fail('CROWD_BAD_ARGUMENT', name, `Got ${number}.`, 'Use −2³¹ to 2³¹ − 1.');
  return whole;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT when there is no such layer or state */
export function findState(
  controller: CompiledController,
  state: string,
  layer: string | number = 0,
): { machine: number; state: number } {
  const known = typeof layer === 'number' ? layer : controller.layers.findIndex(({ name }) => name === layer);
  const found = controller.layers[known];
  if (!found) {
    const names = listed(controller.layers.map(({ name }) => name));
    fail('CROWD_BAD_ARGUMENT', controller.name, `The controller has no layer ${quoted(layer)}.`, `It has ${names}.`);
  }
  const { states } = controller.machines[found.machine]!;
  const index = states.indexOf(state);
  if (index < 0) {
    const [path, message] = [`${controller.name}/${found.name}`, `The layer has no state ${quoted(state)}.`];
    fail('CROWD_BAD_ARGUMENT', path, message, `It has ${listed(states)}.`);
  }
  return { machine: found.machine, state: index };
}
