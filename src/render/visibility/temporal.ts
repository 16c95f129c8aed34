import type { UploadRing } from '../../device/upload-ring.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import { lazyRenderPipeline } from '../../stages/lazy-pipeline.ts';
import { perDevice } from '../../stages/per-device.ts';
import type { Vector } from '../camera.ts';
import { frameBindings } from '../lighting/layout.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { temporalBindings, TemporalParams } from './layout.ts';
import { COLOR_FORMAT, type PictureTarget } from './picture-target.ts';
import { kernels } from './temporal.gen.ts';

/** History of earlier pictures, and the pass that blends the next one with it: see temporal.wesl. */
export interface Temporal {
  /**
   * Begins a picture. The first one, one of another size and one after a move of the origin have no history.
   * @param retired Receives textures that the next picture no longer uses.
   * @returns Which sample position the picture uses, for `jitterOf`
   */
  begin(size: PictureSize, origin: Vector, retired: { destroy(): void }[]): number;
  /** Records the pass over a picture that is shaded and has motion vectors. Returns the result. */
  resolve(
    encoder: GPUCommandEncoder,
    picture: PictureTarget,
    uploads: UploadRing,
    timestamps: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
  ): GPUTextureView;
  destroy(): void;
}

type PictureSize = { readonly width: number; readonly height: number };

/** Results of two pictures, in turns: 16 bytes per pixel. */
interface History extends PictureSize {
  readonly views: readonly [GPUTextureView, GPUTextureView];
  destroy(): void;
}

/** Least share of a picture in the result: as in the mean of ten. */
const LEAST_SHARE = 0.1;
/** Pictures after which sample positions repeat. */
const PLACES = 16;

/** @param motionScale Factor of motion vectors; anything but 1 is wrong. */
export function createTemporal(device: GPUDevice, frame: GPUBuffer, motionScale: number): Temporal {
  const { layouts, blend } = perDevice(device, `temporal ${motionScale}`, () => {
    const groups = [
      createBindGroupLayout(device, 'temporal frame', frameBindings, GPUShaderStage.FRAGMENT),
      createBindGroupLayout(device, 'temporal', temporalBindings, GPUShaderStage.FRAGMENT),
    ] as const;
    const module = compileShader(device, 'temporal', kernels.base);
    return {
      layouts: groups,
      blend: lazyRenderPipeline(device, {
        label: 'temporal',
        layout: device.createPipelineLayout({ bindGroupLayouts: [...groups] }),
        vertex: { module },
        fragment: {
          module,
          targets: [{ format: COLOR_FORMAT }],
          constants: { motionScale },
        },
      }),
    };
  });
  const bilinear = device.createSampler({ label: 'history', magFilter: 'linear', minFilter: 'linear' });
  const frameGroup = createBindGroup(device, 'temporal frame', layouts[0], frameBindings, { frame });
  const params = device.createBuffer({
    label: 'temporal params',
    size: TemporalParams.size,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  let history: History | undefined;
  let lastOrigin: Vector | undefined;
  /** Pictures that the last result is made of. */
  let count = 0;

  return {
    begin({ width, height }, origin, retired) {
      if (history?.width !== width || history.height !== height) {
        if (history) retired.push(history);
        history = createHistory(device, { width, height });
        count = 0;
      }
      if (lastOrigin?.some((at, axis) => at !== origin[axis])) count = 0;
      lastOrigin = origin;
      return count % PLACES;
    },
    resolve(encoder, { color, surfaces, visibility }, uploads, timestamps) {
      const [from, to] = [history!.views[(count + 1) % 2]!, history!.views[count % 2]!];
      const values = new View(TemporalParams, 1);
      values.assign(0, { share: Math.max(LEAST_SHARE, 1 / (count + 1)) });
      uploads.write(encoder, params, 0, new Uint8Array(values.words.buffer));
      count++;
      const pass = encoder.beginRenderPass({
        label: 'temporal',
        colorAttachments: [{ view: to, loadOp: 'clear', storeOp: 'store' }],
        ...timestamps,
      });
      pass.setPipeline(blend.pipeline);
      pass.setBindGroup(0, frameGroup);
      const bound = { params, color, motion: surfaces!.motion, visibility: visibility.createView(), history: from };
      pass.setBindGroup(1, createBindGroup(device, 'temporal', layouts[1], temporalBindings, { ...bound, bilinear }));
      pass.draw(3);
      pass.end();
      return to;
    },
    destroy() {
      params.destroy();
      history?.destroy();
    },
  };
}

function createHistory(device: GPUDevice, { width, height }: PictureSize): History {
  const create = () =>
    device.createTexture({
      label: 'history',
      size: [width, height],
      format: COLOR_FORMAT,
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
    });
  const textures = [create(), create()] as const;
  return {
    width,
    height,
    views: [textures[0].createView(), textures[1].createView()],
    destroy: () => textures.forEach((texture) => texture.destroy()),
  };
}
