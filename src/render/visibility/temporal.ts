import type { UploadRing } from '../../device/upload-ring.ts';
import { createUniform } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import { perDevice } from '../../stages/per-device.ts';
import type { Vector } from '../camera.ts';
import { createFullScreenPipeline, drawFullScreen } from '../full-screen.ts';
import { frameBindings } from '../lighting/layout.ts';
import { temporalBindings, TemporalParams } from './layout.ts';
import type { PictureTextures } from './picture-passes.ts';
import { kernels } from './temporal.gen.ts';
import { COLOR_FORMAT } from './triangle-buffers.ts';

type PictureSize = { readonly width: number; readonly height: number };

/** Least share of a picture in the result: as in the mean of ten. */
const LEAST_SHARE = 0.1;
/** Pictures after which sample positions repeat. */
const PLACES = 16;

/** History of earlier pictures, and the pass that blends the next one with it: see temporal.wesl. */
export class Temporal {
  readonly #device: GPUDevice;
  readonly #pass: ReturnType<typeof createBlend>;
  readonly #bilinear: GPUSampler;
  readonly #frame: GPUBindGroup;
  readonly #params: GPUBuffer;
  /** Results of two pictures, in turns: 16 bytes per pixel. */
  #history: readonly GPUTexture[] = [];
  #lastOrigin: Vector | undefined;
  /** Pictures that the last result is made of. */
  #count = 0;

  /** @param motionScale Factor of motion vectors; anything but 1 is wrong. */
  constructor(device: GPUDevice, frame: GPUBuffer, motionScale: number) {
    this.#device = device;
    this.#pass = perDevice(device, `temporal ${motionScale}`, () => createBlend(device, motionScale));
    this.#bilinear = device.createSampler({ label: 'history', magFilter: 'linear', minFilter: 'linear' });
    this.#frame = createBindGroup(device, 'temporal frame', this.#pass.layouts[0], frameBindings, { frame });
    this.#params = createUniform(device, 'temporal params', TemporalParams, {});
  }

  /**
   * Begins a picture. The first one, one of another size and one after a move of the origin have no history.
   * @param retired Receives textures that the next picture no longer uses.
   * @returns Which sample position the picture uses, for `jitterOf`
   */
  begin({ width, height }: PictureSize, origin: Vector, retired: { destroy(): void }[]): number {
    const [last] = this.#history;
    if (last?.width !== width || last.height !== height) {
      retired.push(...this.#history);
      const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT;
      const history = { label: 'history', size: [width, height], format: COLOR_FORMAT, usage };
      this.#history = [this.#device.createTexture(history), this.#device.createTexture(history)];
      this.#count = 0;
    }
    if (this.#lastOrigin?.some((at, axis) => at !== origin[axis])) this.#count = 0;
    this.#lastOrigin = origin;
    return this.#count % PLACES;
  }

  /** Records the pass over a picture that is shaded and has motion vectors. Returns the result. */
  resolve(
    encoder: GPUCommandEncoder,
    { color, surfaces, visibility }: PictureTextures,
    uploads: UploadRing,
    timestamps: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
  ): GPUTextureView {
    const count = this.#count++;
    const [history, to] = [this.#history[(count + 1) % 2]!.createView(), this.#history[count % 2]!.createView()];
    const values = new View(TemporalParams, 1);
    values.assign(0, { share: Math.max(LEAST_SHARE, 1 / (count + 1)) });
    uploads.write(encoder, this.#params, 0, new Uint8Array(values.words.buffer));
    const { motion } = surfaces!;
    const bound = { params: this.#params, color, motion, visibility, history, bilinear: this.#bilinear };
    const group = createBindGroup(this.#device, 'temporal', this.#pass.layouts[1], temporalBindings, bound);
    drawFullScreen(encoder, this.#pass.blend, [this.#frame, group], {
      colorAttachments: [{ view: to, loadOp: 'clear', storeOp: 'store' }],
      ...timestamps,
    });
    return to;
  }

  destroy(): void {
    this.#params.destroy();
    for (const texture of this.#history) texture.destroy();
  }
}

function createBlend(device: GPUDevice, motionScale: number) {
  const layouts = [
    createBindGroupLayout(device, 'temporal frame', frameBindings, GPUShaderStage.FRAGMENT),
    createBindGroupLayout(device, 'temporal', temporalBindings, GPUShaderStage.FRAGMENT),
  ] as const;
  const targets = [{ format: COLOR_FORMAT }];
  const constants = { motionScale };
  const blend = createFullScreenPipeline(device, 'temporal', kernels.base, layouts, targets, { constants });
  return { layouts, blend };
}
