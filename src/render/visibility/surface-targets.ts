import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { lazyRenderPipeline } from '../../stages/lazy-pipeline.ts';
import { perDevice } from '../../stages/per-device.ts';
import type { ForwardView } from '../forward/view.ts';
import { frameBindings } from '../lighting/layout.ts';
import { DEPTH_FORMAT, ID_FORMAT, NORMAL_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { surfacesBindings } from './layout.ts';
import type { PictureTarget } from './picture-target.ts';
import { kernels } from './surfaces.gen.ts';

/**
 * Targets for motion vectors, ids, depth and normals of a picture, in addition to its colours. Only the given targets
 * are written. With several samples, values are those of the first one.
 */
export interface SurfaceViews extends Pick<ForwardView, 'velocity' | 'ids'> {
  /**
   * Target for depth: r32float, see `createDepthTarget`. Depth is the near plane's distance along the view, divided by
   * that of the surface in the pixel, ground included. It is 1 at the near plane, and 0 where there is only sky.
   */
  readonly depth?: GPUTextureView;
  /**
   * Target for normals: rgba16float, see `createNormalTarget`. Normals are in world space, after normal maps, on the
   * visible side, good to 8 bits. w is 1; all four values are 0 where there is only sky.
   */
  readonly normals?: GPUTextureView;
}

/** Returns true if any of these targets is given. */
export function wantsSurfaces({ velocity, ids, depth, normals }: SurfaceViews): boolean {
  return [velocity, ids, depth, normals].some((view) => view !== undefined);
}

/**
 * Creates a function that records the copy of a picture's values to these targets. One pass over the pixels, 28 bytes
 * each at most.
 */
export function createSurfacePass(
  device: GPUDevice,
  frame: GPUBuffer,
): (encoder: GPUCommandEncoder, picture: PictureTarget, views: SurfaceViews) => void {
  const layouts = perDevice(device, 'surfaces layout', () => [
    createBindGroupLayout(device, 'surfaces frame', frameBindings, GPUShaderStage.FRAGMENT),
    createBindGroupLayout(device, 'surfaces', surfacesBindings, GPUShaderStage.FRAGMENT),
  ]);
  const frameGroup = createBindGroup(device, 'surfaces frame', layouts[0]!, frameBindings, { frame });
  const pipelineOf = (targets: readonly (GPUColorTargetState | null)[]) =>
    perDevice(device, `surfaces ${JSON.stringify(targets)}`, () => {
      const module = compileShader(device, 'surfaces', kernels.base);
      return lazyRenderPipeline(device, {
        label: 'surfaces',
        layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
        vertex: { module },
        fragment: { module, targets: [...targets] },
      });
    });
  return (encoder, { surfaces, visibility }, { velocity, ids, depth, normals }) => {
    const wanted = [
      { view: velocity, format: VELOCITY_FORMAT },
      { view: ids, format: ID_FORMAT },
      { view: depth, format: DEPTH_FORMAT },
      { view: normals, format: NORMAL_FORMAT },
    ];
    const pass = encoder.beginRenderPass({
      label: 'surfaces',
      colorAttachments: wanted.map(({ view }) => (view ? { view, loadOp: 'clear', storeOp: 'store' } : null)),
    });
    pass.setPipeline(pipelineOf(wanted.map(({ view, format }) => (view ? { format } : null))).pipeline);
    pass.setBindGroup(0, frameGroup);
    const bound = { ...surfaces!, ids: surfaces!.ids.createView(), visibility: visibility.createView() };
    pass.setBindGroup(1, createBindGroup(device, 'surfaces', layouts[1]!, surfacesBindings, bound));
    pass.draw(3);
    pass.end();
  };
}
