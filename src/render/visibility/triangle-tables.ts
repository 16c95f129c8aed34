import { fail } from '../../errors.ts';
import { createBuffer, createFilled, createUniform } from '../../frame/tables/memory.ts';
import { roundUp, View } from '../../layout/index.ts';
import { DIMENSION_LIMIT } from '../../stages/kernel.ts';
import { partBit } from '../materials/material-table.ts';
import {
  CountParams,
  DropParams,
  InstanceCandidate,
  InstanceParams,
  PagePlan,
  RANGE_WORDS,
  RasterArguments,
  RECORD_NONE,
  RUN_LIMIT,
  RunPlan,
  SelectParams,
} from './filter-triangles/layout.ts';
import type { SourcePage, SourcePrimitive, TriangleSource } from './source.ts';
import {
  BATCH_LIMIT,
  BatchRange,
  DrawnInstance,
  LIST_DEMAND_WORD,
  LIST_FIRST_WORD,
  LIST_HEADER_WORDS,
  LIST_LIMIT,
  LIST_ROOM_WORD,
  PROJECTION_ROWS,
  TAG_PART_SHIFT,
  TRIANGLE_BATCH,
  TRIANGLE_BLENDED,
  TRIANGLE_DOUBLE_SIDED,
  TRIANGLE_MASKED,
  TRIANGLE_VIEW_LIMIT,
  TrianglePrimitive,
  TriangleRun,
  TriangleViews,
} from './triangles.ts';
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

/** A page of a source, and its part of `ranges`. */
export interface TablePage {
  readonly source: TriangleSource;
  readonly page: SourcePage;
  readonly range: GPUBufferBinding;
}

/**
 * All triangles that may be drawn of a crowd and of its scenery, as tables in GPU memory. Pictures of any size share
 * them, one after the other.
 */
export class TriangleTables {
  readonly pages: readonly TablePage[];
  readonly buffers: ReturnType<typeof createBuffers>;
  readonly instanceCount: number;
  readonly isMasked: boolean;
  /** True if ids may run out before all rows have some. Visible rows are then found and ranked first. */
  readonly selects: boolean;
  readonly batchCapacity: number;
  /** Capacity of the lists of all views together, triangles. */
  readonly listCapacity: number;
  /** Fields of the uniform of views that follow from sources and memory. */
  readonly viewParams: Omit<ViewParams, 'gridSteps' | 'keepsAll' | 'hasImpostors'>;

  /**
   * @param viewCount Views that a picture has at most.
   * @throws ManipleError RENDER_FAILED (more meshes, levels and pages than one renderer draws), DEVICE_LIMIT
   */
  constructor(
    device: GPUDevice,
    readonly sources: readonly TriangleSource[],
    viewCount: number,
    { listMemory = DEFAULT_LIST_MEMORY, batchCapacity = BATCH_LIMIT }: TriangleLimits = {},
  ) {
    const runs = layOutRuns(sources);
    const words = tableWords(runs);
    const instanceCount = sources.reduce((sum, { rowCapacity }) => sum + rowCapacity, 0);
    const mostTriangles = Math.max(0, ...runs.map(({ triangleCount }) => triangleCount));
    const bytes = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
    const fitting = Math.floor(Math.min(bytes, listMemory) / 4 - LIST_HEADER_WORDS);
    const most = Math.max(1, viewCount * instanceCount * mostTriangles);
    // decided here once, so that frames pay nothing if ids and lists always suffice
    this.selects = instanceCount * Math.ceil(mostTriangles / TRIANGLE_BATCH) > batchCapacity;
    this.instanceCount = instanceCount;
    this.isMasked = runs.some(({ primitives }) => primitives.some(({ masked }) => masked));
    this.batchCapacity = batchCapacity;
    this.listCapacity = Math.max(1, Math.min(fitting, most, LIST_LIMIT));
    const instanceRow = words.length / 4;
    this.viewParams = {
      runCount: runs.length,
      instanceRow,
      projectionRow: instanceRow + (instanceCount * DrawnInstance.size) / 16,
      listCapacity: this.listCapacity,
      countsKept: most > this.listCapacity,
    };
    this.buffers = createBuffers(device, this, viewCount, runs, bytes);
    device.queue.writeBuffer(this.buffers.drawn, 0, words);
    device.queue.writeBuffer(this.buffers.lists, 4 * LIST_FIRST_WORD, evenPlaces(viewCount, this.listCapacity));
    this.pages = sources
      .flatMap((source) => source.pages.map((page) => ({ source, page })))
      .map((page, index) => {
        const range = { buffer: this.buffers.ranges, offset: 4 * RANGE_WORDS * index, size: BatchRange.size };
        return { ...page, range };
      });
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
    return Object.values(this.buffers).flat();
  }
}

