import type { Timings } from '../../device/timings.ts';
import {
  RANGE_AGAIN_WORD,
  RANGE_ARGUMENTS_WORD,
  RANGE_COUNT_WORD,
  RANGE_WORDS,
  RasterArguments,
} from './filter-triangles/layout.ts';
import { createFilterTriangles, type FilterTriangles } from './filter-triangles/stage.ts';
import { encodeDispatch, type Dispatch, type IndirectGroups } from '../../stages/kernel.ts';
import { createRasterTriangles, encodeDraw, type BoundDraw, type RasterMaterials } from './raster-triangles/stage.ts';
import { BatchRange, LIST_CLEARED_WORDS, LIST_WANTED_WORD } from './triangles.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import type { TriangleMemory } from './memory.ts';
import type { RasterTarget } from './raster-target.ts';
import type { SourcePage, TriangleSource } from './source.ts';

/** Names of the stages, in their order: keys of timings. */
export const TRIANGLE_STAGES = ['filter-triangles', 'raster-triangles'] as const;

/** The passes that fill visibility buffers, bound to the current memory. */
export interface TrianglePasses {
  /**
   * Lists triangles that views may see. The uniform of views has to be written before.
   * @param timings Measures it.
   * @param isFirst True for the first sample of a picture: restarts the counts of dropped instances.
   */
  filter(encoder: GPUCommandEncoder, timings?: Timings, isFirst?: boolean): void;
  /**
   * Draws depths of the first `viewCount` views, and ids where their targets hold ids, with both rasterisers.
   * @param timings Measures all of it, as one.
   */
  raster(encoder: GPUCommandEncoder, viewCount: number, timings?: Timings): void;
}

/** Records one pass. */
type Step = (encoder: GPUCommandEncoder, timestamps: ReturnType<Timings['writes']>) => void;

/** Commands that rasterise one pass of a target, page by page. */
interface BoundPass {
  readonly view: number;
  readonly target: RasterTarget;
  readonly dispatches: readonly Dispatch[];
  readonly draws: readonly BoundDraw[];
}

// oxlint-disable-next-line max-lines-per-function
export function bindTrianglePasses(
  device: GPUDevice,
  sources: readonly TriangleSource[],
  memory: TriangleMemory,
  targets: readonly RasterTarget[],
  masks?: RasterMaterials,
  /** Batches take places in lists at once: not on software adapters, which are slow at barriers. */
  grouped = adapterKind(device.adapterInfo) !== 'software',
): TrianglePasses {
  // testing for holes is slow, most of all on software adapters, which run both sides of a branch; pages without holes
  // skip it
  const hasHoles = ({ runs }: SourcePage) =>
    runs.some(({ primitives }) => primitives.some((primitive) => primitive.masked));
  const { drawn, lists, views } = memory;
  const pages = sources.flatMap((source) => source.pages.map((page) => ({ source, page })));
  const rangeOf = (page: number) => rangeBinding(memory, page);
  const filters = bindFilters(createFilterTriangles(device, grouped), sources, memory);
  const groupsOf = (view: number): IndirectGroups => ({
    buffer: memory.arguments,
    byteOffset: view * RasterArguments.size + RasterArguments.offsets.groupsX,
  });
  const verticesOf = (view: number): IndirectGroups => ({
    buffer: memory.arguments,
    byteOffset: view * RasterArguments.size + RasterArguments.offsets.vertexCount,
  });
  const bindPass = (
    view: number,
    target: RasterTarget,
    { variant, params }: RasterTarget['passes'][number],
  ): BoundPass => {
    const solid = createRasterTriangles(device, variant);
    const masked = masks && createRasterTriangles(device, variant, masks);
    const rasterOf = (page: SourcePage) => (hasHoles(page) ? masked : undefined) ?? solid;
    const buffers = pages.map(({ source, page }, index) => {
      const common = { views, range: rangeOf(index), raster: params, drawn, lists };
      return { ...common, indices1: source.indices, skinned: page.skinned };
    });
    const { visibility } = target;
    return {
      view,
      target,
      dispatches: buffers.map((own, index) =>
        rasterOf(pages[index]!.page).bind({ ...own, visibility }, pages[index]!.source.geometry, groupsOf(view)),
      ),
      draws: buffers.map((own, index) =>
        rasterOf(pages[index]!.page).bindDraw(own, pages[index]!.source.geometry, visibility),
      ),
    };
  };
  // depths of all, and then ids: passes of one target follow each other
  const rounds = [0, 1].map((round) =>
    targets.flatMap((target, view) => (target.passes[round] ? [bindPass(view, target, target.passes[round])] : [])),
  );

  return {
    filter(encoder, timings, isFirst = true) {
      encoder.clearBuffer(lists, 0, (isFirst ? LIST_CLEARED_WORDS : LIST_WANTED_WORD) * 4);
      const pass = encoder.beginComputePass({ label: 'filter-triangles', ...timings?.writes('filter-triangles') });
      for (const dispatch of filters) encodeDispatch(pass, dispatch);
      pass.end();
    },
    raster(encoder, viewCount, timings) {
      for (const { visibility } of targets.slice(0, viewCount)) encoder.clearBuffer(visibility);
      const steps = rounds.flatMap((all) => stepsOf(all.filter(({ view }) => view < viewCount)));
      steps.forEach((step, index) => {
        const span = { first: index === 0, last: index === steps.length - 1 };
        step(encoder, timings?.writes('raster-triangles', span) ?? {});
      });
    },
  };

  /** Compute for all views at once, then the hardware for each. */
  function stepsOf(round: readonly BoundPass[]): Step[] {
    if (round.length === 0) return [];
    const label = 'raster-triangles';
    const compute: Step = (encoder, timestamps) => {
      const pass = encoder.beginComputePass({ label, ...timestamps });
      for (const { dispatches } of round) for (const dispatch of dispatches) encodeDispatch(pass, dispatch);
      pass.end();
    };
    const draws = round.map(({ view, target, draws: bound }): Step => (encoder, timestamps) => {
      const pass = encoder.beginRenderPass({
        label,
        colorAttachments: [{ view: target.attachment, loadOp: 'clear', storeOp: 'discard' }],
        ...timestamps,
      });
      for (const draw of bound) encodeDraw(pass, draw, verticesOf(view));
      pass.end();
    });
    return [compute, ...draws];
  }
}

