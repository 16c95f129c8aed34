import { describe, expect, test } from 'vitest';
import { importPlayCanvasGraph } from '../../src/import/playcanvas/import-graph.ts';
import { judgeGraph, type JudgedLayer, type JudgeStep } from '../support/playcanvas-judge.ts';

// What the importer says of PlayCanvas beside the graphs of playcanvas-cases.ts: each claim as PlayCanvas itself shows
// it, and the place that the importer names for the same graph.

const DT = 0.125;
const play = (count: number): JudgeStep[] => Array.from({ length: count }, () => ({ dt: DT }));
const go = (...trigger: string[]): JudgeStep => ({ dt: DT, trigger });

const TRIGGERS = Object.fromEntries(
  ['go', 'stop', 'on'].map((name) => [name, { name, type: 'TRIGGER', value: false }]),
);
const PARAMETERS = {
  ...TRIGGERS,
  v: { name: 'v', type: 'FLOAT', value: 0.5 },
  w: { name: 'w', type: 'FLOAT', value: 0.5 },
};

interface TransitionFields {
  readonly when?: string;
  readonly [field: string]: unknown;
}

const at = (from: string, to: string, { when, ...more }: TransitionFields = {}): object => ({
  from,
  to,
  conditions: when === undefined ? [] : [{ parameterName: when, predicate: 'EQUAL_TO', value: true }],
  ...more,
});

function graphOf(
  states: readonly { readonly name: string }[],
  transitions: readonly object[],
  more: object = {},
): object {
  const control = ['START', 'END', 'ANY'].map((name) => ({ name }));
  const all = [at('START', states[0]!.name), ...transitions];
  return {
    layers: [{ name: 'Base', states: [...control, ...states], transitions: all, ...more }],
    parameters: PARAMETERS,
  };
}

const named = (names: string): { name: string }[] => names.split(' ').map((name) => ({ name }));
const tree = (children: readonly object[], more: object = {}): { name: string } =>
  ({ name: 'A', blendTree: { type: '1D', parameters: ['v'], children }, ...more }) as { name: string };
const SINGLE = { A: 1, B: 1, C: 1, D: 1 };

const run = (graph: object, steps: readonly JudgeStep[], durations: Record<string, number> = SINGLE): JudgedLayer[] =>
  judgeGraph(graph, durations, steps).map(([layer]) => layer!);

/** Messages of the warnings at a place. */
const warningsAt = (graph: object, place: string): string[] =>
  importPlayCanvasGraph(graph, { name: 'claim' })
    .issues!.filter(({ path, severity }) => path === place && severity === 'warning')
    .map(({ message }) => message);

