import type { CompiledController } from '../asset/controller/compile.ts';
import { findJoint } from '../asset/names.ts';
import { fail, quoted } from '../errors.ts';
import type { AnimatorInputs, Backend } from '../frame/backend.ts';
import type { CrowdTables, CrowdType } from '../frame/types.ts';
import { listRows } from '../stages/gather-motions/layout.ts';
import { LAYER_TURN, MODIFIES_ROTATION, MODIFIES_X } from '../stages/layout.ts';
import { readAnimatorState, type AnimatorState } from './animator-state.ts';
import {
  Animators,
  controllerOf,
  findState,
  parameterIndex,
  parameterValue,
  type CrossFadeOptions,
  type PlayStateOptions,
} from './animators.ts';
import type { CharacterId } from './ids.ts';
import { expectFlag, expectFloats, expectNumbers, expectObject, isFloat, refuseArgument } from './arguments.ts';
import { inModelOf, restJoint, turnBetween, type RestJoint } from './look-at.ts';
import { jointRecord, localTurn, Modifiers, morphPlace, type JointModifier } from './modifiers.ts';
import type { Placement } from './placement.ts';
import { vectorList, type VectorLike } from './vectors.ts';

/** Characters of one type that something is meant for: rows of the crowd's columns. */
export interface Section {
  readonly type: CrowdType;
  readonly rows: readonly number[];
}

/** A character that lives. */
export interface Living {
  readonly id: CharacterId;
  readonly row: number;
  readonly type: CrowdType;
}

/** What a crowd tells its characters, beside clips and places: parameters, states, joints. */
export class Conductor {
  readonly modifiers: Modifiers;
  readonly #animators: Animators;
  #tables: CrowdTables;
  #machineCapacity: number;
  readonly #rest = new Map<string, RestJoint>();
  #written: { controller?: CompiledController; name: string; index: number } = { name: '', index: -1 };

