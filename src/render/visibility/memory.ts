import { fail } from '../../errors.ts';
import { createBuffer, createFilled } from '../../frame/tables/memory.ts';
import { View } from '../../layout/index.ts';
import {
  CountParams,
  DropParams,
  InstanceCandidate,
  InstanceParams,
  RANGE_WORDS,
  RasterArguments,
  SelectParams,
} from './filter-triangles/layout.ts';
import { DIMENSION_LIMIT } from '../../stages/kernel.ts';
import {
  BATCH_LIMIT,
  LIST_DEMAND_WORD,
  LIST_FIRST_WORD,
  LIST_HEADER_WORDS,
  LIST_LIMIT,
  LIST_ROOM_WORD,
  PROJECTION_ROWS,
  TRIANGLE_VIEW_LIMIT,
  TriangleViews,
} from './triangles.ts';
import type { TriangleSource } from './source.ts';
import { INSTANCE_BYTES, type TriangleTables } from './tables.ts';
import type { ViewParams } from './views.ts';

/** Default bytes of the lists of all views: every device binds that much at once. */
export const DEFAULT_LIST_MEMORY: number = 2 ** 27;

/** Limits of what may be drawn. */
export interface TriangleLimits {
  /** Bytes of the lists of all views together; the device may bind less. Default {@link DEFAULT_LIST_MEMORY}. */
  readonly listMemory?: number | undefined;
  /** Number of batches that ids can distinguish; default BATCH_LIMIT. Tests lower it. */
  readonly batchCapacity?: number | undefined;
}

