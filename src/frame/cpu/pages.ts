import { roundUp, View } from '../../layout/index.ts';
import { BinRecord, EXTRA_BINS, WriteRangesParams } from '../../stages/cull-characters/layout.ts';
import { VERTEX_ROW_BYTES, VisibleCharacter } from '../../stages/layout.ts';
import type { CpuPage } from '../backend.ts';
import { viewOf } from '../tables/column.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import { createTargets, PageMemory } from '../tables/memory.ts';
import { TEXEL_ROW_BYTES } from '../tables/texel-rows.ts';
import { planFrame } from '../tables/plan.ts';
import type { Retired } from '../tables/retired.ts';
import type { Page } from '../tables/vertex-pages.ts';

/** Everything that depends on pages: the plan, the records of the visible list, and the targets of ranges and draws. */
function createCpuPlan(
  device: GPUDevice | undefined,
  { tables, motionCapacity, kernels }: CrowdLayout,
  pageCount: number,
) {
  const plan = planFrame(tables.types, pageCount, motionCapacity, kernels);
  const { words, dispatches, draws } = plan.targets;
  const counts = { dispatchCount: dispatches.count, drawCount: draws.count };
  return {
    plan,
    bins: new View(BinRecord, plan.binCount + EXTRA_BINS),
    targets: words.slice(),
    place: viewOf(WriteRangesParams, [counts]),
    /** A GPU copy of `targets`, when there is a device. */
    buffer: device && createTargets(device, words),
  };
}

/** Pages and their plan. The next frame with views makes the plan again after pages were added or removed. */
export class PlannedPages {
  readonly #device: GPUDevice | undefined;
  readonly #shape: CrowdLayout;
  readonly #retired: Retired;
  readonly #next: CpuPage[];
  #isStale = false;
  plan: ReturnType<typeof createCpuPlan>;
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

  get byteLength(): number {
    const owned = this.#next.flatMap(({ skinned, memory }) => [skinned, memory]);
    return owned.reduce((sum, memory) => sum + (memory?.byteLength ?? 0), 0);
  }

  /** Inputs and outputs of twins, page by page: the page's rows of the visible list, and its memory. */
  rows({ words }: View<(typeof VisibleCharacter)['fields']>) {
    const { bins, plan } = this.plan;
    const runs = plan.binCount / this.pages.length;
    return this.pages.map(({ skinned }, page) => {
      const first = bins.get(page * runs, 'first');
      const last = (page + 1) * runs - 1;
      const visibleCount = bins.get(last, 'first') + bins.get(last, 'count') - first;
      const visible = new View(VisibleCharacter, words.buffer, first * VisibleCharacter.size, visibleCount);
      return { skinned, visible, visibleCount };
    });
  }

  add({ index, rowCapacity }: Page): void {
    const bytes = rowCapacity * VERTEX_ROW_BYTES;
    this.#next[index] = {
      skinned: new Uint32Array((this.#device ? bytes : roundUp(bytes, TEXEL_ROW_BYTES)) / 4),
      memory: this.#device && new PageMemory(this.#device, { rowCapacity }),
    };
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

  /** Copies targets and skinned vertices to the GPU. */
  mirror({ queue }: GPUDevice): void {
    const { buffer, targets } = this.plan;
    if (buffer) queue.writeBuffer(buffer, 0, targets);
    for (const { memory, skinned } of this.pages) if (memory) queue.writeBuffer(memory.vertices, 0, skinned);
  }
}
