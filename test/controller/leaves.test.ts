import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { param } from '../../src/controller/builder.ts';
import { compileController } from '../../src/controller/compile.ts';
import type { ClipFacts, ControllerModel, LayerModel, MachineModel, MotionModel } from '../../src/controller/model.ts';
import { CHILD_LIMIT, FROZEN_LIMIT, LEAF_LIMIT } from '../../src/controller/tables.ts';
import { controllerView } from '../../src/controller/eval/controller-view.ts';
import { RigTable } from '../../src/character/format/clip-format.ts';
import { importUnityController } from '../../src/import/index.ts';
import { LEAF_MOTIONS, LEAF_PARAMETERS } from '../support/leaf-motions.ts';
import { trueLeaves, type TrueLeaf } from '../support/leaf-truth.ts';
import { OneAnimator } from '../support/one-animator.ts';
import { Random } from '../support/random.ts';
import { noShared, shared } from '../support/setup.ts';
import { randomScript, simulateAlone } from '../support/simulate-randomly.ts';

const CLIPS: Record<string, ClipFacts> = Object.fromEntries(
  Array.from({ length: 32 }, (_, c) => [`clip ${c}`, { length: 1 + c / 8 }]),
);
const lengthOf = (clip: string) => CLIPS[clip]!.length!;
const GO = { go: param.trigger(), on: param.trigger() };

function model(motion: MotionModel, other: MotionModel, more: Partial<ControllerModel> = {}): ControllerModel {
  const machine: MachineModel = {
    default: 'A',
    states: {
      A: {
        motion,
        transitions: [{ to: 'B', when: [{ parameter: 'go' }], duration: 1, interruption: 'next' }],
      },
      B: { motion: other, transitions: [{ to: 'C', when: [{ parameter: 'on' }], duration: 1 }] },
      C: { motion: 'clip 0', cycleOffset: 0.5 },
    },
  };
  const parameters = { ...LEAF_PARAMETERS, ...GO };
  const layers: LayerModel[] = [{ name: 'Base', machine }];
  return { format: 'maniple-controller', version: 1, name: 'leaves', parameters, clips: CLIPS, layers, ...more };
}

const valueOf =
  (values: Readonly<Record<string, number>> = {}) =>
  (name: string): number =>
    values[name] ?? (LEAF_PARAMETERS[name]!.default as number);
const truthOf = (motion: MotionModel, values?: Readonly<Record<string, number>>) =>
  trueLeaves(motion, valueOf(values), lengthOf);

function expectShown(shown: readonly TrueLeaf[], truth: readonly TrueLeaf[]): void {
  expect(shown.map(({ clip }) => clip)).toEqual(truth.map(({ clip }) => clip));
  shown.forEach(({ clip, weight }, i) => expect(weight, clip).toBeCloseTo(truth[i]!.weight, 5));
}
const scaled = (leaves: readonly TrueLeaf[], share: number): TrueLeaf[] =>
  leaves.map(({ clip, weight }) => ({ clip, weight: share * weight }));

/** Where the parameters of trees in the plane stand. */
const PLACES: readonly Readonly<Record<string, number>>[] = [
  {},
  { x: 0, y: 0 },
  { x: 0.9, y: -0.4 },
  { x: 1, y: 0.75 },
  { x: -0.2, y: -0.9 },
];

describe('all clips of a state that have weight are shown', () => {
  test.each(Object.entries(LEAF_MOTIONS))('%s', (_, motion) => {
    for (const values of PLACES) {
      const one = new OneAnimator(model(motion, 'clip 0')).set(values);
      one.step(0.25);
      const { leaves, length } = truthOf(motion, values);
      expectShown(one.shown(), leaves);
      expect(one.machine().clock).toBeCloseTo((0.25 / length) % 1, 5);
    }
    // more than eight, somewhere
    expect(Math.max(...PLACES.map((values) => truthOf(motion, values).leaves.length))).toBeGreaterThan(8);
  });

  test('12 of equal weight, which is what was 8 of them', () => {
    const one = new OneAnimator(model(LEAF_MOTIONS['12 equal ones'], 'clip 0'));
    one.step(0.25);
    expect(one.shown()).toHaveLength(12);
    for (const { weight } of one.shown()) expect(weight).toBeCloseTo(1 / 12, 7);
  });

  test('on both sides of a transition: 64 of two states', () => {
    const motion = LEAF_MOTIONS['32 of different weights, under two direct trees'];
    const one = new OneAnimator(model(motion, LEAF_MOTIONS['as many trees as 32 clips can have']));
    one.step(0.25);
    one.set({ go: true }).step(0.25);
    const other = LEAF_MOTIONS['as many trees as 32 clips can have'];
    expectShown(one.shown(), [...scaled(truthOf(motion).leaves, 0.75), ...scaled(truthOf(other).leaves, 0.25)]);
    expect(one.shown()).toHaveLength(64);
  });

  test('mirrored, synced, additive: each layer has all of its own', () => {
    const motion = LEAF_MOTIONS['32 of different weights, under two direct trees'];
    const mirrored: MotionModel = { blend: '1d', parameter: 'x', children: [{ at: 0, motion, mirror: true }] };
    const over: LayerModel = {
      name: 'Over',
      blend: 'additive',
      weight: 0.5,
      sync: { layer: 'Base', motions: { A: mirrored } },
    };
    const base = model(LEAF_MOTIONS['12 equal ones'], 'clip 0');
    const one = new OneAnimator({ ...base, layers: [...base.layers, over] });
    one.step(0.25);
    expect([one.shown(0).length, one.shown(1).length]).toEqual([12, 32]);
    expect(one.shown(1).every(({ mirror }) => mirror)).toBe(true);
    expectShown(one.shown(1), truthOf(motion).leaves);
  });
});

