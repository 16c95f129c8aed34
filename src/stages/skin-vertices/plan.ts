import type { BatchRun } from '../../character/character.ts';
import { BATCH_VERTICES } from '../../character/format/geometry-layout.ts';
import { planRanges, type RangesPlan } from '../ranges-plan.ts';
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
  /** True if workgroups have half as many threads as a batch has vertices: each skins two. */
  readonly narrow: boolean;
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
 * @param groupThreads Most threads of a workgroup.
 */
export function planSkins(
  runs: readonly SkinRun[],
  cache: boolean,
  wide = false,
  groupThreads = BATCH_VERTICES,
): SkinPlan[] {
  const narrow = groupThreads < BATCH_VERTICES;
  const planned = runs.flatMap(({ bin, geometryRow, skinTraits: traits, paletteCount, batchRuns, choice }) => {
    const { cached, sharers } = choice ? fittingVariant(choice, paletteCount) : ruleVariant(paletteCount, cache);
    return batchRuns.map(({ firstBatch, batchCount, variant }) => {
      const isWide = wide && !narrow && cached && batchCount >= WIDE_BATCHES;
      const kernel = {
        cached,
        byFour: cached && sharers === CHARACTERS_PER_GROUP,
        wide: isWide,
        narrow,
        variant,
        traits,
      };
      const groupsPerSet = Math.ceil(batchCount / ((isWide ? 2 : 1) * BATCHES_PER_GROUP));
      const sizes = { charactersPerGroup: sharers, groupsPerSet };
      return { kernel, bin, ...sizes, record: { geometryRow, firstBatch, batchCount, ...sizes } };
    });
  });
  return planRanges(planned, SkinRanges, SkinRange);
}
