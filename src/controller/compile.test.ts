import { describe, expect, test } from 'vitest';
import { controllerView, type ControllerView } from './eval/controller-view.ts';
import { ManipleError, type Issue } from '../errors.ts';
import { RigTable } from '../character/format/clip-format.ts';
import { param, defineController } from './builder.ts';
import { compileController, type CompiledController, type CompileOptions } from './compile.ts';
import type { ChildModel, ControllerModel, LayerModel, MachineModel, MotionModel } from './model.ts';
import { directionsOf } from './repeated-directions.ts';
import {
  PARAMETER_INT,
  STATE_CONSTANT_LENGTH,
  TRANSITION_REPEATS,
  TREE_CENTRE_SHIFT,
  TREE_DEPTH_SHIFT,
  TREE_PARENT_SHIFT,
  TREE_SLOT_SHIFT,
} from './tables.ts';
import { hasTurn } from '../../test/support/setup.ts';

const PARAMETERS = {
  f: param.float(0.5),
  i: param.int(2.9),
  on: param.bool(true),
  go: param.trigger(),
  back: param.trigger(),
};
const known: CompileOptions = { resolve: () => ({}) };

const model = (machine: MachineModel, more: Partial<ControllerModel> = {}): ControllerModel => ({
  ...defineController({ name: 'test', parameters: PARAMETERS, layers: [{ name: 'Base', machine }] as never }),
  ...more,
});
const playing = (motion: MotionModel): ControllerModel => model({ default: 'A', states: { A: { motion } } });
const layers = (...list: LayerModel[]): ControllerModel => model({ states: {} }, { layers: list });
const EMPTY: MachineModel = { default: 'A', states: { A: {} } };

function errorsOf(from: ControllerModel, options = known): [string, string][] {
  try {
    compileController(from, options);
  } catch (reason) {
    if (!(reason instanceof ManipleError)) throw reason;
    return reason.issues.filter(({ severity }) => severity === 'error').map(({ code, path }) => [code, path]);
  }
  return [];
}

function warningsOf(from: ControllerModel, options = known): [string, string][] {
  const { issues } = compileController(from, options);
  expect(issues.every(({ severity }) => severity === 'warning')).toBe(true);
  return issues.map(({ code, path }) => [code, path]);
}

const viewOf = ({ table }: CompiledController): ControllerView => controllerView(new RigTable(table), 0);

