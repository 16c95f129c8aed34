import type { BatchRun } from '../../character/character.ts';
import { View } from '../../layout/index.ts';
import { RANGE_CAPACITY } from '../layout.ts';
import type { PlannedRange, RangesPlan } from '../ranges-plan.ts';
import { BATCHES_PER_GROUP, CHARACTERS_PER_GROUP, SkinRange, SkinRanges } from './layout.ts';
import { fittingVariant, ruleVariant, type SkinVariant } from './variant.ts';

/** Features of the geometry of a dispatch. Kernels are built without the others. */
export interface SkinTraits {
  readonly tangents: boolean;
  /** Scales that stretch or mirror: normals need the inverse transpose. */
  readonly nonUniform: boolean;
  /** Vertices without influences. */
  readonly unmoved: boolean;
  /** Several parts, which can be hidden one by one. */
  readonly parts: boolean;
}

/** A run of the visible list: characters of one type and level, and the layout of their batches. */
export interface SkinRun {
  /** Index of the run. */
  readonly bin: number;
  readonly geometryRow: number;
  readonly skinTraits: SkinTraits;
  readonly paletteCount: number;
  readonly batchRuns: readonly BatchRun[];
  /** Variant chosen for its mesh; undefined if the rule decides. */
  readonly choice?: SkinVariant | undefined;
}

/** One dispatch of skin-vertices: one loader variant, palettes cached in workgroup memory or not. */
export interface SkinPlan extends RangesPlan {
  readonly cached: boolean;
  /** True if palettes are cached and four characters share a workgroup. The kernel relies on it. */
  readonly byFour: boolean;
  /** True if workgroups skin two batches at once. */
  readonly wide: boolean;
  /** LOADER_ bits. */
  readonly variant: number;
  readonly traits: SkinTraits;
}

/** Fewest batches of a mesh to skin two at once: with fewer, copying palettes costs more time than it saves. */
const WIDE_BATCHES = 8;

/**
 * Sorts all batches of all runs into one dispatch per loader variant and set of traits in use.
 * @param cache True to copy palettes that fit to workgroup memory, for meshes without a chosen variant.
 * @param wide True if workgroups may skin two batches at once.
 */
export function planSkins(runs: readonly SkinRun[], cache: boolean, wide = false): SkinPlan[] {
  const byKernel = new Map<string, { kernel: KernelOfPlan; list: RunOfBatches[] }>();
  for (const run of runs) {
    const { choice, paletteCount } = run;
    const { cached, sharers } = choice ? fittingVariant(choice, paletteCount) : ruleVariant(paletteCount, cache);
    for (const batches of run.batchRuns) {
      const byFour = cached && sharers === CHARACTERS_PER_GROUP;
      const isWide = wide && cached && batches.batchCount >= WIDE_BATCHES;
      const kernel = { cached, byFour, wide: isWide, variant: batches.variant, traits: run.skinTraits };
      const key = JSON.stringify(kernel);
      const sorted = byKernel.get(key) ?? { kernel, list: [] };
      sorted.list.push({ run, batches, sharers });
      byKernel.set(key, sorted);
    }
  }
  const plans: SkinPlan[] = [];
  for (const { kernel, list } of byKernel.values()) {
    for (let i = 0; i < list.length; i += RANGE_CAPACITY) {
      plans.push(planDispatch(list.slice(i, i + RANGE_CAPACITY), kernel));
    }
  }
  return plans;
}

type KernelOfPlan = Pick<SkinPlan, 'cached' | 'byFour' | 'wide' | 'variant' | 'traits'>;

interface RunOfBatches {
  readonly run: SkinRun;
  readonly batches: BatchRun;
  readonly sharers: number;
}

function planDispatch(list: readonly RunOfBatches[], kernel: KernelOfPlan): SkinPlan {
  const buffer = new ArrayBuffer(SkinRanges.size);
  const ranges = new View(SkinRange, buffer, SkinRanges.offsets.ranges, RANGE_CAPACITY);
  const bins = list.map(
    ({ run, batches: { firstBatch, batchCount }, sharers: charactersPerGroup }, index): PlannedRange => {
      const groupsPerSet = Math.ceil(batchCount / ((kernel.wide ? 2 : 1) * BATCHES_PER_GROUP));
      const { geometryRow } = run;
      ranges.assign(index, { geometryRow, firstBatch, batchCount, charactersPerGroup, groupsPerSet });
      const byteOffset = SkinRanges.offsets.ranges + index * SkinRange.size;
      return { bin: run.bin, charactersPerGroup, groupsPerSet, byteOffset };
    },
  );
  new View(SkinRanges, buffer).assign(0, { rangeCount: list.length });
  return { ...kernel, ranges: buffer, bins, groupCountByte: SkinRanges.offsets.groupCount };
}
