import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import type { LazyPipeline } from '../../stages/lazy-pipeline.ts';
import { createFullScreenPipeline, drawFullScreen } from '../full-screen.ts';
import { presentBindings } from '../visibility/layout.ts';
import { kernels } from './encode-picture.gen.ts';

/** Format of the pictures before they are encoded. */
export const ENCODED_FROM: GPUTextureFormat = 'rgba8unorm-srgb';

/**
 * Pictures for targets that store codes of sRGB in a format that is not sRGB, such as canvases of the compatibility level: their
 * textures have no sRGB views. A picture is drawn to a texture of 4 bytes per pixel first, then copied.
 */
export class EncodedPicture {
  readonly #device: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipeline: LazyPipeline<GPURenderPipeline>;
  #picture: { readonly texture: GPUTexture; readonly view: GPUTextureView; readonly group: GPUBindGroup } | undefined;

  constructor(device: GPUDevice, format: GPUTextureFormat) {
    this.#device = device;
    this.#layout = createBindGroupLayout(device, 'encode', presentBindings, GPUShaderStage.FRAGMENT);
    this.#pipeline = createFullScreenPipeline(device, 'encode', kernels.base, [this.#layout], [{ format }]);
  }

  /** The texture to draw a picture of this size to. @param retired Receives that of another size. */
  view(width: number, height: number, retired: { destroy(): void }[]): GPUTextureView {
    const known = this.#picture;
    if (known?.texture.width === width && known.texture.height === height) return known.view;
    if (known) retired.push(known.texture);
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING;
    const texture = this.#device.createTexture({
      label: 'picture',
      size: [width, height],
      format: ENCODED_FROM,
      usage,
    });
    const view = texture.createView();
    const group = createBindGroup(this.#device, 'encode', this.#layout, presentBindings, { color: view });
    this.#picture = { texture, view, group };
    return view;
  }

  /** Copies the picture that was drawn. */
  draw(encoder: GPUCommandEncoder, target: GPUTextureView): void {
    const colorAttachments: GPURenderPassColorAttachment[] = [{ view: target, loadOp: 'clear', storeOp: 'store' }];
    drawFullScreen(encoder, this.#pipeline, [this.#picture!.group], { colorAttachments });
  }

  destroy(): void {
    this.#picture?.texture.destroy();
  }
}
