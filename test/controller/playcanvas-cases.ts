import type { ControllerModel } from '../../src/controller/model.ts';
import type { JudgeStep } from '../support/playcanvas-judge.ts';

/** A step of `maniple simulate`, as far as these cases use it. */
export type SimulateStep = JudgeStep;

/** A step's result as `maniple simulate` prints it, as far as it is compared. */
export interface SimulatedStep {
  readonly layers: readonly {
    readonly name: string;
    readonly state: string;
    readonly next: string | null;
    readonly progress: number;
    readonly motions: readonly { readonly clip: string; readonly phase: number; readonly weight: number }[];
  }[];
}

/** Runs a controller from its start; `clipLengths` in seconds, by reference. */
export type SimulateController = (
  model: ControllerModel,
  clipLengths: Readonly<Record<string, number>>,
  steps: readonly SimulateStep[],
) => Promise<readonly SimulatedStep[]>;

/**
 * What is compared after each step: where a layer is or goes to; how far a transition is; weights and phases of clips;
 * and, where steps may differ by one, only in which order and when (to one update) states are gone to.
 */
export type Field = 'state' | 'transition' | 'weights' | 'phases' | 'order';

/** What a layer does, in terms that both sides know. */
export interface Seen {
  readonly state: string;
  /** 0 to 1, null where there is none. */
  readonly transition: number | null;
  /** By clip; those of weight 0 are left out. */
  readonly weights: Readonly<Record<string, number>>;
  readonly phases: Readonly<Record<string, number>>;
}

/** A graph that shows one rule, and what both sides make of it. */
export interface PlayCanvasCase {
  readonly topic: string;
  /** Maniple's rule. */
  readonly rule: string;
  /** What PlayCanvas does instead. */
  readonly theirs?: string;
  readonly graph: object;
  /** Seconds of each clip, by the path that it is assigned to. */
  readonly durations: Readonly<Record<string, number>>;
  readonly steps: readonly JudgeStep[];
  /** Fields that are equal after every step … */
  readonly agree: readonly Field[];
  /** … and those that are not. */
  readonly differ?: readonly Field[];
  /** Pointers of the differences that the importer reports for this graph, each once. */
  readonly warns?: readonly string[];
  /** What PlayCanvas has to give, computed by hand: after which step, counted from 0, in the first layer or the one named. */
  readonly observed: readonly (readonly [step: number, seen: Partial<Seen>, layer?: string | undefined])[];
}

type Value = number | boolean;
type Conditions = Readonly<Record<string, Value | readonly [predicate: string, value: Value]>>;

const at = (from: string, to: string, when: Conditions = {}, more: object = {}): object => ({
  from,
  to,
  conditions: Object.entries(when).map(([parameterName, value]) =>
    typeof value === 'object'
      ? { parameterName, predicate: value[0], value: value[1] }
      : { parameterName, predicate: 'EQUAL_TO', value },
  ),
  ...more,
});

const layer = (name: string, states: readonly (string | object)[], transitions: readonly object[]): object => ({
  name,
  states: [
    ...['START', 'END', 'ANY'].map((control) => ({ name: control })),
    ...states.map((state) => (typeof state === 'string' ? { name: state } : state)),
  ],
  transitions,
});

/** Parameters by name: a word is a trigger or a boolean, a number a FLOAT. */
function graphOf(
  layers: readonly object[],
  parameters: Readonly<Record<string, 'trigger' | 'boolean' | number>>,
): object {
  const entries = Object.entries(parameters).map(([name, kind]) => {
    if (typeof kind === 'number') return { name, type: 'FLOAT', value: kind };
    return { name, type: kind.toUpperCase(), value: false };
  });
  return { layers, parameters: Object.fromEntries(entries.map((entry, index) => [index, entry])) };
}

/** One layer that begins in its first state. */
function machine(
  states: readonly (string | { readonly name: string; readonly [field: string]: unknown })[],
  transitions: readonly object[],
  parameters: Readonly<Record<string, 'trigger' | 'boolean' | number>> = {},
): object {
  const first = typeof states[0] === 'string' ? states[0] : states[0]!.name;
  return graphOf([layer('Base', states, [at('START', first), ...transitions])], parameters);
}

