import { adapterKind } from '../../device/adapter-kind.ts';
import type { Timings } from '../../device/timings.ts';
import { encodeDispatches, type Dispatch, type IndirectGroups } from '../../stages/kernel.ts';
import {
  RANGE_AGAIN_WORD,
  RANGE_ARGUMENTS_WORD,
  RANGE_COUNT_WORD,
  RANGE_WORDS,
  RasterArguments,
} from './filter-triangles/layout.ts';
import type { PixelImpostors } from '../impostors/impostor-pixels.ts';
import { createFilterTriangles } from './filter-triangles/stage.ts';
import type { RasterLayer, RasterTarget } from './raster-target.ts';
import { encodeDraw, RasterTriangles, type BoundDraw, type RasterMaterials } from './raster-triangles/stage.ts';
import type { SourcePage } from './source.ts';
import type { TriangleTables } from './triangle-tables.ts';
import { LIST_CLEARED_WORDS, LIST_WANTED_WORD } from './triangles.ts';

/** One of the passes of a picture, in a list that is their order. */
export interface Pass<Context, Bound = unknown> {
  /** Label and key of timings. */
  readonly name: string;
  bind(context: Context): Bound;
  record(bound: Bound, recording: Recording): void;
}

/** One recording of all passes. The uniforms that they read have to be written before. */
export interface Recording {
  readonly encoder: GPUCommandEncoder;
  /** True for the first sample of a picture: draws shadows, and restarts the counts of dropped instances. */
  readonly isFirst: boolean;
  readonly timings?: Timings | undefined;
  /** Group 3 of shade-pixels if the application changes surfaces. */
  readonly changed?: GPUBindGroup | undefined;
}

export interface TriangleContext {
  readonly device: GPUDevice;
  readonly tables: TriangleTables;
  /** Their layers are the views, in this order. */
  readonly targets: readonly RasterTarget[];
  /** Undefined if no material has holes. */
  readonly masks?: RasterMaterials | undefined;
  /** Draws far characters without triangles. */
  readonly impostors?: PixelImpostors | undefined;
  /** Batches take places in lists at once. Default: not on software adapters, which are slow at barriers. */
  readonly grouped?: boolean | undefined;
}

/** Binds passes. Returns a function that records them in their order. */
export function bindPasses<Context>(
  passes: readonly Pass<Context>[],
  context: Context,
): (recording: Recording) => void {
  const bound = passes.map((pass) => ({ pass, groups: pass.bind(context) }));
  return (recording) => {
    for (const { pass, groups } of bound) pass.record(groups, recording);
  };
}

/** Lists triangles that views may see. */
const FILTER_PASS: Pass<TriangleContext, { readonly lists: GPUBuffer; readonly dispatches: readonly Dispatch[] }> = {
  name: 'filter-triangles',
  bind: (context) => ({ lists: context.tables.buffers.lists, dispatches: bindFilters(context) }),
  record({ lists, dispatches }, { encoder, isFirst, timings }) {
    encoder.clearBuffer(lists, 0, (isFirst ? LIST_CLEARED_WORDS : LIST_WANTED_WORD) * 4);
    const pass = encoder.beginComputePass({ label: this.name, ...timings?.writes(this.name) });
    encodeDispatches(pass, dispatches);
    pass.end();
  },
};

/** The kernels of filter-triangles, in their order; kernels that these sources cannot need are left out. */
function bindFilters({
  device,
  tables,
  impostors,
  grouped = adapterKind(device.adapterInfo) !== 'software',
}: TriangleContext): Dispatch[] {
  const kernels = createFilterTriangles(device, grouped);
  const { sources, pages, buffers, selects, viewParams } = tables;
  const targets = sources.find((source) => source.targets)?.targets ?? buffers.nothing;
  const lists = sources.map((source, index) => {
    const choices = (source.isCrowd && impostors?.quads.choices) || buffers.nothing;
    return { ...buffers, ...source, targets, choices, params: buffers.instanceParams[index]! };
  });
  const filterAll = (argumentsWord: number) =>
    pages.map(({ source, page, range }, index) =>
      kernels.filter(
        { ...buffers, range, indices1: source.indices, skinned: page.skinned },
        { buffer: buffers.ranges, byteOffset: (index * RANGE_WORDS + argumentsWord) * 4 },
      ),
    );
  const select = () => [
    ...lists.map((list) => kernels.sizeInstances(list, list.rowCapacity)),
    kernels.selectInstances({ ...buffers, params: buffers.selectParams }),
  ];
  const planned = { ...buffers, params: buffers.dropParams };
  // where lists are long enough, only two of these kernels have workgroups, one each
  const fit = () => [
    kernels.planLists(planned),
    ...filterAll(RANGE_COUNT_WORD),
    kernels.dropInstances(planned),
    ...filterAll(RANGE_AGAIN_WORD),
  ];
  return [
    ...(selects ? select() : []),
    kernels.countBatches({ ...buffers, targets, params: buffers.countParams }),
    ...lists.map((list) => kernels.placeInstances(list, list.rowCapacity)),
    ...filterAll(RANGE_ARGUMENTS_WORD),
    ...(viewParams.countsKept ? fit() : []),
    kernels.placeArguments({ ...buffers, targets: buffers.arguments }),
  ];
}

