import { createBindGroup, createBindGroupLayout, type Bindings } from '../../../layout/index.ts';
import { createKernel, type Dispatch, type IndirectGroups, type Kernel } from '../../../stages/kernel.ts';
import { geometryBindings } from '../../../stages/layout.ts';
import { lazyRenderPipeline, type LazyPipeline } from '../../../stages/lazy-pipeline.ts';
import { perDevice } from '../../../stages/per-device.ts';
import { compileShader } from '../../../wgsl/compile.ts';
import type { MaterialTable } from '../../materials/material-table.ts';
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

export function canRasterWide({ features }: Pick<GPUDevice, 'features'>): boolean {
  return features.has('atomic-vec2u-min-max' as GPUFeatureName);
}

/** Group 3, visible to compute and fragments, and the constants of its shader. Used if materials have holes. */
export type RasterMaterials = Pick<MaterialTable, 'layout' | 'group' | 'constants'>;

/** Workgroups for small and for large triangles: 64 triangles each, and one each. */
export interface RasterGroups {
  readonly small: Dispatch['groupCount'];
  readonly large: Dispatch['groupCount'];
}

/** The draw of a view's hardware list, for one page. Encode it with an indirect draw. */
export interface BoundDraw {
  readonly pipeline: LazyPipeline<GPURenderPipeline>;
  readonly groups: readonly GPUBindGroup[];
}

const MASKED = { base: 'masked', wide: 'wide+masked' } as const;

/** Bind group layouts of a variant: of the kernel (`own`), of draws, and of both. */
function createLayouts(device: GPUDevice, variant: RasterVariant) {
  const { COMPUTE, VERTEX, FRAGMENT } = GPUShaderStage;
  const isWide = variant === 'wide';
  const bindings = (isWide ? wideRasterBindings : rasterBindings) as typeof rasterBindings;
  const pixelBindings = (isWide ? wideDrawnPixelBindings : drawnPixelBindings) as typeof drawnPixelBindings;
  const nothing = device.createBindGroupLayout({ label: 'nothing', entries: [] });
  return {
    bindings,
    pixelBindings,
    own: createBindGroupLayout(device, LABEL, bindings),
    drawn: createBindGroupLayout(device, `${LABEL} draw`, drawBindings, VERTEX | FRAGMENT),
    pixels: createBindGroupLayout(device, `${LABEL} pixels`, pixelBindings, FRAGMENT),
    geometry: createBindGroupLayout(device, `${LABEL} geometry`, geometryBindings, COMPUTE | FRAGMENT),
    nothing,
    noGroup: device.createBindGroup({ label: 'nothing', layout: nothing, entries: [] }),
  };
}

/** The kernels and the pipeline of one variant, made once per device and set of materials. */
export class RasterTriangles {
  readonly #device: GPUDevice;
  readonly #masks: RasterMaterials | undefined;
  readonly #layouts: ReturnType<typeof createLayouts>;
  readonly #kernels: Readonly<Record<keyof RasterGroups, Kernel>>;
  readonly #pipeline: LazyPipeline<GPURenderPipeline>;

  /** @param masks Undefined: no material has holes. @param fades Impostors take shares of pixels. */
  constructor(device: GPUDevice, variant: RasterVariant, masks?: RasterMaterials, fades = false) {
    this.#device = device;
    this.#masks = masks;
    this.#layouts = perDevice(device, `${LABEL} ${variant} layouts`, () => createLayouts(device, variant));
    const { own, drawn, pixels, geometry, nothing } = this.#layouts;
    const shader = masks ? MASKED[variant] : variant;
    // all that shaders need if they only look up alpha
    const { baseColorTextures = 0, secondTexcoords = 0 } = masks?.constants ?? {};
    const constants = { ...(masks && { baseColorTextures, secondTexcoords }), ...(fades && { fades: 1 }) };
    const pipelineLayout = (first: GPUBindGroupLayout, second: GPUBindGroupLayout) => {
      const bindGroupLayouts = around(first, second, masks ? geometry : nothing, masks?.layout);
      return device.createPipelineLayout({ label: LABEL, bindGroupLayouts });
    };
    const layout = pipelineLayout(own, nothing);
    const kernelOf = (entryPoint: string) =>
      createKernel(device, { label: LABEL, variant: shader, code: kernels[shader], entryPoint, layout, constants });
    this.#kernels = { small: kernelOf('rasterSmall'), large: kernelOf('rasterLarge') };
    this.#pipeline = perDevice(device, `${LABEL} draw ${shader} ${JSON.stringify(constants)}`, () => {
      const module = compileShader(device, LABEL, drawCode[shader]);
      const targets = [{ format: RASTER_FORMAT, writeMask: 0 }];
      return lazyRenderPipeline(device, {
        label: LABEL,
        layout: pipelineLayout(drawn, pixels),
        vertex: { module, entryPoint: 'drawVertex', constants },
        fragment: { module, entryPoint: 'drawFragment', targets, constants },
        primitive: { topology: 'triangle-list', cullMode: 'none' },
      });
    });
  }

  /**
   * Rasterises the compute part of a view's list, for one page: small triangles, then large ones. The variant `wide` draws
   * depths and ids at once, whatever `raster.mode` is.
   * @param geometry The page's geometry, used if materials have holes.
   */
  bind(buffers: Buffers<typeof rasterBindings>, geometry: GPUBuffer, { small, large }: RasterGroups): Dispatch[] {
    const { own, bindings, noGroup } = this.#layouts;
    const group = createBindGroup(this.#device, LABEL, own, bindings, buffers);
    const groups = this.#around(group, noGroup, geometry);
    return [
      { kernel: this.#kernels.small, groups, groupCount: small },
      { kernel: this.#kernels.large, groups, groupCount: large },
    ];
  }

  /** The same for the hardware. */
  bindDraw(
    buffers: Buffers<typeof drawBindings>,
    geometry: GPUBuffer,
    visibility: GPUBuffer | GPUBufferBinding,
  ): BoundDraw {
    const { drawn, pixels, pixelBindings } = this.#layouts;
    const list = createBindGroup(this.#device, LABEL, drawn, drawBindings, buffers);
    const reached = createBindGroup(this.#device, LABEL, pixels, pixelBindings, { visibility });
    return { pipeline: this.#pipeline, groups: this.#around(list, reached, geometry) };
  }

  #around(own: GPUBindGroup, pixels: GPUBindGroup, geometry: GPUBuffer): GPUBindGroup[] {
    if (!this.#masks) return around(own, pixels, this.#layouts.noGroup, undefined);
    const tables = { geometry4: geometry, geometry1: geometry };
    const group = createBindGroup(this.#device, LABEL, this.#layouts.geometry, geometryBindings, tables);
    return around(own, pixels, group, this.#masks.group);
  }
}

/** Orders groups 0 to 3; group 3 is optional. */
function around<T>(own: T, pixels: T, geometry: T, materials: T | undefined): T[] {
  return materials === undefined ? [own, geometry, pixels] : [own, geometry, pixels, materials];
}

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
