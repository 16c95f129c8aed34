import type { KernelChoice } from '../../stages/kernel-choice.ts';
import { planKeeps } from '../../stages/keep-palettes/plan.ts';
import { planPoses, type PoseRun } from '../../stages/pose-joints/plan.ts';
import type { RangesPlan } from '../../stages/ranges-plan.ts';
import { planSkins, type SkinRun } from '../../stages/skin-vertices/plan.ts';
import { binCountOf } from './cull-tables.ts';
import { Targets, type PlacedDispatch } from './targets.ts';
import type { CrowdType } from './crowd-types.ts';

export interface Placed<P> {
  readonly plan: P;
  readonly at: PlacedDispatch;
}

/** Draws of one page and level, with byte offsets in the targets. */
export interface PlacedDraws {
  readonly pageIndex: number;
  readonly type: CrowdType;
  readonly levelIndex: number;
  /** Byte offset of a uniform record: first row of the visible list, and count. */
  readonly recordByte: number;
  /** Byte offsets of the arguments of indexed draws, one per primitive. */
  readonly primitiveBytes: readonly number[];
  /** Byte offset of the arguments of a draw with a strip of four vertices per character. */
  readonly quadByte: number;
}

/** Dispatches and draws. They stay the same until pages are added or removed. */
export type FramePlan = ReturnType<typeof planFrame>;

/** Plans everything that depends only on types and pages. Characters are in the visible list, which is only on the GPU. */
export function planFrame(
  types: readonly CrowdType[],
  pageCount: number,
  motionCapacity: number,
  kernels: KernelChoice,
) {
  const { cachedPalettes, wideSkins, skinning, groupThreads } = kernels;
  const targets = new Targets();
  const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
  const binCount = binCountOf(pageCount, types);
  const pages = Array.from({ length: pageCount }, (_, page) => page);
  const levels = pages.flatMap((page) =>
    types.flatMap((type) =>
      type.levels.map((_, level) => ({ page, type, level, bin: 2 * (page * levelCount + type.firstLevel + level) })),
    ),
  );
  const place = <P extends RangesPlan>(plans: readonly P[]) =>
    plans.map((plan): Placed<P> => ({ plan, at: targets.addDispatch(plan) }));
  const levelsOf = (page: number, isKept: boolean) =>
    levels.filter((level) => level.page === page && (level.type.skin === 'vertex') === isKept);
  const draws = levels.map(({ page, type, level, bin }): PlacedDraws => {
    const { primitives, firstIndex } = type.levels[level]!;
    const indexed = primitives.map((primitive) => [primitive.indexCount, 0, firstIndex + primitive.firstIndex, 0, 0]);
    const { recordByte, drawBytes } = targets.addDraws(bin, [...indexed, [4, 0, 0, 0]]);
    const bytes = { recordByte, primitiveBytes: drawBytes.slice(0, -1), quadByte: drawBytes.at(-1)! };
    return { pageIndex: page, type, levelIndex: level, ...bytes };
  });
  const runs = levels.map(({ type, level, bin }) => poseRun(type, level, bin));
  return {
    binCount,
    poses: place(planPoses(runs, motionCapacity, kernels)),
    /** By page, as `skins`. */
    keeps: pages.map((page) => {
      const kept = levelsOf(page, true).map(({ bin, type: { keptRows, keptProviderRows } }) => {
        return { bin, rowCount: keptRows - keptProviderRows, provided: keptProviderRows > 0 };
      });
      return place(planKeeps(kept));
    }),
    skins: pages.map((page) => {
      const skinned = levelsOf(page, false).map(({ type, level, bin }) => skinRun(type, level, bin, skinning));
      return place(planSkins(skinned, cachedPalettes, wideSkins, groupThreads));
    }),
    draws,
    targets: targets.build(),
  };
}

export function poseRun({ levels, traits }: CrowdType, level: number, bin: number): PoseRun {
  const { skeletonRow, laneCount } = levels[level]!;
  return { bin, typeRow: skeletonRow, laneCount, traits };
}

export function skinRun(
  { character, levels, paletteCount }: CrowdType,
  level: number,
  bin: number,
  skinning?: KernelChoice['skinning'],
): SkinRun {
  const { geometryRow, skinTraits, batchRuns } = levels[level]!;
  const chosen = skinning?.meshes.find((mesh) => mesh.character === character && mesh.level === level);
  return { bin, geometryRow, skinTraits, paletteCount, batchRuns, choice: chosen?.variant };
}
