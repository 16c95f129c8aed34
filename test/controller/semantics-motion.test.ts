import { describe, expect, test } from 'vitest';
import { param, defineController } from '../../src/controller/builder.ts';
import type { ClipFacts, LayerModel, MotionModel, StateModel, TreeModel } from '../../src/controller/model.ts';
import { OneAnimator, type ShownClip } from '../support/one-animator.ts';

const PARAMETERS = { x: param.float(), y: param.float(), z: param.float(), w: param.float(), left: param.bool() };
const TWO = { blend: '1d', parameter: 'x' } as const;

function animator(
  state: StateModel,
  clips: Readonly<Record<string, ClipFacts>> = {},
  layers: LayerModel[] = [],
): OneAnimator {
  const base: LayerModel = { name: 'Base', machine: { default: 'A', states: { A: state, B: {} } } };
  return new OneAnimator(
    defineController({ name: 'test', parameters: PARAMETERS, clips, layers: [base, ...layers] as never }),
  );
}

const clock = (one: OneAnimator, dt = 0.5): number => {
  one.step(dt);
  return one.machine().clock;
};

const weightsOf = (shown: readonly ShownClip[]): Record<string, number> =>
  Object.fromEntries(shown.map(({ clip, weight }) => [clip, Math.round(weight * 1e5) / 1e5]));

describe('lengths', () => {
  const clips = { one: { length: 1 }, two: { length: 2 }, four: { length: 4 } };
  const two = (...children: TreeModel['children'][number][]): StateModel => ({
    motion: { ...TWO, children: children.map((child, at) => ({ ...child, at })) } as MotionModel,
  });

  test('of a tree: the weighted mean of durations', () => {
    expect(
      clock(animator(two({ motion: 'one' } as never, { motion: 'two' } as never), clips).set({ x: 0.5 })),
    ).toBeCloseTo(0.5 / 1.5, 6);
  });

  test('weights move it at once', () => {
    const one = animator(two({ motion: 'one' } as never, { motion: 'two' } as never), clips).set({ x: 1 });
    expect(clock(one)).toBe(0.25);
    expect(clock(one.set({ x: 0 }))).toBe(0.75);
  });

  test('time scales divide, whatever their sign; 0 does not count', () => {
    const scaled = (a: number, b: number) =>
      clock(
        animator(two({ motion: 'one', timeScale: a } as never, { motion: 'two', timeScale: b } as never), clips).set({
          x: 0.5,
        }),
      );
    expect(scaled(2, 1)).toBeCloseTo(0.5 / 1.25, 6);
    expect(scaled(-0.5, 4)).toBeCloseTo(0.5 / 1.25, 6);
    expect(scaled(0, 1)).toBe(0.25);
    expect(scaled(0, 0)).toBe(0.5);
  });

  test('level by level', () => {
    const inner: MotionModel = {
      blend: '1d',
      parameter: 'y',
      children: [
        { motion: 'two', at: 0 },
        { motion: 'four', at: 1 },
      ],
    };
    const state = two({ motion: 'one' } as never, { motion: inner, timeScale: 2 } as never);
    // (3 · 1 + 1 · (2.5 / 2)) / 4, with y = 0.25 and x = 0.25
    expect(clock(animator(state, clips).set({ x: 0.25, y: 0.25 }))).toBeCloseTo(0.5 / (0.75 + 0.25 * 1.25), 6);
  });

  test('no weight at all counts as 1 s', () => {
    const direct: MotionModel = {
      blend: 'direct',
      children: [
        { motion: 'two', weightParameter: 'x' },
        { motion: 'four', weightParameter: 'y' },
      ],
    };
    expect(clock(animator({ motion: direct }, clips))).toBe(0.5);
    expect(clock(animator({ motion: direct }, clips).set({ x: 0.25, y: 0.25 }))).toBeCloseTo(0.5 / 3, 6);
  });

  test('count all leaves', () => {
    const children = Array.from({ length: 9 }, (_, c) => ({
      motion: c === 8 ? 'long' : `c${c}`,
      weightParameter: 'x' as const,
    }));
    const one = animator({ motion: { blend: 'direct', normalized: true, children } }, { long: { length: 10 } }).set({
      x: 1,
    });
    expect(clock(one, 1)).toBeCloseTo(1 / 2, 6);
    expect(one.shown()).toHaveLength(9);
  });
});