/** An eighth of a second is exact in every number format. */
const DT = 0.125;
const play = (count: number, dt: number = DT): JudgeStep[] => Array.from({ length: count }, () => ({ dt }));
const go = (...trigger: string[]): JudgeStep => ({ dt: DT, trigger });
const set = (values: Readonly<Record<string, Value>>): JudgeStep => ({ dt: DT, set: values });
const seconds = (clips: string, length = 1): Record<string, number> =>
  Object.fromEntries(clips.split(' ').map((clip) => [clip, length]));

/** The state after each step, a letter each. */
const inTurn = (states: string, layerName?: string): PlayCanvasCase['observed'] =>
  states.split('').map((state, step) => [step, { state }, layerName] as const);

const ALL = ['state', 'transition', 'weights', 'phases'] as const;
const tree = (type: string, parameters: readonly string[], children: readonly object[], more: object = {}): object => ({
  name: 'A',
  blendTree: { name: 'A', type, parameters, children, ...more },
});
const child = (name: string, point?: number | readonly number[]): object => ({
  name,
  ...(point === undefined ? {} : { point }),
});
const CROSS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
].map((point, index) => child('abcde'[index]!, point));
const FAN = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [-1, 0],
].map((point, index) => child('abcde'[index]!, point));

export const PLAYCANVAS_CASES: readonly PlayCanvasCase[] = [
  {
    topic: 'Transition on a trigger, 0.5 s',
    rule: 'Weights change linearly; both clocks run; the update that takes a transition already blends by its dt.',
    graph: machine(['A', 'B'], [at('A', 'B', { go: true }, { time: 0.5 })], { go: 'trigger' }),
    durations: seconds('A B'),
    steps: [...play(1), go('go'), ...play(5)],
    agree: ALL,
    observed: [
      [0, { state: 'A', transition: null, weights: { A: 1 }, phases: { A: 0.125 } }],
      [1, { state: 'B', transition: 0.25, weights: { A: 0.75, B: 0.25 }, phases: { A: 0.25, B: 0.125 } }],
      [3, { state: 'B', transition: 0.75, weights: { A: 0.25, B: 0.75 }, phases: { A: 0.5, B: 0.375 } }],
      [4, { state: 'B', transition: null, weights: { B: 1 }, phases: { B: 0.5 } }],
    ],
  },
  {
    topic: 'Transition without duration',
    rule: 'Completes at once.',
    graph: machine(['A', 'B'], [at('A', 'B', { go: true })], { go: 'trigger' }),
    durations: seconds('A B'),
    steps: [...play(2), go('go'), ...play(2)],
    agree: ALL,
    observed: [
      [1, { state: 'A', weights: { A: 1 } }],
      [2, { state: 'B', transition: null, weights: { B: 1 }, phases: { B: 0.125 } }],
    ],
  },
  {
    topic: 'All six comparisons',
    rule: 'Greater and less are strict, equality is exact.',
    graph: machine(
      ['A', 'B', 'C', 'D', 'E', 'F', 'G'],
      [
        at('A', 'B', { v: ['GREATER_THAN', 1] }),
        at('B', 'C', { v: ['GREATER_THAN_EQUAL_TO', 2] }),
        at('C', 'D', { v: ['LESS_THAN', 1] }),
        at('D', 'E', { v: ['LESS_THAN_EQUAL_TO', 0] }),
        at('E', 'F', { v: ['EQUAL_TO', 3] }),
        at('F', 'G', { v: ['NOT_EQUAL_TO', 3] }),
      ],
      { v: 0 },
    ),
    durations: seconds('A B C D E F G'),
    steps: [1, 1.5, 1.75, 2, 1, 0.5, 0, 2, 3, 4].map((v) => set({ v })),
    agree: ALL,
    // v ≥ 2 may hold as soon as v > 1 does, and v ≤ 0 as soon as v < 1 does
    warns: ['/layers/0/transitions/1', '/layers/0/transitions/3'],
    observed: inTurn('ABBCCDEEFG'),
  },
  {
    topic: 'A trigger is used up',
    rule: 'The transition that names it clears it; a transition that is not taken leaves it set.',
    graph: machine(['A', 'B'], [at('A', 'B', { go: true, open: true }), at('B', 'A', { go: true })], {
      go: 'trigger',
      open: 'boolean',
    }),
    durations: seconds('A B'),
    steps: [go('go'), ...play(1), set({ open: true }), ...play(2), go('go')],
    agree: ALL,
    observed: inTurn('AABBBA'),
  },
  {
    topic: 'Triggers in two layers',
    rule: 'Each layer uses a trigger once.',
    graph: graphOf(
      ['Base', 'Upper'].map((name) => {
        const [a, b] = name === 'Base' ? ['A', 'B'] : ['C', 'D'];
        return layer(name, [a!, b!], [at('START', a!), at(a!, b!, { go: true }), at(b!, a!, { go: true })]);
      }),
      { go: 'trigger' },
    ),
    durations: seconds('A B C D'),
    steps: [...play(1), go('go'), ...play(1), go('go')],
    agree: ALL,
    observed: [...inTurn('ABBA', 'Base'), ...inTurn('CDDC', 'Upper')],
  },
  {
    topic: 'Priority',
    rule: 'Imported as the order of the list: the smallest first, equals in file order.',
    graph: machine(
      ['A', 'B', 'C', 'D'],
      [
        at('A', 'B', { go: true }, { priority: 2 }),
        at('A', 'C', { go: true }, { priority: 1 }),
        at('A', 'D', { go: true }, { priority: 1 }),
      ],
      { go: 'trigger' },
    ),
    durations: seconds('A B C D'),
    steps: [...play(1), go('go')],
    agree: ALL,
    observed: [[1, { state: 'C' }]],
  },
  {
    topic: 'Offset of the destination',
    rule: 'A phase of the destination.',
    graph: machine(['A', 'B'], [at('A', 'B', { go: true }, { time: 0.5, transitionOffset: 0.25 })], { go: 'trigger' }),
    durations: { A: 1, B: 2 },
    steps: [...play(1), go('go'), ...play(1)],
    agree: ALL,
    observed: [
      [1, { phases: { A: 0.25, B: 0.3125 } }],
      [2, { phases: { A: 0.375, B: 0.375 } }],
    ],
  },
  {
    topic: 'Exit time of a looping clip',
    rule: 'Met at the crossing, inside the update; what is left of the update goes on into the transition.',
    theirs: 'Met in the update after the crossing’s; the transition gets the whole of that update.',
    graph: machine(['A', 'B'], [at('A', 'B', {}, { time: 0.5, exitTime: 0.5625 })]),
    durations: seconds('A B'),
    steps: play(10),
    agree: ['order'],
    differ: ['state', 'transition'],
    warns: ['/layers/0/transitions/1/exitTime'],
    observed: [
      [4, { state: 'A', transition: null, phases: { A: 0.625 } }],
      [5, { state: 'B', transition: 0.25, weights: { A: 0.75, B: 0.25 }, phases: { A: 0.75, B: 0.125 } }],
    ],
  },
  {
    topic: 'Exit time at speed 2',
    rule: 'The clock runs at the state’s speed.',
    theirs: 'Progress counts the speed twice: it is 0.84 after 0.21 clip lengths.',
    graph: machine([{ name: 'A', speed: 2 }, 'B'], [at('A', 'B', {}, { exitTime: 0.84 })]),
    durations: seconds('A B'),
    steps: play(20, 1 / 32),
    agree: [],
    differ: ['order'],
    warns: ['/layers/0/transitions/1/exitTime', '/layers/0/transitions/1/exitTime'],
    observed: [
      [6, { state: 'A', phases: { A: 0.4375 } }],
      [7, { state: 'B' }],
    ],
  },
  {
    topic: 'Exit time close to the end of a loop',
    rule: 'Never missed.',
    theirs: 'Missed in an update that passes the end as well: here always.',
    graph: machine(['A', 'B'], [at('A', 'B', {}, { exitTime: 0.95 })]),
    durations: seconds('A B'),
    steps: play(12, 0.375),
    agree: [],
    differ: ['order'],
    warns: ['/layers/0/transitions/1/exitTime'],
    observed: [[11, { state: 'A' }]],
  },
  {
    topic: 'Exit time 1, its condition true later',
    rule: 'Up to 1, an exit time recurs in every cycle.',
    theirs: 'From 1 on it occurs once.',
    graph: machine(['A', 'B'], [at('A', 'B', { open: true }, { exitTime: 1 })], { open: 'boolean' }),
    durations: seconds('A B'),
    steps: [...play(12), set({ open: true }), ...play(12)],
    agree: [],
    differ: ['order'],
    warns: ['/layers/0/transitions/1/exitTime'],
    observed: [[24, { state: 'A' }]],
  },
  {
    topic: 'Exit time 1 of a clip that does not loop',
    rule: 'The clock runs on after the clip’s end, and the exit time recurs after every length.',
    theirs: 'The clock stops at the end and an exit time there holds from then on.',
    graph: machine([{ name: 'A', loop: false }, 'B'], [at('A', 'B', { open: true }, { exitTime: 1 })], {
      open: 'boolean',
    }),
    durations: seconds('A B'),
    steps: [...play(10), set({ open: true }), ...play(8)],
    agree: [],
    differ: ['order'],
    warns: ['/layers/0/transitions/1/exitTime'],
    observed: [
      [9, { state: 'A', phases: { A: 1 } }],
      [10, { state: 'B' }],
    ],
  },
  {
    topic: 'Exit time 0',
    rule: 'Imported as none.',
    graph: machine(['A', 'B'], [at('A', 'B', { go: true }, { exitTime: 0 })], { go: 'trigger' }),
    durations: seconds('A B'),
    steps: [...play(2), go('go'), ...play(1)],
    agree: ALL,
    warns: ['/layers/0/transitions/1/exitTime'],
    observed: [
      [1, { state: 'A' }],
      [2, { state: 'B' }],
    ],
  },
  {
    topic: 'A clip that does not loop',
    rule: 'Stays at its end.',
    graph: machine([{ name: 'A', loop: false }], []),
    durations: seconds('A'),
    steps: play(10),
    agree: ALL,
    observed: [
      [5, { phases: { A: 0.75 } }],
      [9, { weights: { A: 1 }, phases: { A: 1 } }],
    ],
  },
  {
    topic: 'Negative speed',
    rule: 'Begins at the clip’s end.',
    graph: machine([{ name: 'A', speed: -0.5 }], []),
    durations: seconds('A'),
    steps: play(20),
    agree: ALL,
    observed: [
      [1, { phases: { A: 0.875 } }],
      [17, { phases: { A: 0.875 } }],
    ],
  },
  {
    topic: '1D weights within the range',
    rule: 'Linear between neighbours.',
    graph: machine([tree('1D', ['v'], [child('x', 0), child('y', 1), child('z', 3)]) as { name: string }], [], {
      v: 0,
    }),
    durations: seconds('A.x A.y A.z'),
    steps: [0.25, 0.25, 1, 2.5, 3].map((v) => set({ v })),
    agree: ['state', 'weights'],
    warns: ['/layers/0/states/3/blendTree', '/layers/0/states/3/blendTree'],
    observed: [
      [0, { weights: { 'A.x': 0.75, 'A.y': 0.25 } }],
      [2, { weights: { 'A.y': 1 } }],
      [3, { weights: { 'A.y': 0.25, 'A.z': 0.75 } }],
      [4, { weights: { 'A.z': 1 } }],
    ],
  },
  {
    topic: '1D outside the range',
    rule: 'The nearest child plays.',
    theirs: 'All weights are 0.',
    graph: machine([tree('1D', ['v'], [child('x', 0), child('y', 1)]) as { name: string }], [], { v: 0.5 }),
    durations: seconds('A.x A.y'),
    steps: [...play(1), set({ v: 1.5 })],
    agree: ['state'],
    differ: ['weights'],
    warns: ['/layers/0/states/3/blendTree', '/layers/0/states/3/blendTree'],
    observed: [
      [0, { weights: { 'A.x': 0.5, 'A.y': 0.5 } }],
      [1, { weights: {} }],
    ],
  },
  {
    topic: 'Clips of 1 s and 2 s in one tree',
    rule: 'They share a phase, from the first update on; its length is the weighted mean, 1.5 s.',
    theirs: 'The same speeds, but the first clip plays its first update at its own.',
    graph: machine([tree('1D', ['v'], [child('x', 0), child('y', 1)]) as { name: string }], [], { v: 0.5 }),
    durations: { 'A.x': 1, 'A.y': 2 },
    steps: play(4),
    agree: ['state', 'weights'],
    differ: ['phases'],
    warns: ['/layers/0/states/3/blendTree', '/layers/0/states/3/blendTree'],
    observed: [
      [0, { phases: { 'A.x': 0.125, 'A.y': 0.125 / 1.5 } }],
      [1, { phases: { 'A.x': 0.125 + 0.125 / 1.5, 'A.y': 0.25 / 1.5 } }],
    ],
  },
  {
    topic: '2D Cartesian weights',
    rule: 'Gradient bands.',
    theirs: 'The same weights; clips are as many times slower as the bands’ values add up to, here 1.3.',
    graph: machine([tree('2D_CARTESIAN', ['x', 'y'], CROSS) as { name: string }], [], { x: 0.3, y: 0.4 }),
    durations: seconds('A.a A.b A.c A.d A.e'),
    steps: play(4),
    agree: ['state', 'weights'],
    differ: ['phases'],
    warns: ['/layers/0/states/3/blendTree', '/layers/0/states/3/blendTree'],
    observed: [
      [
        0,
        {
          weights: { 'A.a': 0.6 / 1.3, 'A.b': 0.4 / 1.3, 'A.c': 0.3 / 1.3 },
          phases: { 'A.a': 0.125, 'A.b': 0.125 / 1.3, 'A.c': 0.125 / 1.3 },
        },
      ],
      [1, { phases: { 'A.a': 0.125 + 0.125 / 1.3, 'A.b': 0.25 / 1.3, 'A.c': 0.25 / 1.3 } }],
    ],
  },
  {
    topic: '2D directional weights',
    rule: 'Gradient bands over signed angles.',
    theirs: 'Bands without sign: a child on the other side counts as one on this side.',
    graph: machine([tree('2D_DIRECTIONAL', ['x', 'y'], FAN) as { name: string }], [], { x: 0.5, y: 0.5 }),
    durations: seconds('A.a A.b A.c A.d A.e'),
    steps: play(1),
    agree: ['state'],
    differ: ['weights'],
    warns: ['/layers/0/states/3/blendTree', '/layers/0/states/3/blendTree'],
    observed: [],
  },
  {
    topic: 'Direct weights, clips not matched',
    rule: 'Divided by their sum.',
    graph: machine(
      [tree('DIRECT', ['x', 'y'], [child('a'), child('b')], { syncAnimations: false }) as { name: string }],
      [],
      { x: 0.5, y: 1.5 },
    ),
    durations: seconds('A.a A.b'),
    steps: play(4),
    agree: ALL,
    warns: ['/layers/0/states/3/blendTree'],
    observed: [[3, { weights: { 'A.a': 0.25, 'A.b': 0.75 }, phases: { 'A.a': 0.5, 'A.b': 0.5 } }]],
  },
  {
    topic: 'Direct weights, clips matched',
    rule: 'Speeds follow the weights.',
    theirs: 'Speeds are those of the change before: of weights 1 and 1, hence half.',
    graph: machine([tree('DIRECT', ['x', 'y'], [child('a'), child('b')]) as { name: string }], [], { x: 0.5, y: 1.5 }),
    durations: seconds('A.a A.b'),
    steps: play(4),
    agree: ['state', 'weights'],
    differ: ['phases'],
    warns: ['/layers/0/states/3/blendTree', '/layers/0/states/3/blendTree'],
    observed: [
      [0, { phases: { 'A.a': 0.125, 'A.b': 0.0625 } }],
      [1, { weights: { 'A.a': 0.25, 'A.b': 0.75 }, phases: { 'A.a': 0.1875, 'A.b': 0.125 } }],
    ],
  },
  {
    topic: 'Interruption by the source’s transitions',
    rule: 'The interrupted blend is held while the new transition blends.',
    theirs: 'The same weights; the destination that was interrupted plays on.',
    graph: machine(
      ['A', 'B', 'C'],
      [
        at('A', 'B', { go: true }, { time: 1, interruptionSource: 'PREV_STATE' }),
        at('A', 'C', { stop: true }, { time: 0.5 }),
      ],
      { go: 'trigger', stop: 'trigger' },
    ),
    durations: seconds('A B C'),
    steps: [...play(1), go('go'), ...play(3), go('stop'), ...play(1)],
    agree: ['state', 'transition', 'weights'],
    differ: ['phases'],
    warns: ['/layers/0/transitions/1/interruptionSource'],
    observed: [
      [4, { state: 'B', transition: 0.5, weights: { A: 0.5, B: 0.5 }, phases: { A: 0.625, B: 0.5 } }],
      [
        5,
        {
          state: 'C',
          transition: 0.25,
          weights: { A: 0.375, B: 0.375, C: 0.25 },
          phases: { A: 0.625, B: 0.625, C: 0.125 },
        },
      ],
      [
        6,
        { state: 'C', transition: 0.5, weights: { A: 0.25, B: 0.25, C: 0.5 }, phases: { A: 0.625, B: 0.75, C: 0.25 } },
      ],
    ],
  },
  ...(
    [
      ['NEXT_STATE', 'Interruption by the destination’s transitions', 'D'],
      ['PREV_STATE_NEXT_STATE', 'Interruption, source before destination', 'C'],
      ['NEXT_STATE_PREV_STATE', 'Interruption, destination before source', 'D'],
    ] as const
  ).map(([interruptionSource, topic, to]): PlayCanvasCase => ({
    topic,
    rule: 'The lists that the source of interruption names, in its order.',
    graph: machine(
      ['A', 'B', 'C', 'D'],
      [
        at('A', 'B', { go: true }, { time: 1, interruptionSource }),
        at('A', 'C', { stop: true }),
        at('B', 'D', { stop: true }),
      ],
      { go: 'trigger', stop: 'trigger' },
    ),
    durations: seconds('A B C D'),
    steps: [...play(1), go('go'), ...play(1), go('stop'), ...play(1)],
    agree: ALL,
    observed: [
      [2, { state: 'B', transition: 0.25 }],
      [3, { state: to, transition: null }],
    ],
  })),
  {
    topic: 'No interruption',
    rule: 'Without a source no transition of a state interrupts; what it waited for is asked afterwards.',
    graph: machine(
      ['A', 'B', 'C', 'D'],
      [
        at('A', 'B', { go: true }, { time: 0.5 }),
        at('A', 'C', { stop: true }),
        at('B', 'D', { stop: true }, { time: 0.25 }),
      ],
      { go: 'trigger', stop: 'trigger' },
    ),
    durations: seconds('A B C D'),
    steps: [...play(1), go('go'), go('stop'), ...play(1)],
    agree: ALL,
    observed: [[3, { state: 'B', transition: 0.75 }]],
  },
  {
    topic: 'Any State against a transition without interruption',
    rule: 'Interrupts always.',
    theirs: 'Waits until the transition is over.',
    graph: machine(['A', 'B', 'C'], [at('A', 'B', { go: true }, { time: 1 }), at('ANY', 'C', { stop: true })], {
      go: 'trigger',
      stop: 'trigger',
    }),
    durations: seconds('A B C'),
    steps: [...play(1), go('go'), go('stop'), ...play(9)],
    agree: [],
    differ: ['state', 'order'],
    warns: ['/layers/0/transitions/1', '/layers/0/transitions/2'],
    observed: [
      [2, { state: 'B', transition: 0.25 }],
      [8, { state: 'B' }],
      [11, { state: 'C' }],
    ],
  },
  {
    topic: 'Any State against the state’s own transitions',
    rule: 'Is tried first.',
    theirs: 'Is tried last, whatever the priorities.',
    graph: machine(
      ['A', 'B', 'C'],
      [at('A', 'B', { go: true }, { priority: 5 }), at('ANY', 'C', { go: true }, { priority: 0 })],
      { go: 'trigger' },
    ),
    durations: seconds('A B C'),
    steps: [...play(1), go('go'), ...play(1)],
    agree: [],
    differ: ['state'],
    warns: ['/layers/0/transitions/2'],
    observed: [[1, { state: 'B' }]],
  },
  {
    topic: 'Any State, to where the layer already is',
    rule: 'Imported without transitions to itself.',
    graph: machine(['A', 'B'], [at('ANY', 'B', { open: true }, { time: 0.25 })], { open: 'boolean' }),
    durations: seconds('A B'),
    steps: [...play(1), set({ open: true }), ...play(5)],
    agree: ALL,
    observed: [
      [1, { state: 'B', transition: 0.5 }],
      [6, { state: 'B', transition: null, phases: { B: 0.75 } }],
    ],
  },
  {
    topic: 'From a state to itself',
    rule: 'Left out on import.',
    graph: machine(['A'], [at('A', 'A', { go: true }, { time: 0.5 })], { go: 'trigger' }),
    durations: seconds('A'),
    steps: [...play(2), go('go'), ...play(1)],
    agree: ALL,
    warns: ['/layers/0/transitions/1/to'],
    observed: [[3, { state: 'A', transition: null, phases: { A: 0.5 } }]],
  },
  {
    topic: 'Another transition to the same destination',
    rule: 'May interrupt.',
    theirs: 'Is ignored.',
    graph: machine(
      ['A', 'B'],
      [
        at('A', 'B', { go: true }, { time: 1, interruptionSource: 'PREV_STATE' }),
        at('A', 'B', { stop: true }, { time: 0.5 }),
      ],
      { go: 'trigger', stop: 'trigger' },
    ),
    durations: seconds('A B'),
    steps: [...play(1), go('go'), ...play(1), go('stop')],
    agree: ['state'],
    differ: ['transition'],
    warns: ['/layers/0/transitions/1/interruptionSource'],
    observed: [[3, { state: 'B', transition: 0.375 }]],
  },
  {
    topic: 'Two transitions that could follow each other',
    rule: 'Up to eight in one update.',
    theirs: 'One per update.',
    graph: machine(['A', 'B', 'C'], [at('A', 'B', { open: true }), at('B', 'C', { open: true })], { open: 'boolean' }),
    durations: seconds('A B C'),
    steps: [...play(1), set({ open: true }), ...play(2)],
    agree: ['order'],
    differ: ['state'],
    warns: ['/layers/0/transitions/1'],
    observed: [
      [1, { state: 'B' }],
      [2, { state: 'C' }],
    ],
  },
  {
    topic: 'END',
    rule: 'Imported as a transition to where START leads.',
    graph: machine(['A', 'B'], [at('A', 'B', { go: true }), at('B', 'END', { go: true }, { time: 0.25 })], {
      go: 'trigger',
    }),
    durations: seconds('A B'),
    steps: [...play(1), go('go'), go('go'), ...play(3)],
    agree: ALL,
    observed: [
      [1, { state: 'B' }],
      [2, { state: 'A', transition: 0.5, weights: { A: 0.5, B: 0.5 } }],
      [3, { state: 'A', transition: null }],
    ],
  },
  {
    topic: 'START with conditions',
    rule: 'The first that holds is where the layer begins.',
    graph: graphOf(
      [
        layer(
          'Base',
          ['A', 'B', 'C'],
          [
            at('START', 'C', {}, { priority: 9 }),
            at('START', 'A', { v: ['LESS_THAN', 0] }),
            at('START', 'B', { v: ['LESS_THAN', 1] }),
          ],
        ),
      ],
      { v: 0.5 },
    ),
    durations: seconds('A B C'),
    steps: play(2),
    agree: ALL,
    observed: [[0, { state: 'B', weights: { B: 1 } }]],
  },
  {
    topic: 'START with conditions that do not hold yet',
    rule: 'An empty state of that name waits.',
    graph: graphOf([layer('Base', ['A'], [at('START', 'A', { go: true })])], { go: 'trigger' }),
    durations: seconds('A'),
    steps: [...play(2), go('go'), ...play(1)],
    agree: ALL,
    observed: [
      [1, { state: 'START', weights: {} }],
      [2, { state: 'A', weights: { A: 1 }, phases: { A: 0.125 } }],
    ],
  },
];
