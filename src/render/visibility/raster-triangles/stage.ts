import { createBindGroup, createBindGroupLayout, type Bindings } from '../../../layout/index.ts';
import { createKernel, type Dispatch, type IndirectGroups } from '../../../stages/kernel.ts';
import { geometryBindings } from '../../../stages/layout.ts';
import { lazyRenderPipeline, type LazyPipeline } from '../../../stages/lazy-pipeline.ts';
import { perDevice } from '../../../stages/per-device.ts';
import { compileShader } from '../../../wgsl/compile.ts';
import { kernels as drawCode } from './draw.gen.ts';
import { kernels } from './kernel.gen.ts';
import {
  drawBindings,
  drawnPixelBindings,
  rasterBindings,
  wideDrawnPixelBindings,
  wideRasterBindings,
} from './layout.ts';

const LABEL = 'raster-triangles';
/** Format of the attachment that a draw must have. Nothing is written to it. */
export const RASTER_FORMAT: GPUTextureFormat = 'r8unorm';

type Buffers<B extends Bindings> = { readonly [N in keyof B['entries']]: GPUBuffer | GPUBufferBinding };

/** How depths and ids are written. `wide`: in one pass, by 64-bit maxima. `base`: in two passes. */
export type RasterVariant = 'base' | 'wide';

/** Returns true if a device can draw depths and ids at once. */
export function canRasterWide({ features }: Pick<GPUDevice, 'features'>): boolean {
  return features.has('atomic-vec2u-min-max' as GPUFeatureName);
}

/** Group 3, visible to compute and fragments, and the constants of its shader. Used if materials have holes. */
export interface RasterMaterials {
  readonly layout: GPUBindGroupLayout;
  readonly group: GPUBindGroup;
  readonly constants: { readonly baseColorTextures: number; readonly secondTexcoords: number };
}

/** The draw of a view's hardware list, for one page. Encode it with an indirect draw. */
export interface BoundDraw {
  readonly pipeline: LazyPipeline<GPURenderPipeline>;
  readonly groups: readonly GPUBindGroup[];
}

export interface RasterTriangles {
  /**
   * Rasterises the compute part of a view's list, for one page. The variant `wide` draws depths and ids at once, whatever
   * `raster.mode` is.
   * @param geometry The page's geometry, used if materials have holes.
   */
  bind(buffers: Buffers<typeof rasterBindings>, geometry: GPUBuffer, groupCount: Dispatch['groupCount']): Dispatch;
  /** The same for the hardware. */
  bindDraw(
    buffers: Buffers<typeof drawBindings>,
    geometry: GPUBuffer,
    visibility: GPUBuffer | GPUBufferBinding,
  ): BoundDraw;
}

/**
 * Makes a kernel and a pipeline, once per device and set of materials.
 * @param masks Undefined: no material has holes.
 */
export function createRasterTriangles(
  device: GPUDevice,
  variant: RasterVariant,
  masks?: RasterMaterials,
): RasterTriangles {
  const nothing = perDevice(device, `${LABEL} nothing`, () => {
    const layout = device.createBindGroupLayout({ label: 'nothing', entries: [] });
    return { layout, group: device.createBindGroup({ label: 'nothing', layout, entries: [] }) };
  });
  const tables = perDevice(device, `${LABEL} geometry`, () => {
    const both = GPUShaderStage.COMPUTE | GPUShaderStage.FRAGMENT;
    return createBindGroupLayout(device, `${LABEL} geometry`, geometryBindings, both);
  });
  const geometryGroup = (geometry: GPUBuffer) =>
    masks
      ? createBindGroup(device, LABEL, tables, geometryBindings, { geometry4: geometry, geometry1: geometry })
      : nothing.group;
  /** Orders groups 0 to 3; group 3 is optional. */
  const around = <T>(own: T, pixels: T, geometry: T, materials: T | undefined) =>
    materials === undefined ? [own, geometry, pixels] : [own, geometry, pixels, materials];
  const constants = masks ? onlyAlpha(masks.constants) : {};
  const shader = masks ? MASKED[variant] : variant;
  const bindings = (variant === 'wide' ? wideRasterBindings : rasterBindings) as typeof rasterBindings;
  const own = perDevice(device, `${LABEL} ${variant} layout`, () => createBindGroupLayout(device, LABEL, bindings));
  const kernel = createKernel(device, {
    label: LABEL,
    variant: shader,
    code: kernels[shader],
    entryPoint: 'rasterTriangles',
    layout: device.createPipelineLayout({
      label: LABEL,
      bindGroupLayouts: around(own, nothing.layout, masks ? tables : nothing.layout, masks?.layout),
    }),
    constants,
  });
  const pixelBindings = (variant === 'wide' ? wideDrawnPixelBindings : drawnPixelBindings) as typeof drawnPixelBindings;
  const drawn = perDevice(device, `${LABEL} draw layout`, () =>
    createBindGroupLayout(device, `${LABEL} draw`, drawBindings, GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT),
  );
  const pixels = perDevice(device, `${LABEL} ${variant} pixel layout`, () =>
    createBindGroupLayout(device, `${LABEL} pixels`, pixelBindings, GPUShaderStage.FRAGMENT),
  );
  const key = `${LABEL} draw ${shader} ${JSON.stringify(constants)}`;
  const pipeline = perDevice(device, key, () => {
    const module = compileShader(device, LABEL, drawCode[shader]);
    return lazyRenderPipeline(device, {
      label: LABEL,
      layout: device.createPipelineLayout({
        label: LABEL,
        bindGroupLayouts: around(drawn, pixels, masks ? tables : nothing.layout, masks?.layout),
      }),
      vertex: { module, entryPoint: 'drawVertex' },
      fragment: {
        module,
        entryPoint: 'drawFragment',
        targets: [{ format: RASTER_FORMAT, writeMask: 0 }],
        constants,
      },
      primitive: { topology: 'triangle-list', cullMode: 'none' },
    });
  });

  return {
    bind(buffers, geometry, groupCount) {
      const group = createBindGroup(device, LABEL, own, bindings, buffers);
      return { kernel, groups: around(group, nothing.group, geometryGroup(geometry), masks?.group), groupCount };
    },
    bindDraw(buffers, geometry, visibility) {
      const list = createBindGroup(device, LABEL, drawn, drawBindings, buffers);
      const reached = createBindGroup(device, LABEL, pixels, pixelBindings, { visibility });
      return { pipeline, groups: around(list, reached, geometryGroup(geometry), masks?.group) };
    },
  };
}

const MASKED = { base: 'masked', wide: 'wide+masked' } as const;

/** @param pass A pass with one attachment of RASTER_FORMAT. */
export function encodeDraw(
  pass: GPURenderPassEncoder,
  { pipeline, groups }: BoundDraw,
  { buffer, byteOffset }: IndirectGroups,
): void {
  pass.setPipeline(pipeline.pipeline);
  groups.forEach((group, index) => pass.setBindGroup(index, group));
  pass.drawIndirect(buffer, byteOffset);
}

/** The constants of a material table that shaders need if they only look up alpha. */
function onlyAlpha({ baseColorTextures, secondTexcoords }: RasterMaterials['constants']) {
  return { baseColorTextures, secondTexcoords };
}
