import type { Crowd } from '../../crowd/crowd.ts';
import type { Timings } from '../../device/timings.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { DrawnCrowd, type DrawnParts } from '../forward/drawn-crowd.ts';
import { DrawnProviders } from '../forward/drawn-providers.ts';
import { checkVertexStage, createDepth, DEPTH_FORMAT } from '../forward/pipelines.ts';
import { createFullScreenPipeline, drawFullScreen } from '../full-screen.ts';
import { frameBindings, viewBindings } from '../lighting/layout.ts';
import type { PictureTextures } from '../visibility/picture-passes.ts';
import { COLOR_FORMAT } from '../visibility/triangle-buffers.ts';
import { depthBindings } from './layout.ts';
import { kernels } from './opaque-depth.gen.ts';
import { Transparency } from './transparency.ts';

/**
 * Blended triangles: the visibility renderer leaves them out of its lists, and the hardware draws them over its
 * pictures.
 */
export interface BlendedTriangles {
  /** Draws over a shaded picture, after its uniforms have been written. */
  draw(encoder: GPUCommandEncoder, target: PictureTextures, retired: { destroy(): void }[], timings?: Timings): void;
  destroy(): void;
}

type Parts = Omit<DrawnParts, 'providers' | 'rows'> & {
  readonly uniforms: GPUBuffer;
  readonly shadowMaps: GPUTextureView;
};

/**
 * Created only if some primitive is blended.
 * @throws ManipleError DEVICE_LIMIT (storage buffers that vertices read)
 */
export function createBlendedTriangles(device: GPUDevice, crowd: Crowd, parts: Parts): BlendedTriangles {
  const { uniforms, shadowMaps } = parts;
  checkVertexStage(device);
  const drawn = new DrawnCrowd(device, crowd, { ...parts, providers: new DrawnProviders(crowd), rows: undefined });
  const transparency = new Transparency(drawn, COLOR_FORMAT, 1);
  const depthOf = createDepthPass(device, uniforms);
  let bound: { readonly target: PictureTextures; readonly depth: GPUTexture; readonly view: GPUBindGroup } | undefined;
  return {
    draw(encoder, target, retired, timings) {
      if (bound?.target !== target) {
        if (bound) retired.push(bound.depth);
        const { width, height } = target;
        const depth = createDepth(device, 'opaque depth', width, height);
        const resources = { frame: uniforms, shadowMaps, contactShade: target.contact };
        bound = { target, depth, view: createBindGroup(device, 'view', drawn.layouts.view, viewBindings, resources) };
      }
      const depth = bound.depth.createView();
      depthOf(encoder, target, depth);
      const { width, height, color } = target;
      transparency.draw(encoder, { width, height, target: color, depth, view: bound.view }, retired, timings);
    },
    destroy() {
      bound?.depth.destroy();
      transparency.destroy();
      drawn.destroy();
    },
  };
}

function createDepthPass(device: GPUDevice, frame: GPUBuffer) {
  const layouts = [
    createBindGroupLayout(device, 'opaque depth frame', frameBindings, GPUShaderStage.FRAGMENT),
    createBindGroupLayout(device, 'opaque depth', depthBindings, GPUShaderStage.FRAGMENT),
  ];
  const pipeline = createFullScreenPipeline(device, 'opaque depth', kernels.base, layouts, [], {
    depthStencil: { format: DEPTH_FORMAT, depthCompare: 'always', depthWriteEnabled: true },
  });
  const frameGroup = createBindGroup(device, 'opaque depth frame', layouts[0]!, frameBindings, { frame });
  return (encoder: GPUCommandEncoder, { visibility }: PictureTextures, depth: GPUTextureView) => {
    const group = createBindGroup(device, 'opaque depth', layouts[1]!, depthBindings, { visibility });
    drawFullScreen(encoder, pipeline, [frameGroup, group], {
      colorAttachments: [],
      depthStencilAttachment: { view: depth, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
    });
  };
}
