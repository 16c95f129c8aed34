import { describe, expect, test } from 'vitest';
import { param, defineController } from '../../src/controller/builder.ts';
import type { ConditionModel, ControllerModel, MachineModel, StateModel } from '../../src/controller/model.ts';
import { OneAnimator } from '../support/one-animator.ts';

const PARAMETERS = {
  go: param.trigger(),
  back: param.trigger(),
  on: param.bool(),
  f: param.float(),
  i: param.int(),
  rate: param.float(1),
};

/** A machine on one layer; clips are 1 s long and loop. */
function animator(machine: MachineModel, more: Partial<ControllerModel> = {}): OneAnimator {
  return new OneAnimator({
    ...defineController({ name: 'test', parameters: PARAMETERS, layers: [{ name: 'Base', machine }] as never }),
    ...more,
  });
}

/** A to B under some conditions, at once. */
const when = (...conditions: ConditionModel[]): OneAnimator =>
  animator({
    default: 'A',
    states: { A: { motion: 'a', transitions: [{ to: 'B', when: conditions }] }, B: { motion: 'b' } },
  });

/** A to B by an exit time, without blending. */
const exits = (exitTime: number, more: Partial<StateModel> = {}, rest: Partial<ControllerModel> = {}): OneAnimator =>
  animator(
    { default: 'A', states: { A: { motion: 'a', transitions: [{ to: 'B', exitTime }], ...more }, B: { motion: 'b' } } },
    rest,
  );

/** Steps until the machine leaves its state; the number of steps, or 0 when it never does. */
function stepsToLeave(one: OneAnimator, dt: number, most = 50): number {
  const before = one.place();
  for (let step = 1; step <= most; step++) {
    one.step(dt);
    if (one.place() !== before) return step;
  }
  return 0;
}

describe('conditions', () => {
  const held = (condition: ConditionModel, values: Record<string, number | boolean>): boolean => {
    const one = when(condition).set(values);
    one.step(0);
    return one.place() === 'B';
  };

  test('floats: strict comparisons, exact equality, other than 0', () => {
    expect(held({ parameter: 'f', greater: 0.5 }, { f: 0.5 })).toBe(false);
    expect(held({ parameter: 'f', greater: 0.5 }, { f: 0.50001 })).toBe(true);
    expect(held({ parameter: 'f', less: 0.5 }, { f: 0.5 })).toBe(false);
    expect(held({ parameter: 'f', less: 0.5 }, { f: 0.49999 })).toBe(true);
    expect(held({ parameter: 'f', equals: 0.1 }, { f: 0.1 })).toBe(true);
    expect(held({ parameter: 'f', notEquals: 0.1 }, { f: 0.1 })).toBe(false);
    expect(held({ parameter: 'f', atLeast: 0.5 }, { f: 0.5 })).toBe(true);
    expect(held({ parameter: 'f', atMost: 0.5 }, { f: 0.5 })).toBe(true);
    expect(held({ parameter: 'f' }, { f: -2 })).toBe(true);
    expect(held({ parameter: 'f' }, { f: 0 })).toBe(false);
    expect(held({ parameter: 'f', is: false }, { f: 0 })).toBe(true);
    expect(held({ parameter: 'f', is: false }, { f: 0.1 })).toBe(false);
  });

  test('NaN reads as 0', () => {
    expect(held({ parameter: 'f', equals: 0 }, { f: NaN })).toBe(true);
    expect(held({ parameter: 'f' }, { f: NaN })).toBe(false);
    expect(held({ parameter: 'f', greater: -1 }, { f: NaN })).toBe(true);
  });

  test('integers: thresholds go to the nearest, halves to the even one', () => {
    expect(held({ parameter: 'i', equals: 2.5 }, { i: 2 })).toBe(true);
    expect(held({ parameter: 'i', equals: 3.5 }, { i: 4 })).toBe(true);
    expect(held({ parameter: 'i', equals: -2.5 }, { i: -2 })).toBe(true);
    expect(held({ parameter: 'i', greater: 1.4 }, { i: 1 })).toBe(false);
    expect(held({ parameter: 'i', greater: 1.4 }, { i: 2 })).toBe(true);
    expect(held({ parameter: 'i', less: 1.6 }, { i: 2 })).toBe(false);
    expect(held({ parameter: 'i', notEquals: 7 }, { i: 8 })).toBe(true);
    expect(held({ parameter: 'i', greater: 2147483000 }, { i: 2147483647 })).toBe(true); // exact beyond 2²⁴
    expect(held({ parameter: 'i' }, { i: -1 })).toBe(true);
  });

  test('bools and triggers: set or not; compared, they are 0 or 1', () => {
    for (const parameter of ['on', 'go'] as const) {
      expect(held({ parameter }, { [parameter]: true })).toBe(true);
      expect(held({ parameter }, { [parameter]: false })).toBe(false);
      expect(held({ parameter, is: false }, { [parameter]: false })).toBe(true);
      expect(held({ parameter, greater: 0.5 }, { [parameter]: true })).toBe(true);
      expect(held({ parameter, greater: 1 }, { [parameter]: true })).toBe(false);
      expect(held({ parameter, equals: 0 }, { [parameter]: false })).toBe(true);
      expect(held({ parameter, equals: 0.5 }, { [parameter]: true })).toBe(false);
    }
  });

  test('all of them have to hold', () => {
    const both = [{ parameter: 'on' }, { parameter: 'f', greater: 1 }] as const;
    const one = when(...both).set({ on: true });
    one.step(0);
    expect(one.place()).toBe('A');
    one.set({ f: 2 }).step(0);
    expect(one.place()).toBe('B');
  });
});

