import { describe, expect, test } from 'vitest';
import { param, defineController } from '../../src/controller/builder.ts';
import type { MachineModel, TransitionModel } from '../../src/controller/model.ts';
import { OneAnimator } from '../support/one-animator.ts';

const PARAMETERS = { p: param.trigger(), q: param.trigger(), on: param.bool(), x: param.float(), y: param.float() };

function animator(machine: MachineModel): OneAnimator {
  return new OneAnimator(
    defineController({ name: 'test', parameters: PARAMETERS, layers: [{ name: 'Base', machine }] as never }),
  );
}

const to = (state: string, parameter: 'p' | 'q' | 'on', more: Partial<TransitionModel> = {}): TransitionModel =>
  ({ to: state, when: [{ parameter }], duration: 1, ...more }) as TransitionModel;

type Active = Pick<TransitionModel, 'interruption' | 'ordered'>;

/**
 * A to B, a quarter done, by a transition that stands between two others of A's: C above it, D below it. B leads to E.
 * Then the trigger is set whose transitions lead to the named states.
 */
function interrupted(active: Active, wants: 'C' | 'D' | 'E'): string {
  const one = animator({
    default: 'A',
    states: {
      A: {
        motion: 'a',
        transitions: [
          ...(wants === 'C' ? [to('C', 'q')] : []),
          to('B', 'p', active),
          ...(wants === 'D' ? [to('D', 'q')] : []),
        ],
      },
      B: { motion: 'b', transitions: wants === 'E' ? [to('E', 'q')] : [] },
      C: {},
      D: {},
      E: {},
    },
  });
  one.set({ p: true }).step(0.25);
  expect(one.place()).toBe('A>B');
  one.set({ q: true }).step(0.25);
  const { next, frozen } = one.machine();
  expect(frozen).toBe(next !== 'B');
  return next!;
}

describe('which transitions may interrupt', () => {
  const C = 'C';
  const D = 'D';
  const E = 'E';
  test.each([
    // source, ordered, from the current state above and below the active one, from the next state
    ['none', true, 'B', 'B', 'B'],
    ['none', false, 'B', 'B', 'B'],
    ['current', true, C, 'B', 'B'],
    ['current', false, C, D, 'B'],
    ['next', true, 'B', 'B', E],
    ['next', false, 'B', 'B', E],
    ['currentThenNext', true, C, 'B', 'B'], // the scan stops at the active one: the next list is never reached
    ['currentThenNext', false, C, D, E],
    ['nextThenCurrent', true, C, 'B', E],
    ['nextThenCurrent', false, C, D, E],
  ] as const)('%s, ordered %s', (interruption, ordered, above, below, next) => {
    const active = { interruption, ordered };
    expect(interrupted(active, 'C')).toBe(above);
    expect(interrupted(active, 'D')).toBe(below);
    expect(interrupted(active, 'E')).toBe(next);
  });

  test.each([
    ['currentThenNext', 'D'],
    ['nextThenCurrent', 'E'],
  ] as const)('%s: of both lists the first wins', (interruption, winner) => {
    const one = animator({
      default: 'A',
      states: {
        A: { transitions: [to('B', 'p', { interruption, ordered: false }), to('D', 'q')] },
        B: { transitions: [to('E', 'q')] },
        D: {},
        E: {},
      },
    });
    one.set({ p: true }).step(0.25);
    one.set({ q: true }).step(0.25);
    expect(one.place()).toBe(`A>${winner}`);
  });

  test('from any state always, even without a source; before all others', () => {
    const one = animator({
      default: 'A',
      any: [to('D', 'q')],
      states: { A: { transitions: [to('C', 'q'), to('B', 'p', { interruption: 'current' })] }, B: {}, C: {}, D: {} },
    });
    one.set({ p: true }).step(0.25);
    one.set({ q: true }).step(0.25);
    expect(one.place()).toBe('A>D');
    const none = animator({
      default: 'A',
      any: [to('D', 'q')],
      states: { A: { transitions: [to('B', 'p')] }, B: {}, D: {} },
    });
    none.set({ p: true }).step(0.25);
    none.set({ q: true }).step(0.25);
    expect(none.place()).toBe('A>D');
  });

  test('an active one from any state: those above it, or itself', () => {
    const build = (ordered: boolean, toSelf: boolean): OneAnimator =>
      animator({
        default: 'A',
        any: [to('C', 'q'), to('B', 'on', { ordered, toSelf, interruption: 'current' }), to('D', 'p')],
        states: { A: { transitions: [to('E', 'p')] }, B: {}, C: {}, D: {}, E: {} },
      });
    const above = build(true, false);
    above.set({ on: true }).step(0.25);
    above.set({ q: true }).step(0.25);
    expect(above.place()).toBe('A>C');
    const below = build(true, false);
    below.set({ on: true }).step(0.25);
    below.set({ p: true }).step(0.25);
    expect([below.place(), below.isSet('p')]).toEqual(['A>B', true]); // neither D nor A's own E
    const free = build(false, false);
    free.set({ on: true }).step(0.25);
    free.set({ p: true }).step(0.25);
    expect(free.place()).toBe('A>D');
    const itself = build(true, true);
    itself.set({ on: true }).step(0.25);
    itself.set({ p: true }).step(0.25);
    expect(itself.machine()).toMatchObject({ state: 'A', next: 'B', frozen: true, nextClock: 0.25 });
  });

  test('an ordinary transition never interrupts itself', () => {
    const one = animator({
      default: 'A',
      states: { A: { transitions: [to('B', 'on', { interruption: 'current', ordered: false })] }, B: {} },
    });
    one.set({ on: true }).step(0.25);
    one.step(0.25);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'B', frozen: false, progress: 0.5 });
  });

  test('not in the update in which the transition began', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { transitions: [to('B', 'p', { interruption: 'current', ordered: false }), to('C', 'q')] },
        B: {},
        C: {},
      },
    });
    one.set({ p: true, q: true }).step(0.25);
    expect(one.place()).toBe('A>B');
    one.step(0.25);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'C', progress: 0.25 });
  });

  test('crossFade has no source, but any state may interrupt it at once', () => {
    const one = animator({
      default: 'A',
      any: [to('C', 'q')],
      states: { A: { transitions: [to('D', 'on')] }, B: { transitions: [to('D', 'on')] }, C: {}, D: {} },
    });
    one.step(0);
    one.set({ on: true }).crossFade('B', 1).step(0.25);
    expect(one.place()).toBe('A>B');
    one.set({ q: true }).crossFade('B', 1).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'C', progress: 0.25, frozen: true });
  });
});