describe('blend trees of PlayCanvas', () => {
  const pair = [
    { name: 'x', point: 0 },
    { name: 'y', point: 1 },
  ];

  test('do not play faster with their state', () => {
    const graph = graphOf([tree(pair, { speed: 2 })], []);
    const [, second] = run(graph, play(2), { 'A.x': 1, 'A.y': 1 });
    expect(second!.clips.map(({ time }) => time)).toEqual([0.25, 0.25]);
    expect(second!.timeInState).toBe(0.25);
    expect(warningsAt(graph, '/layers/0/states/3/speed')).toEqual([expect.stringContaining('only for its exit times')]);
  });

  test('give two children at one value half the weight each, at any parameter', () => {
    const graph = graphOf([tree([...pair, { name: 'z', point: 1 }])], []);
    const [first] = run(graph, play(1), { 'A.x': 1, 'A.y': 1, 'A.z': 1 });
    const weights = Object.fromEntries(first!.clips.map(({ clip, weight }) => [clip, weight]));
    // 0.5 between 0 and 1 gives x 0.5; then y and z get 0.5 each, and all are divided by 1.5
    expect(weights).toEqual({
      'A.x': expect.closeTo(1 / 3),
      'A.y': expect.closeTo(1 / 3),
      'A.z': expect.closeTo(1 / 3),
    });
    expect(warningsAt(graph, '/layers/0/states/3/blendTree/children')).toEqual([expect.stringContaining('half')]);
  });

  test('give a single child no weight', () => {
    const graph = graphOf([tree([{ name: 'x', point: 0.5 }])], []);
    expect(run(graph, play(1), { 'A.x': 1 })[0]!.clips).toEqual([]);
    expect(warningsAt(graph, '/layers/0/states/3/blendTree')).toEqual([
      expect.stringContaining('never has any weight'),
    ]);
  });

  test('stop with an error inside a tree', () => {
    const inner = { type: '1D', parameter: 'v', children: pair, name: 'in', point: 1 };
    const graph = graphOf([tree([{ name: 'x', point: 0 }, inner])], []);
    expect(() => run(graph, play(1), { 'A.x': 1, 'A.in.x': 1, 'A.in.y': 1 })).toThrow();
    expect(warningsAt(graph, '/layers/0/states/3/blendTree/children/1')).toHaveLength(1);
  });

  test('begin at an offset in seconds of the longest clip', () => {
    const b = { ...tree(pair), name: 'B' };
    const graph = graphOf([{ name: 'A' }, b], [at('A', 'B', { when: 'go', time: 1, transitionOffset: 0.5 })]);
    const second = run(graph, [...play(1), go('go')], { A: 1, 'B.x': 2, 'B.y': 4 })[1]!;
    // half of 4 s, then an update: x, 2 s long, has come round
    const times = second.clips.filter(({ clip }) => clip.startsWith('B.')).map(({ time }) => time);
    expect(times).toEqual([0.125, 2.125]);
    expect(warningsAt(graph, '/layers/0/transitions/1/transitionOffset')).toHaveLength(1);
  });

  test('count a directional child’s speed for its own clip as well', () => {
    const children = [
      { name: 'x', point: [0, 1], speed: 2 },
      { name: 'y', point: [0, -1], speed: 2 },
    ];
    const blendTree = { type: '2D_DIRECTIONAL', parameters: ['v', 'w'], children };
    const graph = graphOf([{ ...named('A')[0]!, blendTree } as { name: string }], []);
    const second = run(graph, play(2), { 'A.x': 1, 'A.y': 1 })[1]!;
    // the common length is 0.5 s: speed 2; the children's speed squared comes on top
    expect(second.clips[0]!.speed).toBeCloseTo(8, 9);
    expect(warningsAt(graph, '/layers/0/states/3/blendTree')).toContainEqual(
      expect.stringContaining('also for its own clip'),
    );
  });

  test('meet exit times by the first clip at its present speed', () => {
    const children = [
      { name: 'x', point: 0 },
      { name: 'y', point: 1 },
    ];
    const graph = graphOf([tree(children), { name: 'B' }], [at('A', 'B', { exitTime: 3 })]);
    // of 1 s and 4 s: after 1.5 s at length 4 progress is 0.375, and 1.5 as soon as the length is 1
    const trace = run(graph, [{ dt: DT, set: { v: 1 } }, ...play(12), { dt: DT, set: { v: 0 } }, ...play(2)], {
      'A.x': 1,
      'A.y': 4,
      B: 1,
    });
    expect(trace[12]!.progress).toBeCloseTo(0.375, 9);
    expect(trace[13]!.progress).toBeCloseTo(1.625, 9);
    expect(warningsAt(graph, '/layers/0/transitions/1/exitTime')).toEqual([expect.stringContaining('first clip')]);
  });
});

