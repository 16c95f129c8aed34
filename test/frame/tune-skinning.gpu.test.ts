// What is measured is chosen, kept and honoured; software adapters measure nothing.
import { describe, expect, test } from 'vitest';
import { fastest, timeSkinning } from '../../src/crowd/tuning/measure-skins.ts';
import { planFrame } from '../../src/frame/tables/plan.ts';
import { joinTables } from '../../src/frame/tables/crowd-types.ts';
import { tuneSkinning } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { candidateVariants } from '../../src/stages/skin-vertices/variant.ts';
import { farthest, smallActor, trueVertices } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import type { CrowdState } from '../../src/crowd/crowd-state.ts';

/** A device that calls itself another one's, and cannot measure. */
const named = (device: GPUDevice, vendor: string) =>
  new Proxy(device, {
    get(target, key) {
      if (key === 'adapterInfo') return { vendor, architecture: '', device: '', description: '' };
      if (key === 'features') return new Set();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

describe.skipIf(noGpu())('tuneSkinning', () => {
  const actor = smallActor();
  const { character } = actor;

  test('gives the rule, and says why, where nothing can be measured', async () => {
    const { device, kind } = await testDevice();
    const blind = await tuneSkinning(named(device, 'acme'), [character]);
    expect(blind).toMatchObject({ adapter: 'acme', issues: [] });
    expect(blind.meshes).toEqual([
      { character, level: 0, digest: expect.stringMatching(/^[0-9a-f]{32}$/) as string, timed: [], variant: { cached: true, sharers: 4 }, source: 'rule', reason: 'no timestamp queries' },
    ]);
    if (kind !== 'software') return;
    const cache = new Map<string, string>();
    const soft = await tuneSkinning(device, [character, character], { cache });
    expect(soft.meshes).toEqual([
      { character, level: 0, digest: expect.stringMatching(/^[0-9a-f]{32}$/) as string, timed: [], variant: { cached: false, sharers: 4 }, source: 'rule', reason: 'software adapter' },
    ]);
    expect(cache.size).toBe(0);
  }); // prettier-ignore

  test('times every variant on the mesh itself', async ({ skip }) => {
    const { device } = await testDevice();
    if (!device.features.has('timestamp-query')) skip('the device has no timestamps');
    // cached ones take software adapters seconds to compile; crowds below run them
    const variants = candidateVariants(40).filter(({ cached, sharers }) => !cached && sharers !== 2);
    const timed = await timeSkinning(device, joinTables([character], { serialPoses: false, layers: false }), 0, variants);
    expect(timed.map(({ variant }) => variant)).toEqual(variants);
    for (const { nanoseconds } of timed) expect(nanoseconds).toBeGreaterThan(0);
  }); // prettier-ignore

  test('takes the fastest, unless it saves next to nothing', () => {
    const rule = { cached: true, sharers: 4 };
    const other = { cached: false, sharers: 2 };
    const timed = (ns: number) => [{ variant: rule, nanoseconds: 100 }, { variant: other, nanoseconds: ns }];
    expect([50, 98, 150].map((ns) => fastest(timed(ns), rule))).toEqual([other, rule, rule]);
  }); // prettier-ignore

  test('is honoured by crowds, to the same vertices', async () => {
    const { device } = await testDevice();
    // every variant gives the same vertices: that it is planned is asked of the plan
    const planned = ({ shape, tables: { types } }: CrowdState) =>
      planFrame(types, 1, shape.motionCapacity, shape.kernels).skins.flat();
    const shape = { characters: [character], skin: 'compute' } as const;
    const rule = createCrowd(device, { ...shape, capacity: 1 });
    const byRule = JSON.stringify(planned(internalsOf(rule).host));
    rule.destroy();
    for (const variant of [{ cached: true, sharers: 1 }, { cached: false, sharers: 2 }]) {
      const skinning = { meshes: [{ character, level: 0, variant }] };
      const crowd = createCrowd(device, { ...shape, capacity: 3, kernels: { skinning } });
      const plans = planned(internalsOf(crowd).host);
      expect(plans.length).toBeGreaterThan(0);
      expect(plans.map(({ plan: { cached, byFour } }) => ({ cached, byFour }))).toEqual(
        plans.map(() => ({ cached: variant.cached, byFour: false })),
      );
      expect(plans.flatMap(({ plan: { bins } }) => bins.map((bin) => bin.charactersPerGroup))).toEqual(
        plans.flatMap(({ plan: { bins } }) => bins.map(() => variant.sharers)),
      );
      expect(JSON.stringify(plans)).not.toBe(byRule);
      const group = crowd.spawn(character, { count: 3 });
      group.setClips(() => [{ clip: 0, phase: 0.3, speed: 0 }]);
      await updateAndWait(crowd, { dt: 0 });
      const time = 0.3 * character.clips[0]!.duration;
      for (let i = 0; i < 3; i++) {
        const off = farthest(actor, await crowd.readVertices(group.id(i)), trueVertices(actor, [{ clip: 0, time }]));
        expect(off, JSON.stringify(variant)).toBeLessThan(1e-5);
      }
      crowd.destroy();
    }
    const skinning = { meshes: [{ character, level: 0, variant: { cached: true, sharers: 5 } }] };
    const bad = { characters: [character], capacity: 1, kernels: { skinning } };
    expect(() => createCrowd(device, bad)).toThrow(/CROWD_BAD_ARGUMENT at kernels.skinning/);
  }); // prettier-ignore
});
