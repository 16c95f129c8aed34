import { describe, expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { RANGE_CAPACITY } from '../layout.ts';
import { SkinRange, SkinRanges } from './layout.ts';
import { planSkins, type SkinRun } from './plan.ts';
import { candidateVariants, fittingVariant, ruleVariant, type SkinVariant } from './variant.ts';

const run = (bin: number, paletteCount: number, choice?: SkinVariant): SkinRun => ({
  bin,
  geometryRow: 10 * bin,
  skinTraits: { tangents: true, nonUniform: false, unmoved: false, parts: false },
  paletteCount,
  batchRuns: [{ variant: 0, firstBatch: 0, batchCount: 12 }],
  choice,
});

/** Cached or not, and characters per workgroup, by run: in the plan and in the words that the kernel reads. */
function planned(runs: readonly SkinRun[], cache: boolean): Record<number, SkinVariant> {
  const found: Record<number, SkinVariant> = {};
  for (const { cached, bins, ranges } of planSkins(runs, cache)) {
    const words = new View(SkinRange, ranges, SkinRanges.offsets.ranges, RANGE_CAPACITY);
    bins.forEach(({ bin, charactersPerGroup }, i) => {
      expect(words.get(i, 'charactersPerGroup')).toBe(charactersPerGroup);
      expect(words.get(i, 'geometryRow')).toBe(10 * bin);
      found[bin] = { cached, sharers: charactersPerGroup };
    });
  }
  return found;
}

describe('how meshes are skinned', () => {
  test('is the rule’s where nothing was chosen: cached if palettes fit, shared by as many as fit', () => {
    const sizes = [1, 84, 85, 112, 113, 168, 169, 336, 337, 4096];
    const rule = planned(sizes.map((size, bin) => run(bin, size)), true);
    expect(Object.values(rule).map(({ cached, sharers }) => (cached ? sharers : -sharers))).toEqual(
      [4, 4, 3, 3, 2, 2, 1, 1, -4, -4],
    );
    const stored = planned(sizes.map((size, bin) => run(bin, size)), false);
    expect(Object.values(stored)).toEqual(sizes.map(() => ({ cached: false, sharers: 4 })));
  }); // prettier-ignore

  test('is what was chosen, mesh by mesh, whatever the rule is', () => {
    const choices = [1, 2, 4].flatMap((sharers) => [true, false].map((cached): SkinVariant => ({ cached, sharers })));
    for (const cache of [true, false]) {
      const runs = [...choices.map((choice, bin) => run(bin, 40, choice)), run(choices.length, 40)];
      expect(Object.values(planned(runs, cache))).toEqual([...choices, { cached: cache, sharers: 4 }]);
      // not cached; cached, and shared by four or by fewer
      const kernels = planSkins(runs, cache).map(({ cached, byFour, bins }) => [cached, byFour, bins.length]);
      expect(kernels).toHaveLength(3);
      expect(kernels).toEqual(
        expect.arrayContaining([
          [false, false, cache ? 3 : 4],
          [true, true, cache ? 2 : 1],
          [true, false, 2],
        ]),
      );
    }
  });

  test('takes two batches at once where workgroups may be so large, palettes are cached, and there are several', () => {
    const meshes = [1, 2, 7, 8, 9, 31, 32, 33];
    const runs = meshes.map((batchCount, bin): SkinRun => ({
      ...run(bin, 40),
      batchRuns: [{ variant: 0, firstBatch: 0, batchCount }],
    }));
    const widthsOf = (cache: boolean, allowed: boolean) => {
      const found = new Map<number, [wide: boolean, groups: number]>();
      for (const { wide, bins } of planSkins(runs, cache, allowed)) {
        for (const { bin, groupsPerSet } of bins) found.set(meshes[bin]!, [wide, groupsPerSet]);
      }
      return Object.fromEntries(found);
    };
    const narrow = { 1: 1, 2: 1, 7: 1, 8: 1, 9: 2, 31: 4, 32: 4, 33: 5 };
    const notWide = Object.fromEntries(Object.entries(narrow).map(([count, groups]) => [count, [false, groups]]));
    expect(widthsOf(true, false)).toEqual(notWide);
    expect(widthsOf(false, true)).toEqual(notWide);
    const wide = { 8: 1, 9: 1, 31: 2, 32: 2, 33: 3 };
    const areWide = Object.fromEntries(Object.entries(wide).map(([count, groups]) => [count, [true, groups]]));
    expect(widthsOf(true, true)).toEqual({ ...notWide, ...areWide });
  });

  test('never is more than workgroup memory holds', () => {
    expect(planned([run(0, 100, { cached: true, sharers: 4 }), run(1, 400, { cached: true, sharers: 2 })], true)).toEqual({
      0: { cached: true, sharers: 3 },
      1: { cached: false, sharers: 2 },
    });
    expect(fittingVariant({ cached: false, sharers: 9 }, 40)).toEqual({ cached: false, sharers: 4 });
  }); // prettier-ignore

  test('is measured in all ways that differ, the rule’s first', () => {
    const names = (size: number) => candidateVariants(size).map(({ cached, sharers }) => `${cached ? 'c' : 's'}${sharers}`);
    expect(names(40)).toEqual(['c4', 'c2', 'c1', 's4', 's2', 's1']);
    expect(names(100)).toEqual(['c3', 'c2', 'c1', 's4', 's2', 's1']);
    expect(names(300)).toEqual(['c1', 's4', 's2', 's1']);
    expect(names(400)).toEqual(['s4', 's2', 's1']);
    expect(candidateVariants(100)[0]).toEqual(ruleVariant(100, true));
  }); // prettier-ignore
});
