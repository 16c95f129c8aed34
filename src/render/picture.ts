import { readRanges } from '../frame/read-back.ts';
import { roundUp } from '../layout/index.ts';
import type { RgbaImage } from './images/index.ts';

/** Bytes per row of a texture copied to a buffer are a multiple of this (WebGPU, "Texel Copies"). */
const ROW_ALIGNMENT = 256;

/** A target in memory: render to `view`, then read the picture. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly format: GPUTextureFormat;
  readonly view: GPUTextureView;
  /** The pixels, after all that was submitted before the call. */
  read(): Promise<RgbaImage>;
  destroy(): void;
}

/** Creates an sRGB target of the given size in pixels. */
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
