import { createBindGroup, createBindGroupLayout, type Bindings } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups } from '../kernel.ts';
import { perDevice } from '../per-device.ts';
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
/** Of the attachment without which there is no draw, and which nothing is written to. */
export const RASTER_FORMAT: GPUTextureFormat = 'r8unorm';

type Buffers<B extends Bindings> = { readonly [N in keyof B['entries']]: GPUBuffer | GPUBufferBinding };

/** How depths and ids come together: in one pass, by 64-bit maxima, or in two. */
export type RasterVariant = 'base' | 'wide';

/** Whether a device draws depths and ids at once. */
export function canRasterWide({ features }: Pick<GPUDevice, 'features'>): boolean {
  return features.has('atomic-vec2u-min-max' as GPUFeatureName);
}

/** A view's list of the hardware's, of one page: encode it with an indirect draw. */
export interface BoundDraw {
  readonly variant: RasterVariant;
  readonly groups: readonly GPUBindGroup[];
}

export interface RasterTriangles {
  /** Rasterises what compute has of a view's list, of one page. `wide` draws both at once, whatever `raster.mode` says. */
  bind(variant: RasterVariant, buffers: Buffers<typeof rasterBindings>, groupCount: Dispatch['groupCount']): Dispatch;
  /** The same for the hardware. */
  bindDraw(
    variant: RasterVariant,
    buffers: Buffers<typeof drawBindings>,
    visibility: GPUBuffer | GPUBufferBinding,
  ): BoundDraw;
  /** @param pass With one attachment of RASTER_FORMAT. */
  draw(pass: GPURenderPassEncoder, bound: BoundDraw, at: IndirectGroups): void;
}

/** Compiles kernels and pipelines when they are first bound, once per device. */
export function createRasterTriangles(device: GPUDevice): RasterTriangles {
  return {
    bind(variant, buffers, groupCount) {
      const bindings = variant === 'wide' ? wideRasterBindings : rasterBindings;
      const layout = createStageLayout(device, `${LABEL} ${variant}`, [bindings as typeof rasterBindings]);
      const kernel = createKernel(device, {
        label: LABEL,
        variant,
        code: kernels[variant],
        entryPoint: 'rasterTriangles',
        layout: layout.pipeline,
      });
      const group = createBindGroup(device, LABEL, layout.groups[0]!, bindings as typeof rasterBindings, buffers);
      return { kernel, groups: [group], groupCount };
    },
    bindDraw(variant, buffers, visibility) {
      const { groups } = drawPipeline(device, variant);
      const pixels = pixelBindings(variant);
      return {
        variant,
        groups: [
          createBindGroup(device, LABEL, groups[0], drawBindings, buffers),
          createBindGroup(device, LABEL, groups[1], pixels, { visibility }),
        ],
      };
    },
    draw(pass, { variant, groups }, { buffer, byteOffset }) {
      pass.setPipeline(drawPipeline(device, variant).pipeline);
      groups.forEach((group, index) => pass.setBindGroup(index, group));
      pass.drawIndirect(buffer, byteOffset);
    },
  };
}

function pixelBindings(variant: RasterVariant): typeof drawnPixelBindings {
  return variant === 'wide' ? (wideDrawnPixelBindings as typeof drawnPixelBindings) : drawnPixelBindings;
}

function drawPipeline(device: GPUDevice, variant: RasterVariant) {
  return perDevice(device, `${LABEL} draws ${variant}`, () => {
    const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    const groups = [
      createBindGroupLayout(device, `${LABEL} draw`, drawBindings, both),
      createBindGroupLayout(device, `${LABEL} pixels`, pixelBindings(variant), GPUShaderStage.FRAGMENT),
    ] as const;
    const module = device.createShaderModule({ label: LABEL, code: drawCode[variant] });
    const pipeline = device.createRenderPipeline({
      label: LABEL,
      layout: device.createPipelineLayout({ bindGroupLayouts: [...groups] }),
      vertex: { module, entryPoint: 'drawVertex' },
      fragment: { module, entryPoint: 'drawFragment', targets: [{ format: RASTER_FORMAT, writeMask: 0 }] },
      primitive: { topology: 'triangle-list', cullMode: 'none' },
    });
    return { groups, pipeline };
  });
}
