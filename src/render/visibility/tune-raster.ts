import type { RasterSizes } from './sizes.ts';

/** What both rasterisers took for as much of the same. */
export interface TimedRaster {
  /** All triangles alike, or instances whose triangles are small and large. */
  readonly of: 'triangles' | 'instances';
  /** Pixels across, of each triangle, or of each instance. */
  readonly size: number;
  /** Milliseconds: medians. Of instances, compute leaves triangles from `triangleSize` on to the hardware. */
  readonly compute: number;
  readonly hardware: number;
}

/** For `createVisibilityRenderer`: `sizes`. */
export interface RasterTuning extends RasterSizes {
  /** 'rule': sizes are those that everyone has who does not tune. `gridSteps` is measured all the same. */
  readonly source: 'measured' | 'rule';
  /** Empty where nothing was measured. */
  readonly timed: readonly TimedRaster[];
}

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