describe('transitions of PlayCanvas', () => {
  test('meet exit times of the previous state by the clock of the destination', () => {
    const graph = graphOf(named('A B C'), [
      at('A', 'B', { when: 'go', time: 1, interruptionSource: 'PREV_STATE' }),
      at('A', 'C', { exitTime: 0.3 }),
    ]);
    const trace = run(graph, [...play(1), go('go'), ...play(4)]);
    // A passes 0.3 in the third update; B's clock, which runs from the third on, in the fifth
    expect(trace.map(({ active }) => active).join('')).toBe('ABBBCC');
    expect(warningsAt(graph, '/layers/0/transitions/2/exitTime')).toContainEqual(
      expect.stringContaining('destination'),
    );
  });

  test('meet exit times from any state by the clock of the destination', () => {
    const graph = graphOf(named('A B C'), [
      at('A', 'B', { when: 'go', time: 1, interruptionSource: 'NEXT_STATE' }),
      at('ANY', 'C', { exitTime: 0.3 }),
    ]);
    expect(
      run(graph, [...play(1), go('go'), ...play(4)])
        .map(({ active }) => active)
        .join(''),
    ).toBe('ABBBCC');
    expect(warningsAt(graph, '/layers/0/transitions/2/exitTime')).toContainEqual(
      expect.stringContaining('destination'),
    );
  });

  test('take the state that was interrupted for the previous one', () => {
    const graph = graphOf(named('A B C D'), [
      at('A', 'B', { when: 'go', time: 1, interruptionSource: 'PREV_STATE' }),
      at('A', 'C', { when: 'stop', time: 1, interruptionSource: 'PREV_STATE' }),
      at('A', 'D', { when: 'on' }),
    ]);
    const trace = run(graph, [...play(1), go('go'), go('stop'), go('on')]);
    expect(trace.map(({ active }) => active).join('')).toBe('ABCC');
    expect(trace.at(-1)!.previous).toBe('B');
    expect(warningsAt(graph, '/layers/0/transitions/1/interruptionSource')).toContainEqual(
      expect.stringContaining('A stays the previous state'),
    );
  });

  test('lead from a state through END back to it once', () => {
    const graph = graphOf(named('A'), [at('A', 'END', { when: 'go' })]);
    const trace = run(graph, [...play(2), go('go'), ...play(1), go('go')]);
    expect(trace.map(({ clips }) => clips[0]!.time)).toEqual([0.125, 0.25, 0.125, 0.25, 0.375]);
    expect(warningsAt(graph, '/layers/0/transitions/1/to')).toEqual([expect.stringContaining('only the first time')]);
  });

  test('from START keep everything waiting for their time', () => {
    const graph = graphOf(named('A B'), [at('A', 'B', { when: 'go' })]) as {
      layers: [{ transitions: { time?: number }[] }];
    };
    graph.layers[0].transitions[0]!.time = 0.5;
    const trace = run(graph, [...play(1), go('go'), ...play(5)]);
    expect(trace.map(({ active }) => active).join('')).toBe('AAAAABB');
    expect(warningsAt(graph, '/layers/0/transitions/0/time')).toHaveLength(1);
  });
});

describe('nothing is reported', () => {
  const places = (graph: object): string[] =>
    importPlayCanvasGraph(graph, { name: 'quiet' }).issues!.map(({ path }) => path);
  const when = (predicate: string, value: number): object => ({
    conditions: [{ parameterName: 'v', predicate, value }],
  });

  test('of an order that conditions make impossible to see', () => {
    const graph = graphOf(named('A B C'), [
      at('A', 'B', { ...when('GREATER_THAN', 1), time: 0.5, interruptionSource: 'NEXT_STATE' }),
      at('ANY', 'C', when('LESS_THAN', 1) as TransitionFields),
    ]);
    expect(places(graph)).toEqual([]);
  });

  test('of transitions in a row that cannot follow each other', () => {
    const graph = graphOf(named('A B'), [
      at('A', 'B', when('GREATER_THAN', 1) as TransitionFields),
      at('B', 'A', when('LESS_THAN_EQUAL_TO', 1) as TransitionFields),
    ]);
    expect(places(graph)).toEqual([]);
  });

  test('of a graph without anything special', () => {
    const graph = graphOf(
      [{ name: 'A' }, { name: 'B', loop: false } as { name: string }],
      [at('A', 'B', { when: 'go', time: 0.25 }), at('B', 'A', { when: 'stop', time: 0.25, transitionOffset: 0.5 })],
    );
    expect(places(graph)).toEqual([]);
  });
});
