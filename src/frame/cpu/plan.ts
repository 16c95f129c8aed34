import { View } from '../../layout/index.ts';
import { BinRecord, EXTRA_BINS, WriteRangesParams } from '../../stages/cull-characters/layout.ts';
import { DIMENSION_LIMIT } from '../../stages/kernel.ts';
import { createCpuPage } from './pages.ts';
import type { CpuPage } from '../backend.ts';
import { createTargets } from '../tables/memory.ts';
import type { Page } from '../tables/page.ts';
import { planFrame, type FramePlan } from '../tables/plan.ts';
import type { Retired } from '../tables/retired.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';

/** Everything that depends on pages: the plan, the records of the visible list, and the targets of ranges and draws. */
export interface CpuPlan {
  readonly plan: FramePlan;
  readonly bins: View<(typeof BinRecord)['fields']>;
  readonly targets: Uint32Array<ArrayBuffer>;
  readonly place: View<(typeof WriteRangesParams)['fields']>;
  /** A GPU copy of `targets`, when there is a device. */
  readonly buffer: GPUBuffer | undefined;
}

function createCpuPlan(
  device: GPUDevice | undefined,
  { tables, motionCapacity, kernels }: CrowdLayout,
  pageCount: number,
): CpuPlan {
  const framePlan = planFrame(tables.types, pageCount, motionCapacity, kernels);
  const { targets, binCount } = framePlan;
  const place = new View(WriteRangesParams, 1);
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

/** Pages and their plan. The next frame with views makes the plan again after pages were added or removed. */
export class PlannedPages {
  readonly #device: GPUDevice | undefined;
  readonly #shape: CrowdLayout;
  readonly #retired: Retired;
  readonly #next: CpuPage[];
  #isStale = false;
  plan: CpuPlan;
  /** Pages of the current plan. */
  pages: readonly CpuPage[];

  constructor(device: GPUDevice | undefined, shape: CrowdLayout, pages: readonly CpuPage[], retired: Retired) {
    this.#device = device;
    this.#shape = shape;
    this.#retired = retired;
    this.#next = [...pages];
    this.pages = pages;
    this.plan = createCpuPlan(device, shape, pages.length);
  }

  /** Pages of the next frame. */
  get next(): readonly CpuPage[] {
    return this.#next;
  }

  /** Bytes of the pages of the next frame. */
  get byteLength(): number {
    return this.#next.reduce(
      (sum, { skinned, skinnedTangents, memory }) =>
        sum + skinned.byteLength + skinnedTangents.byteLength + (memory?.byteLength ?? 0),
      0,
    );
  }

  add(page: Page): void {
    this.#next[page.index] = createCpuPage(this.#device, page, this.#shape.skinnedChannel !== undefined);
    this.#isStale = true;
  }

  remove({ index }: Page): void {
    for (const { memory } of this.#next.splice(index, 1)) if (memory) this.#retired.push(memory);
    this.#isStale = true;
  }

  /** Called when a frame with views begins. */
  update(): void {
    if (!this.#isStale) return;
    const { buffer } = this.plan;
    if (buffer) this.#retired.push(buffer);
    this.plan = createCpuPlan(this.#device, this.#shape, this.#next.length);
    this.pages = [...this.#next];
    this.#isStale = false;
  }
}
