import type { View } from '../../layout/index.ts';
import type { BinRecord } from '../../stages/cull-characters/layout.ts';
import { ROW_NONE, VISIBLE_LEVEL, VISIBLE_PAGE_SHIFT, type VisibleCharacter } from '../../stages/layout.ts';
import type { FrameStats } from '../backend.ts';
import type { CrowdLevel, CrowdType } from './crowd-types.ts';
import { ANIMATOR_NONE } from '../../controller/eval/layout.ts';
import { DROP_FREEZES, DROP_SAMPLES, DROP_WEIGHT, DROP_WEIGHT_ONE } from '../../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../../stages/visible-row.ts';

/** Returns the type, the level and the vertex page of a row of the visible list. */
export function placeOf(
  types: readonly CrowdType[],
  row: View<(typeof VisibleCharacter)['fields']>,
  index = 0,
): { type: CrowdType; level: CrowdLevel; pageIndex: number } {
  const [detail, typeRow] = [row.get(index, 'detail'), row.get(index, 'typeRow')];
  const type = types.find((each) => each.typeRow === typeRow)!;
  return { type, level: type.levels[detail & VISIBLE_LEVEL]!, pageIndex: detail >>> VISIBLE_PAGE_SHIFT };
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

/** Counts of motions and samples that had weight and were dropped. */
export type DropCounts = Pick<FrameStats, 'droppedMotions' | 'truncatedFreezes' | 'droppedSamples' | 'droppedWeight'>;

/** Samples that freezes have dropped, as kernels count them. No bytes: none. */
export function freezeDropsIn(bytes: ArrayBuffer): Omit<DropCounts, 'droppedMotions'> {
  const numbers = new BigUint64Array(bytes);
  const at = (word: number) => Number(numbers[(word - DROP_FREEZES) / 2] ?? 0);
  const [truncatedFreezes, droppedSamples] = [at(DROP_FREEZES), at(DROP_SAMPLES)];
  return { truncatedFreezes, droppedSamples, droppedWeight: at(DROP_WEIGHT) / DROP_WEIGHT_ONE };
}

export const NOTHING_DROPPED: DropCounts = {
  droppedMotions: 0,
  truncatedFreezes: 0,
  droppedSamples: 0,
  droppedWeight: 0,
};

/** Counts what freezes of a crowd on twins have dropped since it was created. */
export class FreezeDrops {
  #counts: DropCounts;

  /** @param before Counts from the previous backend. */
  constructor(before?: Omit<DropCounts, 'droppedMotions'>) {
    this.#counts = { ...NOTHING_DROPPED, ...before };
  }

  get counts(): DropCounts {
    return this.#counts;
  }

  readonly add = (samples: number, weight: number): void => {
    const { droppedMotions, truncatedFreezes, droppedSamples, droppedWeight } = this.#counts;
    this.#counts = {
      droppedMotions,
      truncatedFreezes: truncatedFreezes + 1,
      droppedSamples: droppedSamples + samples,
      // rounded as in kernels
      droppedWeight: droppedWeight + Math.trunc(weight * DROP_WEIGHT_ONE) / DROP_WEIGHT_ONE,
    };
  };

  /** All counts, with those of the motion lists of the last frame: twin of `countDropped`. */
  with({ visible, visibleCount }: VisibleRows, animators: Uint32Array): DropCounts {
    let droppedMotions = 0;
    for (let row = 0; row < visibleCount; row++) {
      const head = 4 * visible.get(row, 'character');
      const isPosed = visible.get(row, 'motionRow') !== ROW_NONE;
      if (isPosed && animators[head] !== ANIMATOR_NONE) droppedMotions += animators[head + 3]! >>> 16;
    }
    return { ...this.#counts, droppedMotions };
  }
}