describe('what stays current', () => {
  test('A to B, interrupted by B to D: A, and its list counts', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { transitions: [to('B', 'p', { interruption: 'next' }), to('C', 'on')] },
        B: { transitions: [to('D', 'q', { interruption: 'current', ordered: true })] },
        C: {},
        D: {},
      },
    });
    one.set({ p: true }).step(0.25);
    one.set({ q: true }).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'D', progress: 0.25 });
    one.set({ on: true }).step(0.25);
    expect(one.place()).toBe('A>C'); // by A's list, in which the active transition does not stand
  });

  test('returning to A gives it a second clock', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [to('B', 'p', { interruption: 'next' })] },
        B: { motion: 'b', transitions: [to('A', 'q')] },
      },
    });
    one.step(0.5);
    one.set({ p: true }).step(0.25);
    one.set({ q: true }).step(0.25);
    expect(one.machine()).toEqual({
      state: 'A',
      clock: 0.75,
      next: 'A',
      nextClock: 0.25,
      progress: 0.25,
      frozen: true,
    });
    one.step(1);
    expect(one.machine()).toMatchObject({ state: 'A', clock: 1.25 - 0.25 + 0.25, next: undefined });
  });

  test('normalised durations keep the original source', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', speed: 2, transitions: [to('B', 'p', { interruption: 'next' })] },
        B: { motion: 'b', speed: 0.5, transitions: [to('C', 'q', { fixed: false, duration: 0.5 })] },
        C: { motion: 'c' },
      },
    });
    one.set({ p: true }).step(0.25);
    one.set({ q: true }).step(0.125);
    expect(one.machine().progress).toBe(0.5); // 0.125 s are 0.25 cycles of A
  });
});

