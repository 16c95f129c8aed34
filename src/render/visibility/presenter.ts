import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import type { LazyPipeline } from '../../stages/lazy-pipeline.ts';
import { perDevice } from '../../stages/per-device.ts';
import type { ForwardView } from '../forward/view.ts';
import { createFullScreenPipeline, drawFullScreen } from '../full-screen.ts';
import { frameBindings } from '../lighting/layout.ts';
import { DEPTH_FORMAT, ID_FORMAT, NORMAL_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { presentBindings, surfacesBindings } from './layout.ts';
import type { PictureTextures } from './picture-passes.ts';
import { kernels } from './present.gen.ts';
import { kernels as surfaceCode } from './surfaces.gen.ts';
import { COLOR_FORMAT } from './triangle-buffers.ts';

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

export function wantsSurfaces({ velocity, ids, depth, normals }: SurfaceViews): boolean {
  return [velocity, ids, depth, normals].some((view) => view !== undefined);
}

const CODE = { present: kernels.base, surfaces: surfaceCode.base } as const;
const SHARED: GPUBlendComponent = { srcFactor: 'constant', dstFactor: 'one-minus-constant', operation: 'add' };

export class Presenter {
  readonly #device: GPUDevice;
  readonly #layouts: Readonly<Record<'color' | 'frame' | 'surfaces', GPUBindGroupLayout>>;
  readonly #frame: GPUBindGroup;
  readonly #show: LazyPipeline<GPURenderPipeline>;
  /** Undefined if there is one sample. */
  readonly #addSample: LazyPipeline<GPURenderPipeline> | undefined;

  /** @param format Format of the callers' pictures. @param samples Samples of each pixel. */
  constructor(device: GPUDevice, frame: GPUBuffer, format: GPUTextureFormat, samples: number) {
    this.#device = device;
    this.#layouts = perDevice(device, 'present layouts', () => ({
      color: createBindGroupLayout(device, 'present', presentBindings, GPUShaderStage.FRAGMENT),
      frame: createBindGroupLayout(device, 'surfaces frame', frameBindings, GPUShaderStage.FRAGMENT),
      surfaces: createBindGroupLayout(device, 'surfaces', surfacesBindings, GPUShaderStage.FRAGMENT),
    }));
    this.#frame = createBindGroup(device, 'surfaces frame', this.#layouts.frame, frameBindings, { frame });
    const blend = { color: SHARED, alpha: SHARED };
    this.#show = this.#pipelineOf('present', [{ format }]);
    this.#addSample = samples > 1 ? this.#pipelineOf('present', [{ format: COLOR_FORMAT, blend }]) : undefined;
  }

  /** Adds one of several samples to their mean: the one of an index, from 0. */
  accumulate(encoder: GPUCommandEncoder, { color, mean }: PictureTextures, index: number): void {
    const loadOp = index === 0 ? 'clear' : 'load';
    const colorAttachments: GPURenderPassColorAttachment[] = [{ view: mean!, loadOp, storeOp: 'store' }];
    drawFullScreen(encoder, this.#addSample!, [this.#colorGroup(color)], { colorAttachments }, 1 / (index + 1));
  }

  /** Copies colours. @param from Default: the mean of its samples. */
  show(encoder: GPUCommandEncoder, { color, mean }: PictureTextures, view: GPUTextureView, from = mean ?? color): void {
    const colorAttachments: GPURenderPassColorAttachment[] = [{ view, loadOp: 'clear', storeOp: 'store' }];
    drawFullScreen(encoder, this.#show, [this.#colorGroup(from)], { colorAttachments });
  }

  /** Copies the other values of a picture to these targets. One pass over the pixels, 28 bytes each at most. */
  showSurfaces(encoder: GPUCommandEncoder, { surfaces, visibility }: PictureTextures, views: SurfaceViews): void {
    const targets = [
      { view: views.velocity, format: VELOCITY_FORMAT },
      { view: views.ids, format: ID_FORMAT },
      { view: views.depth, format: DEPTH_FORMAT },
      { view: views.normals, format: NORMAL_FORMAT },
    ];
    const formats = targets.map(({ view, format }) => (view ? { format } : null));
    const bound = { ...surfaces!, ids: surfaces!.ids.createView(), visibility };
    const group = createBindGroup(this.#device, 'surfaces', this.#layouts.surfaces, surfacesBindings, bound);
    const colorAttachments = targets.map(({ view }): GPURenderPassColorAttachment | null =>
      view ? { view, loadOp: 'clear', storeOp: 'store' } : null,
    );
    drawFullScreen(encoder, this.#pipelineOf('surfaces', formats), [this.#frame, group], { colorAttachments });
  }

  #colorGroup(color: GPUTextureView): GPUBindGroup {
    return createBindGroup(this.#device, 'present', this.#layouts.color, presentBindings, { color });
  }

  #pipelineOf(label: keyof typeof CODE, targets: (GPUColorTargetState | null)[]): LazyPipeline<GPURenderPipeline> {
    const { color, frame, surfaces } = this.#layouts;
    const layouts = label === 'present' ? [color] : [frame, surfaces];
    return perDevice(this.#device, `${label} ${JSON.stringify(targets)}`, () =>
      createFullScreenPipeline(this.#device, label, CODE[label], layouts, targets),
    );
  }
}