describe('weights', () => {
  const shownBy = (motion: MotionModel, values: Readonly<Record<string, number>>): Record<string, number> => {
    const one = animator({ motion }).set(values);
    one.step(0.25);
    return weightsOf(one.shown());
  };
  const row = (...thresholds: number[]): MotionModel => ({
    ...TWO,
    children: thresholds.map((at, c) => ({ at, motion: `c${c}` })),
  });
  const direct = (normalized: boolean): MotionModel => ({
    blend: 'direct',
    normalized,
    children: [
      { motion: 'a', weightParameter: 'x' },
      { motion: 'b', weightParameter: 'y' },
    ],
  });

  test('on a line: clamped, sorted, the last of equal thresholds, but the first at the lowest', () => {
    expect(shownBy(row(0, 1), { x: -3 })).toEqual({ c0: 1 });
    expect(shownBy(row(0, 1), { x: 3 })).toEqual({ c1: 1 });
    expect(shownBy(row(1, 0), { x: 0.25 })).toEqual({ c1: 0.75, c0: 0.25 });
    expect(shownBy(row(0, 1, 1, 2), { x: 1 })).toEqual({ c2: 1 });
    expect(shownBy(row(0, 1, 1, 2), { x: 0.5 })).toEqual({ c0: 0.5, c1: 0.5 });
    expect(shownBy(row(0, 1, 1, 2), { x: 1.5 })).toEqual({ c2: 0.5, c3: 0.5 });
    expect(shownBy(row(0, 0, 1), { x: 0 })).toEqual({ c0: 1 });
    expect(shownBy(row(0, 0, 1), { x: 0.5 })).toEqual({ c1: 0.5, c2: 0.5 });
    expect(shownBy(row(0, 1, 1), { x: 1 })).toEqual({ c2: 1 });
    expect(shownBy(row(5), { x: 0 })).toEqual({ c0: 1 });
    expect(shownBy(row(0, 1), { x: NaN })).toEqual({ c0: 1 });
  });

  test('direct: what is missing stays missing, what is more is divided, negative counts as 0', () => {
    expect(shownBy(direct(false), { x: 0.25, y: 0.5 })).toEqual({ a: 0.25, b: 0.5 });
    expect(shownBy(direct(false), { x: 1, y: 3 })).toEqual({ a: 0.25, b: 0.75 });
    expect(shownBy(direct(false), { x: -1, y: 0.5 })).toEqual({ b: 0.5 });
    expect(shownBy(direct(true), { x: 0.25, y: 0.25 })).toEqual({ a: 0.5, b: 0.5 });
    expect(shownBy(direct(true), { x: 0, y: -1 })).toEqual({});
    const single: MotionModel = { blend: 'direct', children: [{ motion: 'a', weightParameter: 'x' }] };
    expect(shownBy(single, { x: 0.5 })).toEqual({ a: 0.5 });
  });

  test('parameters beyond all measure keep them finite', () => {
    const places = [
      [0, 0],
      [0, 1],
      [1, 0],
      [-1, 0],
    ] as const;
    for (const blend of ['directional', 'freeformDirectional', 'freeformCartesian'] as const) {
      const motion: MotionModel = {
        blend,
        parameters: ['x', 'y'],
        children: places.map((at, c) => ({ at, motion: `c${c}` })),
      };
      for (const values of [
        { x: Infinity, y: 0 },
        { x: 1e30, y: -1e30 },
        { x: -Infinity, y: Infinity },
      ]) {
        const weights = Object.values(shownBy(motion, values));
        expect(
          weights.reduce((sum, weight) => sum + weight, 0),
          `${blend} ${JSON.stringify(values)}`,
        ).toBeCloseTo(1, 4);
      }
    }
    expect(shownBy(direct(false), { x: Infinity, y: 1 })).toMatchObject({ a: 1 });
  });

  test('several of one direction count once', () => {
    const motion: MotionModel = {
      blend: 'directional',
      parameters: ['x', 'y'],
      children: [
        { at: [0, 0], motion: 'c' },
        { at: [0.1, 0.3], motion: 'near' },
        { at: [0.2, 0.6], motion: 'far' },
      ],
    };
    // beside their direction: what (0.1, 0.3) gives, 0.1 · 0.2 + 0.3 · 0.1 over 0.1, and the rest to the centre
    expect(shownBy(motion, { x: 0.2, y: 0.1 })).toEqual({ c: 0.5, near: 0.5 });
    expect(shownBy(motion, { x: -0.1, y: 0.2 })).toEqual({ c: 0.5, near: 0.5 });
  });

  test('nested: products along the path; children without a motion are not there', () => {
    const inner: MotionModel = {
      blend: '1d',
      parameter: 'y',
      children: [{ at: 0, motion: 'p' }, { at: 0.5 }, { at: 1, motion: 'q' }],
    };
    const empty: MotionModel = { ...TWO, children: [{ at: 0 }] };
    const motion: MotionModel = {
      ...TWO,
      children: [
        { at: 0, motion: 'a' },
        { at: 0.1, motion: empty },
        { at: 1, motion: inner },
      ],
    };
    expect(shownBy(motion, { x: 0.5, y: 0.25 })).toEqual({ a: 0.5, p: 0.375, q: 0.125 });
    expect(shownBy(empty, {})).toEqual({});
  });

  test('all clips that have weight are shown, however many and however little', () => {
    const children = Array.from({ length: 10 }, (_, c) => ({
      motion: `c${c}`,
      weightParameter: c === 9 ? ('y' as const) : ('x' as const),
    }));
    const weights = shownBy({ blend: 'direct', children }, { x: 0.05, y: 0.1 });
    expect(weights).toEqual(Object.fromEntries(children.map(({ motion }, c) => [motion, c === 9 ? 0.1 : 0.05])));
  });
});

