import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch, grid } from '../kernel.ts';
import { PoseRange, PoseRanges } from '../pose-joints/layout.ts';
import { planPoses, type PoseRun } from '../pose-joints/plan.ts';
import { SkinRange, SkinRanges } from '../skin-vertices/layout.ts';
import { planSkins } from '../skin-vertices/plan.ts';
import { BinRange, DispatchPlan, PlaceParams, RangePlan } from './layout.ts';
import { createPlaceRanges, placeRanges, type PlaceRangesViews } from './place-ranges.ts';

/** A dispatch that the host planned: the words of its ranges, and what each range is. */
interface Planned {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly groupCount: number;
  readonly ranges: readonly {
    readonly bin: number;
    readonly perGroup: number;
    readonly perSet: number;
    readonly at: number;
  }[];
}

const TRAITS = { exact: false, rates: true, scales: false, layers: false, mirror: false };

/** Poses and skins of random runs, as the host plans them today. */
function hostPlans(random: Random): { bins: View<(typeof BinRange)['fields']>; plans: Planned[] } {
  const typeCount = random.integer(1, 12);
  const bins = new View(BinRange, typeCount);
  let first = 0;
  const runs = Array.from({ length: typeCount }, (_, bin): PoseRun => {
    const visibleCount = random.pick([1, 2, 127, random.integer(1, 5000)]);
    bins.assign(bin, { first, count: visibleCount });
    first += visibleCount;
    const laneCount = random.integer(1, 300);
    return { typeRow: 100 + bin, laneCount, traits: TRAITS, firstVisible: first - visibleCount, visibleCount };
  });
  const binOf = new Map(runs.map(({ typeRow }, bin) => [typeRow, bin]));
  const poses = planPoses(runs, 24, random.chance(0.5)).map(({ ranges, groupCount }): Planned => {
    const view = new View(
      PoseRange,
      ranges,
      PoseRanges.offsets.ranges,
      new View(PoseRanges, ranges).get(0, 'rangeCount'),
    );
    return {
      words: new Uint32Array(ranges.slice(0)),
      groupCount,
      ranges: Array.from({ length: view.count }, (_, r) => ({
        bin: binOf.get(view.get(r, 'typeRow'))!,
        perGroup: view.get(r, 'charactersPerGroup'),
        perSet: 1,
        at: (PoseRanges.offsets.ranges + r * PoseRange.size) / 4,
      })),
    };
  });
  const skinRuns = runs.map(({ typeRow, firstVisible, visibleCount }) => ({
    geometryRow: typeRow,
    skinTraits: { tangents: false, nonUniform: false, unmoved: false },
    paletteCount: random.integer(1, 400),
    batchRuns: [0, 1].map((variant) => ({ variant, firstBatch: 9 * variant, batchCount: random.integer(1, 40) })),
    firstVisible,
    visibleCount,
  }));
  const skins = planSkins(skinRuns, random.chance(0.5)).map(({ ranges, groupCount }): Planned => {
    const view = new View(
      SkinRange,
      ranges,
      SkinRanges.offsets.ranges,
      new View(SkinRanges, ranges).get(0, 'rangeCount'),
    );
    return {
      words: new Uint32Array(ranges.slice(0)),
      groupCount,
      ranges: Array.from({ length: view.count }, (_, r) => ({
        bin: binOf.get(view.get(r, 'geometryRow'))!,
        perGroup: view.get(r, 'charactersPerGroup'),
        perSet: view.get(r, 'groupsPerSet'),
        at: (SkinRanges.offsets.ranges + r * SkinRange.size) / 4,
      })),
    };
  });
  return { bins, plans: [...poses, ...skins] };
}

/** The same plans without what counts decide, one behind the other; arguments at the end. */
function emptied(plans: readonly Planned[], dimensionLimit: number) {
  const size = plans.reduce((sum, { words }) => sum + words.length, 0);
  const targets = new Uint32Array(size + 3 * plans.length);
  const params = new View(PlaceParams, 1);
  params.assign(0, { dispatchCount: plans.length, dimensionLimit });
  const dispatches = new View(DispatchPlan, plans.length);
  const ranges = plans.flatMap(({ ranges: list }) => list);
  const rangePlans = new View(RangePlan, ranges.length);
  const expected = targets.slice();
  let [begin, firstRange] = [0, 0];
  plans.forEach(({ words, groupCount, ranges: list }, d) => {
    targets.set(words, begin);
    expected.set(words, begin);
    // groupCount is the second word of both kinds
    dispatches.assign(d, {
      firstRange,
      rangeCount: list.length,
      groupCountWord: begin + 1,
      argumentsWord: size + 3 * d,
    });
    targets[begin + 1] = 0;
    list.forEach(({ bin, perGroup, perSet, at }, r) => {
      const targetWord = begin + at;
      rangePlans.assign(firstRange + r, { bin, charactersPerGroup: perGroup, groupsPerSet: perSet, targetWord });
      for (const word of [0, 2, 3]) targets[targetWord + word] = 0xdead;
    });
    expected.set([...grid(groupCount, dimensionLimit), 1], size + 3 * d);
    begin += words.length;
    firstRange += list.length;
  });
  return { expected, params, dispatches, plans: rangePlans, targets };
}

describe.skipIf(noGpu())('ranges and arguments that a kernel places', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('are those that the host places: seed %i', async (seed) => {
    const random = new Random(seed);
    const { bins, plans } = hostPlans(random);
    const { expected, ...views } = emptied(plans, random.pick([65535, 3]));
    const twin: PlaceRangesViews = { ...views, bins, targets: views.targets.slice() };
    placeRanges(twin);
    expect(twin.targets).toEqual(expected);
    const { device } = await testDevice();
    const storage = (words: Uint32Array<ArrayBuffer>) => uploadBuffer(device, words, GPUBufferUsage.STORAGE);
    const buffers = {
      params: uploadBuffer(device, views.params.words, GPUBufferUsage.UNIFORM),
      dispatches: storage(views.dispatches.words),
      plans: storage(views.plans.words),
      bins: storage(bins.words),
      targets: storage(views.targets),
    };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, createPlaceRanges(device)(buffers, plans.length));
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect(new Uint32Array(await readBuffer(device, buffers.targets))).toEqual(expected);
  });
});
