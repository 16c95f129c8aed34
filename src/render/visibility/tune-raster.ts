import type { RasterTuning } from './sizes.ts';

export type { RasterTuning, TimedRaster } from './sizes.ts';

/**
 * Finds out from which sizes on this adapter's own rasteriser draws triangles, and whole instances, faster than compute does, and
 * to which grid it rounds corners: both draw sheets of triangles of several sizes by the passes of pictures, in turns. Draws
 * some 150 pictures that are covered sixteen times over, of a megapixel (small ones on software adapters: some seconds), beside
 * what compiling takes. Without the feature `timestamp-query` the grid alone is measured.
 *
 * @throws ManipleError DEVICE_LOST
 * @example
 *   const renderer = await createVisibilityRenderer(device, crowd, { sizes: await tuneRaster(device) });
 */
export async function tuneRaster(device: GPUDevice): Promise<RasterTuning> {
  return (await import('./measure-raster.ts')).measureRaster(device);
}