describe('exit times', () => {
  test('below 1 they come every cycle, and not while the state is fresh', () => {
    // the first step is fresh and passes 0.3; the next ones end at 0.8 and 1.2; then 1.6 passes 1.3
    const one = exits(0.3);
    expect(stepsToLeave(one, 0.4)).toBe(4);
    // 0.1 s are left behind the crossing at 1.3, and the destination uses them
    expect(one.machine().clock).toBeCloseTo(0.3, 6);
  });

  test('1 repeats, beyond 1 they come once', () => {
    expect(stepsToLeave(exits(1), 0.4)).toBe(3); // at 1.0 of 1.2
    expect(stepsToLeave(exits(1.5), 0.4)).toBe(4); // at 1.5 of 1.6
    const late = exits(1.5);
    late.play('A', 2).step(0.4);
    expect(stepsToLeave(late, 0.4, 40)).toBe(0);
    const whole = exits(1);
    whole.play('A', 2).step(0.4);
    expect(stepsToLeave(whole, 0.4)).toBe(2);
  });

  test('0 waits for the first whole cycle', () => {
    const one = exits(0);
    expect(stepsToLeave(one, 0.25)).toBe(4); // exactly on 1
    expect(one.machine().clock).toBe(0);
  });

  test('a crossing at the very end of a step counts there and not again', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', exitTime: 0.5 }] },
        B: { motion: 'b', transitions: [{ to: 'A', exitTime: 0.5 }] },
      },
    });
    const places = Array.from({ length: 7 }, () => {
      one.step(0.25);
      return one.place();
    });
    expect(places).toEqual(['A', 'B', 'B', 'A', 'A', 'B', 'B']);
  });

  test('clips that do not loop go on counting', () => {
    const clips = { a: { loops: false } };
    expect(stepsToLeave(exits(2.5, {}, { clips }), 0.4)).toBe(7);
    expect(stepsToLeave(exits(0.3, {}, { clips }), 0.4)).toBe(4);
  });

  test('a step of no time ends freshness, and fires no exit time', () => {
    const one = exits(0.3);
    one.step(0);
    one.step(0.4);
    expect(one.place()).toBe('B');
    expect(one.machine().clock).toBeCloseTo(0.1, 6);
  });

  test('played backwards, time played counts', () => {
    // from 1 down: E = 0.3 is met at T = 0.7; the fresh step to 0.6 misses it, the next chance is T = −0.3
    const one = exits(0.3, { speed: -1 });
    expect(stepsToLeave(one, 0.4)).toBe(4);
    const twice = exits(1.5, { speed: -1 });
    expect(stepsToLeave(twice, 0.4)).toBe(4); // T = −0.5, on the way from −0.2 to −0.6
  });

  test('without speed none is met', () => {
    expect(stepsToLeave(exits(0.3, { speed: 0 }), 0.4)).toBe(0);
    expect(stepsToLeave(exits(0.3, { speed: 0 }, { latchedExit: true }), 0.4)).toBe(0);
  });

  test('latched, they hold from their moment on', () => {
    const one = animator(
      {
        default: 'A',
        states: {
          A: { motion: 'a', transitions: [{ to: 'B', exitTime: 0.3, when: [{ parameter: 'on' }] }] },
          B: { motion: 'b' },
        },
      },
      { latchedExit: true },
    );
    one.step(0.25);
    one.step(0.25);
    one.set({ on: true }).step(0.125);
    expect(one.place()).toBe('B');
    expect(one.machine().clock).toBe(0.125); // at once: the whole step is B's
  });

  test('with conditions, both have to hold in the step of the crossing', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', exitTime: 0.5, when: [{ parameter: 'go' }] }] },
        B: { motion: 'b' },
      },
    });
    one.step(0.4);
    one.step(0.2); // passes 0.5 without the trigger
    one.set({ go: true }).step(0.2);
    expect([one.place(), one.isSet('go')]).toEqual(['A', true]); // pending
    for (let i = 0; i < 3; i++) one.step(0.2);
    expect(one.place()).toBe('A'); // 1.4
    one.step(0.2);
    expect([one.place(), one.isSet('go')]).toEqual(['B', false]);
  });
});

