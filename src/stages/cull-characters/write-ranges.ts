import type { View } from '../../layout/index.ts';
import { createItemStage, type BuffersOf, type Dispatch } from '../kernel.ts';
import {
  writeRangesBindings,
  type BinRecord,
  type DispatchPlan,
  type DrawPlan,
  type WriteRangesParams,
  type RangePlan,
} from './layout.ts';
import { kernels } from './write-ranges.gen.ts';

export interface WriteRangesViews {
  readonly params: View<(typeof WriteRangesParams)['fields']>;
  readonly dispatches: View<(typeof DispatchPlan)['fields']>;
  readonly plans: View<(typeof RangePlan)['fields']>;
  readonly draws: View<(typeof DrawPlan)['fields']>;
  readonly bins: View<(typeof BinRecord)['fields']>;
  readonly targets: Uint32Array;
}

/** Twin of a part of the kernel: the ranges of dispatches, and how many workgroups they take, from this frame's bins. */
export function writeRanges({ params, dispatches, plans, bins, targets }: WriteRangesViews): void {
  for (let d = 0; d < params.get(0, 'dispatchCount'); d++) {
    let groups = 0;
    for (let r = 0; r < dispatches.get(d, 'rangeCount'); r++) {
      const plan = dispatches.get(d, 'firstRange') + r;
      const bin = plans.get(plan, 'bin');
      const target = plans.get(plan, 'targetWord');
      const count = bins.get(bin, 'served');
      targets[target] = groups;
      targets[target + 2] = bins.get(bin, 'first');
      targets[target + 3] = count;
      groups += Math.ceil(count / plans.get(plan, 'charactersPerGroup')) * plans.get(plan, 'groupsPerSet');
    }
    targets[dispatches.get(d, 'groupCountWord')] = groups;
  }
}

/** Twin of the other part: the rows of the visible list that draws show. */
export function writeDraws({ params, draws, bins, targets }: WriteRangesViews): void {
  for (let d = 0; d < params.get(0, 'drawCount'); d++) {
    const bin = draws.get(d, 'bin');
    const count = bins.get(bin, 'count') + bins.get(bin + 1, 'count');
    targets[draws.get(d, 'instanceWord')] = count;
    targets.set([bins.get(bin, 'first'), count], draws.get(d, 'recordWord'));
  }
}

/**
 * Creates the dispatch that writes ranges for all later stages, arguments of draws, and the length of the visible list.
 * One thread per dispatch, and one per draw.
 *
 * `bins` are the records at the beginning of cull-characters' tally. `targets` are ranges, which later stages bind as uniforms,
 * and arguments of draws.
 */
export function createWriteRanges(
  device: GPUDevice,
): (buffers: BuffersOf<typeof writeRangesBindings>, dispatchCount: number, drawCount: number) => Dispatch {
  const groups = [writeRangesBindings] as const;
  const stage = createItemStage(device, {
    label: 'write-ranges',
    code: kernels.base,
    entryPoint: 'writeTargets',
    groups,
  });
  return (buffers, dispatchCount, drawCount) => stage.bind(buffers)(dispatchCount + drawCount);
}
