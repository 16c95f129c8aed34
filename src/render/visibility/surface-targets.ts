import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { lazyRenderPipeline } from '../../stages/lazy-pipeline.ts';
import { perDevice } from '../../stages/per-device.ts';
import type { ForwardView } from '../forward/view.ts';
import { frameBindings } from '../lighting/layout.ts';
import { DEPTH_FORMAT, ID_FORMAT, NORMAL_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { compileShader } from '../../shaders/compile.ts';
import { surfacesBindings } from './layout.ts';
import type { PictureTarget } from './picture-target.ts';
import { kernels } from './surfaces.gen.ts';

/**
 * What of a picture's pixels callers may want beside their colours: those that a target is given for. Of several samples, the
 * first one's.
 */
export interface SurfaceViews extends Pick<ForwardView, 'velocity' | 'ids'> {
  /**
   * Where depth goes as well: r32float, see `createDepthTarget`. The near plane's distance along the view over that of what a
   * pixel shows, ground included: 1 at the near plane, 0 where there is only sky.
   */
  readonly depth?: GPUTextureView;
  /**
   * Where normals go as well: rgba16float, see `createNormalTarget`. Of what a pixel shows, after normal maps, on the side
   * that is seen, in world space, good to 8 bits; w is 1, and everything 0 where there is only sky.
   */
  readonly normals?: GPUTextureView;
}

/** Whether any of them is wanted. */
export function wantsSurfaces({ velocity, ids, depth, normals }: SurfaceViews): boolean {
  return [velocity, ids, depth, normals].some((view) => view !== undefined);
}

/** Records what brings them to their targets, of a picture that has them. One pass over the pixels, 28 bytes each at most. */
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