describe('phases', () => {
  const phaseOf = (one: OneAnimator, dt = 0.25): number => {
    one.step(dt);
    return one.shown()[0]!.phase;
  };
  const held = { once: { loops: false } };

  test('looping: clock and all offsets, wrapped', () => {
    const clips = { c: { cycleOffset: 0.5 } };
    const tree: MotionModel = { ...TWO, children: [{ at: 0, motion: 'c', cycleOffset: 0.125 }] };
    expect(phaseOf(animator({ motion: tree, cycleOffset: 0.25 }, clips))).toBe(0.125); // 0.25 + 0.25 + 0.125 + 0.5
    expect(
      phaseOf(animator({ motion: tree, cycleOffset: 0.25, cycleOffsetParameter: 'x' }, clips).set({ x: -0.5 })),
    ).toBe(0.375);
    expect(phaseOf(animator({ motion: tree, cycleOffset: 0.25, timeParameter: 'x' }, clips).set({ x: 1.25 }))).toBe(
      0.875,
    ); // the state's does not count
  });

  test('not looping: clamped, offsets ignored', () => {
    const once = animator({ motion: 'once', cycleOffset: 0.5 }, held);
    expect(phaseOf(once)).toBe(0.25);
    expect(phaseOf(once, 5)).toBeCloseTo(1, 9);
    expect(phaseOf(animator({ motion: 'once', timeParameter: 'x' }, held).set({ x: 0.75 }))).toBe(0.75);
    expect(phaseOf(animator({ motion: 'once', timeParameter: 'x' }, held).set({ x: -2 }))).toBe(0);
    expect(phaseOf(animator({ motion: 'once', timeParameter: 'x' }, held).set({ x: 7 }))).toBeCloseTo(1, 9);
    expect(phaseOf(animator({ motion: 'once', speed: -1 }, held), 5)).toBe(0);
  });

  test('a time parameter moves the pose; the clock goes on', () => {
    const one = animator({ motion: 'c', timeParameter: 'x' }).set({ x: 0.5 });
    expect(phaseOf(one)).toBe(0.5);
    expect(one.machine().clock).toBe(0.25);
  });

  test('mirrored in time: 1 − phase; signs of nested scales multiply, a zero anywhere holds the begin', () => {
    const nest = (outer: number, inner: number): MotionModel => ({
      ...TWO,
      children: [{ at: 0, timeScale: outer, motion: { ...TWO, children: [{ at: 0, timeScale: inner, motion: 'c' }] } }],
    });
    expect(phaseOf(animator({ motion: nest(1, -1) }))).toBe(0.75);
    expect(phaseOf(animator({ motion: nest(-1, -1) }))).toBe(0.25);
    expect(phaseOf(animator({ motion: nest(0, -1) }))).toBe(0);
    expect(phaseOf(animator({ motion: nest(-1, 0) }))).toBe(0);
    expect(phaseOf(animator({ motion: nest(1, -1) }), 0)).toBe(0); // frac(1 − 0)
    const clips = { c: { loops: false } };
    expect(phaseOf(animator({ motion: nest(1, -1) }, clips))).toBeCloseTo(0.75, 9);
  });

  test('looping and held clips of one tree share the clock', () => {
    const tree: MotionModel = {
      ...TWO,
      children: [
        { at: 0, motion: 'c' },
        { at: 1, motion: 'once' },
      ],
    };
    const one = animator({ motion: tree }, held).set({ x: 0.5 });
    one.step(1.25);
    const phases = one.shown().map(({ phase }) => phase);
    expect(phases[0]).toBe(0.25);
    expect(phases[1]).toBeCloseTo(1, 9);
  });
});

