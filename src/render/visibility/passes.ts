import type { Timings } from '../../frame/timings.ts';
import {
  RANGE_ARGUMENTS_WORD,
  RANGE_WORDS,
  BatchRange,
  RasterArguments,
} from '../../stages/filter-triangles/layout.ts';
import { createFilterTriangles } from '../../stages/filter-triangles/stage.ts';
import { encodeDispatch, type Dispatch, type IndirectGroups } from '../../stages/kernel.ts';
import { createRasterTriangles, type BoundDraw } from '../../stages/raster-triangles/stage.ts';
import { LIST_HEADER_WORDS } from '../../stages/triangles.ts';
import type { TriangleMemory } from './memory.ts';
import type { RasterTarget } from './raster-target.ts';
import type { SourcePage, TriangleSource } from './source.ts';

/** Names of the passes, in their order: keys of timings. */
export const TRIANGLE_PASSES = ['filter-triangles', 'draw-triangles', 'raster-triangles', 'draw-ids'] as const;

/** The passes that fill visibility buffers, bound to memory as it stands. */
export interface TrianglePasses {
  /** Lists what views may see; their uniform has to be there. */
  filter(encoder: GPUCommandEncoder): void;
  /** Depths of all views, and ids where their targets have room for them. */
  raster(encoder: GPUCommandEncoder): void;
}

interface BoundPage {
  readonly draws: readonly { readonly depths: BoundDraw; readonly ids: BoundDraw | undefined }[];
  readonly depths: readonly Dispatch[];
  readonly ids: readonly (Dispatch | undefined)[];
}

export function bindTrianglePasses(
  device: GPUDevice,
  sources: readonly TriangleSource[],
  memory: TriangleMemory,
  targets: readonly RasterTarget[],
  timings?: Timings,
): TrianglePasses {
  const filterTriangles = createFilterTriangles(device);
  const rasterTriangles = createRasterTriangles(device);
  const { drawn, lists, ranges, views } = memory;
  const prepare = [
    filterTriangles.countBatches({
      params: memory.countParams,
      plans: memory.plans,
      pages: memory.pages,
      targets: sources.find((source) => source.targets)?.targets ?? memory.nothing,
      drawn,
      ranges,
    }),
    ...sources.map(({ visible, transforms, previousTransforms, residents, rowCapacity }, index) =>
      filterTriangles.placeInstances(
        { params: memory.instanceParams[index]!, views, visible, transforms, previousTransforms, residents, drawn },
        rowCapacity,
      ),
    ),
  ];
  const pages = sources.flatMap((source) => source.pages.map((page) => ({ source, page })));
  const rangeOf = (page: number): GPUBufferBinding => ({
    buffer: ranges,
    offset: page * RANGE_WORDS * 4,
    size: BatchRange.size,
  });
  const filters = pages.map(({ source, page }, index) =>
    filterTriangles.filter(
      { views, range: rangeOf(index), drawn, indices1: source.indices, skinned: page.skinned, lists },
      { buffer: ranges, byteOffset: (index * RANGE_WORDS + RANGE_ARGUMENTS_WORD) * 4 },
    ),
  );
  const placeArguments = filterTriangles.placeArguments({ views, lists, targets: memory.arguments });
  const groupsOf = (view: number): IndirectGroups => ({
    buffer: memory.arguments,
    byteOffset: view * RasterArguments.size + RasterArguments.offsets.groupsX,
  });
  const verticesOf = (view: number): IndirectGroups => ({
    buffer: memory.arguments,
    byteOffset: view * RasterArguments.size + RasterArguments.offsets.vertexCount,
  });
  const bindPage = ({ source, page }: { source: TriangleSource; page: SourcePage }, index: number): BoundPage => {
    const common = { views, range: rangeOf(index), drawn, indices1: source.indices, skinned: page.skinned, lists };
    const dispatch = (target: RasterTarget, view: number, raster: GPUBuffer) =>
      rasterTriangles.bind({ ...common, raster, visibility: target.visibility }, groupsOf(view));
    const draw = (target: RasterTarget, raster: GPUBuffer) =>
      rasterTriangles.bindDraw({ ...common, raster }, target.visibility);
    return {
      depths: targets.map((target, view) => dispatch(target, view, target.depthParams)),
      ids: targets.map((target, view) => target.idParams && dispatch(target, view, target.idParams)),
      draws: targets.map((target) => ({
        depths: draw(target, target.depthParams),
        ids: target.idParams && draw(target, target.idParams),
      })),
    };
  };
  const bound = pages.map(bindPage);

  return {
    filter(encoder) {
      encoder.clearBuffer(lists, 0, LIST_HEADER_WORDS * 4);
      const pass = encoder.beginComputePass({ label: 'filter-triangles', ...timings?.writes('filter-triangles') });
      for (const dispatch of [...prepare, ...filters, placeArguments]) encodeDispatch(pass, dispatch);
      pass.end();
    },
    raster(encoder) {
      targets.forEach((target, view) => drawDepths(encoder, target, view));
      const pass = encoder.beginComputePass({ label: 'raster-triangles', ...timings?.writes('raster-triangles') });
      for (const { depths } of bound) depths.forEach((dispatch) => encodeDispatch(pass, dispatch));
      for (const { ids } of bound) ids.forEach((dispatch) => dispatch && encodeDispatch(pass, dispatch));
      pass.end();
      targets.forEach((target, view) => drawIds(encoder, target, view));
    },
  };

  /** What the hardware draws is what compute begins with. */
  function drawDepths(encoder: GPUCommandEncoder, target: RasterTarget, view: number): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-triangles',
      colorAttachments: [],
      depthStencilAttachment: {
        view: target.hardwareDepth.createView(),
        depthClearValue: 0,
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
      },
      ...(view === 0 ? timings?.writes('draw-triangles') : {}),
    });
    for (const { draws } of bound) rasterTriangles.draw(pass, draws[view]!.depths, 'depths', verticesOf(view));
    pass.end();
    const { hardwareDepth, visibility, pitch, width, height, idWord } = target;
    encoder.copyTextureToBuffer(
      { texture: hardwareDepth, aspect: 'depth-only' },
      { buffer: visibility, bytesPerRow: 4 * pitch },
      [width, height],
    );
    if (target.idParams) encoder.clearBuffer(visibility, 4 * idWord);
  }

  function drawIds(encoder: GPUCommandEncoder, { idParams, hardwareDepth }: RasterTarget, view: number): void {
    if (!idParams) return;
    const pass = encoder.beginRenderPass({
      label: 'draw-ids',
      colorAttachments: [],
      depthStencilAttachment: { view: hardwareDepth.createView(), depthReadOnly: true },
      ...timings?.writes('draw-ids'),
    });
    for (const { draws } of bound) rasterTriangles.draw(pass, draws[view]!.ids!, 'ids', verticesOf(view));
    pass.end();
  }
}
