import { describe, expect, test } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { LOADER_MORPH, LOADER_VARIABLE } from '../../character/format/geometry-layout.ts';
import { View } from '../../layout/index.ts';
import { BinRecord, EXTRA_BINS, WriteRangesParams } from '../../stages/cull-characters/layout.ts';
import { writeDraws, writeRanges } from '../../stages/cull-characters/write-ranges.ts';
import { RANGE_CAPACITY } from '../../stages/layout.ts';
import { PoseRange, PoseRanges } from '../../stages/pose-joints/layout.ts';
import { SkinRange, SkinRanges } from '../../stages/skin-vertices/layout.ts';
import { planFrame, type FramePlan } from './plan.ts';
import { DRAW_INDEXED_WORDS, DRAW_WORDS, type PlacedDispatch } from './targets.ts';
import type { CrowdLevel, CrowdType } from './crowd-types.ts';

const MOTIONS = 5;

/** Types of any number of levels, as far as plans look at them. Every row tells them apart. */
function randomTypes(random: Random, count: number, mostLevels: number): CrowdType[] {
  let [firstLevel, firstIndex] = [0, 0];
  return Array.from({ length: count }, (_, index) => {
    const levels = Array.from({ length: random.integer(1, mostLevels) }, (__, l): Partial<CrowdLevel> => {
      let firstBatch = 0;
      const batchRuns = Array.from({ length: random.integer(1, 3) }, () => {
        const batchCount = random.integer(1, 30);
        firstBatch += batchCount;
        const variant = random.pick([0, LOADER_MORPH, LOADER_VARIABLE]);
        return { variant, firstBatch: firstBatch - batchCount, batchCount };
      });
      const primitives = Array.from({ length: random.integer(1, 4) }, (___, p) => {
        return { indexCount: random.integer(1, 1000), firstIndex: 10 * p };
      });
      const skinTraits = { tangents: random.chance(0.5), nonUniform: false, unmoved: random.chance(0.5), parts: false };
      firstIndex += 1000;
      return {
        geometryRow: 100 * (firstLevel + l),
        skeletonRow: 7 * (firstLevel + l + 1),
        laneCount: random.pick([3, 60, 130, 300]),
        firstIndex,
        batchRuns,
        primitives: primitives as never,
        skinTraits,
      };
    });
    const type = {
      index,
      firstLevel,
      levels: levels as never,
      paletteCount: random.pick([10, 150, 500]),
      traits: { exact: random.chance(0.5), rates: false, sampled: false, scales: false, layers: false, mirror: false },
    };
    firstLevel += levels.length;
    return type as never;
  });
}

const levelsOf = (types: readonly CrowdType[]) =>
  types.flatMap((type) => type.levels.map((level, levelIndex) => ({ type, level, levelIndex })));

/** Everything in the buffer that somebody binds or reads arguments from. */
function partsOf({ poses, skins, draws }: FramePlan): { byte: number; bytes: number; alignment: number }[] {
  const dispatch = ({ rangesByte, rangesBytes }: PlacedDispatch) => [
    { byte: rangesByte, bytes: rangesBytes, alignment: 256 },
  ];
  const dispatches = [...poses, ...skins.flat()].map(({ at }) => at);
  return [
    ...dispatches.flatMap(dispatch),
    ...draws.flatMap(({ recordByte, primitiveBytes, quadByte }) => [
      { byte: recordByte, bytes: 8, alignment: 256 },
      ...primitiveBytes.map((byte) => ({ byte, bytes: 4 * DRAW_INDEXED_WORDS, alignment: 4 })),
      { byte: quadByte, bytes: 4 * DRAW_WORDS, alignment: 4 },
    ]),
  ];
}

/** Bins as a frame might fill them, back to back. */
function randomBins(random: Random, binCount: number): View<(typeof BinRecord)['fields']> {
  const bins = new View(BinRecord, binCount + EXTRA_BINS);
  let first = 0;
  for (let bin = 0; bin < binCount; bin++) {
    const count = random.pick([0, 1, random.integer(0, 90)]);
    bins.assign(bin, { first, count, served: bin % 2 === 0 ? random.pick([count, count >> 1]) : 0 });
    first += count;
  }
  bins.assign(binCount, { count: 5 });
  bins.assign(binCount + 1, { count: first, served: first });
  return bins;
}