/** @param mostBytes Bytes that the device binds at once. */
function createBuffers(
  device: GPUDevice,
  tables: Pick<
    TriangleTables,
    'instanceCount' | 'batchCapacity' | 'listCapacity' | 'viewParams' | 'sources' | 'selects'
  >,
  viewCount: number,
  runs: readonly LaidRun[],
  mostBytes: number,
) {
  const { instanceCount, batchCapacity, viewParams, sources } = tables;
  const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const storage = STORAGE | COPY_DST | COPY_SRC;
  const drawnBytes = 16 * (viewParams.projectionRow + instanceCount * viewCount * PROJECTION_ROWS);
  if (drawnBytes > mostBytes) {
    const message = `Drawn instances need ${drawnBytes} bytes in one buffer; this device binds ${mostBytes}.`;
    const suggestion = 'Lower its capacity, or request the device with the limits of its adapter.';
    fail('DEVICE_LIMIT', 'crowd', message, suggestion);
  }
  const { plans, pages, spans } = planTables(sources, runs);
  const pageCount = pages.count;
  const selects = Number(tables.selects);
  const ranked = tables.selects ? instanceCount : 1;
  const characterCount = sources.reduce((sum, { isCrowd, rowCapacity }) => sum + (isCrowd ? rowCapacity : 0), 0);
  const count = { runCount: runs.length, pageCount, selects, dimensionLimit: DIMENSION_LIMIT };
  const select = { instanceCount, characterCount, batchCapacity };
  const create = (label: string, size: number, usage = storage) => createBuffer(device, label, usage, size);
  return {
    /** Runs, primitives, instances. */
    drawn: create('drawn', drawnBytes),
    /** Kept triangles, view by view. */
    lists: create('triangle lists', 4 * (LIST_HEADER_WORDS + tables.listCapacity)),
    /** A BatchRange and its arguments for every page, RANGE_WORDS each. */
    ranges: create('batch ranges', Math.max(1, pageCount) * RANGE_WORDS * 4, storage | UNIFORM | INDIRECT),
    /** RasterArguments by view. */
    arguments: create('raster arguments', TRIANGLE_VIEW_LIMIT * RasterArguments.size, storage | UNIFORM | INDIRECT),
    views: create('triangle views', TriangleViews.size, UNIFORM | COPY_DST),
    /** Used if ids may run out: InstanceCandidates, and ranks of the instances that are drawn. */
    candidates: create('instance candidates', ranked * InstanceCandidate.size),
    ranks: create('instance ranks', (ranked + 1) * 4),
    /** Used if lists may be too short: keys of instances, and their kept triangles, by view. */
    kept: create('kept triangles', (viewParams.countsKept ? instanceCount * viewCount : 1) * 8),
    /** Zeros. Kernels read them in place of `targets` that no source has, and of choices where nothing is an impostor. */
    nothing: create('nothing', 32),
    countParams: createUniform(device, 'count params', CountParams, count),
    selectParams: createUniform(device, 'select params', SelectParams, select),
    dropParams: createUniform(device, 'drop params', DropParams, { pageCount }),
    /** By source. */
    instanceParams: sources.map(({ rowCapacity: rowCount, isCrowd }, index) => {
      const values = { ...spans[index]!, rowCount, isCrowd: Number(isCrowd), selects, instanceCount };
      return createUniform(device, 'instance params', InstanceParams, values);
    }),
    plans: createFilled(device, 'run plans', storage, plans.words),
    pages: createFilled(device, 'page plans', storage, pages.words),
  };
}

type LaidRun = ReturnType<typeof layOutRuns>[number];

/** Runs, each with the first instance of its source, and its primitives that have triangles. */
function layOutRuns(sources: readonly TriangleSource[]) {
  let end = 0;
  const laid = sources.flatMap(({ pages, rowCapacity }) => {
    const firstInstance = end;
    end += rowCapacity;
    return pages.flatMap(({ runs }) =>
      runs.map((run) => {
        const all = run.primitives.map((primitive, primitiveIndex) => ({ ...primitive, primitiveIndex }));
        const primitives = all.filter(({ indexCount }) => indexCount > 0);
        return { run, firstInstance, primitives, triangleCount: checkedCount(primitives) };
      }),
    );
  });
  if (laid.length > RUN_LIMIT) {
    const message = `Got ${laid.length} meshes, by level of detail and page; the limit is ${RUN_LIMIT}.`;
    fail('RENDER_FAILED', 'crowd', message, 'Draw fewer types of characters, or give it larger pages.');
  }
  return laid;
}

/**
 * TriangleRun records, TrianglePrimitive records, and tags: the beginning of `drawn`. Tags spare filter-triangles and
 * raster-triangles a search among the primitives. Runs of equal primitives share them.
 */
