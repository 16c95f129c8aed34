import { GATHER_GROUP } from '../stages/gather-motions/stage.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import { planKeeps, type KeepPlan } from '../stages/keep-palettes/plan.ts';
import { planPoses, type PosePlan, type PoseRun } from '../stages/pose-joints/plan.ts';
import type { RangesPlan } from '../stages/ranges-plan.ts';
import { planSkins, type SkinPlan, type SkinRun } from '../stages/skin-vertices/plan.ts';
import { binCountOf } from './cull-tables.ts';
import { Targets, type PlacedDispatch } from './targets.ts';
import type { CrowdType } from './types.ts';

export interface Placed<P> {
  readonly plan: P;
  readonly at: PlacedDispatch;
}

/** What renderers draw of one page and level, wherever it stands among the targets. */
export interface PlacedDraws {
  readonly pageIndex: number;
  readonly type: CrowdType;
  readonly levelIndex: number;
  /** Of a uniform: first row of the visible list, and count. */
  readonly recordByte: number;
  /** Of the arguments of an indexed draw, per primitive. */
  readonly primitiveBytes: readonly number[];
  /** Of the arguments of a draw of a strip of four vertices per character. */
  readonly quadByte: number;
}

/** All that is dispatched and drawn as long as pages stay the same. */
export interface FramePlan {
  readonly binCount: number;
  readonly gather: PlacedDispatch;
  readonly poses: readonly Placed<PosePlan>[];
  /** By page. */
  readonly keeps: readonly (readonly Placed<KeepPlan>[])[];
  /** By page. */
  readonly skins: readonly (readonly Placed<SkinPlan>[])[];
  readonly draws: readonly PlacedDraws[];
  readonly targets: ReturnType<Targets['build']>;
}

/** Plans what follows from types and pages alone; who is served stands in the visible list, and only the GPU knows. */
export function planFrame(
  types: readonly CrowdType[],
  pageCount: number,
  motionCapacity: number,
  { serialPoses, cachedPalettes, wideSkins, skinning }: KernelChoice,
): FramePlan {
  const targets = new Targets();
  const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
  const binCount = binCountOf(pageCount, types);
  const pages = Array.from({ length: pageCount }, (_, page) => page);
  const binOf = (page: number, type: CrowdType, level: number) => 2 * (page * levelCount + type.firstLevel + level);
  const place = <P extends RangesPlan>(plans: readonly P[]) =>
    plans.map((plan): Placed<P> => ({ plan, at: targets.addDispatch(plan) }));
  const runs = pages.flatMap((page) =>
    types.flatMap((type) => type.levels.map((_, level) => poseRun(type, level, binOf(page, type, level)))),
  );
  const draws = pages.flatMap((pageIndex) =>
    types.flatMap((type) =>
      type.levels.map(({ primitives, firstIndex }, levelIndex): PlacedDraws => {
        const indexed = primitives.map((primitive) => [
          primitive.indexCount,
          0,
          firstIndex + primitive.firstIndex,
          0,
          0,
        ]);
        const { recordByte, drawBytes } = targets.addDraws(binOf(pageIndex, type, levelIndex), [
          ...indexed,
          [4, 0, 0, 0],
        ]);
        return {
          pageIndex,
          type,
          levelIndex,
          recordByte,
          primitiveBytes: drawBytes.slice(0, -1),
          quadByte: drawBytes.at(-1)!,
        };
      }),
    ),
  );
  return {
    binCount,
    gather: targets.addDispatch(gatherPlan(binCount)),
    poses: place(planPoses(runs, motionCapacity, serialPoses)),
    keeps: pages.map((page) => {
      const kept = types.filter(({ skin }) => skin === 'vertex');
      const runs = kept.flatMap((type) =>
        type.levels.map((_, level) => ({
          bin: binOf(page, type, level),
          rowCount: type.keptRows - type.keptProviderRows,
          provided: type.keptProviderRows > 0,
        })),
      );
      return place(planKeeps(runs));
    }),
    skins: pages.map((page) => {
      const skinned = types.filter(({ skin }) => skin !== 'vertex');
      const ofPage = skinned.flatMap((type) =>
        type.levels.map((_, level) => skinRun(type, level, binOf(page, type, level), skinning)),
      );
      return place(planSkins(ofPage, cachedPalettes, wideSkins));
    }),
    draws,
    targets: targets.build(),
  };
}

/** All rows of the visible list: their record stands behind those of the runs and of who is not drawn. */
function gatherPlan(binCount: number): RangesPlan {
  const whole = { bin: binCount + 1, charactersPerGroup: GATHER_GROUP, groupsPerSet: 1, byteOffset: 16 };
  return { ranges: new ArrayBuffer(32), bins: [whole], groupCountByte: 0 };
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
