import { describe, expect, test } from 'vitest';
import { compileController } from '../../controller/compile.ts';
import type { ControllerModel, LayerModel } from '../../controller/model.ts';
import type { ManipleError } from '../../errors.ts';
import { importPlayCanvasGraph } from './import-graph.ts';

const importGraph = (json: unknown): ControllerModel => importPlayCanvasGraph(json, { name: 'soldier' });

const SPEED = [{ parameterName: 'speed', predicate: 'GREATER_THAN', value: 0.1 }];
const ATTACK = [{ parameterName: 'attack', predicate: 'EQUAL_TO', value: true }];
const LOCOMOTION = {
  type: '1D',
  parameter: 'speed',
  children: [
    { name: 'Walk', point: 1 },
    { name: 'Run', point: 3, speed: 1.5 },
  ],
};

type Json = Record<string, unknown>;

/** The form that engines load. */
const RUNTIME = {
  layers: [
    {
      name: 'Base',
      states: [
        { name: 'START' },
        { name: 'Idle', speed: 0.5, defaultState: true },
        { name: 'Move', blendTree: LOCOMOTION },
        { name: 'Die', loop: false },
        { name: 'END' },
        { name: 'ANY' },
      ],
      transitions: [
        { from: 'START', to: 'Idle' },
        { from: 'Idle', to: 'Move', time: 0.2, priority: 1, conditions: SPEED, interruptionSource: 'NEXT_STATE' },
        { from: 'Idle', to: 'END', priority: 0, exitTime: 2.5, transitionOffset: 0.25 },
        { from: 'Move', to: 'END', time: 0.1, conditions: ATTACK },
        { from: 'ANY', to: 'Die', conditions: [{ parameterName: 'health', predicate: 'LESS_THAN', value: 0.5 }] },
      ],
    },
    {
      name: 'Upper',
      blendType: 'ADDITIVE',
      weight: 0.75,
      mask: { 'Root/Hips/Spine': { children: true }, 'Root/Head': true, 'Root/Tail': { children: false } },
      states: [{ name: 'START' }, { name: 'Idle' }],
      transitions: [{ from: 'START', to: 'Idle' }],
    },
  ],
  parameters: {
    0: { name: 'speed', type: 'FLOAT', value: 0 },
    1: { name: 'attack', type: 'TRIGGER', value: false },
    2: { name: 'health', type: 'INTEGER', value: 3 },
  },
};

/** The same in the editor's form. */
const EDITOR = {
  layers: {
    0: {
      name: 'Base',
      states: [10, 11, 12, 13, 14, 15],
      transitions: [100, 101, 102, 103, 104],
      blendType: 'OVERWRITE',
    },
    1: { name: 'Upper', states: [20, 21], transitions: [200], blendType: 'ADDITIVE', weight: 0.75 },
  },
  states: Object.fromEntries([
    ...RUNTIME.layers[0]!.states.map((state, index) => [10 + index, { id: 10 + index, posX: 40, ...state }]),
    ...RUNTIME.layers[1]!.states.map((state, index) => [20 + index, state]),
  ]) as object,
  transitions: {
    100: { from: 10, to: 11, conditions: {} },
    101: {
      from: 11,
      to: 12,
      time: 0.2,
      priority: 1,
      interruptionSource: 'NEXT_STATE',
      conditions: { 7: SPEED[0], 8: { value: 1 } },
    },
    102: { from: 11, to: 14, priority: 0, exitTime: 2.5, transitionOffset: 0.25 },
    103: { from: 12, to: 14, time: 0.1, conditions: { 0: ATTACK[0] } },
    104: { ...RUNTIME.layers[0]!.transitions[4], from: 15, to: 13 },
    200: { from: 20, to: 21 },
  },
  parameters: RUNTIME.parameters,
};

const LAYERS: ControllerModel['layers'] = [
  {
    name: 'Base',
    machine: {
      default: 'Idle',
      states: {
        Idle: {
          motion: 'Base:Idle',
          speed: 0.5,
          transitions: [
            { to: 'Idle', exitTime: 2.5, offset: 0.25 },
            {
              to: 'Move',
              when: [{ parameter: 'speed', greater: 0.1 }],
              duration: 0.2,
              interruption: 'next',
              ordered: false,
            },
          ],
        },
        Move: {
          motion: {
            name: 'Move',
            blend: '1d',
            parameter: 'speed',
            children: [
              { at: 1, motion: 'Move.Walk' },
              { at: 3, motion: 'Move.Run', timeScale: 1.5 },
            ],
          },
          transitions: [{ to: 'Idle', when: [{ parameter: 'attack' }], duration: 0.1 }],
        },
        Die: { motion: 'Die' },
      },
      any: [{ to: 'Die', when: [{ parameter: 'health', less: 1 }], toSelf: false }],
    },
  },
  {
    name: 'Upper',
    blend: 'additive',
    weight: 0.75,
    mask: { 'Hips/Spine/**': 1, Head: 1, Tail: 1 },
    machine: { default: 'Idle', states: { Idle: { motion: 'Upper:Idle' } } },
  },
];