  constructor(tables: CrowdTables, capacity: number, modifierCapacity: number) {
    this.#tables = tables;
    this.#machineCapacity = mostOf(tables, ({ machines }) => machines.length);
    this.#animators = new Animators(
      capacity,
      mostOf(tables, ({ parameters }) => parameters.length),
    );
    this.modifiers = new Modifiers(capacity, modifierCapacity);
  }

  /** Speeds, then parameters. */
  get columns(): Animators['columns'] {
    return this.#animators.columns;
  }

  /** What controllers are told in the coming frame. */
  get commands(): Pick<Animators, 'pending' | 'expect'> {
    return this.#animators;
  }

  /** Goes on with other types, and with room for more characters. */
  resize(tables: CrowdTables, capacity: number): void {
    this.#tables = tables;
    this.#machineCapacity = mostOf(tables, ({ machines }) => machines.length);
    this.#animators.resize(
      capacity,
      mostOf(tables, ({ parameters }) => parameters.length),
    );
    this.modifiers.resize(capacity);
    this.#rest.clear();
  }

  spawned(row: number, type: CrowdType): void {
    this.#animators.start(row, type);
  }

  left(row: number, type: CrowdType): void {
    this.#animators.stop(row, type);
  }

  /** Forgets what was written for who lived in a row. */
  clear(row: number): void {
    this.#animators.clear(row);
    this.modifiers.clear(row);
  }

  take(dt: number, characterCount: number): AnimatorInputs {
    return this.#animators.take(dt, characterCount);
  }

  setParameter(sections: readonly Section[], name: string, value: number | boolean): void {
    const found = sections.map(({ type, rows }) => {
      const controller = controllerOf(type);
      const index = parameterIndex(controller, name, 'value');
      return { rows, controller, index, value: parameterValue(controller, index, value) };
    });
    for (const { rows, controller, index, value: held } of found) {
      for (const row of rows) this.#animators.set(row, controller, index, held);
    }
  }

  /** Sets a parameter of one character: one of many, so what it is called is looked up once for as long as it stays. */
  writeParameter(row: number, type: CrowdType, name: string, value: number): void {
    const controller = controllerOf(type);
    if (this.#written.controller !== controller || this.#written.name !== name) {
      this.#written = { controller, name, index: parameterIndex(controller, name, 'value') };
    }
    const { index } = this.#written;
    this.#animators.set(row, controller, index, parameterValue(controller, index, value));
  }

  parameter(row: number, type: CrowdType, name: string): number {
    const controller = controllerOf(type);
    return this.#animators.get(row, controller, parameterIndex(controller, name, 'value'));
  }

  trigger(sections: readonly Section[], name: string, set: boolean): void {
    const found = sections.map(({ type, rows }) => {
      const controller = controllerOf(type);
      return { rows, bit: controller.parameters[parameterIndex(controller, name, 'trigger')]!.trigger };
    });
    for (const { rows, bit } of found) for (const row of rows) this.#animators.trigger(row, bit, set);
  }

  playState(sections: readonly Section[], state: string, options: PlayStateOptions): void {
    expectObject('options', options);
    const { layer, phase } = options;
    if (phase !== undefined && !isFloat(phase)) fail('CROWD_BAD_ARGUMENT', 'play', `phase is ${quoted(phase)}.`);
    const found = sections.map(({ type, rows }) => ({ rows, place: findState(controllerOf(type), state, layer) }));
    for (const { rows, place } of found) for (const row of rows) this.#animators.play(row, place, phase);
  }

  crossFade(sections: readonly Section[], state: string, options: CrossFadeOptions): void {
    expectObject('options', options);
    const { duration = 0, offset = 0, fixed = true } = options;
    expectFlag('fixed', fixed);
    if (!(isFloat(duration) && duration >= 0) || !isFloat(offset)) {
      fail(
        'CROWD_BAD_ARGUMENT',
        'crossFade',
        `duration ${quoted(duration)}, offset ${quoted(offset)}.`,
        'Use finite numbers.',
      );
    }
    const found = sections.map(({ type, rows }) => ({
      rows,
      place: findState(controllerOf(type), state, options.layer),
    }));
    for (const { rows, place } of found) for (const row of rows) this.#animators.crossFade(row, place, options);
  }

  setSpeed(sections: readonly Section[], speed: number): void {
    if (!(isFloat(speed) && speed >= 0)) refuseArgument('speed', speed, '0 or more');
    for (const { type } of sections) controllerOf(type);
    for (const { rows } of sections) for (const row of rows) this.#animators.setSpeed(row, speed);
  }

  modify(sections: readonly Section[], joint: string | number, modifier: JointModifier): void {
    const { bits, mode, values } = jointRecord(modifier, String(joint));
    const found = sections.map(({ type, rows }) => ({ rows, lane: findJoint(type.character, joint) }));
    if (values.weight > 0) for (const { rows, lane } of found) this.modifiers.expectRoom(rows, lane);
    for (const { rows, lane } of found) for (const row of rows) this.modifiers.set(row, lane, bits, mode, values);
  }

  setMorph(sections: readonly Section[], morph: string, weight: number): void {
    if (!isFloat(weight)) refuseArgument('weight', weight, 'a number that a 32-bit float holds');
    const found = sections.map(({ type, rows }) => ({ rows, place: morphPlace(type.character, morph) }));
    for (const { rows, place } of found) this.modifiers.expectRoom(rows, place.lane);
    for (const { rows, place } of found) {
      const translation: [number, number, number] = [0, 0, 0];
      translation[place.component] = weight;
      const values = { weight: 1, rotation: [0, 0, 0, 1] as const, translation, adds: true };
      const bits = MODIFIES_X << place.component;
      for (const row of rows) this.modifiers.set(row, place.lane, bits, jointRecord({}, morph).mode, values);
    }
  }

  /** Whether a joint can be turned so. @throws ManipleError CROWD_BAD_ARGUMENT */
  expectLook(options: LookAtOptions): void {
    expectObject('options', options);
    const { target, weight = 1, forward = [0, 0, 1], limit = Math.PI / 2 } = options;
    expectNumbers('target', vectorList(target), 3);
    expectFloats('forward', vectorList(forward), 3);
    if (!(isFloat(weight) && weight >= 0 && weight <= 1)) refuseArgument('weight', weight, '0 to 1');
    if (!(isFloat(limit) && limit >= 0)) refuseArgument('limit', limit, '0 radians or more');
  }

  /** Whether a joint of all of them can be changed, asked before any is. @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT */
  expectRoom(sections: readonly Section[], joint: string | number): void {
    const found = sections.map(({ type, rows }) => ({ rows, lane: findJoint(type.character, joint) }));
    for (const { rows, lane } of found) this.modifiers.expectRoom(rows, lane);
  }

  /** Turns a joint so that its forward axis points at a place in the world, as if its parents stood at rest. */
  lookAt(row: number, type: CrowdType, stands: Placement, joint: string | number, options: LookAtOptions): void {
    const { weight = 1, forward = [0, 0, 1], limit = Math.PI / 2 } = options;
    const lane = findJoint(type.character, joint);
    const rest = this.#restOf(type, lane);
    const wanted = inModelOf(stands, Array.from(vectorList(options.target))).map((c, i) => c - rest.position[i]!);
    const rotation = localTurn(rest.rotation, turnBetween(Array.from(vectorList(forward)), wanted, limit));
    const { values } = jointRecord({ rotation, weight }, String(joint));
    this.modifiers.set(row, lane, MODIFIES_ROTATION, LAYER_TURN, values);
  }

  #restOf(type: CrowdType, lane: number): RestJoint {
    const key = `${type.index} ${lane}`;
    const known = this.#rest.get(key) ?? restJoint(this.#tables, type, lane);
    this.#rest.set(key, known);
    return known;
  }

  /** What controllers of characters do, in the order of the rows. */
  async readStates(
    backend: Backend,
    wanted: readonly Living[],
    isStepped: (row: number) => boolean,
  ): Promise<AnimatorState[]> {
    const controllers = wanted.map(({ type }) => controllerOf(type));
    const rows = wanted.map(({ row }) => row).filter(isStepped);
    const placeOf = new Map(rows.map((row, i) => [row, i]));
    const lists = rows.length > 0 ? await backend.readAnimators(rows) : new Uint32Array();
    const stride = lists.length / rows.length;
    // what no frame has stepped yet reads as nothing: its row still tells of who lived there before
    const unstepped = new Uint32Array(4 * listRows(this.#machineCapacity, 0, false));
    return wanted.map(({ id, row }, i) => {
      const place = placeOf.get(row);
      const list = place === undefined ? unstepped : lists.slice(place * stride, (place + 1) * stride);
      return readAnimatorState(id, controllers[i]!, list, this.#machineCapacity);
    });
  }
}

function mostOf({ types }: CrowdTables, count: (controller: CompiledController) => number): number {
  return Math.max(0, ...types.map(({ character: { controller } }) => (controller ? count(controller) : 0)));
}

/** Where a joint is to look. */
export interface LookAtOptions {
  /** Metres in world space. */
  readonly target: VectorLike;
  /** 0 to 1, default 1. */
  readonly weight?: number;
  /** The way the character looks at rest, in its own space; default +Z. */
  readonly forward?: VectorLike;
  /** Radians that it turns at most; default a right angle. */
  readonly limit?: number;
}
