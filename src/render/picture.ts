import { readRanges } from '../frame/read-back.ts';
import { roundUp } from '../layout/index.ts';
import type { RgbaImage } from './images/index.ts';

/** Bytes per row of a texture copied to a buffer are a multiple of this (WebGPU, "Texel Copies"). */
const ROW_ALIGNMENT = 256;

/** A target in memory: render to `view`, then read the picture. */
export interface Picture {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Of the view: `rgba8unorm-srgb`, the default of `createForwardRenderer`. */
  readonly format: GPUTextureFormat;
  readonly view: GPUTextureView;
  /**
   * The pixels, after all that was submitted before the call, for `encodePng` for instance. Waits for the GPU, and takes
   * up to 12 bytes per pixel more while it does.
   *
   * @throws ManipleError DEVICE_LOST
   */
  read(): Promise<RgbaImage>;
  destroy(): void;
}

/**
 * Creates an sRGB target in GPU memory: 8 bytes per pixel, for the texture and the buffer that it is read through.
 *
 * @param width Pixels; so is `height`. From 1 to the device's `maxTextureDimension2D` (8,192 at least), which is not
 *   checked here: WebGPU reports more than that to the device.
 * @example
 *   const picture = createPicture(device, 1280, 720); // draw to picture.view, submit, then
 *   const png = await encodePng(await picture.read());
 */
export function createPicture(device: GPUDevice, width: number, height: number): Picture {
  const format = 'rgba8unorm-srgb';
  const texture = device.createTexture({
    label: 'picture',
    size: [width, height],
    format,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const bytesPerRow = roundUp(4 * width, ROW_ALIGNMENT);
  const buffer = device.createBuffer({
    label: 'picture',
    size: bytesPerRow * height,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  return {
    width,
    height,
    format,
    view: texture.createView(),
    async read() {
      const encoder = device.createCommandEncoder({ label: 'picture' });
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      device.queue.submit([encoder.finish()]);
      const [bytes] = await readRanges(device, [[buffer, 0, bytesPerRow * height]]);
      const rows = new Uint8Array(bytes!);
      const data = new Uint8Array(4 * width * height);
      for (let y = 0; y < height; y++) {
        data.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + 4 * width), 4 * width * y);
      }
      return { width, height, data };
    },
    destroy() {
      texture.destroy();
      buffer.destroy();
    },
  };
}
