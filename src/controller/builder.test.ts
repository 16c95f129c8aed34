import { describe, expect, expectTypeOf, test } from 'vitest';
import { when, param, defineController, blend1d, blend2d } from './builder.ts';
import { compileController } from './compile.ts';
import type { ControllerModel } from './model.ts';
import { controllerJson, parseController } from './parse.ts';

/** With every shorthand, and every place where a parameter is named. */
const soldier = defineController({
  name: 'soldier',
  parameters: {
    speed: param.float(),
    turn: param.float(0.5),
    weapon: param.int(2),
    dead: param.bool(true),
    attack: param.trigger(),
  },
  layers: [
    {
      name: 'body',
      machine: {
        default: 'Move',
        entry: [{ to: 'Dead', when: [when.is('dead')] }],
        states: {
          Move: {
            motion: blend1d(
              'speed',
              [0, 'Idle'],
              [1.5, blend1d('turn', [-1, 'WalkLeft'], [1, 'WalkRight'])],
              [4, 'Run'],
            ),
            speedParameter: 'speed',
            transitions: [
              { to: 'Attack', when: [when.is('attack'), when.not('dead'), when.is('weapon', 2)], duration: 0.1 },
              { toExit: true, when: [when.not('weapon', 3), when.above('speed', 0.1), when.below('turn', 1)] },
            ],
          },
          Aim: { motion: blend2d('directional', ['turn', 'speed'], [[0, 0], 'Idle'], [[0, 1], 'Run']) },
          Attack: { motion: 'Slash', timeParameter: 'turn', mirrorParameter: 'dead' },
          Dead: {},
        },
        any: [{ to: 'Dead', when: [{ parameter: 'dead', is: true }], toSelf: false }],
      },
    },
    { name: 'face', weightParameter: 'turn', sync: { layer: 'body', motions: { Dead: 'Grimace' } } },
  ],
});

describe('controller', () => {
  test('is the JSON form with its format and version', () => {
    expect(soldier.format).toBe('maniple-controller');
    expect(soldier.version).toBe(1);
    expect(soldier.parameters).toEqual({
      speed: { type: 'float', default: 0 },
      turn: { type: 'float', default: 0.5 },
      weapon: { type: 'int', default: 2 },
      dead: { type: 'bool', default: true },
      attack: { type: 'trigger' },
    });
    const { Move, Aim } = soldier.layers[0]!.machine!.states;
    expect(Move!.motion).toEqual({
      blend: '1d',
      parameter: 'speed',
      children: [
        { at: 0, motion: 'Idle' },
        {
          at: 1.5,
          motion: {
            blend: '1d',
            parameter: 'turn',
            children: [
              { at: -1, motion: 'WalkLeft' },
              { at: 1, motion: 'WalkRight' },
            ],
          },
        },
        { at: 4, motion: 'Run' },
      ],
    });
    expect(Aim!.motion).toEqual({
      blend: 'directional',
      parameters: ['turn', 'speed'],
      children: [
        { at: [0, 0], motion: 'Idle' },
        { at: [0, 1], motion: 'Run' },
      ],
    });
    expect(Move!.transitions![0]!.when).toEqual([
      { parameter: 'attack' },
      { parameter: 'dead', is: false },
      { parameter: 'weapon', equals: 2 },
    ]);
    expect(Move!.transitions![1]!.when).toEqual([
      { parameter: 'weapon', notEquals: 3 },
      { parameter: 'speed', greater: 0.1 },
      { parameter: 'turn', less: 1 },
    ]);
  });

  test('is read back from its JSON, and compiles', () => {
    expect(parseController(controllerJson(soldier))).toEqual(soldier);
    const { parameters, issues } = compileController(soldier);
    expect(parameters.map(({ name }) => name)).toEqual(['speed', 'turn', 'weapon', 'dead', 'attack']);
    expect(issues.filter(({ code }) => code !== 'CONTROLLER_CLIP_MISSING')).toEqual([]);
  });
});

test('the compiler knows the parameters, and goes where any controller goes', () => {
  expectTypeOf(soldier).toEqualTypeOf<ControllerModel<'speed' | 'turn' | 'weapon' | 'dead' | 'attack'>>();
  expectTypeOf(soldier).toExtend<ControllerModel>();
  const empty = defineController({ name: '', parameters: {}, layers: [{ name: 'base', machine: { states: {} } }] });
  expectTypeOf(empty).toEqualTypeOf<ControllerModel<never>>();
});

test('the compiler refuses parameters that are not declared', () => {
  const parameters = { speed: param.float(), attack: param.trigger() };
  const name = 'x';
  const base = { name: 'base' };
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `sped`
    layers: [{ ...base, machine: { states: { A: { transitions: [{ to: 'A', when: [when.above('sped', 1)] }] } } } }],
  });
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `dead`
    layers: [{ ...base, machine: { states: {}, any: [{ to: 'A', when: [when.is('attack'), when.not('dead')] }] } }],
  });
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `dead`
    layers: [{ ...base, machine: { states: {}, entry: [{ to: 'A', when: [{ parameter: 'dead', is: false }] }] } }],
  });
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `sped`
    layers: [{ ...base, machine: { states: { A: { speedParameter: 'sped' } } } }],
  });
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `turn`, three levels down
    layers: [{ ...base, machine: { states: { A: { motion: blend1d('speed', [0, blend1d('turn', [0, 'Idle'])]) } } } }],
  });
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `turn`
    layers: [{ ...base, machine: { states: {}, machines: { B: { states: { A: { timeParameter: 'turn' } } } } } }],
  });
  // @ts-expect-error there is no parameter `turn`
  defineController({ name, parameters, layers: [{ ...base, weightParameter: 'turn', machine: { states: {} } }] });
  defineController({
    name,
    parameters,
    // @ts-expect-error there is no parameter `turn`
    layers: [{ ...base, sync: { layer: 'base', motions: { A: blend2d('directional', ['speed', 'turn']) } } }],
  });
  defineController({
    name,
    parameters,
    // @ts-expect-error a way leads to one place only
    layers: [{ ...base, machine: { states: {}, any: [{ to: 'A', toExit: true, when: [when.is('attack')] }] } }],
  });
  // @ts-expect-error a float does not start with false
  defineController({ name, parameters: { speed: { type: 'float', default: false } }, layers: [] });
});