describe('mirror', () => {
  const mirrored = (state: StateModel, clips = {}, values = {}): boolean => {
    const one = animator(state, clips).set(values);
    one.step(0);
    return one.shown()[0]!.mirror;
  };

  test('state, child and clip each turn it over; a parameter replaces the state’s', () => {
    const child = (mirror: boolean): MotionModel => ({ ...TWO, children: [{ at: 0, motion: 'c', mirror }] });
    expect(mirrored({ motion: 'c', mirror: true })).toBe(true);
    expect(mirrored({ motion: child(true) })).toBe(true);
    expect(mirrored({ motion: child(true), mirror: true })).toBe(false);
    expect(mirrored({ motion: child(true), mirror: true }, { c: { mirror: true } })).toBe(true);
    expect(mirrored({ motion: 'c', mirror: true, mirrorParameter: 'left' })).toBe(false);
    expect(mirrored({ motion: 'c', mirrorParameter: 'left' }, {}, { left: true })).toBe(true);
    expect(mirrored({ motion: 'c', mirrorParameter: 'x' }, {}, { x: -0.5 })).toBe(true);
  });
});

describe('synced layers', () => {
  const layer = (sync: LayerModel['sync'], weight = 0.5, name = 'Top'): LayerModel => ({ name, weight, sync: sync! });
  const clips = { one: { length: 1 }, three: { length: 3 } };

  test('show their own motions on the clock of another layer', () => {
    const one = animator({ motion: 'one' }, clips, [layer({ layer: 'Base', motions: { A: 'three' } })]);
    one.step(0.25);
    expect([one.shown(0), one.shown(1)]).toEqual([
      [{ clip: 'one', mirror: false, phase: 0.25, weight: 1 }],
      [{ clip: 'three', mirror: false, phase: 0.25, weight: 1 }],
    ]);
    expect(one.controller.machines).toHaveLength(1);
  });

  test('with timing, lengths are mixed by weight in the order of layers; no motion counts 1 s', () => {
    const timing = true;
    const mixed = animator({ motion: 'one' }, clips, [layer({ layer: 'Base', timing, motions: { A: 'three' } })]);
    expect(clock(mixed)).toBe(0.25); // 2 s
    const twice = animator({ motion: 'three' }, clips, [
      layer({ layer: 'Base', timing, motions: { A: 'one' } }), // 3, 1: 2 s
      layer({ layer: 'Top', timing, motions: {} }, 0.25, 'More'), // then 0.75 · 2 + 0.25 · 1
    ]);
    expect(clock(twice)).toBeCloseTo(0.5 / 1.75, 6);
    const untimed = animator({ motion: 'one' }, clips, [layer({ layer: 'Base', motions: { A: 'three' } })]);
    expect(clock(untimed)).toBe(0.5);
  });

  test('with timing, lengths that change are read again; the default weight counts', () => {
    const tree: MotionModel = {
      ...TWO,
      children: [
        { at: 0, motion: 'one' },
        { at: 1, motion: 'three' },
      ],
    };
    const layers = [{ ...layer({ layer: 'Base', timing: true, motions: { A: tree } }), weightParameter: 'y' }];
    const one = animator({ motion: 'one' }, clips, layers as never).set({ x: 1, y: 0 });
    expect(clock(one)).toBe(0.25);
    expect(clock(one.set({ x: 0 }))).toBe(0.75);
  });

  test('keep frozen samples of their own', () => {
    const to = (state: string) => [{ to: state, when: [{ parameter: 'left' as const }], duration: 1 }];
    const one = new OneAnimator(
      defineController({
        name: 'test',
        parameters: PARAMETERS,
        layers: [
          {
            name: 'Base',
            machine: {
              default: 'A',
              states: { A: { motion: 'a', transitions: to('B') }, B: { motion: 'b' }, C: { motion: 'c' } },
            },
          },
          { name: 'Top', sync: { layer: 'Base', motions: { A: 'ta', C: 'tc' } } },
        ],
      }),
    );
    one.set({ left: true }).step(0.25);
    one.crossFade('C', 1).step(0.5);
    const list = (index: number) => one.shown(index).map(({ clip, weight }) => [clip, weight]);
    expect(list(0)).toEqual([
      ['a', 0.375],
      ['b', 0.125],
      ['c', 0.5],
    ]);
    expect(list(1)).toEqual([
      ['ta', 0.375],
      ['tc', 0.5],
    ]);
  });
});