/** The kernels of filter-triangles, in their order; kernels that these sources cannot need are left out. */
function bindFilters(
  filterTriangles: FilterTriangles,
  sources: readonly TriangleSource[],
  memory: TriangleMemory,
): Dispatch[] {
  const { drawn, lists, ranges, views, plans, candidates, ranks, kept } = memory;
  const targets = sources.find((source) => source.targets)?.targets ?? memory.nothing;
  const select = () => [
    ...sources.map(({ visible, transforms, rowCapacity }, index) =>
      filterTriangles.sizeInstances(
        { params: memory.instanceParams[index]!, views, visible, transforms, plans, targets, drawn, candidates },
        rowCapacity,
      ),
    ),
    filterTriangles.selectInstances({ params: memory.selectParams, candidates, ranks, lists }),
  ];
  const counted = {
    params: memory.countParams,
    views,
    plans,
    pages: memory.pages,
    targets,
    drawn,
    ranges,
    ranks,
    lists,
  };
  const places = sources.map(({ visible, transforms, previousTransforms, residents, rowCapacity }, index) =>
    filterTriangles.placeInstances(
      {
        params: memory.instanceParams[index]!,
        views,
        visible,
        transforms,
        previousTransforms,
        residents,
        drawn,
        ranks,
        kept,
      },
      rowCapacity,
    ),
  );
  const pages = sources.flatMap(({ indices, pages: own }) => own.map(({ skinned }) => ({ indices, skinned })));
  const filterAll = (argumentsWord: number) =>
    pages.map(({ indices, skinned }, page) =>
      filterTriangles.filter(
        { views, range: rangeBinding(memory, page), drawn, indices1: indices, skinned, lists, kept },
        { buffer: ranges, byteOffset: (page * RANGE_WORDS + argumentsWord) * 4 },
      ),
    );
  const planned = { params: memory.dropParams, views, pages: memory.pages, lists, ranges };
  // where lists are long enough, only two of these kernels have workgroups, one each
  const fit = () => [
    filterTriangles.planLists(planned),
    ...filterAll(RANGE_COUNT_WORD),
    filterTriangles.dropInstances({ ...planned, drawn, kept }),
    ...filterAll(RANGE_AGAIN_WORD),
  ];
  return [
    ...(memory.selects ? select() : []),
    filterTriangles.countBatches(counted),
    ...places,
    ...filterAll(RANGE_ARGUMENTS_WORD),
    ...(memory.viewParams.countsKept ? fit() : []),
    filterTriangles.placeArguments({ views, lists, targets: memory.arguments }),
  ];
}

function rangeBinding({ ranges }: TriangleMemory, page: number): GPUBufferBinding {
  return { buffer: ranges, offset: page * RANGE_WORDS * 4, size: BatchRange.size };
}
