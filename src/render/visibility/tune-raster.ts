import type { RasterTuning } from './sizes.ts';

/**
 * Measures from which sizes on this adapter's own rasteriser draws triangles, and whole instances, faster than compute
 * does. Also measures the grid that it rounds corners to. Both rasterisers draw sheets of triangles of several sizes by
 * the passes of pictures, in turns. Draws some 150 pictures of a megapixel, each covered sixteen times over, after
 * compiling the shaders. Software adapters draw small pictures, for some seconds. Without the feature `timestamp-query`
 * only the grid is measured.
 *
 * @throws ManipleError DEVICE_LOST
 * @example
 *   const renderer = await createVisibilityRenderer(device, crowd, { hardwareRaster: await tuneHardwareRaster(device) });
 */
export async function tuneHardwareRaster(device: GPUDevice): Promise<RasterTuning> {
  return (await import('./measure-raster.ts')).measureRaster(device);
}
