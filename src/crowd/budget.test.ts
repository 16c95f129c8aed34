import { describe, expect, test } from 'vitest';
import { largeActor, smallActor } from '../../test/support/crowd-truth.ts';
import { layoutBytes } from '../frame/tables/memory.ts';
import { budgetedOptions, DetailGovernor, LEAST_DETAIL } from './budget.ts';
import { crowdLayout } from './crowd-layout.ts';
import type { CrowdOptions } from './options.ts';

const KERNELS = { serialPoses: false, cachedPalettes: false, serialLists: false } as const;

test('tables, poses and slots together take the bytes of a budget at most, and nearly all where it is small', () => {
  const characters = [smallActor().character, largeActor().character];
  const layoutOf = (options: CrowdOptions) => crowdLayout(options, KERNELS);
  for (const bytes of [1.6e6, 2e6, 3e6]) {
    const options = { characters, capacity: 400, budget: { bytes } };
    const { maxPoses, maxVertexBytes, ...rest } = budgetedOptions(options, layoutOf);
    const { fixed, pose, coarsest } = layoutBytes(layoutOf(rest));
    const taken = fixed + maxPoses! * pose + maxVertexBytes!;
    expect(taken, `${bytes}`).toBeLessThanOrEqual(bytes);
    expect(taken, `${bytes}`).toBeGreaterThan(bytes - pose - coarsest);
  }
});

/** Runs a governor on frames that take `fixed` ms, and `scaled` more at full detail; returns details and times of the last steps. */
function run(budget: number, fixed: number, scaled: number, steps = 400) {
  const governor = new DetailGovernor(budget);
  const last: { detail: number; time: number }[] = [];
  for (let step = 0; step < steps; step++) {
    const time = fixed + scaled * governor.detail;
    governor.follow(time);
    if (step >= steps - 50) last.push({ detail: governor.detail, time });
  }
  return last;
}

describe('detail follows the time of frames', () => {
  test('it stays whole while frames are quick enough', () => {
    expect(new Set(run(4, 1, 2).map(({ detail }) => detail))).toEqual(new Set([1]));
  });

  test('it settles where frames take the budget', () => {
    for (const scaled of [4, 8, 30]) {
      const last = run(4, 1, scaled);
      expect(Math.max(...last.map(({ time }) => time))).toBeLessThanOrEqual(4);
      expect(Math.min(...last.map(({ time }) => time))).toBeGreaterThan(0.7 * 4);
    }
  });

  test('it ends at its least where nothing helps, and comes back', () => {
    const governor = new DetailGovernor(1);
    for (let step = 0; step < 100; step++) governor.follow(50);
    expect(governor.detail).toBe(LEAST_DETAIL);
    expect(governor.measured).toBe(50);
    for (let step = 0; step < 200; step++) governor.follow(0.1);
    expect(governor.detail).toBe(1);
  });
});