function tableWords(runs: readonly LaidRun[]): Uint32Array<ArrayBuffer> {
  const runBytes = runs.length * TriangleRun.size;
  const primitiveCount = runs.reduce((sum, { primitives }) => sum + primitives.length, 0);
  const tagByte = runBytes + primitiveCount * TrianglePrimitive.size;
  const { tags, firsts } = layOutTags(runs);
  const words = new Uint32Array(roundUp(tagByte + tags.length * 2, 16) / 4);
  new Uint16Array(words.buffer, tagByte).set(tags);
  const runView = new View(TriangleRun, words.buffer, 0, runs.length);
  const primitiveView = new View(TrianglePrimitive, words.buffer, runBytes, primitiveCount);
  let row = 0;
  runs.forEach(({ run: { firstIndex, sphere, contactRadius }, primitives, triangleCount }, index) => {
    const first = primitives[0]?.firstIndex ?? 0;
    runView.assign(index, {
      batchesPerRow: Math.ceil(triangleCount / TRIANGLE_BATCH),
      triangleCount,
      firstIndex: firstIndex + first,
      primitiveRow: (runBytes + row * TrianglePrimitive.size) / 16,
      primitiveCount: primitives.length,
      center: sphere?.center ?? [0, 0, 0],
      radius: sphere?.radius ?? -1,
      contactRadius,
      parts: primitives.reduce((bits, { part }) => bits.map((word, w) => (word | partBit(part)[w]!) >>> 0), [0, 0]),
      firstTag: tagByte / 2 + firsts[index]!,
    });
    for (const primitive of primitives) {
      primitiveView.assign(row++, {
        firstTriangle: (primitive.firstIndex - first) / 3,
        flags: flagsOf(primitive),
        part: partBit(primitive.part),
        materialRow: primitive.materialRow,
        primitiveIndex: primitive.primitiveIndex,
      });
    }
  });
  return words;
}

function flagsOf({ doubleSided, masked, blended }: SourcePrimitive): number {
  return (doubleSided ? TRIANGLE_DOUBLE_SIDED : 0) | (masked ? TRIANGLE_MASKED : 0) | (blended ? TRIANGLE_BLENDED : 0);
}

/** Tags of all triangles of all meshes, and by run where its own begin. */
function layOutTags(runs: readonly LaidRun[]): { readonly tags: Uint16Array; readonly firsts: readonly number[] } {
  const known = new Map<string, { readonly first: number; readonly list: readonly (readonly [number, number])[] }>();
  let end = 0;
  const firsts = runs.map(({ primitives, triangleCount }) => {
    const list = primitives.map((primitive) => {
      return [flagsOf(primitive) | (primitive.part << TAG_PART_SHIFT), primitive.indexCount / 3] as const;
    });
    const key = String(list);
    const { first } = known.get(key) ?? { first: end };
    if (first === end) end += triangleCount;
    known.set(key, { first, list });
    return first;
  });
  const tags = new Uint16Array(end);
  for (const { first, list } of known.values()) {
    let at = first;
    for (const [tag, count] of list) tags.fill(tag, at, (at += count));
  }
  return { tags, firsts };
}

/** Where kernels read the rows of runs; the runs of pages; by source its runs, and its first instance. */
function planTables(sources: readonly TriangleSource[], runs: readonly LaidRun[]) {
  const plans = new View(RunPlan, runs.length);
  runs.forEach(({ run: { rows }, firstInstance }, index) =>
    plans.assign(
      index,
      'recordByte' in rows
        ? { recordWord: rows.recordByte / 4 }
        : { recordWord: RECORD_NONE, firstRow: firstInstance + rows.firstRow, rowCount: rows.rowCount },
    ),
  );
  const pages = new View(PagePlan, sources.flatMap((source) => source.pages).length);
  let [run, page, firstInstance] = [0, 0, 0];
  const spans = sources.map((source) => {
    const span = { firstRun: run, runCount: 0, firstInstance };
    for (const { runs: ofPage } of source.pages) {
      pages.assign(page, { firstRun: run, runCount: ofPage.length, rangeWord: page * RANGE_WORDS });
      page++;
      run += ofPage.length;
    }
    firstInstance += source.rowCapacity;
    return { ...span, runCount: run - span.firstRun };
  });
  return { plans, pages, spans };
}

/** Counts the triangles of a mesh. Its primitives have to be contiguous, because ids count through them. */
function checkedCount(primitives: readonly SourcePrimitive[]): number {
  const first = primitives[0]?.firstIndex ?? 0;
  let end = first;
  for (const { firstIndex, indexCount } of primitives) {
    if (firstIndex !== end) throw new Error('primitives of a mesh do not follow each other in its indices');
    end += indexCount;
  }
  return (end - first) / 3;
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