describe.runIf(hasTurn(2))('names that nothing has', () => {
  test('states and machines, wherever they are named: all at once, each with its place', () => {
    const broken = model({
      default: 'Nowhere',
      entry: [{ to: 'B' }],
      any: [{ to: 'C', when: [{ parameter: 'on' }] }],
      states: {
        A: {
          transitions: [
            { to: 'A', exitTime: 1 },
            { toMachine: 'N', exitTime: 1 },
          ],
        },
      },
      machines: { M: { default: 'X', states: { X: {} }, exits: [{ to: 'D' }] } },
    });
    expect(errorsOf(broken)).toEqual([
      ['CONTROLLER_NAME_UNKNOWN', 'Base/default'],
      ['CONTROLLER_NAME_UNKNOWN', 'Base/M/default'],
    ]);
    const inside = model({
      default: 'A',
      entry: [{ to: 'B' }],
      any: [{ to: 'C', when: [{ parameter: 'on' }] }],
      states: {
        A: {
          transitions: [
            { to: 'A', exitTime: 1 },
            { toMachine: 'N', exitTime: 1 },
            { toMachine: 'M', exitTime: 1 },
          ],
        },
      },
      machines: {
        M: { default: 'M.X', states: { X: { transitions: [{ toExit: true, exitTime: 1 }] } }, exits: [{ to: 'D' }] },
      },
    });
    expect(errorsOf(inside)).toEqual([
      ['CONTROLLER_NAME_UNKNOWN', 'Base/any/0'],
      ['CONTROLLER_NAME_UNKNOWN', 'Base/A/transitions/1'],
      ['CONTROLLER_NAME_UNKNOWN', 'Base/M/exits/0'],
      ['CONTROLLER_NAME_UNKNOWN', 'Base//entry/0'],
    ]);
  });

  test('two states with one path', () => {
    const twice = model({
      default: 'A',
      states: { A: {}, 'M.X': {} },
      machines: { M: { default: 'M.X', states: { X: {} } } },
    });
    expect(errorsOf(twice)).toEqual([['CONTROLLER_INVALID', 'Base/M.X']]);
  });

  test('layers: synced to none, in a circle, without a machine, the first of all', () => {
    const sync = (layer: string) => ({ layer, motions: {} });
    expect(errorsOf(layers({ name: 'Base', machine: EMPTY }, { name: 'Top', sync: sync('No') }))).toEqual([
      ['CONTROLLER_NAME_UNKNOWN', 'Top/sync'],
    ]);
    expect(
      errorsOf(
        layers({ name: 'Base', machine: EMPTY }, { name: 'P', sync: sync('Q') }, { name: 'Q', sync: sync('P') }),
      ),
    ).toEqual([
      ['CONTROLLER_INVALID', 'P/sync'],
      ['CONTROLLER_INVALID', 'Q/sync'],
    ]);
    expect(errorsOf(layers({ name: 'Base' }))).toEqual([['CONTROLLER_INVALID', 'Base/machine']]);
    expect(errorsOf(layers({ name: 'Base', sync: sync('Top') }, { name: 'Top', machine: EMPTY }))).toEqual([
      ['CONTROLLER_INVALID', 'Base/sync'],
    ]);
  });

  test('parameters, in conditions and of states; a trigger is not a number', () => {
    const from = model({
      default: 'A',
      states: {
        A: {
          speedParameter: 'no',
          timeParameter: 'go',
          transitions: [
            { to: 'B', when: [{ parameter: 'missing' }] },
            { to: 'B', exitTime: 1 },
          ],
        },
        B: {},
      },
    });
    expect(errorsOf(from)).toEqual([
      ['CONTROLLER_NAME_UNKNOWN', 'Base/A/transitions/0'],
      ['CONTROLLER_NAME_UNKNOWN', 'Base/A'],
      ['CONTROLLER_NAME_UNKNOWN', 'Base/A'],
    ]);
  });

  test('parameters of a tree', () => {
    const from = playing({
      blend: '1d',
      parameter: 'no',
      children: [
        { at: 0, motion: 'a' },
        { at: 1, motion: 'b' },
      ],
    });
    expect(errorsOf(from)).toEqual([['CONTROLLER_NAME_UNKNOWN', 'Base/A/motion']]);
  });

  test('motions of a synced layer for a state that there is not', () => {
    const from = layers(
      { name: 'Base', machine: EMPTY },
      { name: 'Top', sync: { layer: 'Base', motions: { Z: 'z' } } },
    );
    expect(errorsOf(from)).toEqual([['CONTROLLER_NAME_UNKNOWN', 'Top/sync/motions/Z']]);
  });

  test('clips: once each', () => {
    const from = model({ default: 'A', states: { A: { motion: 'lost' }, B: { motion: 'lost' } } });
    expect(warningsOf(from, {})).toEqual([['CONTROLLER_CLIP_MISSING', 'clips/lost']]);
  });
});

describe.runIf(hasTurn(2))('what has no effect', () => {
  test('transitions without condition and exit time, and from any state inside a machine', () => {
    const from = model({
      default: 'A',
      states: { A: { transitions: [{ to: 'A' }, { to: 'A', when: [] }] } },
      machines: { M: { default: 'M.X', states: { X: {} }, any: [{ to: 'A', exitTime: 1 }] } },
    });
    expect(warningsOf(from)).toEqual([
      ['CONTROLLER_SIMPLIFIED', 'Base/M/any'],
      ['CONTROLLER_SIMPLIFIED', 'Base/A/transitions/0'],
      ['CONTROLLER_SIMPLIFIED', 'Base/A/transitions/1'],
    ]);
  });

  test('more than one child at the centre', () => {
    const from = playing({
      blend: 'directional',
      parameters: ['f', 'f'],
      children: [
        { at: [0, 0], motion: 'a' },
        { at: [0, 0], motion: 'b' },
      ],
    });
    expect(warningsOf(from)).toEqual([['CONTROLLER_SIMPLIFIED', 'Base/A/motion']]);
  });
});