describe('clocks', () => {
  const moving = (state: StateModel): OneAnimator =>
    animator({ default: 'A', states: { A: { motion: 'a', ...state } } }, { clips: { a: { length: 2 } } });
  const clockAfter = (one: OneAnimator, dt: number): number => {
    one.step(dt);
    return one.machine().clock;
  };

  test('follow speed, its parameter and the length', () => {
    expect(clockAfter(moving({}), 0.5)).toBe(0.25);
    expect(clockAfter(moving({ speed: 2 }), 0.5)).toBe(0.5);
    expect(clockAfter(moving({ speed: 2, speedParameter: 'rate' }).set({ rate: 0.5 }), 0.5)).toBe(0.25);
    expect(clockAfter(moving({ speed: 2, speedParameter: 'rate' }).set({ rate: -0.5 }), 0.5)).toBe(0.75);
    expect(clockAfter(moving({ speedParameter: 'rate' }).set({ rate: NaN }), 0.5)).toBe(0);
    expect(clockAfter(moving({}).speed(3), 0.5)).toBe(0.75);
    expect(clockAfter(moving({}).speed(-3), 0.5)).toBe(0); // not supported: stands still
  });

  test('a negative speed begins at 1, or at 1 less the offset', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', speed: -1, transitions: [{ to: 'B', offset: 0.25, when: [{ parameter: 'go' }] }] },
        B: { motion: 'b', speed: 1, speedParameter: 'rate' },
      },
    });
    one.step(0);
    expect(one.machine().clock).toBe(1);
    one.step(0.25);
    expect(one.machine().clock).toBe(0.75);
    one.set({ go: true, rate: -1 }).step(0);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0.75 });
    one.step(1);
    expect(one.machine().clock).toBe(-0.25);
  });

  test('offsets may be any number of cycles', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', offset: 2.25, when: [{ parameter: 'on' }] }] },
        B: { motion: 'b' },
      },
    });
    one.set({ on: true }).step(0.5);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 2.75 });
  });

  test('a motion of no length, and none at all, last 1 s', () => {
    const one = animator({ default: 'A', states: { A: {} } });
    expect(clockAfter(one, 0.25)).toBe(0.25);
    const empty = animator({ default: 'A', states: { A: { motion: 'a' } } }, { clips: { a: { length: 0 } } });
    expect(clockAfter(empty, 0.25)).toBe(0.25);
  });

  test('play cuts, and the state is fresh again', () => {
    const one = exits(0.3);
    one.step(0.2);
    one.play('A', 0.25).step(0.1); // fresh: does not leave at 0.3
    expect(one.machine()).toMatchObject({ state: 'A', clock: expect.closeTo(0.35, 6) as number });
    one.play('A').step(0.125);
    expect(one.machine().clock).toBe(0.125);
    const reversed = exits(0.3, { speed: -1 });
    reversed.play('A').step(0.25);
    expect(reversed.machine().clock).toBe(0.75);
    reversed.play('A', 0.5).step(0.25);
    expect(reversed.machine().clock).toBe(0.25);
  });
});

