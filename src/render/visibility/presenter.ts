import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { lazyRenderPipeline, type LazyPipeline } from '../../stages/lazy-pipeline.ts';
import { perDevice } from '../../stages/per-device.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { presentBindings } from './layout.ts';
import { COLOR_FORMAT, type PictureTarget } from './picture-target.ts';
import { kernels } from './present.gen.ts';

/** Copies pictures to callers' targets. */
export interface Presenter {
  /** Adds one of several samples to their mean: the one of an index, from 0. */
  accumulate(encoder: GPUCommandEncoder, picture: PictureTarget, index: number): void;
  /** @param from Default: the mean of its samples. */
  color(encoder: GPUCommandEncoder, picture: PictureTarget, target: GPUTextureView, from?: GPUTextureView): void;
}

/** @param format Format of the callers' pictures. @param samples Samples of each pixel. */
export function createPresenter(device: GPUDevice, format: GPUTextureFormat, samples: number): Presenter {
  const layout = perDevice(device, 'present layout', () =>
    createBindGroupLayout(device, 'present', presentBindings, GPUShaderStage.FRAGMENT),
  );
  const pipelineOf = (target: GPUColorTargetState) =>
    perDevice(device, `present ${JSON.stringify(target)}`, () => {
      const module = compileShader(device, 'present', kernels.base);
      return lazyRenderPipeline(device, {
        label: 'present',
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        vertex: { module },
        fragment: { module, targets: [target] },
      });
    });
  const draw = (
    encoder: GPUCommandEncoder,
    { pipeline }: LazyPipeline<GPURenderPipeline>,
    { from, to }: { readonly from: GPUTextureView; readonly to: GPUTextureView },
    { loadOp, share }: { readonly loadOp: GPULoadOp; readonly share?: number } = { loadOp: 'clear' },
  ) => {
    const pass = encoder.beginRenderPass({
      label: 'present',
      colorAttachments: [{ view: to, loadOp, storeOp: 'store' }],
    });
    if (share !== undefined) pass.setBlendConstant([share, share, share, share]);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, createBindGroup(device, 'present', layout, presentBindings, { color: from }));
    pass.draw(3);
    pass.end();
  };
  const shared: GPUBlendComponent = { srcFactor: 'constant', dstFactor: 'one-minus-constant', operation: 'add' };
  const show = pipelineOf({ format });
  const addSample =
    samples > 1 ? pipelineOf({ format: COLOR_FORMAT, blend: { color: shared, alpha: shared } }) : undefined;
  return {
    accumulate(encoder, { color, mean }, index) {
      const loadOp = index === 0 ? 'clear' : 'load';
      draw(encoder, addSample!, { from: color, to: mean! }, { loadOp, share: 1 / (index + 1) });
    },
    color(encoder, { color, mean }, target, from = mean ?? color) {
      draw(encoder, show, { from, to: target });
    },
  };
}
