import { describe, expect, test } from 'vitest';
import { View } from '../layout/index.ts';
import { when, param, defineController } from './builder.ts';
import { compileController } from './compile.ts';
import type { MachineModel, TransitionModel } from './model.ts';
import {
  COMMON_LIMIT,
  CONTROLLER_NONE,
  ControllerHeader,
  ControllerMachine,
  ControllerState,
  ControllerWatch,
  NEEDS_EXIT,
} from './tables.ts';

const PARAMETERS = { f: param.float(), i: param.int(), on: param.bool(), go: param.trigger() };

/** What is watched of the transitions from any state, and of those of each state. */
function watched(machine: MachineModel, latchedExit = false) {
  const from = defineController({ name: 'test', parameters: PARAMETERS, layers: [{ name: 'Base', machine }] as never });
  const { table } = compileController({ ...from, latchedExit });
  const at = (row: number) => table.byteOffset + 16 * row;
  const header = new View(ControllerHeader, table.buffer, at(0), 1);
  const watchRow = header.get(0, 'watchRow');
  const ofRun = (run: number) =>
    Array.from({ length: run >>> 16 }, (_, i) => {
      const index = (run & 0xffff) + i;
      const view = new View(ControllerWatch, table.buffer, at(watchRow), (index >> 2) + 1);
      const [needs, exitPhase, avoids] = (['needs', 'exitPhase', 'avoids'] as const).map(
        (key) => view.get(index >> 2, key)[index & 3]!,
      );
      return { index, needs: needs!, exitPhase: exitPhase!, avoids: avoids! };
    });
  const machines = new View(ControllerMachine, table.buffer, at(header.get(0, 'machineRow')), 1);
  const states = new View(
    ControllerState,
    table.buffer,
    at(header.get(0, 'stateRow')),
    Object.keys(machine.states).length,
  );
  return {
    any: ofRun(machines.get(0, 'transitions')),
    states: Object.keys(machine.states).map((_, i) => ofRun(states.get(i, 'transitions'))),
  };
}

const needsOf = (transitions: readonly TransitionModel[]): number[] =>
  watched({ default: 'A', states: { A: { transitions } } }).states[0]!.map(({ needs }) => needs);

const bitsOf = (word: number): number => word.toString(2).replaceAll('0', '').length;

describe('what is watched of transitions', () => {
  test('lists begin at multiples of four, whatever their lengths', () => {
    const list = (length: number) => Array.from({ length }, () => ({ to: 'A', exitTime: 0.5 }));
    const { any, states } = watched({
      default: 'A',
      any: list(5),
      states: { A: { transitions: list(1) }, B: {}, C: { transitions: list(2) } },
    });
    expect([any, ...states].map((run) => run.map(({ index }) => index))).toEqual([[0, 1, 2, 3, 4], [8], [], [12, 13]]);
  });

  test('conditions that transitions share are one bit; what is tested both ways is two', () => {
    const [first, second, third] = needsOf([
      { to: 'A', when: [when.is('on'), when.above('f', 1)] },
      { to: 'A', when: [when.is('on'), when.below('i', 3)] },
      { to: 'A', when: [when.not('on'), when.is('go')] },
    ]) as [number, number, number];
    expect([first, second, third].map(bitsOf)).toEqual([2, 2, 2]);
    expect(bitsOf(first & second)).toBe(1);
    expect((first | second) & third).toBe(0);
  });

  test('of more conditions than bits, the rarest share some; of more than are tested, the last have none', () => {
    const own = (count: number) =>
      Array.from({ length: count }, (_, i): TransitionModel => ({
        to: 'A',
        when: [when.is('on'), when.above('f', i)],
      }));
    const shared = needsOf(own(40)).reduce((sum, bits) => sum & bits);
    expect(bitsOf(shared)).toBe(1);
    const others = needsOf(own(40)).map((bits) => bits & ~shared);
    expect(others.map(bitsOf)).toEqual(others.map(() => 1));
    const uses = new Map<number, number>();
    for (const bit of others) uses.set(bit, (uses.get(bit) ?? 0) + 1);
    // 15 alone, then 25 over the 15 that are left
    expect([...uses.values()].sort((a, b) => a - b)).toEqual([...Array(20).fill(1), ...Array(10).fill(2)]);
    const needs = needsOf(own(200));
    expect(needs.filter((bits) => bits === shared)).toHaveLength(200 - (COMMON_LIMIT - 1));
    expect(needs.reduce((sum, bits) => sum | bits)).toBe(0x7fffffff);
  });

  test('exit times, and states that must not be shown', () => {
    const exits = { to: 'B', exitTime: 0.25 } as const;
    const { any, states } = watched({
      default: 'A',
      any: [
        { to: 'B', when: [when.is('on')], toSelf: false },
        { to: 'B', when: [when.is('go')] },
      ],
      states: { A: { transitions: [exits, { to: 'B', exitTime: 1.5, when: [when.is('on')] }] }, B: {} },
    });
    expect(any.map(({ avoids }) => avoids)).toEqual([1, CONTROLLER_NONE]);
    expect(any.map(({ needs }) => (needs & NEEDS_EXIT) === 0)).toEqual([true, true]);
    expect(states[0]!.map(({ exitPhase }) => exitPhase)).toEqual([2 ** 30, 2 ** 31]);
    expect(states[0]!.map(({ avoids }) => avoids)).toEqual([CONTROLLER_NONE, CONTROLLER_NONE]);
    expect(states[0]!.map(({ needs }) => [(needs & NEEDS_EXIT) !== 0, bitsOf(needs)])).toEqual([
      [true, 1],
      [true, 2],
    ]);
  });

  test('latched exit times are in the first cycle: before it at its begin, after it at its end', () => {
    const transitions = [-0.5, 0, 0.25, 1, 1.5].map((exitTime) => ({ to: 'A', exitTime }));
    const machine = { default: 'A', states: { A: { transitions } } };
    expect(watched(machine, true).states[0]!.map(({ exitPhase }) => exitPhase)).toEqual([
      0,
      0,
      2 ** 30,
      0xffffffff,
      0xffffffff,
    ]);
  });
});
