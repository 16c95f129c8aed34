import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { Targets } from '../../frame/tables/targets.ts';
import { View } from '../../layout/index.ts';
import { FrameParams } from '../layout.ts';
import { encodeDispatch } from '../kernel.ts';
import { planPoses, type PoseRun } from '../pose-joints/plan.ts';
import type { RangesPlan } from '../ranges-plan.ts';
import { planSkins, type SkinRun } from '../skin-vertices/plan.ts';
import { BinRecord, EXTRA_BINS, WriteRangesParams } from './layout.ts';
import { createWriteRanges, writeDraws, writeRanges, type WriteRangesViews } from './write-ranges.ts';

/** A dispatch, or the draws of a page and level, as the test knows them: where it stands and whom it is for. */
type Expected = (words: Uint32Array, bins: readonly Bin[]) => void;

interface Bin {
  readonly first: number;
  readonly count: number;
  readonly served: number;
}

/** Runs of the visible list, a pair of which is a page and level: many of them empty, few all posed. */
function randomBins(random: Random, binCount: number): Bin[] {
  let first = 0;
  return Array.from({ length: binCount }, (_, bin): Bin => {
    const count = random.pick([0, 0, 1, 2, 127, random.integer(1, 5000)]);
    const served = bin % 2 === 0 ? random.pick([count, count, random.integer(0, count)]) : 0;
    first += count;
    return { first: first - count, count, served };
  });
}

/** Poses of the runs, and skins, as the stages plan them. */
function randomPlans(random: Random, pairs: number): RangesPlan[] {
  const traits = { exact: false, rates: true, sampled: false, scales: false, layers: false, mirror: false };
  const poses = Array.from({ length: pairs }, (_, pair): PoseRun => {
    return { bin: 2 * pair, typeRow: pair, laneCount: random.integer(1, 300), traits };
  });
  const skins = Array.from({ length: pairs }, (_, pair): SkinRun => {
    const skinTraits = { tangents: false, nonUniform: false, unmoved: false, parts: false };
    const batchRuns = [0, 1].map((variant) => ({
      variant,
      firstBatch: 9 * variant,
      batchCount: random.integer(1, 40),
    }));
    return { bin: 2 * pair, geometryRow: pair, skinTraits, paletteCount: random.integer(1, 400), batchRuns };
  });
  return [...planPoses(poses, 24, { serialPoses: random.chance(0.5) }), ...planSkins(skins, random.chance(0.5))];
}

/** All of it in one buffer, and what its words have to be, counted from what was asked for. */
function planned(random: Random, pairs: number) {
  const targets = new Targets();
  const expected: Expected[] = [];
  for (const plan of randomPlans(random, pairs)) {
    const { rangesByte } = targets.addDispatch(plan);
    expected.push((words, bins) => {
      let groups = 0;
      for (const { bin, charactersPerGroup, groupsPerSet, byteOffset } of plan.bins) {
        const at = (rangesByte + byteOffset) / 4;
        const { first, served } = bins[bin]!;
        [words[at], words[at + 2], words[at + 3]] = [groups, first, served];
        // one after the other, as many as it takes
        for (let done = 0; done < served; done += charactersPerGroup) groups += groupsPerSet;
      }
      words[(rangesByte + plan.groupCountByte) / 4] = groups;
    });
  }
  for (let pair = 0; pair < pairs; pair++) {
    const draws = Array.from({ length: random.integer(1, 3) }, () => [random.integer(3, 999), 0, pair, 0, 0]);
    const { recordByte, drawBytes } = targets.addDraws(2 * pair, [...draws, [4, 0, 0, 0]]);
    expected.push((words, bins) => {
      // both runs, posed or not
      const [posed, others] = [bins[2 * pair]!, bins[2 * pair + 1]!];
      const count = posed.count + others.count;
      words.set([posed.first, count], recordByte / 4);
      for (const byte of drawBytes) words[byte / 4 + 1] = count;
    });
  }
  return { ...targets.build(), expected };
}

/** The kernels on buffers of their own; what they leave of the targets. */
async function onGpu(views: WriteRangesViews): Promise<Uint32Array> {
  const { device } = await testDevice();
  const storage = (words: Uint32Array) => uploadBuffer(device, words, GPUBufferUsage.STORAGE);
  const buffers = {
    params: uploadBuffer(device, views.params.words, GPUBufferUsage.UNIFORM),
    dispatches: storage(views.dispatches.words),
    plans: storage(views.plans.words),
    draws: storage(views.draws.words),
    bins: storage(views.bins.words),
    targets: storage(views.targets),
    frame: storage(new Uint32Array(FrameParams.size / 4).fill(77)),
  };
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const [dispatchCount, drawCount] = [views.dispatches.count, views.draws.count];
  encodeDispatch(pass, createWriteRanges(device)(buffers, dispatchCount, drawCount));
  pass.end();
  device.queue.submit([encoder.finish()]);
  const words = new Uint32Array(await readBuffer(device, buffers.targets));
  const frame = new View(FrameParams, (await readBuffer(device, buffers.frame)) as ArrayBuffer);
  const listed = views.bins.get(views.params.get(0, 'listedBin'), 'count');
  expect(Array.from(frame.words)).toEqual(Array.from(frame.words, (_, w) => (w === 3 ? listed : 77)));
  for (const buffer of Object.values(buffers)) buffer.destroy();
  return words;
}

describe.skipIf(noGpu())('ranges, draws and arguments that kernels place', () => {
  test.each(someSeeds(8, 80))('are what is left to do: seed %i', async (seed) => {
    const random = new Random(seed);
    const pairs = random.pick([1, random.integer(2, 12), 100]);
    const { words, dispatches, ranges, draws, expected } = planned(random, pairs);
    const params = new View(WriteRangesParams, 1);
    params.assign(0, {
      dispatchCount: dispatches.count,
      drawCount: draws.count,
      listedBin: 2 * pairs + 1,
    });
    // twice: nothing of the first frame may be left in the second
    const [twin, counted] = [words.slice(), words.slice()];
    let before = words.slice();
    for (let frame = 0; frame < 2; frame++) {
      const list = randomBins(random, 2 * pairs);
      const bins = new View(BinRecord, 2 * pairs + EXTRA_BINS);
      list.forEach((record, bin) => bins.assign(bin, record));
      bins.set(2 * pairs + 1, 'count', random.integer(0, 9999));
      const views = { params, dispatches, plans: ranges, draws, bins };
      for (const write of expected) write(counted, list);
      writeRanges({ ...views, targets: twin });
      writeDraws({ ...views, targets: twin });
      expect(twin).toEqual(counted);
      before = new Uint32Array(await onGpu({ ...views, targets: before }));
      expect(before).toEqual(counted);
    }
  });

  test('are empty without characters', async () => {
    const { words, dispatches, ranges, draws } = planned(new Random(9), 3);
    const params = new View(WriteRangesParams, 1);
    params.assign(0, { dispatchCount: dispatches.count, drawCount: draws.count, listedBin: 7 });
    const bins = new View(BinRecord, 6 + EXTRA_BINS);
    const placed = await onGpu({ params, dispatches, plans: ranges, draws, bins, targets: words.slice() });
    for (let d = 0; d < dispatches.count; d++) {
      expect(placed[dispatches.get(d, 'groupCountWord')]).toBe(0);
    }
    for (let d = 0; d < draws.count; d++) expect(placed[draws.get(d, 'instanceWord')]).toBe(0);
  });
});