/**
 * Workgroups of raster-triangles, which take turns. An indirect dispatch costs a GPU some 7 µs, and Dawn a tenth of a millisecond
 * of the CPU; workgroups without a triangle cost less. Software adapters run few at once.
 */
const RASTER_GROUPS = { small: 8192, large: 4096 };
const FEW_RASTER_GROUPS = { small: 64, large: 64 };

/** Commands that rasterise one pass of a layer, page by page. */
interface BoundLayer {
  readonly layer: RasterLayer;
  readonly attachment: GPUTextureView;
  readonly isShadow: boolean;
  /** By page: of small triangles, and of large ones. Then those of impostors. */
  readonly dispatches: readonly (readonly Dispatch[])[];
  readonly draws: readonly BoundDraw[];
  readonly vertices: IndirectGroups;
}

/** Draws depths, and ids of pictures, with both rasterisers: depths of all, and then ids. */
const RASTER_PASS: Pass<TriangleContext, readonly (readonly BoundLayer[])[]> = {
  name: 'raster-triangles',
  bind: (context) =>
    // passes of one layer follow each other
    [0, 1].map((round) =>
      context.targets.flatMap(({ kind, attachment, layers }) =>
        layers.flatMap((layer) => {
          const pass = layer.passes[round];
          if (!pass) return [];
          const isShadow = kind === 'shadow';
          return [{ ...bindLayer(context, layer, pass, isShadow), attachment, isShadow }];
        }),
      ),
    ),
  record(rounds, { encoder, isFirst, timings }) {
    const drawn = rounds.map((all) => all.filter(({ isShadow }) => isFirst || !isShadow));
    for (const { layer } of drawn[0]!) encoder.clearBuffer(layer.visibility);
    const steps = drawn.flatMap(stepsOf);
    steps.forEach((step, index) => {
      const span = { first: index === 0, last: index === steps.length - 1 };
      step(encoder, { label: this.name, ...timings?.writes(this.name, span) });
    });
  },
};

function bindLayer(
  { device, tables: { buffers, pages }, masks, impostors }: TriangleContext,
  layer: RasterLayer,
  { variant, params }: RasterLayer['passes'][number],
  isShadow: boolean,
): Omit<BoundLayer, 'attachment' | 'isShadow'> {
  // testing for holes is slow, most of all on software adapters, which run both sides of a branch; pages without holes
  // skip it
  const fades = impostors !== undefined && !isShadow;
  const solid = new RasterTriangles(device, variant, undefined, fades);
  const masked = masks && new RasterTriangles(device, variant, masks, fades);
  const rasterOf = (page: SourcePage) =>
    (page.runs.some(({ primitives }) => primitives.some((primitive) => primitive.masked)) ? masked : undefined) ??
    solid;
  const argumentsAt = (byte: number) => {
    return { buffer: buffers.arguments, byteOffset: layer.viewIndex * RasterArguments.size + byte };
  };
  const { visibility } = layer;
  const groups = adapterKind(device.adapterInfo) === 'software' ? FEW_RASTER_GROUPS : RASTER_GROUPS;
  const bound = pages.map(({ source, page, range }) => {
    const raster = rasterOf(page);
    const own = { ...buffers, range, raster: params, indices1: source.indices, skinned: page.skinned };
    return {
      dispatches: raster.bind({ ...own, visibility }, source.geometry, groups),
      draw: raster.bindDraw(own, source.geometry, visibility),
    };
  });
  const far = impostors?.quads.bindRaster({
    views: buffers.views,
    raster: params,
    visibility,
    variant,
    isShadow,
    groupCount: groups.large,
  });
  return {
    layer,
    dispatches: [...bound.map(({ dispatches }) => dispatches), ...(far ? [[far]] : [])],
    draws: bound.map(({ draw }) => draw),
    vertices: argumentsAt(RasterArguments.offsets.vertexCount),
  };
}

/** Records one GPU pass with these fields of its descriptor. */
type Step = (encoder: GPUCommandEncoder, fields: { readonly label: string } & ReturnType<Timings['writes']>) => void;

/** Compute for all layers at once, then the hardware for those of each target. */
function stepsOf(round: readonly BoundLayer[]): Step[] {
  if (round.length === 0) return [];
  // page by page: layers write buffers of their own, so that GPUs need not wait between them
  const dispatches = round[0]!.dispatches.flatMap((sizes, page) =>
    sizes.flatMap((_, size) => round.map((layer) => layer.dispatches[page]![size]!)),
  );
  const compute: Step = (encoder, fields) => {
    const pass = encoder.beginComputePass(fields);
    encodeDispatches(pass, dispatches);
    pass.end();
  };
  const attachments = [...new Set(round.map(({ attachment }) => attachment))];
  const draws = attachments.map((view): Step => (encoder, fields) => {
    const pass = encoder.beginRenderPass({
      ...fields,
      colorAttachments: [{ view, loadOp: 'clear', storeOp: 'discard' }],
    });
    for (const { attachment, draws: bound, vertices } of round) {
      if (attachment === view) for (const draw of bound) encodeDraw(pass, draw, vertices);
    }
    pass.end();
  });
  return [compute, ...draws];
}

/** The passes that fill visibility buffers. */
export const TRIANGLE_PASSES: readonly Pass<TriangleContext>[] = [FILTER_PASS, RASTER_PASS];
