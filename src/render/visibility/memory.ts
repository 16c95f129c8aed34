import { fail } from '../../errors.ts';
import { createBuffer, createFilled } from '../../frame/gpu-memory.ts';
import { View } from '../../layout/index.ts';
import { CountParams, InstanceParams, RANGE_WORDS, RasterArguments } from '../../stages/filter-triangles/layout.ts';
import { DIMENSION_LIMIT } from '../../stages/kernel.ts';
import {
  BATCH_LIMIT,
  PROJECTION_ROWS,
  LIST_HEADER_WORDS,
  TRIANGLE_BATCH,
  TRIANGLE_VIEW_LIMIT,
  TriangleViews,
} from '../../stages/triangles.ts';
import type { TriangleSource } from './source.ts';
import { INSTANCE_BYTES, type TriangleTables } from './tables.ts';

/** Bytes that the lists of all views may have together, where nothing else is said. */
const LIST_BYTES = 2 ** 30;

/** What the triangles of some sources take on the GPU, besides pictures. */
export class TriangleMemory {
  /** Runs, primitives, instances. */
  readonly drawn: GPUBuffer;
  /** Kept triangles, view by view. */
  readonly lists: GPUBuffer;
  /** A BatchRange and its arguments for every page, RANGE_WORDS each. */
  readonly ranges: GPUBuffer;
  /** RasterArguments by view. */
  readonly arguments: GPUBuffer;
  readonly views: GPUBuffer;
  readonly countParams: GPUBuffer;
  /** By source. */
  readonly instanceParams: readonly GPUBuffer[];
  readonly plans: GPUBuffer;
  readonly pages: GPUBuffer;
  /** Stands in for `targets` where no source has any. */
  readonly nothing: GPUBuffer;
  /** Row of `drawn` where instances' matrices by view begin. */
  readonly projectionRow: number;
  /** Batches that can be drawn. */
  readonly batchCapacity: number;
  /** Triangles that one view's list has room for: those of so many batches. */
  readonly listCapacity: number;

  /**
   * @param batchCapacity Batches to be drawn at most; undefined: as many as the sources can have, within what a device binds.
   * @throws ManipleError DEVICE_LIMIT
   */
  constructor(
    device: GPUDevice,
    sources: readonly TriangleSource[],
    tables: TriangleTables,
    viewCount: number,
    batchCapacity?: number,
  ) {
    const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const storage = STORAGE | COPY_DST | COPY_SRC;
    const bytes = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
    const fitting = Math.floor((Math.min(bytes, LIST_BYTES) / 4 - LIST_HEADER_WORDS) / (viewCount * TRIANGLE_BATCH));
    const most = Math.max(1, tables.instanceCount * tables.mostBatches);
    const batches = Math.min(batchCapacity ?? most, fitting, most, BATCH_LIMIT);
    this.batchCapacity = batches;
    this.listCapacity = batches * TRIANGLE_BATCH;
    const projectionByte = tables.words.byteLength + tables.instanceCount * INSTANCE_BYTES;
    this.projectionRow = projectionByte / 16;
    const drawnBytes = projectionByte + tables.instanceCount * viewCount * PROJECTION_ROWS * 16;
    if (drawnBytes > bytes) {
      const told = `needs ${drawnBytes} bytes in one buffer for those who are drawn; this device binds ${bytes}.`;
      fail('DEVICE_LIMIT', 'crowd', told, 'Lower its capacity, or request the device with the limits of its adapter.');
    }
    this.drawn = createBuffer(device, 'drawn', storage, drawnBytes);
    device.queue.writeBuffer(this.drawn, 0, tables.words);
    this.lists = createBuffer(
      device,
      'triangle lists',
      storage,
      4 * (LIST_HEADER_WORDS + viewCount * this.listCapacity),
    );
    const targets = STORAGE | UNIFORM | INDIRECT | COPY_DST | COPY_SRC;
    this.ranges = createBuffer(device, 'batch ranges', targets, Math.max(1, tables.pages.count) * RANGE_WORDS * 4);
    this.arguments = createBuffer(device, 'raster arguments', targets, TRIANGLE_VIEW_LIMIT * RasterArguments.size);
    this.views = createBuffer(device, 'triangle views', UNIFORM | COPY_DST, TriangleViews.size);
    const count = new View(CountParams, 1);
    count.assign(0, {
      runCount: tables.runCount,
      pageCount: tables.pages.count,
      batchCapacity: batches,
      dimensionLimit: DIMENSION_LIMIT,
    });
    this.countParams = createFilled(device, 'count params', UNIFORM | COPY_DST, count.words);
    this.instanceParams = sources.map(({ rowCapacity, isCrowd }, index) => {
      const params = new View(InstanceParams, 1);
      const { firstRun, runCount, firstInstance } = tables.spans[index]!;
      params.assign(0, { firstRun, runCount, rowCount: rowCapacity, firstInstance, isCrowd: Number(isCrowd) });
      return createFilled(device, 'instance params', UNIFORM | COPY_DST, params.words);
    });
    this.plans = createFilled(device, 'run plans', storage, tables.plans.words);
    this.pages = createFilled(device, 'page plans', storage, tables.pages.words);
    this.nothing = createBuffer(device, 'nothing', storage, 16);
  }

  get byteLength(): number {
    return this.#owned.reduce((sum, { size }) => sum + size, 0);
  }

  destroy(): void {
    for (const buffer of this.#owned) buffer.destroy();
  }

  get #owned(): GPUBuffer[] {
    const { drawn, lists, ranges, views, countParams, instanceParams, plans, pages, nothing } = this;
    return [drawn, lists, ranges, this.arguments, views, countParams, ...instanceParams, plans, pages, nothing];
  }
}