function omitMask(layer: LayerModel): LayerModel {
  const { mask: _, ...rest } = layer;
  return rest;
}

describe('importPlayCanvasGraph', () => {
  test('reads the form that engines load', () => {
    const model = importGraph(RUNTIME);
    expect(model.layers).toEqual(LAYERS);
    expect(model.parameters).toEqual({
      speed: { type: 'float', default: 0 },
      attack: { type: 'trigger', default: false },
      health: { type: 'int', default: 3 },
    });
    expect(model.clips).toEqual({
      'Base:Idle': { loops: true },
      'Move.Walk': { loops: true },
      'Move.Run': { loops: true },
      Die: { loops: false },
      'Upper:Idle': { loops: true },
    });
    expect(model.issues!.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      // END leads from Idle to Idle at speed 0.5, and Idle goes on; Move may interrupt; Die comes from any state
      'warning /layers/0/transitions/2/exitTime',
      'warning /layers/0/transitions/2/to',
      'warning /layers/0/transitions/2',
      'warning /layers/0/transitions/1/interruptionSource',
      'warning /layers/0/transitions/3',
      'warning /layers/0/transitions/4',
      'warning /layers/0/states/2/blendTree',
      'warning /layers/0/states/2/blendTree',
      'warning /layers/1/blendType',
    ]);
  });

  test('reads the form that the editor stores, and JSON text', () => {
    const editor = importGraph(JSON.stringify(EDITOR));
    expect(editor.layers).toEqual(LAYERS.map((layer) => ('mask' in layer ? omitMask(layer) : layer)));
    const { parameters, clips } = importGraph(RUNTIME);
    expect(editor.parameters).toEqual(parameters);
    expect(editor.clips).toEqual(clips);
    expect(editor.issues!.map(({ path }) => path)).toContain('/transitions/102/exitTime');
    expect(editor.issues!.map(({ path }) => path)).toContain('/states/12/blendTree');
  });

  test('what it makes compiles', () => {
    const { layers } = compileController(importGraph(RUNTIME));
    expect(layers.map(({ name, additive }) => [name, additive])).toEqual([
      ['Base', false],
      ['Upper', true],
    ]);
  });

  const machineOf = (transitions: readonly object[], states: readonly object[] = [{ name: 'A' }, { name: 'B' }]) =>
    importGraph({
      layers: [{ name: 'Base', states: [{ name: 'START' }, { name: 'END' }, { name: 'ANY' }, ...states], transitions }],
      parameters: RUNTIME.parameters,
    });

  test('gives a transition that waits for nothing a condition that always holds', () => {
    const model = machineOf([
      { from: 'START', to: 'A' },
      { from: 'A', to: 'B', exitTime: null },
    ]);
    expect(model.layers[0]!.machine!.states.A!.transitions).toEqual([{ to: 'B', when: [{ parameter: 'always' }] }]);
    expect(model.parameters.always).toEqual({ type: 'bool', default: true });
    expect(model.issues!.map(({ severity, path }) => [severity, path])).toEqual([['info', '/layers/0/transitions/1']]);
  });

  test('asks entries by priority, up to the first that always holds', () => {
    const { machine } = machineOf([
      { from: 'START', to: 'A', priority: 3 },
      { from: 'START', to: 'B', priority: 1, conditions: SPEED },
      { from: 'START', to: 'A', priority: 4, conditions: ATTACK },
    ]).layers[0]!;
    expect(machine!.default).toBe('A');
    expect(machine!.entry).toEqual([{ to: 'B', when: [{ parameter: 'speed', greater: 0.1 }] }]);
  });

  test('keeps START as a state where it can wait, be returned to or give an offset', () => {
    const waiting = machineOf([{ from: 'START', to: 'A', conditions: ATTACK }]);
    const returning = machineOf([
      { from: 'START', to: 'A' },
      { from: 'A', to: 'START', conditions: ATTACK },
    ]);
    const offset = machineOf([{ from: 'START', to: 'A', transitionOffset: 0.5 }]);
    const always = [{ parameter: 'always' }];
    expect([waiting, returning, offset].map(({ layers }) => layers[0]!.machine!.states.START)).toEqual([
      { transitions: [{ to: 'A', when: [{ parameter: 'attack' }] }] },
      { transitions: [{ to: 'A', when: always }] },
      { transitions: [{ to: 'A', when: always, offset: 0.5 }] },
    ]);
    expect([waiting, returning, offset].map(({ layers }) => layers[0]!.machine!.default)).toEqual([
      'START',
      'START',
      'START',
    ]);
  });

  test('begins in the default state where nothing leads from START', () => {
    const model = machineOf([], [{ name: 'A' }, { name: 'B', defaultState: true }]);
    expect(model.layers[0]!.machine!.default).toBe('B');
    expect(model.issues!.map(({ path }) => path)).toEqual(['/layers/0']);
  });

  test('leaves out what PlayCanvas never takes, and says so', () => {
    const model = machineOf([
      { from: 'START', to: 'A' },
      { from: 'A', to: 'A', conditions: ATTACK },
      { from: 'A', to: 'B', exitTime: -1 },
      { from: 'A', to: 'B', conditions: [{ parameterName: 'attack', predicate: 'EQUAL_TO', value: 1 }] },
      { from: 'START', to: 'B', exitTime: 0.5 },
    ]);
    expect(model.layers[0]!.machine).toEqual({
      default: 'A',
      states: { A: { motion: 'A' }, B: { motion: 'B' } },
    });
    expect(model.issues!.map(({ path }) => path).sort()).toEqual([
      '/layers/0/transitions/1/to',
      '/layers/0/transitions/2/exitTime',
      '/layers/0/transitions/3/conditions',
      '/layers/0/transitions/4/exitTime',
    ]);
  });

  test('names 20 places of a kind and counts the rest', () => {
    const states = Array.from({ length: 25 }, (_, index) => ({ name: `S${index}`, blendTree: LOCOMOTION, speed: 2 }));
    const { issues } = machineOf([{ from: 'START', to: 'S0' }], states);
    expect(issues!.filter(({ path }) => path.endsWith('/speed'))).toHaveLength(20);
    expect(issues!.at(-1)).toMatchObject({ severity: 'info', path: '', message: 'At least 15 more like these.' });
  });

  test.each([
    ['DIRECT', [], { blend: 'direct', normalized: true }],
    ['2D_DIRECTIONAL', [0, 1], { blend: 'freeformDirectional', parameters: ['speed', 'health'] }],
    ['2D_CARTESIAN', [0, 1], { blend: 'freeformCartesian', parameters: ['speed', 'health'] }],
  ])('reads a %s tree', (type, point, expected) => {
    const blendTree = {
      type,
      parameters: ['speed', 'health'],
      children: [
        { name: 'x', point },
        { name: 'y', point: [2, 3] },
      ],
    };
    const { motion } = machineOf([{ from: 'START', to: 'A' }], [{ name: 'A', blendTree }]).layers[0]!.machine!.states
      .A!;
    expect(motion).toMatchObject(expected);
    expect((motion as { children: unknown }).children).toEqual(
      type === 'DIRECT'
        ? [
            { weightParameter: 'speed', motion: 'A.x' },
            { weightParameter: 'health', motion: 'A.y' },
          ]
        : [
            { at: [0, 1], motion: 'A.x' },
            { at: [2, 3], motion: 'A.y' },
          ],
    );
  });

  test('reads trees inside trees, which PlayCanvas cannot play', () => {
    const blendTree = {
      ...LOCOMOTION,
      children: [
        { name: 'Still', point: 0 },
        { ...LOCOMOTION, name: 'Go', point: 1 },
      ],
    };
    const model = machineOf([{ from: 'START', to: 'A' }], [{ name: 'A', blendTree }]);
    expect(Object.keys(model.clips!)).toEqual(['A.Still', 'A.Go.Walk', 'A.Go.Run']);
    expect(model.issues!.map(({ path }) => path)).toContain('/layers/0/states/3/blendTree/children/1');
  });
});