describe('exit times of interruptions', () => {
  const timed = (interruption: 'current' | 'next', list: 'A' | 'B'): OneAnimator =>
    animator({
      default: 'A',
      states: {
        A: {
          motion: 'a',
          transitions: [
            to('B', 'p', { interruption, ordered: false }),
            ...(list === 'A' ? [{ to: 'C', exitTime: 0.5, duration: 1 }] : []),
          ],
        },
        B: { motion: 'b', transitions: list === 'B' ? [{ to: 'D', exitTime: 0.25, duration: 1 }] : [] },
        C: { motion: 'c' },
        D: { motion: 'd' },
      },
    });

  test('of the current list run on its clock, and the rest of the step goes to the new transition', () => {
    const one = timed('current', 'A');
    one.set({ p: true }).step(0.25);
    one.step(0.5); // A meets 0.5 after 0.25 s
    expect(one.machine()).toMatchObject({
      state: 'A',
      clock: 0.5,
      next: 'C',
      nextClock: 0.25,
      progress: 0.25,
      frozen: true,
    });
    // frozen with the progress at the step's start: a quarter; phases where the crossing found them
    expect(one.shown()).toEqual([
      { clip: 'a', mirror: false, phase: expect.closeTo(0.5, 4) as number, weight: 0.5625 },
      { clip: 'b', mirror: false, phase: expect.closeTo(0.5, 4) as number, weight: 0.1875 },
      { clip: 'c', mirror: false, phase: 0.25, weight: 0.25 },
    ]);
  });

  test('of the next list run on its clock, not while it is fresh', () => {
    const one = timed('next', 'B');
    one.set({ p: true }).step(0.375); // passes 0.25, but B is fresh
    expect(one.place()).toBe('A>B');
    one.step(0.25);
    expect(one.place()).toBe('A>B');
    const slow = timed('next', 'B');
    slow.set({ p: true }).step(0.125);
    slow.step(0.25);
    expect(slow.machine()).toMatchObject({ state: 'A', clock: 0.25, next: 'D', nextClock: 0.125, progress: 0.125 });
  });

  test('an interruption late in the step beats an earlier end', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [to('B', 'p', { interruption: 'next', duration: 0.25 })] },
        B: { motion: 'b', transitions: [{ to: 'D', exitTime: 0.75, duration: 1 }] },
        D: { motion: 'd' },
      },
    });
    one.set({ p: true }).step(0.125);
    one.step(0.75); // the blend would end after 0.125 s, the exit comes after 0.625 s
    expect(one.machine()).toMatchObject({ state: 'A', next: 'D', progress: 0.125, clock: 0.75, frozen: true });
  });

  test('a frozen source does not move, and its exit times never occur; from any state the next clock counts then', () => {
    const one = animator({
      default: 'A',
      any: [{ to: 'E', exitTime: 0.75, when: [{ parameter: 'on' }], duration: 1 }],
      states: {
        A: {
          motion: 'a',
          transitions: [to('B', 'p', { interruption: 'next' }), { to: 'C', exitTime: 0.5, duration: 1 }],
        },
        B: { motion: 'b', transitions: [to('D', 'q', { interruption: 'current', ordered: false, duration: 4 })] },
        C: {},
        D: { motion: 'd' },
        E: {},
      },
    });
    one.set({ p: true }).step(0.125);
    one.set({ q: true }).step(0.125);
    expect(one.machine()).toMatchObject({ state: 'A', clock: 0.125, next: 'D', nextClock: 0.125, frozen: true });
    for (let i = 0; i < 4; i++) one.step(0.125);
    expect(one.machine()).toMatchObject({ clock: 0.125, next: 'D', nextClock: 0.625 });
    one.set({ on: true }).step(0.25); // D meets 0.75
    expect(one.machine()).toMatchObject({ state: 'A', next: 'E', nextClock: 0.125 });
  });
});

