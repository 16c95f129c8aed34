import type { View } from '../../layout/index.ts';
import type { BinRecord } from '../../stages/cull-characters/layout.ts';
import type { VisibleCharacter } from '../../stages/layout.ts';
import type { FrameStats } from '../backend.ts';
import type { DropCounts } from './drops.ts';
import type { CrowdLevel, CrowdType } from './crowd-types.ts';

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
