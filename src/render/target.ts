import { readRanges } from '../device/read-back.ts';
import { roundUp } from '../layout/index.ts';
import { unpackHalf } from '../math/packing.ts';
import { expectDevice } from '../crowd/arguments.ts';
import type { RgbaImage } from './images/index.ts';

/** Bytes per row of a texture copied to a buffer are a multiple of this (WebGPU, "Texel Copies"). */
const ROW_ALIGNMENT = 256;

/** A texture to draw to, and to read. */
export interface TextureTarget<T> {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly format: GPUTextureFormat;
  readonly view: GPUTextureView;
  /**
   * Reads its contents, row by row from the top, after all work that was submitted before the call. Waits for the GPU,
   * and takes three times the memory while it does.
   *
   * @throws ManipleError DEVICE_LOST
   */
  read(): Promise<T>;
  destroy(): void;
}

/** Motion vectors in pixels. 16-bit floats would not be accurate to a hundredth of a pixel. */
export const VELOCITY_FORMAT: GPUTextureFormat = 'rg32float';
/** A character's row + 1, and a primitive. */
export const ID_FORMAT: GPUTextureFormat = 'rg32uint';
/** The near plane's distance divided by a surface's. */
export const DEPTH_FORMAT: GPUTextureFormat = 'r32float';
export const NORMAL_FORMAT: GPUTextureFormat = 'rgba16float';

/** A target for motion vectors, see `ForwardView.velocity`: x and y per pixel, 8 bytes of GPU memory, and 8 to read it. */
export function createVelocityTarget(
  device: GPUDevice,
  width: number,
  height: number,
): TextureTarget<Float32Array<ArrayBuffer>> {
  const format = { format: VELOCITY_FORMAT, bytesPerPixel: 8, label: 'velocity' };
  return createTarget(device, [width, height], format, (bytes) => new Float32Array(bytes));
}

/** A target for ids, see `ForwardView.ids`: two numbers per pixel, 8 bytes of GPU memory, and 8 to read it. */
export function createIdTarget(
  device: GPUDevice,
  width: number,
  height: number,
): TextureTarget<Uint32Array<ArrayBuffer>> {
  const format = { format: ID_FORMAT, bytesPerPixel: 8, label: 'ids' };
  return createTarget(device, [width, height], format, (bytes) => new Uint32Array(bytes));
}

/** A target for depth, see `SurfaceViews.depth`: a number per pixel, 4 bytes of GPU memory, and 4 to read it. */
export function createDepthTarget(
  device: GPUDevice,
  width: number,
  height: number,
): TextureTarget<Float32Array<ArrayBuffer>> {
  const format = { format: DEPTH_FORMAT, bytesPerPixel: 4, label: 'depth' };
  return createTarget(device, [width, height], format, (bytes) => new Float32Array(bytes));
}

/** A target for normals, see `SurfaceViews.normals`: x, y, z and w per pixel, 8 bytes of GPU memory, and 8 to read it. */
export function createNormalTarget(
  device: GPUDevice,
  width: number,
  height: number,
): TextureTarget<Float32Array<ArrayBuffer>> {
  const format = { format: NORMAL_FORMAT, bytesPerPixel: 8, label: 'normals' };
  return createTarget(device, [width, height], format, (bytes) =>
    Float32Array.from(new Uint16Array(bytes), unpackHalf),
  );
}

/** @param from Converts the texture's bytes for `read`: rows without padding. */
function createTarget<T>(
  device: GPUDevice,
  [width, height]: readonly [number, number],
  { format, bytesPerPixel, label }: { format: GPUTextureFormat; bytesPerPixel: number; label: string },
  from: (bytes: ArrayBuffer) => T,
): TextureTarget<T> {
  const drawn = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const texture = device.createTexture({ label, size: [width, height], format, usage: drawn });
  const rowBytes = bytesPerPixel * width;
  const bytesPerRow = roundUp(rowBytes, ROW_ALIGNMENT);
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffer = device.createBuffer({ label, size: bytesPerRow * height, usage });
  return {
    width,
    height,
    format,
    view: texture.createView(),
    async read() {
      const encoder = device.createCommandEncoder({ label });
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      device.queue.submit([encoder.finish()]);
      const [bytes] = await readRanges(device, [[buffer, 0, bytesPerRow * height]]);
      const padded = new Uint8Array(bytes!);
      const packed = new Uint8Array(rowBytes * height);
      for (let y = 0; y < height; y++)
        packed.set(padded.subarray(y * bytesPerRow, y * bytesPerRow + rowBytes), y * rowBytes);
      return from(packed.buffer);
    },
    destroy() {
      texture.destroy();
      buffer.destroy();
    },
  };
}

/**
 * A target in memory: render to `view`, then read the picture, for `encodePng` for instance. The view's format is
 * `rgba8unorm-srgb`, the default of `createForwardRenderer`.
 */
export type ReadableTarget = TextureTarget<RgbaImage>;

/**
 * Creates an sRGB target in GPU memory: 8 bytes per pixel, for the texture and the buffer that it is read through.
 *
 * @param width Pixels; so is `height`. From 1 to the device's `maxTextureDimension2D` (8,192 at least), which is not
 *   checked here: WebGPU reports more than that to the device.
 * @throws ManipleError CROWD_BAD_ARGUMENT
 * @example
 *   const picture = createReadableTarget(device, 1280, 720); // draw to picture.view, submit, then
 *   const png = await encodePng(await picture.read());
 */
export function createReadableTarget(device: GPUDevice, width: number, height: number): ReadableTarget {
  expectDevice(device);
  const format = { format: 'rgba8unorm-srgb', bytesPerPixel: 4, label: 'picture' } as const;
  return createTarget(device, [width, height], format, (bytes) => ({ width, height, data: new Uint8Array(bytes) }));
}