describe.skipIf(noShared())('Unity’s files, simulated: the listed motions are those with weight in doubles', () => {
  const folder = path.join(shared, 'unity');
  const files = noShared() ? [] : readdirSync(folder).filter((file) => file.endsWith('.controller'));

  test.each(files)('%s', async (file) => {
    const { controller: model } = importUnityController(readFileSync(path.join(folder, file), 'utf8'));
    const steps = await simulateAlone(model, randomScript(model, new Random(23), 40));
    let compared = 0;
    for (const { layers, parameters } of steps) {
      for (const { name, state, next, motions } of layers) {
        if (next !== null) continue;
        const motion = motionOf(model, name, state);
        const { leaves } = motion ? trueLeaves(motion, (key) => Number(parameters?.[key] ?? 0)) : { leaves: [] };
        expectShown(weighted(motions), weighted(leaves));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  /** By clip, what weighs more than rounding; the same clip may be there twice. */
  const weighted = (list: readonly TrueLeaf[]) =>
    list
      .filter(({ weight }) => weight > 1e-4)
      .map(({ clip, weight }) => ({ clip, weight }))
      .sort((a, b) => a.clip.localeCompare(b.clip) || a.weight - b.weight);

  /** What a layer shows in a state. */
  function motionOf({ layers }: ControllerModel, layer: string, state: string): MotionModel | undefined {
    const { machine, sync } = layers.find(({ name }) => name === layer)!;
    if (sync) return sync.motions[state];
    const names = state.split('.');
    const inner = names.slice(0, -1).reduce((at, name) => at?.machines?.[name], machine);
    return inner?.states[names.at(-1)!]?.motion;
  }
});

describe('rules that use leaves use all of them', () => {
  const motion = LEAF_MOTIONS['32 of different weights, under two direct trees'];
  const lightest = truthOf(motion).leaves.find(({ clip }) => clip === 'clip 16')!;

  test('events of the lightest', () => {
    const clips = { ...CLIPS, 'clip 16': { ...CLIPS['clip 16'], events: [{ name: 'beat', time: 0.25 }] } };
    const one = new OneAnimator(model(motion, 'clip 0', { clips }));
    const events = [1, 2].flatMap(() => one.step(0.5));
    expect(events.map(({ name }) => name)).toEqual(['beat']);
    expect(events[0]!.weight).toBeCloseTo(lightest.weight, 6);
  });

  test('root motion of each', () => {
    const one = new OneAnimator(model(motion, 'clip 0'), {
      resolve: (name) => ({
        root: {
          times: Float32Array.of(0, lengthOf(name)),
          positions: Float32Array.of(0, 0, 0, 0, 0, Number(name.slice(5))),
          rotations: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1),
        },
      }),
    });
    one.step(0.5);
    const { leaves, length } = truthOf(motion);
    const way = leaves.reduce((sum, { clip, weight }) => sum + weight * Number(clip.slice(5)), 0);
    expect(one.root[2]).toBeCloseTo((0.5 / length) * way, 4);
  });
});

describe('what an interruption freezes', () => {
  const [motion, other] = [
    LEAF_MOTIONS['12 equal ones'],
    LEAF_MOTIONS['32 of different weights, under two direct trees'],
  ];

  test('the eight heaviest, with the weight of all; the rest is counted', () => {
    const one = new OneAnimator(model(motion, other));
    one.step(0.25);
    one.set({ go: true }).step(0.5);
    const all = [...scaled(truthOf(motion).leaves, 0.5), ...scaled(truthOf(other).leaves, 0.5)];
    const kept = [...all].sort((a, b) => b.weight - a.weight).slice(0, FROZEN_LIMIT);
    const left = kept.reduce((sum, { weight }) => sum + weight, 0);
    one.set({ on: true }).step(0.25);
    const frozen = one.shown().slice(0, -1);
    expect(one.shown()).toHaveLength(FROZEN_LIMIT + 1);
    expect(frozen.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(0.75, 6);
    frozen.forEach(({ weight }) => expect(weight).toBeGreaterThanOrEqual((0.75 * kept.at(-1)!.weight) / left - 1e-6));
    expect(one.truncations).toBe(1);
    const [{ samples, weight }] = one.truncated as [{ samples: number; weight: number }];
    expect(samples).toBe(44 - FROZEN_LIMIT);
    expect(weight).toBeCloseTo(1 - left, 5);
  });

  test('again and again: what is counted adds up', () => {
    const one = new OneAnimator(model(motion, other));
    one.step(0.25);
    const expected: { samples: number; weight: number }[] = [];
    for (const state of ['B', 'C', 'A', 'C']) {
      const shown = one.shown();
      one.crossFade(state, 1).step(0.5);
      // the first cross-fade begins at rest
      if (state === 'B') continue;
      const weights = shown.map(({ weight }) => weight).sort((a, b) => b - a);
      const dropped = weights.slice(FROZEN_LIMIT);
      if (dropped.length > 0)
        expected.push({ samples: dropped.length, weight: dropped.reduce((sum, w) => sum + w, 0) });
    }
    expect(expected.map(({ samples }) => samples)).toEqual([36, 1, 12]);
    expect(one.truncated.map(({ samples }) => samples)).toEqual([36, 1, 12]);
    one.truncated.forEach(({ weight }, i) => expect(weight).toBeCloseTo(expected[i]!.weight, 5));
    expect(one.truncations).toBe(3);
  });
});

describe('what is compiled', () => {
  const compiled = (motion: MotionModel) => compileController(model(motion, 'clip 0'), { resolve: () => ({}) });

  test('how many can be shown at once, and by which kernels', () => {
    const of = (motion: MotionModel) => {
      const { motionBound, hasLargeMotions, hasTrees } = compiled(motion);
      return [motionBound, hasLargeMotions, hasTrees];
    };
    expect(of('clip 0')).toEqual([1 + 8, false, false]);
    expect(of(LEAF_MOTIONS['12 equal ones'])).toEqual([24, false, true]);
    expect(of(LEAF_MOTIONS['32 of different weights, under two direct trees'])).toEqual([64, true, true]);
    expect(of(LEAF_MOTIONS['16 around, freeform'])).toEqual([32, true, false]);
    expect(of(LEAF_MOTIONS['15 around, directional, without a centre'])).toEqual([30, true, true]);
    // a parameter is between two thresholds: 12 clips and 3 of the directional tree's, of which the centre is one
    expect(of(LEAF_MOTIONS['trees of every kind in each other'])).toEqual([2 * (12 + 3 + 3 + 3), true, true]);
    const line: MotionModel = {
      blend: '1d',
      parameter: 'x',
      children: Array.from({ length: 16 }, (_, at) => ({ at, motion: `clip ${at}` })),
    };
    expect(of(line)).toEqual([2 + 8, false, false]);
  });

  test('trees in trees: a root, its children, and two levels of as many as there are clips', () => {
    const motion = LEAF_MOTIONS['as many trees as 32 clips can have'];
    const { table } = compiled(motion);
    const view = controllerView(new RigTable(table), 0);
    expect(view.motion(view.machines[0]!.state(0).motionRow)!.trees).toHaveLength(1 + CHILD_LIMIT + 2 * LEAF_LIMIT);
    expect(compiled(motion).hasLargeMotions).toBe(true);
  });

  test('more than 32 clips are an error that names the state, the count, the limit and what to do', () => {
    const eleven: MotionModel = { blend: 'direct', children: Array.from({ length: 11 }, (_, c) => ({ motion: `clip ${c}`, weightParameter: 'x' })) }; // prettier-ignore
    const motion: MotionModel = {
      blend: '1d',
      parameter: 'x',
      children: [0, 1, 2].map((at) => ({ at, motion: eleven })),
    };
    expect(() => compiled(motion)).toThrow(
      expect.objectContaining({
        issues: [
          {
            code: 'CONTROLLER_LIMIT',
            severity: 'error',
            path: 'Base/A/motion',
            message: 'The motion of state "A" plays 33 clips; the limit is 32.',
            suggestion: 'Remove clips, or spread them over several states or layers.',
          },
        ],
      }),
    );
  });
});
