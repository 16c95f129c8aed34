import { View } from '../layout/index.ts';
import { BinRecord, EXTRA_BINS, PlaceParams } from '../stages/cull-characters/layout.ts';
import { DIMENSION_LIMIT } from '../stages/kernel.ts';
import { createTargets } from './gpu-memory.ts';
import { planFrame, type FramePlan } from './plan.ts';
import type { CrowdShape } from './shape.ts';

/** What follows from pages: plans, the visible list's records, and where its numbers go. */
export interface CpuPlan {
  readonly plan: FramePlan;
  readonly bins: View<(typeof BinRecord)['fields']>;
  readonly targets: Uint32Array<ArrayBuffer>;
  readonly place: View<(typeof PlaceParams)['fields']>;
  /** A GPU copy of `targets`, when there is a device. */
  readonly buffer: GPUBuffer | undefined;
}

export function createCpuPlan(
  device: GPUDevice | undefined,
  { tables, motionCapacity, kernels }: CrowdShape,
  pageCount: number,
): CpuPlan {
  const framePlan = planFrame(tables.types, pageCount, motionCapacity, kernels);
  const { targets, binCount } = framePlan;
  const place = new View(PlaceParams, 1);
  const { dispatches, draws } = targets;
  place.assign(0, { dispatchCount: dispatches.count, drawCount: draws.count, dimensionLimit: DIMENSION_LIMIT });
  return {
    plan: framePlan,
    bins: new View(BinRecord, binCount + EXTRA_BINS),
    targets: targets.words.slice(),
    place,
    buffer: device && createTargets(device, targets.words),
  };
}
