import { View } from '../../src/layout/index.ts';
import { createFilled } from '../../src/frame/tables/memory.ts';
import { bindPasses, TRIANGLE_PASSES } from '../../src/render/visibility/passes.ts';
import { RasterTarget } from '../../src/render/visibility/raster-target.ts';
import { TriangleTables, type TriangleLimits } from '../../src/render/visibility/triangle-tables.ts';
import { triangleViews, type RasterView } from '../../src/render/visibility/views.ts';
import { TriangleReader } from '../../src/render/visibility/triangle-reference.ts';
import { RasterArguments } from '../../src/render/visibility/filter-triangles/layout.ts';
import { encodeDispatch } from '../../src/stages/kernel.ts';
import {
  canRasterWide,
  RasterTriangles,
  type RasterVariant,
} from '../../src/render/visibility/raster-triangles/stage.ts';
import { RasterParams, RASTER_TRACE, TRACE_WORDS } from '../../src/render/visibility/raster-triangles/layout.ts';
import { BatchRange, LARGE_ENTRY, LIST_FIRST_WORD, LIST_ROOM_WORD } from '../../src/render/visibility/triangles.ts';
import { readBuffer } from './gpu.ts';
import { sourcesOf, type SceneMesh } from './triangle-sources.ts';

export interface TriangleSceneOptions {
  readonly views: readonly (RasterView & { readonly ids?: boolean })[];
  readonly gridSteps?: number;
  readonly keepsAll?: boolean;
  readonly limits?: TriangleLimits;
  /** Which of both kernels filters; default: what suits the device. */
  readonly grouped?: boolean;
  /** Default: what the device can do. */
  readonly variant?: RasterVariant;
}

export interface SceneResult {
  /** By view: bits of depths and ids, row by row without gaps; ids 0xffffffff where there is nobody. */
  readonly pictures: readonly {
    readonly depths: Float32Array;
    readonly bits: Uint32Array;
    readonly ids: Uint32Array;
  }[];
  /** By view: ids of kept triangles, rising. */
  readonly kept: readonly { readonly compute: readonly number[]; readonly hardware: readonly number[] }[];
  readonly reader: TriangleReader;
  /** By view, where asked for: what the kernel made of each triangle of its list. */
  readonly traces: readonly (readonly Uint32Array[])[];
}

/** Runs filter-triangles and raster-triangles, as renderers bind them, on meshes that a test makes up. */
export async function drawTriangles(
  device: GPUDevice,
  meshes: readonly SceneMesh[],
  {
    views,
    gridSteps = 256,
    keepsAll = false,
    limits,
    grouped,
    variant = canRasterWide(device) ? 'wide' : 'base',
  }: TriangleSceneOptions,
  traces = false,
): Promise<SceneResult> {
  const { sources, indices, skinned, destroy } = sourcesOf(device, meshes);
  const tables = new TriangleTables(device, sources, views.length, limits);
  const { buffers } = tables;
  const words = triangleViews(views, { ...tables.viewParams, gridSteps, keepsAll });
  device.queue.writeBuffer(buffers.views, 0, words);
  const targets = views.map(
    ({ width, height, ids = true }, firstView) =>
      new RasterTarget(device, ids ? 'picture' : 'shadow', { width, height }, firstView),
  );
  const recordPasses = bindPasses(TRIANGLE_PASSES, { device, tables, targets, grouped });
  const encoder = device.createCommandEncoder();
  recordPasses({ encoder, isFirst: true });
  device.queue.submit([encoder.finish()]);
  const drawn = new Uint32Array(await readBuffer(device, buffers.drawn));
  const lists = new Uint32Array(await readBuffer(device, buffers.lists));
  const pictures = await Promise.all(targets.map((target) => pictureOf(device, target)));
  const kept = views.map((_, view) => {
    const [first, room] = [lists[LIST_FIRST_WORD + view]!, lists[LIST_ROOM_WORD + view]!];
    const rising = (ids: Uint32Array) => Array.from(ids.toSorted());
    const last = lists.slice(first + room - lists[2 * view + 1]!, first + room);
    return {
      compute: rising(Uint32Array.of(...lists.slice(first, first + lists[2 * view]!), ...ofLarge(last, true))),
      hardware: rising(ofLarge(last, false)),
    };
  });
  const traced = traces
    ? await Promise.all(views.map((_, view) => traceOf(view, lists[2 * view]! + lists[2 * view + 1]!)))
    : [];
  const reader = new TriangleReader({ views: words, drawn, indices, skinned });
  for (const owned of [tables, ...targets]) owned.destroy();
  destroy();
  return { pictures, kept, reader, traces: traced };

  /** The same kernels once more, in their own machine code, telling what they round to: of one page. */
  async function traceOf(view: number, count: number): Promise<Uint32Array[]> {
    const params = new View(RasterParams, 1);
    params.assign(0, { viewIndex: view, mode: RASTER_TRACE });
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const visibility = device.createBuffer({ size: Math.max(8, count * TRACE_WORDS * 4), usage });
    const raster = createFilled(device, 'trace', GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST, params.words);
    const dispatches = new RasterTriangles(device, views[view]!.ids === false ? 'base' : variant).bind(
      {
        views: buffers.views,
        range: { buffer: buffers.ranges, offset: 0, size: BatchRange.size },
        raster,
        drawn: buffers.drawn,
        indices1: sources[0]!.indices,
        skinned: sources[0]!.pages[0]!.skinned,
        lists: buffers.lists,
        visibility,
      },
      sources[0]!.geometry,
      { small: argumentsAt(view, 'groupsX'), large: argumentsAt(view, 'largeGroupsX') },
    );
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (const dispatch of dispatches) encodeDispatch(pass, dispatch);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const out = new Uint32Array(await readBuffer(device, visibility));
    visibility.destroy();
    raster.destroy();
    const all = Array.from({ length: count }, (_, i) => out.slice(i * TRACE_WORDS, (i + 1) * TRACE_WORDS));
    // entries of the hardware leave nothing
    return all.filter((words) => words.some((word) => word !== 0));
  }

  function argumentsAt(view: number, field: 'groupsX' | 'largeGroupsX') {
    return { buffer: buffers.arguments, byteOffset: view * RasterArguments.size + RasterArguments.offsets[field] };
  }
}

/** Ids of a list's last entries: of those that workgroups of compute draw, or of the others. */
function ofLarge(entries: Uint32Array, isLarge: boolean): Uint32Array {
  return entries.filter((entry) => entry >= LARGE_ENTRY === isLarge).map((entry) => entry & ~LARGE_ENTRY);
}

async function pictureOf(device: GPUDevice, { layers, width, height, pitch, pixelWords }: RasterTarget) {
  const words = new Uint32Array(await readBuffer(device, layers[0]!.visibility));
  const [bits, ids] = [new Uint32Array(width * height), new Uint32Array(pixelWords === 2 ? width * height : 0)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const word = (y * pitch + x) * pixelWords;
      bits[y * width + x] = words[word + pixelWords - 1]!;
      if (pixelWords === 2) ids[y * width + x] = ~words[word]!;
    }
  }
  return { bits, depths: new Float32Array(bits.buffer), ids };
}
