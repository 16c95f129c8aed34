import { ANIMATOR_NONE } from '../../controller/eval/layout.ts';
import { ROW_NONE } from '../../stages/layout.ts';
import { DROP_WEIGHT_ONE } from '../../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../../stages/visible-row.ts';
import type { FrameStats } from '../backend.ts';

/** Counts of motions and samples that had weight and were dropped. */
export type DropCounts = Pick<FrameStats, 'droppedMotions' | 'truncatedFreezes' | 'droppedSamples' | 'droppedWeight'>;

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

  /** Counts a freeze that dropped samples. */
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
