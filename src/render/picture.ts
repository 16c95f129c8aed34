import { expectDevice } from '../crowd/arguments.ts';
import type { RgbaImage } from './images/index.ts';
import { createTarget, type TextureTarget } from './target.ts';

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
  return createTarget(device, { width, height }, format, (bytes) => ({ width, height, data: new Uint8Array(bytes) }));
}
