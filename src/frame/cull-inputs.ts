import { View } from '../layout/index.ts';
import { type BinRecord, CullParams } from '../stages/cull-characters/layout.ts';
import { MOTION_ROWS, SLOT_PAGE_SHIFT, SLOT_UNIT, type VisibleCharacter } from '../stages/layout.ts';
import type { FrameStats, SeenInputs } from './backend.ts';
import { writeViews } from './crowd-view.ts';
import { ringWords } from './cull-tables.ts';
import type { DropCounts } from './drops.ts';
import type { CrowdShape } from './shape.ts';
import type { CrowdLevel, CrowdType } from './types.ts';

/** Vertices of one page that a slot's word can address. */
export const SLOT_PAGE_VERTICES: number = SLOT_UNIT * (2 ** SLOT_PAGE_SHIFT - 1);

interface CullState {
  readonly frame: number;
  /** Number of shared poses. Their rows follow the character rows. */
  readonly sharedCount?: number;
  /** Number of the previous frame with views. */
  readonly lastFrame: number;
  readonly characterCount: number;
  readonly binCount: number;
  readonly poseCapacity: number;
  readonly paletteCapacity: number;
  /** True if the pose memory is always large enough for all characters. */
  readonly posesAll?: boolean;
}

/** The parameters of cull-characters in one frame. @throws ManipleError CROWD_BAD_ARGUMENT */
export function cullParams(
  {
    tables,
    kinds,
    classes,
    motionCapacity,
  }: Pick<CrowdShape, 'kinds' | 'classes' | 'motionCapacity'> & {
    readonly tables: Pick<CrowdShape['tables'], 'types'>;
  },
  { views, slots, rateSizes }: Pick<SeenInputs, 'views' | 'slots' | 'rateSizes'>,
  { posesAll = false, ...counts }: CullState,
): View<(typeof CullParams)['fields']> {
  const params = new View(CullParams, 1);
  const parking = { parkFirst: ringWords(classes).parkFirst, parkCapacity: classes.parkCapacity };
  params.assign(0, {
    ...counts,
    seesAll: views ? 0 : 1,
    tightens: Number(views !== undefined && posesAll),
    levelCount: tables.types.reduce((sum, { levels }) => sum + levels.length, 0),
    classCount: classes.capacities.length,
    copyCount: classes.copies,
    motionRows: motionCapacity * MOTION_ROWS,
    grantCount: slots.grants.length / 2,
    extentCount: slots.extentCount,
    // a character that gets another slot must be posed in that frame
    rebalances: posesAll ? slots.rebalances : 0,
    ...parking,
    levelRow: kinds.levelRow,
    classRow: kinds.classRow,
    rateSizes: [...rateSizes, 0],
  });
  if (views) writeViews(params, views);
  return params;
}

/** Returns the type, the level and the vertex page of a row of the visible list. */
export function placeOf(
  types: readonly CrowdType[],
  row: View<(typeof VisibleCharacter)['fields']>,
  index = 0,
): { type: CrowdType; level: CrowdLevel; pageIndex: number } {
  const run = row.get(index, 'bin') >> 1;
  const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
  const ofAll = run % levelCount;
  const type = types.findLast(({ firstLevel }) => firstLevel <= ofAll)!;
  return { type, level: type.levels[ofAll - type.firstLevel]!, pageIndex: Math.floor(run / levelCount) };
}

/** @param undrawn Index of the record of undrawn characters. The record of the whole list follows it. */
export function statsOf(bins: View<(typeof BinRecord)['fields']>, undrawn: number, dropped: DropCounts): FrameStats {
  return {
    listed: bins.get(undrawn + 1, 'count'),
    posed: bins.get(undrawn + 1, 'firstPosed'),
    unposed: bins.get(undrawn + 1, 'firstPaletteRow') - bins.get(undrawn + 1, 'firstPosed'),
    undrawn: bins.get(undrawn, 'count'),
    ...dropped,
  };
}
