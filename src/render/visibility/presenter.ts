import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { perDevice } from '../../stages/per-device.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { presentBindings } from './layout.ts';
import { COLOR_FORMAT, type PictureTarget } from './picture-target.ts';
import { kernels } from './present.gen.ts';

/** Brings pictures to where callers want them. */
export interface Presenter {
  /** Adds one of several samples to their mean: the one of an index, from 0. */
  accumulate(encoder: GPUCommandEncoder, picture: PictureTarget, index: number): void;
  /** @param from Default: the mean of its samples. */
  color(encoder: GPUCommandEncoder, picture: PictureTarget, target: GPUTextureView, from?: GPUTextureView): void;
  /** Motion vectors and ids, or one of them, of a picture that has them. */
  surfaces(
    encoder: GPUCommandEncoder,
    picture: PictureTarget,
    views: { readonly velocity?: GPUTextureView | undefined; readonly ids?: GPUTextureView | undefined },
  ): void;
}

/** @param format Of the callers' pictures. */
export function createPresenter(device: GPUDevice, format: GPUTextureFormat): Presenter {
  const layout = perDevice(device, 'present layout', () =>
    createBindGroupLayout(device, 'present', presentBindings, GPUShaderStage.FRAGMENT),
  );
  const pipelineOf = (code: keyof typeof kernels, targets: readonly (GPUColorTargetState | null)[]) =>
    perDevice(device, `present ${JSON.stringify(targets)}`, () => {
      const module = device.createShaderModule({ label: 'present', code: kernels[code] });
      return device.createRenderPipeline({
        label: 'present',
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        vertex: { module },
        fragment: { module, targets: [...targets] },
      });
    });
  const group = (color: GPUTextureView, { surfaces, visibility }: PictureTarget) =>
    createBindGroup(device, 'present', layout, presentBindings, {
      color,
      motion: surfaces?.motion ?? color,
      ids: (surfaces?.ids ?? visibility).createView(),
    });
  const draw = (
    encoder: GPUCommandEncoder,
    pipeline: GPURenderPipeline,
    bound: GPUBindGroup,
    views: readonly (GPUTextureView | null)[],
    { loadOp, share }: { readonly loadOp: GPULoadOp; readonly share?: number } = { loadOp: 'clear' },
  ) => {
    const pass = encoder.beginRenderPass({
      label: 'present',
      colorAttachments: views.map((view) => view && { view, loadOp, storeOp: 'store' as const }),
    });
    if (share !== undefined) pass.setBlendConstant([share, share, share, share]);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    pass.draw(3);
    pass.end();
  };
  const shared: GPUBlendComponent = { srcFactor: 'constant', dstFactor: 'one-minus-constant', operation: 'add' };
  return {
    accumulate(encoder, picture, index) {
      const pipeline = pipelineOf('base', [{ format: COLOR_FORMAT, blend: { color: shared, alpha: shared } }]);
      const loadOp = index === 0 ? 'clear' : 'load';
      draw(encoder, pipeline, group(picture.color, picture), [picture.mean!], { loadOp, share: 1 / (index + 1) });
    },
    color(encoder, picture, target, from = picture.mean ?? picture.color) {
      draw(encoder, pipelineOf('base', [{ format }]), group(from, picture), [target]);
    },
    surfaces(encoder, picture, { velocity, ids }) {
      const targets = [velocity && { format: VELOCITY_FORMAT }, ids && { format: ID_FORMAT }].map(
        (target) => target ?? null,
      );
      const pipeline = pipelineOf('surfaces', targets);
      draw(encoder, pipeline, group(picture.color, picture), [velocity ?? null, ids ?? null]);
    },
  };
}