describe('an invalid graph', () => {
  const issuesOf = (json: unknown): string[] => {
    try {
      importGraph(json);
    } catch (thrown) {
      return (thrown as ManipleError).issues.map(({ code, path }) => `${code} ${path}`);
    }
    return [];
  };
  /** The valid graph with other values at some places; undefined takes a field away. */
  const change = (edits: Readonly<Record<string, unknown>>): unknown => {
    const graph: unknown = structuredClone(RUNTIME);
    for (const [place, value] of Object.entries(edits)) {
      const steps = place.split('/');
      const last = steps.pop()!;
      const target = steps.reduce((node, step) => node[step] as Json, graph as Json);
      if (value === undefined) delete target[last];
      else target[last] = value;
    }
    return graph;
  };

  test.each<[string, unknown, string]>([
    ['no object', 7, ''],
    ['no JSON', '{"layers":', ''],
    ['too deep', '['.repeat(100_000), ''],
    ['without layers', { parameters: {} }, '/layers'],
    [
      'a condition on nothing',
      change({ 'layers/0/transitions/1/conditions/0/parameterName': 'x' }),
      '/layers/0/transitions/1/conditions/0/parameterName',
    ],
    [
      'an unknown predicate',
      change({ 'layers/0/transitions/1/conditions/0/predicate': 'IS' }),
      '/layers/0/transitions/1/conditions/0/predicate',
    ],
    [
      'a condition without value',
      change({ 'layers/0/transitions/1/conditions/0/value': undefined }),
      '/layers/0/transitions/1/conditions/0/value',
    ],
    ['a transition from nowhere', change({ 'layers/0/transitions/1/from': 'x' }), '/layers/0/transitions/1/from'],
    ['a transition to ANY', change({ 'layers/0/transitions/1/to': 'ANY' }), '/layers/0/transitions/1/to'],
    ['a state twice', change({ 'layers/0/states/2/name': 'Idle' }), '/layers/0/states/2/name'],
    ['a dot in a name', change({ 'layers/1/states/1/name': 'a.b' }), '/layers/1/states/1/name'],
    ['an endless time', change({ 'layers/0/transitions/1/time': Infinity }), '/layers/0/transitions/1/time'],
    ['a parameter of no type', change({ 'parameters/0/type': 'VECTOR' }), '/parameters/0/type'],
    ['a fraction for an integer', change({ 'parameters/2/value': 0.5 }), '/parameters/2/value'],
    [
      'a tree without parameter',
      change({ 'layers/0/states/2/blendTree/parameter': undefined }),
      '/layers/0/states/2/blendTree',
    ],
    [
      'a tree on a trigger',
      change({ 'layers/0/states/2/blendTree/parameter': 'attack' }),
      '/layers/0/states/2/blendTree/parameter',
    ],
    [
      'a child without a point',
      change({ 'layers/0/states/2/blendTree/children/0/point': undefined }),
      '/layers/0/states/2/blendTree/children/0/point',
    ],
    ['END without START', change({ 'layers/0/transitions/0/from': 'Die' }), '/layers/0'],
    [
      'ids of nothing',
      { ...EDITOR, layers: { 0: { name: 'Base', states: [99], transitions: [] } } },
      '/layers/0/states/0',
    ],
    [
      'ids of inherited things',
      { ...EDITOR, layers: { 0: { name: 'Base', states: ['constructor'], transitions: [] } } },
      '/layers/0/states/0',
    ],
  ])('%s', (_, json, path) => {
    expect(issuesOf(json)).toContain(`PLAYCANVAS_INVALID ${path}`);
  });

  test('is refused with all that is wrong', () => {
    const graph = change({
      'parameters/0/type': 'x',
      'layers/0/states/1/speed': '1',
      'layers/0/transitions/4/to': 'x',
      'layers/1/mask': { 'Root/Head': 3 },
    });
    expect(issuesOf(graph)).toEqual(
      expect.arrayContaining([
        'PLAYCANVAS_INVALID /parameters/0/type',
        'PLAYCANVAS_INVALID /layers/0/states/1/speed',
        'PLAYCANVAS_INVALID /layers/0/transitions/4/to',
        'PLAYCANVAS_INVALID /layers/1/mask/Root~1Head',
      ]),
    );
  });

  test('is refused where it is larger than a controller can be', () => {
    const children = Array.from({ length: 17 }, (_, index) => ({ name: `c${index}`, point: index }));
    const nest = (depth: number): object => ({
      ...LOCOMOTION,
      name: 't',
      point: 0,
      children: depth === 0 ? LOCOMOTION.children : [nest(depth - 1)],
    });
    expect(issuesOf(change({ 'layers/0/states/2/blendTree/children': children }))[0]).toBe(
      'CONTROLLER_LIMIT /layers/0/states/2/blendTree/children',
    );
    expect(issuesOf(change({ 'layers/0/states/2/blendTree': nest(4) }))).toContain(
      `CONTROLLER_LIMIT /layers/0/states/2/blendTree${'/children/0'.repeat(4)}`,
    );
    expect(issuesOf(change({ layers: Array.from({ length: 33 }, () => RUNTIME.layers[1]) }))[0]).toBe(
      'CONTROLLER_LIMIT /layers',
    );
    expect(issuesOf(`"${'x'.repeat(2 ** 24)}"`)).toEqual(['CONTROLLER_LIMIT ']);
  });
});