describe('transitions', () => {
  const blending = (duration: number, fixed: boolean, state: StateModel = {}): OneAnimator =>
    animator(
      {
        default: 'A',
        states: {
          A: { motion: 'a', ...state, transitions: [{ to: 'B', duration, fixed, when: [{ parameter: 'go' }] }] },
          B: { motion: 'b' },
        },
      },
      { clips: { a: { length: 2 } } },
    );

  test('progress by seconds, whatever the speed; both clocks run', () => {
    const one = blending(0.5, true, { speed: 3 });
    one.set({ go: true }).step(0.125);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'B', progress: 0.25, clock: 0.1875, nextClock: 0.125 });
    expect(one.shown()).toEqual([
      { clip: 'a', mirror: false, phase: 0.1875, weight: 0.75 },
      { clip: 'b', mirror: false, phase: 0.125, weight: 0.25 },
    ]);
    one.step(0.5); // ends after 0.375
    expect(one.machine()).toEqual({
      state: 'B',
      clock: 0.625,
      next: undefined,
      nextClock: undefined,
      progress: undefined,
      frozen: false,
    });
  });

  test('or by cycles of the source', () => {
    const one = blending(0.5, false, { speed: 2 }); // a cycle is 1 s
    one.set({ go: true }).step(0.125);
    expect(one.machine().progress).toBe(0.25);
    const still = blending(0.5, false, { speed: 0 }); // as if at speed 1: a cycle is 2 s
    still.set({ go: true }).step(0.25);
    expect(still.machine().progress).toBe(0.25);
    const reversed = blending(0.5, false, { speed: -2 });
    reversed.set({ go: true }).step(0.125);
    expect(reversed.machine().progress).toBe(0.25);
  });

  test('the end is exactly when the time is used up', () => {
    const one = blending(0.5, true);
    one.set({ go: true }).step(0.5);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0.5, next: undefined });
    const nearly = blending(0.5, true);
    nearly.set({ go: true }).step(0.25);
    nearly.step(0.25);
    expect(nearly.place()).toBe('B');
  });

  test('none takes no time, even in a step of none', () => {
    const one = blending(0, true);
    one.set({ go: true }).step(0);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0 });
    const begun = blending(0.5, true);
    begun.set({ go: true }).step(0);
    expect(begun.machine()).toMatchObject({ state: 'A', next: 'B', progress: 0 });
  });

  test('what is left of a step goes on in the next state, through several of them', () => {
    const one = animator({
      default: 'A',
      states: {
        A: {
          motion: 'a',
          transitions: [{ to: 'B', when: [{ parameter: 'on' }], exitTime: 0.5, duration: 0.25, offset: 0.125 }],
        },
        B: { motion: 'b', transitions: [{ to: 'C', when: [{ parameter: 'on' }], duration: 0.5 }] },
        C: { motion: 'c' },
      },
    });
    one.step(0.25);
    one.set({ on: true }).step(1);
    // 0.25 s to the exit, 0.25 s of blend with B from 0.125, then B to C for the last 0.5 s, which ends it exactly
    expect(one.machine()).toMatchObject({ state: 'C', clock: 0.5, next: undefined });
    const early = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', exitTime: 0.5, duration: 0.25, offset: 0.125 }] },
        B: { motion: 'b' },
      },
    });
    early.step(0.25);
    early.step(0.375);
    expect(early.machine()).toMatchObject({ state: 'A', clock: 0.625, next: 'B', nextClock: 0.25, progress: 0.5 });
  });

  test('a state that was reached in this step is fresh: its exit times wait', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', when: [{ parameter: 'go' }] }] },
        B: { motion: 'b', transitions: [{ to: 'C', exitTime: 0.25 }] },
        C: { motion: 'c' },
      },
    });
    one.set({ go: true }).step(0.5);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0.5 });
    one.step(0.5);
    expect(one.place()).toBe('B');
    one.step(0.5);
    expect(one.machine()).toMatchObject({ state: 'C', clock: 0.25 });
  });

  test('a crossing while the state is still the destination is lost', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', duration: 0.5, when: [{ parameter: 'go' }] }] },
        B: { motion: 'b', transitions: [{ to: 'C', exitTime: 0.25 }] },
        C: { motion: 'c' },
      },
    });
    one.set({ go: true }).step(0.125);
    for (let i = 0; i < 7; i++) one.step(0.125); // B at 1.0
    expect(one.machine()).toMatchObject({ state: 'B', clock: 1 });
    one.step(0.125);
    one.step(0.125);
    expect(one.machine()).toMatchObject({ state: 'C', clock: 0 });
  });

  test('each fires once per update: circles without a length end', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', when: [{ parameter: 'on' }] }] },
        B: { motion: 'b', transitions: [{ to: 'A', when: [{ parameter: 'on' }] }] },
      },
    });
    one.set({ on: true }).step(0.5);
    expect(one.machine()).toMatchObject({ state: 'A', clock: 0.5 });
  });

  test('eight turns at most: what is left passes without tests', () => {
    const names = Array.from({ length: 8 }, (_, i) => `S${i}`);
    const states = Object.fromEntries(
      names.map((name, i) => [
        name,
        { motion: name, transitions: names[i + 1] ? [{ to: names[i + 1]!, when: [{ parameter: 'on' }] }] : [] },
      ]),
    );
    const one = animator({ default: 'S0', states });
    one.set({ on: true }).step(0.5);
    expect(one.machine()).toMatchObject({ state: 'S4', clock: 0.5 }); // a turn to begin, one to end
    one.step(0.5);
    expect(one.place()).toBe('S7');
    const blends = Object.fromEntries(
      names.map((name, i) => [
        name,
        {
          motion: name,
          transitions: names[i + 1] ? [{ to: names[i + 1]!, duration: 0.0625, when: [{ parameter: 'on' }] }] : [],
        },
      ]),
    );
    const slow = animator({ default: 'S0', states: blends });
    slow.set({ on: true }).step(1); // four blends of 1/16 s end; 12/16 s pass in S4, which began 1/16 s earlier
    expect(slow.machine()).toMatchObject({ state: 'S4', clock: 0.8125, next: undefined });
  });

  test('where the turns end inside a blend, its progress stays and both clocks go on', () => {
    const names = Array.from({ length: 8 }, (_, i) => `S${i}`);
    const states = Object.fromEntries(
      names.map((name, i): [string, StateModel] => {
        const to = names[i + 1];
        const duration = i === 0 ? 0.25 : 0.0625;
        return [name, { motion: name, transitions: to ? [{ to, duration, when: [{ parameter: 'on' }] }] : [] }];
      }),
    );
    const one = animator({ default: 'S0', states });
    one.set({ on: true }).step(0.125);
    expect(one.machine()).toMatchObject({ state: 'S0', next: 'S1', progress: 0.5 });
    // the first blend ends after 0.125 s, three of 1/16 s follow, the next one has begun: 0.6875 s are left
    one.step(1);
    expect(one.machine()).toMatchObject({ state: 'S4', clock: 0.75, next: 'S5', nextClock: 0.6875, progress: 0 });
  });

  test('an ordinary transition to its own state begins it again', () => {
    const one = animator({
      default: 'A',
      states: { A: { motion: 'a', transitions: [{ to: 'A', duration: 0.5, when: [{ parameter: 'go' }] }] } },
    });
    one.step(0.25);
    one.set({ go: true }).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'A', clock: 0.5, next: 'A', nextClock: 0.25, progress: 0.5 });
  });

  test('the first in the list wins, whenever its exit time occurs', () => {
    const one = animator({
      default: 'A',
      states: {
        A: {
          motion: 'a',
          transitions: [
            { to: 'B', exitTime: 0.75 },
            { to: 'C', exitTime: 0.25 },
          ],
        },
        B: { motion: 'b' },
        C: { motion: 'c' },
      },
    });
    one.step(0.125);
    one.step(0.75);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0.125 });
  });

  test('crossFade waits for its duration; with play the machine needs no start', () => {
    const one = blending(0.5, true);
    one.crossFade('B', 0.25, { offset: 0.5 }).step(0.125);
    expect(one.machine()).toMatchObject({ state: 'A', clock: 0.0625, next: 'B', nextClock: 0.625, progress: 0.5 });
    one.step(0.125);
    expect(one.machine()).toMatchObject({ state: 'B', clock: 0.75 });
    const cycles = blending(0.5, true);
    cycles.step(0);
    cycles.crossFade('B', 0.25, { fixed: false }).step(0.25); // a cycle of A is 2 s
    expect(cycles.machine().progress).toBe(0.5);
    const at = blending(0.5, true);
    at.crossFade('B', 0).step(0.25);
    expect(at.machine()).toMatchObject({ state: 'B', clock: 0.25 });
  });
});

