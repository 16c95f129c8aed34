import { createBuffer, createUniform } from '../../frame/tables/memory.ts';
import { roundUp } from '../../layout/index.ts';
import { bindPixelCopy, type PixelCopy } from './copy-pixels.ts';
import { PITCH_PIXELS, RASTER_DEPTH, RASTER_IDS, RasterParams } from './raster-triangles/layout.ts';
import { canRasterWide, RASTER_FORMAT, type RasterVariant } from './raster-triangles/stage.ts';

/** The output of one view, as both rasterisers write it. */
export interface RasterLayer {
  readonly viewIndex: number;
  /** Output of raster-triangles: see `rasterBindings`. */
  readonly visibility: GPUBuffer;
  /** Passes that fill it, one after the other, with their RasterParams. */
  readonly passes: readonly { readonly variant: RasterVariant; readonly params: GPUBuffer }[];
}

/** Depths of views of one size, with ids in pictures, and the texture that they are read from. */
export class RasterTarget {
  readonly width: number;
  readonly height: number;
  /** Pixels from row to row, and words of a pixel: 2 with ids, else 1. */
  readonly pitch: number;
  readonly pixelWords: number;
  readonly layers: readonly RasterLayer[];
  /** Attachment for the hardware's rasteriser, of all layers. Its contents are not used. */
  readonly attachment: GPUTextureView;
  /** Picture: complement of an id, and bits of a depth. Shadow: a layer per view, depth from the sun, for `viewBindings`. */
  readonly view: GPUTextureView;
  readonly #device: GPUDevice;
  readonly #texture: GPUTexture;
  readonly #owned: { destroy(): void }[] = [];

  /**
   * 17 bytes per pixel of a picture, 8 of a shadow map, and one more of all shadow maps.
   * @param firstView Index of the first view among those that are drawn. @param layerCount Views, one layer each.
   * @param variant Default: what the device can do.
   */
  constructor(
    device: GPUDevice,
    readonly kind: 'picture' | 'shadow',
    { width, height }: { readonly width: number; readonly height: number },
    firstView = 0,
    layerCount = 1,
    variant: RasterVariant = canRasterWide(device) ? 'wide' : 'base',
  ) {
    const isPicture = kind === 'picture';
    this.#device = device;
    this.width = width;
    this.height = height;
    this.pitch = roundUp(width, PITCH_PIXELS);
    this.pixelWords = isPicture ? 2 : 1;
    const size = layerCount === 0 ? [1, 1] : [width, height];
    this.#texture = this.#own(
      device.createTexture({
        label: isPicture ? 'visibility' : 'shadow maps',
        size: [...size, Math.max(1, layerCount)],
        format: isPicture ? 'rg32uint' : 'r32float',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING,
      }),
    );
    this.view = this.#texture.createView({ dimension: isPicture ? '2d' : '2d-array' });
    const usage = GPUTextureUsage.RENDER_ATTACHMENT;
    const nothing = this.#own(device.createTexture({ label: 'nothing', size, format: RASTER_FORMAT, usage }));
    this.attachment = nothing.createView();
    this.layers = Array.from({ length: layerCount }, (_, layer) => this.#createLayer(firstView + layer, variant));
  }

  /** Binds the copies of all layers to the texture. */
  bindCopies(): readonly PixelCopy[] {
    return this.layers.map(({ visibility }, layer) => bindPixelCopy(this.#device, visibility, this.#texture, layer));
  }

  destroy(): void {
    for (const owned of this.#owned) owned.destroy();
  }

  #createLayer(viewIndex: number, variant: RasterVariant): RasterLayer {
    const { height, pitch, pixelWords } = this;
    const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const size = pitch * height * 4 * pixelWords;
    // the wide variant draws depths and ids at once, so it needs ids
    const depths = this.#createPass(viewIndex, RASTER_DEPTH, this.kind === 'picture' ? variant : 'base');
    const hasSecond = this.kind === 'picture' && variant === 'base';
    return {
      viewIndex,
      visibility: this.#own(createBuffer(this.#device, 'visibility', STORAGE | COPY_DST | COPY_SRC, size)),
      passes: hasSecond ? [depths, this.#createPass(viewIndex, RASTER_IDS, variant)] : [depths],
    };
  }

  #createPass(viewIndex: number, mode: number, variant: RasterVariant): RasterLayer['passes'][number] {
    const values = { viewIndex, mode, pitch: this.pitch, pixelWords: this.pixelWords };
    return { variant, params: this.#own(createUniform(this.#device, 'raster params', RasterParams, values)) };
  }

  #own<T extends { destroy(): void }>(owned: T): T {
    this.#owned.push(owned);
    return owned;
  }
}
