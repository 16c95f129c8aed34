import type { View } from '../../layout/index.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, grid, type Dispatch } from '../kernel.ts';
import { placeRangesBindings, type BinRange, type DispatchPlan, type PlaceParams, type RangePlan } from './layout.ts';
import { kernels } from './place-ranges.gen.ts';

const WORKGROUP_SIZE = 64;

/** What {@link placeRanges} reads and writes, as the kernel binds it. */
export interface PlaceRangesViews {
  readonly params: View<(typeof PlaceParams)['fields']>;
  readonly dispatches: View<(typeof DispatchPlan)['fields']>;
  readonly plans: View<(typeof RangePlan)['fields']>;
  readonly bins: View<(typeof BinRange)['fields']>;
  readonly targets: Uint32Array;
}

/** Twin of the kernel: what dispatches serve, and how many workgroups they take, as bins stand in this frame. */
export function placeRanges({ params, dispatches, plans, bins, targets }: PlaceRangesViews): void {
  for (let d = 0; d < params.get(0, 'dispatchCount'); d++) {
    let groups = 0;
    for (let r = 0; r < dispatches.get(d, 'rangeCount'); r++) {
      const plan = dispatches.get(d, 'firstRange') + r;
      const bin = plans.get(plan, 'bin');
      const target = plans.get(plan, 'targetWord');
      const count = bins.get(bin, 'count');
      targets[target] = groups;
      targets[target + 2] = bins.get(bin, 'first');
      targets[target + 3] = count;
      groups += Math.ceil(count / plans.get(plan, 'charactersPerGroup')) * plans.get(plan, 'groupsPerSet');
    }
    targets[dispatches.get(d, 'groupCountWord')] = groups;
    targets.set([...grid(groups, params.get(0, 'dimensionLimit')), 1], dispatches.get(d, 'argumentsWord'));
  }
}

export interface PlaceRangesBuffers {
  readonly params: GPUBuffer;
  readonly dispatches: GPUBuffer;
  readonly plans: GPUBuffer;
  readonly bins: GPUBuffer;
  /** Ranges and arguments: uniform or indirect for those who come behind. */
  readonly targets: GPUBuffer;
}

/** The dispatch that says what all behind it serve. One thread per dispatch. */
export function createPlaceRanges(device: GPUDevice): (buffers: PlaceRangesBuffers, dispatchCount: number) => Dispatch {
  const label = 'place-ranges';
  const layout = createStageLayout(device, label, [placeRangesBindings]);
  const kernel = createKernel(device, {
    label,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'placeRanges',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE },
  });
  return (buffers, dispatchCount) => ({
    kernel,
    groups: [createBindGroup(device, label, layout.groups[0]!, placeRangesBindings, buffers)],
    groupCount: Math.ceil(dispatchCount / WORKGROUP_SIZE),
  });
}