describe('frozen blends', () => {
  test('a chain of three, by hand', () => {
    const one = animator({
      default: 'A',
      states: Object.fromEntries(
        ['A', 'B', 'C', 'D', 'E'].map((name, i, names) => [
          name,
          {
            motion: name.toLowerCase(),
            transitions: names[i + 1] ? [to(names[i + 1]!, 'p', { interruption: 'next' })] : [],
          },
        ]),
      ),
    });
    one.set({ p: true }).step(0.25);
    const weights = () => Object.fromEntries(one.shown().map(({ clip, weight }) => [clip, weight]));
    expect(weights()).toEqual({ a: 0.75, b: 0.25 });
    one.set({ p: true }).step(0.5);
    expect(weights()).toEqual({ a: 0.375, b: 0.125, c: 0.5 });
    one.set({ p: true }).step(0.25);
    expect(weights()).toEqual({ a: 0.28125, b: 0.09375, c: 0.375, d: 0.25 });
    one.set({ p: true }).step(0.75);
    expect(weights()).toEqual({ a: 0.0703125, b: 0.0234375, c: 0.09375, d: 0.0625, e: 0.75 });
    // phases stay, to 1/65535; interruptions without an exit time happen at a step's begin
    const phases = Object.fromEntries(one.shown().map(({ clip, phase }) => [clip, phase]));
    expect(phases).toEqual({
      a: expect.closeTo(0.25, 4) as number,
      b: expect.closeTo(0.25, 4) as number,
      c: expect.closeTo(0.5, 4) as number,
      d: expect.closeTo(0.25, 4) as number,
      e: 0.75,
    });
    one.step(0.25);
    expect([one.place(), one.machine().frozen, weights()]).toEqual(['E', false, { e: 1 }]);
  });

  test('equal samples are merged', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'same', transitions: [to('B', 'p', { interruption: 'next', offset: 0 })] },
        B: { motion: 'same', transitions: [to('C', 'q')] },
        C: { motion: 'c' },
      },
    });
    one.set({ p: true }).step(0); // both begin at 0
    one.step(0.25);
    one.set({ q: true }).step(0.5);
    expect(one.shown()).toEqual([
      { clip: 'same', mirror: false, phase: expect.closeTo(0.25, 4) as number, weight: 0.5 },
      { clip: 'c', mirror: false, phase: 0.5, weight: 0.5 },
    ]);
  });

  test('eight stay, brought back to the weight of all; the drop is counted', () => {
    const six = (prefix: string) => ({
      blend: 'freeformCartesian' as const,
      parameters: ['x', 'y'] as const,
      children: Array.from({ length: 6 }, (_, c) => ({
        motion: `${prefix}${c}`,
        at: [Math.cos((c * Math.PI) / 3), Math.sin((c * Math.PI) / 3)] as const,
      })),
    });
    const one = animator({
      default: 'A',
      states: {
        A: { motion: six('a'), transitions: [to('B', 'p', { interruption: 'next' })] },
        B: { motion: six('b'), transitions: [to('C', 'q')] },
        C: { motion: 'c' },
      },
    });
    one.set({ p: true }).step(0.25); // in the middle of six: a sixth each
    expect(one.shown()).toHaveLength(12);
    expect(one.truncations).toBe(0);
    one.set({ q: true }).step(0.5);
    const shown = one.shown();
    expect(shown.map(({ clip }) => clip)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1', 'c']);
    // six of 0.125 and two of 1/24 make 5/6: brought to 1, then half of it
    shown.slice(0, 6).forEach(({ weight }) => expect(weight).toBeCloseTo((0.125 * 1.2) / 2, 6));
    shown.slice(6, 8).forEach(({ weight }) => expect(weight).toBeCloseTo(1.2 / 24 / 2, 6));
    expect(shown.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 6);
    expect(one.truncations).toBe(1);
  });

  test('triggers that an interrupted transition used are not given back', () => {
    const one = animator({
      default: 'A',
      any: [to('C', 'q')],
      states: { A: { transitions: [to('B', 'p')] }, B: {}, C: {} },
    });
    one.set({ p: true }).step(0.25);
    one.set({ q: true }).step(0.25);
    expect([one.place(), one.isSet('p'), one.isSet('q')]).toEqual(['A>C', false, false]);
  });

  test('crossFade freezes a blend in progress, play drops it', () => {
    const one = animator({
      default: 'A',
      states: { A: { motion: 'a', transitions: [to('B', 'p')] }, B: { motion: 'b' }, C: { motion: 'c' } },
    });
    one.set({ p: true }).step(0.25);
    one.crossFade('C', 0.5).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'C', progress: 0.5, frozen: true });
    expect(one.shown().map(({ clip, weight }) => [clip, weight])).toEqual([
      ['a', 0.375],
      ['b', 0.125],
      ['c', 0.5],
    ]);
    one.play('B', 0.5).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0.75, next: undefined, frozen: false });
    expect(one.shown()).toEqual([{ clip: 'b', mirror: false, phase: 0.75, weight: 1 }]);
  });
});
