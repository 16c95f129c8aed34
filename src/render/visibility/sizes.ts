import type { DeviceKind } from '../../device/adapter-kind.ts';
import { fail } from '../../errors.ts';
import { TRIANGLE_SIZE } from './views.ts';

/** Sizes that decide which rasteriser draws an instance or a triangle, and the grid that both round to. */
export interface RasterSizes {
  /** Pixels across from which on an instance is drawn by the hardware. */
  readonly hardwareSize: number;
  /** The same for single triangles, at most 126; a sixth of it for those that may have holes. */
  readonly triangleSize: number;
  /** Steps per pixel that corners are rounded to: the hardware's own, a power of two. */
  readonly gridSteps: number;
}

/** GPUs have 256 steps, SwiftShader has 16. */
export const RASTER_DEFAULTS: Readonly<Record<Exclude<DeviceKind, 'null'>, RasterSizes>> = {
  hardware: { hardwareSize: Infinity, triangleSize: TRIANGLE_SIZE, gridSteps: 256 },
  software: { hardwareSize: Infinity, triangleSize: 8, gridSteps: 16 },
};

/** GPUs round to no finer grid, and compute's edge arithmetic holds no finer one. */
const FINEST_GRID = 256;

/** @throws ManipleError RENDER_FAILED where compute could not draw by them, or would leave cracks. */
export function checkSizes({ hardwareSize, triangleSize, gridSteps }: RasterSizes): void {
  const refuse = (key: keyof RasterSizes, value: number, suggestion: string) =>
    fail('RENDER_FAILED', `sizes.${key}`, `is ${value}.`, suggestion);
  if (!(hardwareSize >= 0)) refuse('hardwareSize', hardwareSize, 'Give pixels; Infinity: compute draws all instances.');
  if (!(triangleSize >= 0 && triangleSize <= TRIANGLE_SIZE)) {
    refuse('triangleSize', triangleSize, `Give pixels, at most ${TRIANGLE_SIZE}.`);
  }
  if (!(gridSteps >= 1 && gridSteps <= FINEST_GRID && Number.isInteger(Math.log2(gridSteps)))) {
    refuse('gridSteps', gridSteps, `Give a power of two, at most ${FINEST_GRID}: what tuneHardwareRaster finds.`);
  }
}

/** Times of both rasterisers for the same work. */
export interface TimedRaster {
  /** Equal triangles, or instances with small and large triangles. */
  readonly of: 'triangles' | 'instances';
  /** Pixels across, of each triangle, or of each instance. */
  readonly size: number;
  /** Milliseconds: medians. For instances, compute leaves triangles from `triangleSize` on to the hardware. */
  readonly compute: number;
  readonly hardware: number;
}

/** For `createVisibilityRenderer`: `hardwareRaster`. */
export interface RasterTuning extends RasterSizes {
  /** 'rule': sizes are the defaults. `gridSteps` is measured nevertheless. */
  readonly source: 'measured' | 'rule';
  /** Empty where nothing was measured. */
  readonly timed: readonly TimedRaster[];
}