/** GPU memory for the triangles of some sources, without pictures. */
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
  readonly selectParams: GPUBuffer;
  readonly dropParams: GPUBuffer;
  /** By source. */
  readonly instanceParams: readonly GPUBuffer[];
  readonly plans: GPUBuffer;
  readonly pages: GPUBuffer;
  /** Used if ids may run out: InstanceCandidates, and ranks of the instances that are drawn. */
  readonly candidates: GPUBuffer;
  readonly ranks: GPUBuffer;
  /** Used if lists may be too short: keys of instances, and their kept triangles, by view. */
  readonly kept: GPUBuffer;
  /** Replaces `targets` if no source has any. */
  readonly nothing: GPUBuffer;
  /** True if ids may run out before all rows have some. Visible rows are then found and ranked first. */
  readonly selects: boolean;
  /** Number of batches that ids can distinguish. */
  readonly batchCapacity: number;
  /** Capacity of the lists of all views together, triangles. */
  readonly listCapacity: number;
  /** Fields of the uniform of views that follow from sources and memory. */
  readonly viewParams: Omit<ViewParams, 'gridSteps' | 'keepsAll'>;

  /** @throws ManipleError DEVICE_LIMIT */
  constructor(
    device: GPUDevice,
    sources: readonly TriangleSource[],
    tables: TriangleTables,
    viewCount: number,
    { listMemory = DEFAULT_LIST_MEMORY, batchCapacity = BATCH_LIMIT }: TriangleLimits = {},
  ) {
    const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const storage = STORAGE | COPY_DST | COPY_SRC;
    const { instanceCount, mostBatches, mostTriangles, runCount, instanceRow } = tables;
    const bytes = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
    const fitting = Math.floor(Math.min(bytes, listMemory) / 4 - LIST_HEADER_WORDS);
    const most = Math.max(1, viewCount * instanceCount * mostTriangles);
    // decided here once, so that frames pay nothing if ids and lists always suffice
    this.selects = instanceCount * mostBatches > batchCapacity;
    this.batchCapacity = batchCapacity;
    this.listCapacity = Math.max(1, Math.min(fitting, most, LIST_LIMIT));
    const countsKept = most > this.listCapacity;
    const projectionByte = tables.words.byteLength + instanceCount * INSTANCE_BYTES;
    const projectionRow = projectionByte / 16;
    this.viewParams = { runCount, instanceRow, projectionRow, listCapacity: this.listCapacity, countsKept };
    const drawnBytes = projectionByte + instanceCount * viewCount * PROJECTION_ROWS * 16;
    if (drawnBytes > bytes) {
      const message = `Drawn instances need ${drawnBytes} bytes in one buffer; this device binds ${bytes}.`;
      fail(
        'DEVICE_LIMIT',
        'crowd',
        message,
        'Lower its capacity, or request the device with the limits of its adapter.',
      );
    }
    const create = (label: string, usage: number, size: number) => createBuffer(device, label, usage, size);
    this.drawn = create('drawn', storage, drawnBytes);
    device.queue.writeBuffer(this.drawn, 0, tables.words);
    this.lists = create('triangle lists', storage, 4 * (LIST_HEADER_WORDS + this.listCapacity));
    device.queue.writeBuffer(this.lists, 4 * LIST_FIRST_WORD, evenPlaces(viewCount, this.listCapacity));
    const targets = STORAGE | UNIFORM | INDIRECT | COPY_DST | COPY_SRC;
    this.ranges = create('batch ranges', targets, Math.max(1, tables.pages.count) * RANGE_WORDS * 4);
    this.arguments = create('raster arguments', targets, TRIANGLE_VIEW_LIMIT * RasterArguments.size);
    this.views = create('triangle views', UNIFORM | COPY_DST, TriangleViews.size);
    const ranked = this.selects ? instanceCount : 1;
    this.candidates = create('instance candidates', storage, ranked * InstanceCandidate.size);
    this.ranks = create('instance ranks', storage, (ranked + 1) * 4);
    this.kept = create('kept triangles', storage, (countsKept ? instanceCount * viewCount : 1) * 8);
    const uniform = (label: string, words: Uint32Array<ArrayBuffer>) =>
      createFilled(device, label, UNIFORM | COPY_DST, words);
    const pageCount = tables.pages.count;
    const selects = Number(this.selects);
    const count = new View(CountParams, 1);
    count.assign(0, { runCount, pageCount, selects, dimensionLimit: DIMENSION_LIMIT });
    this.countParams = uniform('count params', count.words);
    const select = new View(SelectParams, 1);
    const characterCount = sources.reduce((sum, { isCrowd, rowCapacity }) => sum + (isCrowd ? rowCapacity : 0), 0);
    select.assign(0, { instanceCount, characterCount, batchCapacity });
    this.selectParams = uniform('select params', select.words);
    const drop = new View(DropParams, 1);
    drop.assign(0, { pageCount });
    this.dropParams = uniform('drop params', drop.words);
    this.instanceParams = sources.map(({ rowCapacity: rowCount, isCrowd }, index) => {
      const params = new View(InstanceParams, 1);
      params.assign(0, { ...tables.spans[index]!, rowCount, isCrowd: Number(isCrowd), selects, instanceCount });
      return uniform('instance params', params.words);
    });
    this.plans = createFilled(device, 'run plans', storage, tables.plans.words);
    this.pages = createFilled(device, 'page plans', storage, tables.pages.words);
    this.nothing = create('nothing', storage, 16);
  }

  /**
   * True if memory may not suffice for all instances. Then the largest are drawn, and the others are counted as
   * dropped.
   */
  get mayDrop(): boolean {
    return this.selects || this.viewParams.countsKept;
  }

  get byteLength(): number {
    return this.#owned.reduce((sum, { size }) => sum + size, 0);
  }

  destroy(): void {
    for (const buffer of this.#owned) buffer.destroy();
  }

  get #owned(): GPUBuffer[] {
    const { drawn, lists, ranges, views, plans, pages, candidates, ranks, kept, nothing } = this;
    const uniforms = [views, this.countParams, this.selectParams, this.dropParams, ...this.instanceParams];
    return [drawn, lists, ranges, this.arguments, ...uniforms, plans, pages, candidates, ranks, kept, nothing];
  }
}

/** Words of the header from LIST_FIRST_WORD on: lists of one length, one after the other. */
function evenPlaces(viewCount: number, capacity: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(LIST_DEMAND_WORD - LIST_FIRST_WORD);
  const room = Math.floor(capacity / viewCount);
  for (let view = 0; view < viewCount; view++) {
    words[view] = LIST_HEADER_WORDS + view * room;
    words[LIST_ROOM_WORD - LIST_FIRST_WORD + view] = room;
  }
  return words;
}