describe.runIf(hasTurn(2))('limits', () => {
  test('transitions of states, filled up to fours', () => {
    const transitions = Array.from({ length: 13 }, () => ({ to: 'S0', exitTime: 1 }));
    const many = (any: MachineModel['any']) =>
      model({
        default: 'S0',
        any: any!,
        states: Object.fromEntries(Array.from({ length: 4096 }, (_, i) => [`S${i}`, { transitions }])),
      });
    expect(errorsOf(many([]))).toEqual([]);
    expect(errorsOf(many(transitions.slice(0, 1)))).toEqual([['CONTROLLER_LIMIT', 'transitions']]);
  });

  const row = (count: number, make: (c: number) => ChildModel = (c) => ({ motion: `c${c}` })): MotionModel => ({
    blend: '1d',
    parameter: 'f',
    children: Array.from({ length: count }, (_, c) => ({ at: c, ...make(c) })),
  });
  const nested = (levels: number): MotionModel => (levels === 0 ? 'c' : row(1, () => ({ motion: nested(levels - 1) })));

  test('children, levels and clips of trees, counted without children that play nothing', () => {
    expect(errorsOf(playing(row(16)))).toEqual([]);
    expect(errorsOf(playing(row(17)))).toEqual([['CONTROLLER_LIMIT', 'Base/A/motion']]);
    expect(errorsOf(playing(row(40, (c) => (c < 16 ? { motion: 'c' } : {}))))).toEqual([]);
    expect(errorsOf(playing(nested(4)))).toEqual([]);
    expect(errorsOf(playing(nested(5)))).toHaveLength(1);
    expect(errorsOf(playing(row(2, () => ({ motion: row(16) }))))).toEqual([]);
    expect(errorsOf(playing(row(3, () => ({ motion: row(11) }))))).toEqual([['CONTROLLER_LIMIT', 'Base/A/motion']]);
  });

  test('conditions, triggers, layers', () => {
    const conditions = (count: number) =>
      model({
        default: 'A',
        states: { A: { transitions: [{ to: 'A', when: Array.from({ length: count }, () => ({ parameter: 'on' })) }] } },
      });
    expect(errorsOf(conditions(255))).toEqual([]);
    expect(errorsOf(conditions(256))).toEqual([['CONTROLLER_LIMIT', 'Base/A/transitions/0']]);
    const triggers = (count: number) =>
      model(EMPTY, {
        parameters: Object.fromEntries(Array.from({ length: count }, (_, t) => [`t${t}`, param.trigger()])),
      });
    expect(errorsOf(triggers(32))).toEqual([]);
    expect(errorsOf(triggers(33))).toEqual([['CONTROLLER_LIMIT', 'parameters']]);
    const many = (count: number) =>
      layers(...Array.from({ length: count }, (_, l) => ({ name: `L${l}`, machine: EMPTY })));
    expect(errorsOf(many(32))).toEqual([]);
    expect(errorsOf(many(33))).toEqual([['CONTROLLER_LIMIT', 'layers']]);
    expect(errorsOf(layers())).toEqual([['CONTROLLER_LIMIT', 'layers']]);
  });

  test('states', () => {
    const states = (count: number) =>
      model({ default: 'S0', states: Object.fromEntries(Array.from({ length: count }, (_, s) => [`S${s}`, {}])) });
    expect(errorsOf(states(0xfffe))).toEqual([]);
    expect(errorsOf(states(0xffff))).toEqual([['CONTROLLER_LIMIT', 'states']]);
  });
});