describe('the plan of a frame', () => {
  const seeds = someSeeds(6, 100);
  const planOf = (seed: number) => {
    const random = new Random(seed);
    const types = randomTypes(random, random.integer(1, 6), random.integer(1, 8));
    const pageCount = random.pick([1, 2, 7, 40]);
    const kernels = { serialPoses: random.chance(0.3), cachedPalettes: random.chance(0.5), serialLists: false };
    return { random, types, pageCount, plan: planFrame(types, pageCount, MOTIONS, kernels) };
  };

  test.each(seeds)('puts nothing over anything else, and uniforms at multiples of 256 bytes: seed %i', (seed) => {
    const { plan } = planOf(seed);
    const parts = partsOf(plan).sort((a, b) => a.byte - b.byte);
    parts.forEach(({ byte, bytes, alignment }, i) => {
      expect(byte % alignment).toBe(0);
      const end = parts[i + 1]?.byte ?? plan.targets.words.byteLength;
      expect(byte + bytes).toBeLessThanOrEqual(end);
    });
  });

  test.each(seeds)('has a draw for every page, level and primitive, once: seed %i', (seed) => {
    const { types, pageCount, plan } = planOf(seed);
    const levels = levelsOf(types);
    expect(plan.binCount).toBe(2 * pageCount * levels.length);
    const expected = Array.from({ length: pageCount }, (_, pageIndex) =>
      levels.map(({ type, levelIndex }) => [pageIndex, type.index, levelIndex]),
    );
    expect(plan.draws.map(({ pageIndex, type, levelIndex }) => [pageIndex, type.index, levelIndex])).toEqual(
      expected.flat(),
    );
    for (const { type, levelIndex, primitiveBytes, quadByte } of plan.draws) {
      const { primitives, firstIndex } = type.levels[levelIndex]!;
      const words = (byte: number, count: number) =>
        Array.from(plan.targets.words.subarray(byte / 4, byte / 4 + count));
      expect(primitiveBytes.map((byte) => words(byte, DRAW_INDEXED_WORDS))).toEqual(
        primitives.map((primitive) => [primitive.indexCount, 0, firstIndex + primitive.firstIndex, 0, 0]),
      );
      expect(words(quadByte, DRAW_WORDS)).toEqual([4, 0, 0, 0]);
    }
  });

  test.each(seeds)('poses every level of every page once, and skins all of its batches once: seed %i', (seed) => {
    const { types, pageCount, plan } = planOf(seed);
    const levels = levelsOf(types);
    const binOf = (page: number, level: number) => 2 * (page * levels.length + level);
    const posed = plan.poses.flatMap(({ plan: { bins, ranges } }) => {
      const records = new View(PoseRange, ranges, PoseRanges.offsets.ranges, RANGE_CAPACITY);
      return bins.map(({ bin }, i) => [bin, records.get(i, 'typeRow')]);
    });
    const pages = Array.from({ length: pageCount }, (_, page) => page);
    const byBin = (a: readonly number[], b: readonly number[]) => a[0]! - b[0]! || a[2]! - b[2]!;
    expect(posed.sort(byBin)).toEqual(
      pages.flatMap((page) => levels.map(({ level: { skeletonRow } }, level) => [binOf(page, level), skeletonRow])),
    );
    expect(plan.skins).toHaveLength(pageCount);
    plan.skins.forEach((skins, page) => {
      const skinned = skins.flatMap(({ plan: { bins, ranges, variant, traits } }) => {
        const records = new View(SkinRange, ranges, SkinRanges.offsets.ranges, RANGE_CAPACITY);
        return bins.map(({ bin }, i) => [
          bin,
          records.get(i, 'geometryRow'),
          records.get(i, 'firstBatch'),
          records.get(i, 'batchCount'),
          variant,
          Number(traits.tangents),
        ]);
      });
      expect(skinned.sort(byBin)).toEqual(
        levels.flatMap(({ level: { geometryRow, batchRuns, skinTraits } }, index) =>
          batchRuns.map(({ firstBatch, batchCount, variant }) => [
            binOf(page, index),
            geometryRow,
            firstBatch,
            batchCount,
            variant,
            Number(skinTraits.tangents),
          ]),
        ),
      );
    });
  });

  test.each(seeds)('gives kernels the rows that they serve, where they look for them: seed %i', (seed) => {
    const { random, types, plan } = planOf(seed);
    const { binCount, targets } = plan;
    const bins = randomBins(random, binCount);
    const { words, dispatches, ranges, draws } = targets;
    const params = new View(WriteRangesParams, 1);
    params.assign(0, { dispatchCount: dispatches.count, drawCount: draws.count });
    const written = words.slice();
    const views = { params, dispatches, plans: ranges, draws, bins, targets: written };
    writeRanges(views);
    writeDraws(views);
    for (const { plan: pose, at } of plan.poses) {
      const head = new View(PoseRanges, written.buffer, at.rangesByte, 1);
      expect(head.get(0, 'motionCapacity')).toBe(MOTIONS);
      expect(head.get(0, 'rangeCount')).toBe(pose.bins.length);
      const records = new View(PoseRange, written.buffer, at.rangesByte + PoseRanges.offsets.ranges, RANGE_CAPACITY);
      let groups = 0;
      pose.bins.forEach(({ bin }, i) => {
        expect(records.get(i, 'firstGroup')).toBe(groups);
        expect(records.get(i, 'firstVisible')).toBe(bins.get(bin, 'first'));
        expect(records.get(i, 'visibleCount')).toBe(bins.get(bin, 'served'));
        groups += Math.ceil(bins.get(bin, 'served') / records.get(i, 'charactersPerGroup'));
      });
      expect(head.get(0, 'groupCount')).toBe(groups);
    }
    for (const { plan: skin, at } of plan.skins.flat()) {
      const head = new View(SkinRanges, written.buffer, at.rangesByte, 1);
      expect(head.get(0, 'rangeCount')).toBe(skin.bins.length);
      const records = new View(SkinRange, written.buffer, at.rangesByte + SkinRanges.offsets.ranges, RANGE_CAPACITY);
      let groups = 0;
      skin.bins.forEach(({ bin }, i) => {
        expect(records.get(i, 'firstGroup')).toBe(groups);
        expect(records.get(i, 'firstVisible')).toBe(bins.get(bin, 'first'));
        expect(records.get(i, 'visibleCount')).toBe(bins.get(bin, 'served'));
        const sets = Math.ceil(bins.get(bin, 'served') / records.get(i, 'charactersPerGroup'));
        groups += sets * records.get(i, 'groupsPerSet');
      });
      expect(head.get(0, 'groupCount')).toBe(groups);
    }
    const levels = levelsOf(types);
    plan.draws.forEach(({ recordByte, primitiveBytes, quadByte }, i) => {
      const bin = 2 * i;
      const count = bins.get(bin, 'count') + bins.get(bin + 1, 'count'); // posed or not
      expect(Array.from(written.subarray(recordByte / 4, recordByte / 4 + 2))).toEqual([bins.get(bin, 'first'), count]);
      for (const byte of [...primitiveBytes, quadByte]) expect(written[byte / 4 + 1]).toBe(count);
    });
    expect(plan.draws.length % levels.length).toBe(0);
    // all else stays as it was
    const restored = written.slice();
    for (let d = 0; d < dispatches.count; d++) restored[dispatches.get(d, 'groupCountWord')] = 0;
    for (let r = 0; r < ranges.count; r++)
      for (const word of [0, 2, 3]) restored[ranges.get(r, 'targetWord') + word] = 0;
    for (let d = 0; d < draws.count; d++) {
      restored[draws.get(d, 'instanceWord')] = 0;
      restored.fill(0, draws.get(d, 'recordWord'), draws.get(d, 'recordWord') + 2);
    }
    expect(restored.every((word, i) => word === words[i])).toBe(true);
  });

  test('takes another dispatch where ranges are more than one holds', () => {
    const random = new Random(1);
    const [type] = randomTypes(random, 1, 1) as [CrowdType];
    const { poses } = planFrame([type], RANGE_CAPACITY + 1, MOTIONS, {
      serialPoses: false,
      cachedPalettes: false,
      serialLists: false,
    });
    expect(poses.map(({ plan }) => plan.bins.length)).toEqual([RANGE_CAPACITY, 1]);
  });

  test('without pages serves no character', () => {
    const types = randomTypes(new Random(2), 3, 3);
    const plan = planFrame(types, 0, MOTIONS, { serialPoses: false, cachedPalettes: false, serialLists: false });
    expect([plan.poses, plan.skins, plan.draws]).toEqual([[], [], []]);
    expect(plan.binCount).toBe(2 * levelsOf(types).length);
  });
});
