import { createBindGroup, createBindGroupLayout, type Bindings } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups } from '../kernel.ts';
import { perDevice } from '../per-device.ts';
import { kernels as drawCode } from './draw.gen.ts';
import { kernels } from './kernel.gen.ts';
import { drawBindings, drawnPixelBindings, rasterBindings } from './layout.ts';

const LABEL = 'raster-triangles';
/** Of what the hardware's rasteriser draws to. */
export const RASTER_DEPTH_FORMAT: GPUTextureFormat = 'depth32float';

type Buffers<B extends Bindings> = { readonly [N in keyof B['entries']]: GPUBuffer | GPUBufferBinding };

/** A view's list of the hardware's, of one page: encode it with an indirect draw. */
export interface BoundDraw {
  readonly groups: readonly GPUBindGroup[];
}

export interface RasterTriangles {
  /** Rasterises what compute has of a view's list, of one page: depths or ids, as `raster.mode` says. */
  bind(buffers: Buffers<typeof rasterBindings>, groupCount: Dispatch['groupCount']): Dispatch;
  /** The same for the hardware. */
  bindDraw(buffers: Buffers<typeof drawBindings>, visibility: GPUBuffer | GPUBufferBinding): BoundDraw;
  /** @param pass With a depth attachment of RASTER_DEPTH_FORMAT alone: written, or read-only for ids. */
  draw(pass: GPURenderPassEncoder, bound: BoundDraw, what: 'depths' | 'ids', at: IndirectGroups): void;
}

/** Compiles the kernel and the pipelines of draws, once per device. */
export function createRasterTriangles(device: GPUDevice): RasterTriangles {
  const layout = createStageLayout(device, LABEL, [rasterBindings]);
  const kernel = createKernel(device, {
    label: LABEL,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'rasterTriangles',
    layout: layout.pipeline,
  });
  const draws = createDraws(device);
  return {
    bind: (buffers, groupCount) => ({
      kernel,
      groups: [createBindGroup(device, LABEL, layout.groups[0]!, rasterBindings, buffers as never)],
      groupCount,
    }),
    bindDraw: (buffers, visibility) => ({
      groups: [
        createBindGroup(device, LABEL, draws.groups[0], drawBindings, buffers as never),
        createBindGroup(device, LABEL, draws.groups[1], drawnPixelBindings, { visibility }),
      ],
    }),
    draw(pass, { groups }, what, { buffer, byteOffset }) {
      pass.setPipeline(draws[what]);
      groups.slice(0, what === 'ids' ? 2 : 1).forEach((group, index) => pass.setBindGroup(index, group));
      pass.drawIndirect(buffer, byteOffset);
    },
  };
}

function createDraws(device: GPUDevice) {
  return perDevice(device, `${LABEL} draws`, () => {
    const stages = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    const groups = [
      createBindGroupLayout(device, `${LABEL} draw`, drawBindings, stages),
      createBindGroupLayout(device, `${LABEL} pixels`, drawnPixelBindings, GPUShaderStage.FRAGMENT),
    ] as const;
    const module = device.createShaderModule({ label: LABEL, code: drawCode.base });
    const pipeline = (what: 'depth' | 'id', count: number, depth: Partial<GPUDepthStencilState>) =>
      device.createRenderPipeline({
        label: `${LABEL} ${what}`,
        layout: device.createPipelineLayout({ bindGroupLayouts: groups.slice(0, count) }),
        vertex: { module, entryPoint: 'drawVertex' },
        fragment: { module, entryPoint: `${what}Fragment`, targets: [] },
        primitive: { topology: 'triangle-list', cullMode: 'none' },
        depthStencil: { format: RASTER_DEPTH_FORMAT, ...depth } as GPUDepthStencilState,
      });
    return {
      groups,
      depths: pipeline('depth', 1, { depthWriteEnabled: true, depthCompare: 'greater' }),
      ids: pipeline('id', 2, { depthWriteEnabled: false, depthCompare: 'equal' }),
    };
  });
}