describe('from any state', () => {
  const many = (toSelf: boolean): OneAnimator =>
    animator({
      default: 'A',
      any: [{ to: 'B', duration: 0.5, toSelf, when: [{ parameter: 'on' }] }],
      states: {
        A: { motion: 'a', transitions: [{ to: 'C', when: [{ parameter: 'on' }] }] },
        B: { motion: 'b' },
        C: { motion: 'c' },
      },
    });

  test('they come before the state’s own', () => {
    const one = many(false);
    one.set({ on: true }).step(0.25);
    expect(one.place()).toBe('A>B');
  });

  test('to the state itself only where that is allowed', () => {
    const off = many(false);
    off.set({ on: true }).step(0.25);
    off.step(0.5);
    off.step(0.5);
    expect(off.machine()).toMatchObject({ state: 'B', clock: 1.25, next: undefined });
    const self = many(true);
    self.set({ on: true }).step(0.25);
    self.step(0.25); // interrupts itself, which ends nothing
    expect(self.machine()).toMatchObject({ state: 'A', next: 'B', nextClock: 0.25, progress: 0.5, frozen: true });
  });

  test('the way to a machine is resolved on trial', () => {
    const one = animator({
      default: 'A',
      any: [{ toMachine: 'M', toSelf: false, when: [{ parameter: 'on' }] }],
      machines: {
        M: { default: 'M.X', entry: [{ to: 'M.Y', when: [{ parameter: 'f', greater: 0 }] }], states: { X: {}, Y: {} } },
      },
      states: { A: {} },
    });
    one.set({ on: true }).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'M.X', clock: 0.25 });
    one.step(0.25); // would be X again
    expect(one.machine()).toMatchObject({ state: 'M.X', clock: 0.5 });
    one.set({ f: 1 }).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'M.Y', clock: 0.25 });
  });

  test('while in a transition, the destination counts as the state', () => {
    const one = animator({
      default: 'A',
      any: [{ to: 'A', duration: 0.5, toSelf: false, when: [{ parameter: 'on' }] }],
      states: {
        A: { motion: 'a', transitions: [{ to: 'B', duration: 0.5, when: [{ parameter: 'go' }] }] },
        B: { motion: 'b' },
      },
    });
    one.set({ on: true }).step(0.25);
    expect(one.place()).toBe('A'); // idle in A: not to A
    one.set({ on: false, go: true }).step(0.25);
    one.set({ on: true }).step(0.125);
    expect(one.machine()).toMatchObject({ state: 'A', next: 'A', nextClock: 0.125, frozen: true });
  });
});

