import type { CrowdLayout } from '../../frame/tables/crowd-layout.ts';
import { View } from '../../layout/index.ts';
import { ImpostorParams } from './layout.ts';
import type { ImpostorLists } from './lists.ts';
import type { ImpostorPlan } from './options.ts';

/** From where a choice is made, in the crowd's space. */
export interface ImpostorSight {
  /** Tiles show characters as seen from here; if `isParallel`, along this direction towards the viewer. */
  readonly eye: readonly number[];
  readonly isParallel: boolean;
  /** Depth of a point in the picture: dot(xyz, point) + w. */
  readonly depth: readonly number[];
  /** Pixels of the picture that a metre takes at depth 1. */
  readonly pixelsPerMetre: number;
  /** Bit mask of the crowd's views. */
  readonly views: number;
  /** True for shadow maps. Nothing in them is partly a mesh. */
  readonly isCaster: boolean;
}

/**
 * The parameters of a choice.
 * @param choice Its index in lists that keep several.
 * @param tileLimit Tiles that it may draw. Default: those of the plan.
 */
export function impostorParams(
  { above, below, setCount, directions, tilesPerPicture, tilePx, columns }: ImpostorPlan,
  lists: ImpostorLists,
  { capacity, sharing }: Pick<CrowdLayout, 'capacity' | 'sharing'>,
  frame: number,
  { isCaster, isParallel, ...sight }: ImpostorSight,
  { choice = 0, tileLimit = tilesPerPicture } = {},
): Uint8Array<ArrayBuffer> {
  const { rowCapacity, drawCount, clipRow, drawRow, tileTargets } = lists;
  const middle = (above + below) / 2;
  const view = new View(ImpostorParams, 1);
  view.assign(0, {
    ...sight,
    isParallel: Number(isParallel),
    below: isCaster ? middle * (1 - 1e-6) : below,
    above: isCaster ? middle : above,
    frame,
    firstShared: capacity - sharing!.count,
    rowCapacity,
    drawCount,
    clipRow,
    drawRow,
    phases: sharing!.phases,
    setCount,
    directions,
    tileLimit,
    tileTargets,
    quadTargets: lists.quadTargets(choice),
    firstChoice: choice * rowCapacity,
    tileSize: tilePx,
    columns,
  });
  return new Uint8Array(view.words.buffer);
}