describe.runIf(hasTurn(2))('what is compiled', () => {
  test('parameters: defaults, integers cut, triggers counted', () => {
    const compiled = compileController(
      model(EMPTY, { parameters: { ...PARAMETERS, back: { type: 'trigger', default: true } } }),
    );
    expect(compiled.parameters).toEqual([
      { name: 'f', type: 'float', value: 0.5, trigger: -1 },
      { name: 'i', type: 'int', value: 2, trigger: -1 },
      { name: 'on', type: 'bool', value: 1, trigger: -1 },
      { name: 'go', type: 'trigger', value: 0, trigger: 0 },
      { name: 'back', type: 'trigger', value: 1, trigger: 1 },
    ]);
    expect(viewOf(compiled).initialTriggers).toBe(2);
  });

  test('numbers may be read from integers and bools', () => {
    const from = model({ default: 'A', states: { A: { speedParameter: 'i', mirrorParameter: 'on' } } });
    const state = viewOf(compileController(from)).machines[0]!.state(0);
    expect([state.speedParameter, state.mirrorParameter]).toEqual([1 | PARAMETER_INT, 2 | PARAMETER_INT]);
  });

  test('lengths that never change are known beforehand', () => {
    const lengthOf = (motion: MotionModel, clips: ControllerModel['clips'] = {}) => {
      const { flags, length } = viewOf(compileController({ ...playing(motion), clips }, known)).machines[0]!.state(0);
      return flags & STATE_CONSTANT_LENGTH ? length : undefined;
    };
    const clips = { two: { length: 2 }, four: { length: 4 }, zero: { length: 0 } };
    const pair = (a: ChildModel, b: ChildModel): MotionModel => ({
      blend: '1d',
      parameter: 'f',
      children: [
        { at: 0, ...a },
        { at: 1, ...b },
      ],
    });
    expect(lengthOf('two', clips)).toBe(2);
    expect(lengthOf('zero', clips)).toBe(1);
    expect(lengthOf(pair({ motion: 'two' }, { motion: 'two' }), clips)).toBe(2);
    expect(lengthOf(pair({ motion: 'two' }, { motion: 'four', timeScale: -2 }), clips)).toBe(2);
    expect(lengthOf(pair({ motion: 'two' }, { motion: 'four' }), clips)).toBeUndefined();
    expect(lengthOf(pair({ motion: 'two' }, { motion: 'two', timeScale: 0 }), clips)).toBeUndefined();
    expect(lengthOf(pair({ motion: 'two' }, { motion: pair({ motion: 'two' }, { motion: 'two' }) }), clips)).toBe(2);
    const direct = (motion: string): MotionModel => ({ blend: 'direct', children: [{ motion, weightParameter: 'f' }] });
    expect(lengthOf(direct('two'), clips)).toBeUndefined(); // without weight it counts as 1 s
    expect(lengthOf(direct('zero'), clips)).toBe(1);
  });

  test('exit times up to 1, as 32-bit floats, come every cycle', () => {
    const repeats = (exitTime: number): boolean => {
      const from = model({ default: 'A', states: { A: { transitions: [{ to: 'A', exitTime }] } } });
      return (viewOf(compileController(from)).transition(0).flags & TRANSITION_REPEATS) !== 0;
    };
    expect([0, 0.5, 1, 1 + 1e-9, 1 + 2e-7, 2].map(repeats)).toEqual([true, true, true, true, false, false]);
  });

  test('clips: what the controller says wins over the character’s; a difference is a clip of its own', () => {
    const from: ControllerModel = {
      ...layers(
        { name: 'Base', machine: { default: 'A', states: { A: { motion: 'c' } } } },
        { name: 'Add', blend: 'additive', machine: { default: 'A', states: { A: { motion: 'c' } } } },
      ),
      clips: {
        c: {
          length: 3,
          events: [
            { name: 'late', time: 3 },
            { name: 'early', time: 0.75 },
            { name: 'never', time: 99 },
          ],
        },
      },
    };
    const asked: [string, boolean][] = [];
    const compiled = compileController(from, {
      resolve: (reference, additive) => {
        asked.push([reference, additive]);
        return { rigClip: additive ? 8 : 7, length: 1, loops: false };
      },
    });
    expect(asked).toEqual([
      ['c', false],
      ['c', true],
    ]);
    expect(compiled.clips.map(({ rigClip, length, loops }) => [rigClip, length, loops])).toEqual([
      [7, 3, false],
      [8, 3, false],
    ]);
    expect(compiled.events.slice(0, 3).map(({ name, phase, clip }) => [name, phase, clip])).toEqual([
      ['early', 0.25, 0],
      ['late', 1, 0],
      ['never', 1, 0], // held at the end
    ]);
    expect(viewOf(compiled).clip(0).events).toEqual([
      { at: { cycles: 0, phase: 2 ** 30 }, id: 0 },
      { at: { cycles: 1, phase: 0 }, id: 1 },
      { at: { cycles: 1, phase: 0 }, id: 2 },
    ]);
    expect([compiled.hasEvents, compiled.hasRoot, compiled.hasMirror]).toEqual([true, false, false]);
    expect(compiled.issues.map(({ code, path, message }) => [code, path, message])).toEqual([
      ['CONTROLLER_SIMPLIFIED', 'clips/c/events', `The event "never" is at 99 s, after the clip's end.`],
    ]);
  });

  test('a state that is not there gets the nearest; a controller that is wrong throughout is not compared', () => {
    const transitions = (count: number) => Array.from({ length: count }, (_, i) => ({ to: `Wlak${i}`, exitTime: 1 }));
    const states = { Walk: { transitions: transitions(40) }, Run: {} };
    const refuse = (start: string) => compileController(model({ default: start, states }), known);
    expect(() => refuse('Wak')).toThrow(/no state "Wak" in this layer.*The nearest: Walk, Run\./);
    let issues: readonly Issue[] = [];
    try {
      refuse('Walk');
    } catch (thrown) {
      ({ issues } = thrown as ManipleError);
    }
    expect(issues.length).toBe(40);
    expect(issues.filter(({ suggestion }) => suggestion?.includes('nearest')).length).toBe(16);
  });

  test('how many motions a character can need: two states, or one and what is frozen, per layer', () => {
    // a parameter is between two of the three
    const three: MotionModel = {
      blend: '1d',
      parameter: 'f',
      children: [0, 1, 2].map((at) => ({ at, motion: `c${at}` })),
    };
    expect(compileController(playing(three), known).motionBound).toBe(2 + 8);
    const two = layers(
      { name: 'Base', mask: { c: 1 }, machine: { default: 'A', states: { A: { motion: three } } } },
      { name: 'Top', machine: EMPTY },
    );
    // a record for each layer that is not plain
    expect(compileController(two, known).motionBound).toBe(1 + 2 + 8 + 1 + 8);
  });

  test('whether a 1D tree needs more than bands: where thresholds are the same, weights jump', () => {
    const treeAt = (...at: number[]): MotionModel => ({
      blend: '1d',
      parameter: 'f',
      children: at.map((place, i) => ({ at: place, motion: `clip ${i}` })),
    });
    const hasTrees = (motion: MotionModel) => compileController(playing(motion), known).hasTrees;
    expect([treeAt(0), treeAt(0, 1), treeAt(-1e9, 0, 1e-6, 1e9)].map(hasTrees)).toEqual([false, false, false]);
    // also those that are the same in 32 bits, or farther than numbers count
    expect([treeAt(0, 0), treeAt(0, 1, 1, 2), treeAt(1, 1 + 1e-9), treeAt(0, 2e9)].map(hasTrees)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test('nested trees know their depth, their parent, and which of its children they are', () => {
    const under = (...motions: MotionModel[]): MotionModel => ({
      blend: 'direct',
      normalized: true,
      children: motions.map((motion) => ({ motion, weightParameter: 'f' })),
    });
    const from = playing(under('a', under('b', 'c', under('d')), under(under('e'))));
    const view = viewOf(compileController(from, known));
    const positions = view
      .motion(view.machines[0]!.state(0).motionRow)!
      .trees.map(({ flags }) =>
        [TREE_DEPTH_SHIFT, TREE_PARENT_SHIFT, TREE_SLOT_SHIFT].map(
          (shift, i) => (flags >>> (shift - 16)) & [3, 127, 15][i]!,
        ),
      );
    expect(positions).toEqual([[0, 0, 0], [1, 0, 1], [2, 1, 2], [1, 0, 2], [2, 3, 0]]); // prettier-ignore
  });

  test('children of a directional tree without a direction of their own, and the first at its centre', () => {
    const places = [[0, 1], [0, 0], [0, 2], [1, 0], [0, 0]].map(([x, y]) => ({ x: x!, y: y! })); // prettier-ignore
    expect(directionsOf(places)).toBe(0b10110 | (2 << TREE_CENTRE_SHIFT));
    expect(directionsOf([{ x: 1, y: 0 }, { x: 0, y: 1 }])).toBe(0); // prettier-ignore
  });

  test('weights of layers: the first’s is 1, others’ stay between 0 and 1', () => {
    const from = layers(
      { name: 'Base', weight: 0, machine: EMPTY },
      { name: 'P', weight: 7, machine: EMPTY },
      { name: 'Q', weight: -1, machine: EMPTY },
    );
    expect(viewOf(compileController(from)).layers.map(({ weight }) => weight)).toEqual([1, 1, 0]);
  });

  test('issues of the importer are handed on', () => {
    const issue: Issue = { code: 'CONTROLLER_SIMPLIFIED', severity: 'warning', path: 'x', message: 'y' };
    expect(compileController(model(EMPTY, { issues: [issue] })).issues).toEqual([issue]);
  });
});