describe('triggers', () => {
  test('are used up by being taken, not by being looked at', () => {
    const one = when({ parameter: 'go' }, { parameter: 'on' });
    one.set({ go: true }).step(0.1);
    expect([one.place(), one.isSet('go')]).toEqual(['A', true]);
    one.set({ on: true }).step(0.1);
    expect([one.place(), one.isSet('go')]).toEqual(['B', false]);
  });

  test('a comparison with false does not use one up', () => {
    const one = animator({
      default: 'A',
      states: {
        A: {
          transitions: [
            {
              to: 'B',
              when: [
                { parameter: 'back', is: false },
                { parameter: 'go', greater: 0 },
              ],
            },
          ],
        },
        B: {},
      },
    });
    one.set({ go: true }).step(0);
    expect([one.place(), one.isSet('go')]).toEqual(['B', true]);
  });

  test('one taken is hidden from the rest of its machine’s update', () => {
    const one = animator({
      default: 'A',
      states: {
        A: { transitions: [{ to: 'B', when: [{ parameter: 'go' }] }] },
        B: { transitions: [{ to: 'C', when: [{ parameter: 'go' }] }] },
        C: {},
      },
    });
    one.set({ go: true }).step(0.1);
    expect([one.place(), one.isSet('go')]).toEqual(['B', false]);
    one.set({ go: true }).step(0.1);
    expect(one.place()).toBe('C');
  });

  const layered = (triggerScope: 'each' | 'first'): OneAnimator => {
    const machine = { default: 'A', states: { A: { transitions: [{ to: 'B', when: [{ parameter: 'go' }] }] }, B: {} } };
    return animator(machine, {
      triggerScope,
      layers: [
        { name: 'Base', machine },
        { name: 'Top', machine },
      ],
    });
  };

  test('each machine may use one once, or only the first', () => {
    const each = layered('each');
    each.set({ go: true }).step(0.1);
    expect([each.place(0), each.place(1), each.isSet('go')]).toEqual(['B', 'B', false]);
    const first = layered('first');
    first.set({ go: true }).step(0.1);
    expect([first.place(0), first.place(1), first.isSet('go')]).toEqual(['B', 'A', false]);
    first.set({ go: true }).step(0.1);
    expect([first.place(1), first.isSet('go')]).toEqual(['B', false]); // Base has left A: Top is the first now
  });

  test('can be set and cleared; a default is set at the start', () => {
    const one = animator(
      { default: 'A', states: { A: { transitions: [{ to: 'B', when: [{ parameter: 'go' }] }] }, B: {} } },
      { parameters: { ...PARAMETERS, go: { type: 'trigger', default: true } } },
    );
    one.set({ go: false }).step(0.1);
    expect(one.place()).toBe('A');
    one.set({ go: true, back: true }).step(0.1);
    expect([one.place(), one.isSet('back')]).toEqual(['B', true]);
  });

  test('an activation sees those that its own conditions name when its way is chosen', () => {
    const one = animator({
      default: 'A',
      states: { A: { transitions: [{ toMachine: 'M', when: [{ parameter: 'go' }] }] } },
      machines: {
        M: {
          default: 'M.X',
          entry: [{ to: 'M.Y', when: [{ parameter: 'go' }, { parameter: 'back' }] }],
          states: { X: {}, Y: {} },
        },
      },
    });
    one.set({ go: true, back: true }).step(0.1);
    expect([one.place(), one.isSet('go'), one.isSet('back')]).toEqual(['M.Y', false, false]);
  });
});

describe('machines inside machines', () => {
  test('the start chooses by entry, uses triggers up, and may be left in the same update', () => {
    const one = animator({
      default: 'A',
      entry: [{ to: 'B', when: [{ parameter: 'go' }] }],
      states: { A: {}, B: { transitions: [{ to: 'C', when: [{ parameter: 'on' }] }] }, C: {} },
    });
    one.set({ go: true, on: true }).step(0.25);
    expect([one.place(), one.isSet('go'), one.machine().clock]).toEqual(['C', false, 0.25]);
  });

  const nested = (exitsOfM: MachineModel['exits']): OneAnimator =>
    animator({
      default: 'A',
      entry: [{ to: 'E', when: [{ parameter: 'f', greater: 0 }] }],
      states: { A: { transitions: [{ toMachine: 'M', when: [{ parameter: 'go' }] }] }, B: {}, E: {} },
      machines: {
        M: {
          default: 'M.X',
          entry: [{ toMachine: 'M.N', when: [{ parameter: 'i', greater: 0 }] }],
          exits: exitsOfM ?? [],
          states: { X: { transitions: [{ toExit: true, duration: 0.5, when: [{ parameter: 'back' }] }] } },
          machines: {
            N: {
              default: 'M.N.Z',
              states: { Z: { transitions: [{ toExit: true, when: [{ parameter: 'back' }] }] } },
              exits: [{ toExit: true, when: [{ parameter: 'on' }] }],
            },
          },
        },
      },
    });

  test('a transition into a machine ends where its entries lead, recursively', () => {
    const plain = nested([]);
    plain.set({ go: true }).step(0.25);
    expect(plain.place()).toBe('M.X');
    const deep = nested([]);
    deep.set({ go: true, i: 1 }).step(0.25);
    expect(deep.place()).toBe('M.N.Z');
  });

  test('the way out follows the machine’s exits, with the timing of the transition', () => {
    const one = nested([{ to: 'B', when: [{ parameter: 'on' }] }]);
    one.set({ go: true, on: true }).step(0.25);
    one.set({ back: true }).step(0.25);
    expect(one.machine()).toMatchObject({ state: 'M.X', next: 'B', progress: 0.5 });
  });

  test('without exits that hold, the machine around it is entered; out of the root, the root', () => {
    const one = nested([{ to: 'B', when: [{ parameter: 'on' }] }]);
    one.set({ go: true }).step(0.25);
    one.set({ back: true, f: 1 }).step(0.5);
    expect(one.place()).toBe('E');
    // out of N, then M's own exits: none holds, so the root is entered
    const deep = nested([{ to: 'B', when: [{ parameter: 'f', less: 0 }] }]);
    deep.set({ go: true, i: 1 }).step(0.25);
    deep.set({ back: true, on: true }).step(0.25);
    expect(deep.place()).toBe('A');
    // N's exits do not hold: M is entered again, and leads into N
    const again = nested([]);
    again.set({ go: true, i: 1 }).step(0.25);
    again.set({ back: true }).step(0.25);
    expect(again.machine()).toMatchObject({ state: 'M.N.Z', clock: 0.25 });
    const root = animator({
      default: 'A',
      states: {
        A: { transitions: [{ to: 'B', when: [{ parameter: 'on' }] }] },
        B: { transitions: [{ toExit: true, when: [{ parameter: 'go' }] }] },
      },
    });
    root.set({ on: true }).step(0.25);
    root.set({ on: false, go: true }).step(0.25);
    expect(root.place()).toBe('A');
  });

  test('ways that lead in a circle end at the default state after eight hops', () => {
    const one = animator({
      default: 'A',
      states: { A: { transitions: [{ toMachine: 'M', when: [{ parameter: 'go' }] }] } },
      machines: {
        M: { default: 'M.X', entry: [{ toMachine: 'N', when: [{ parameter: 'on' }] }], states: { X: {} } },
        N: { default: 'N.Y', entry: [{ toMachine: 'M', when: [{ parameter: 'on' }] }], states: { Y: {} } },
      },
    });
    one.set({ go: true, on: true }).step(0.25);
    expect(one.place()).toBe('N.Y'); // M, N, M, N, …: the eighth looked at is N
  });

  test('a machine that begins nowhere begins in an empty state', () => {
    const one = animator({
      states: { A: {} },
      machines: { M: { states: {} } },
      any: [{ toMachine: 'M', toSelf: false, when: [{ parameter: 'on' }] }],
    });
    one.step(0.25);
    expect([one.place(), one.shown()]).toEqual(['', []]);
    one.set({ on: true }).step(0.25);
    expect(one.place()).toBe('M');
  });
});
