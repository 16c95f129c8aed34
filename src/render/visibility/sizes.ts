import type { DeviceKind } from '../../device/adapter-kind.ts';

/** What decides which rasteriser draws an instance, or a triangle, and how both round. */
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
  hardware: { hardwareSize: Infinity, triangleSize: 48, gridSteps: 256 },
  software: { hardwareSize: Infinity, triangleSize: 8, gridSteps: 16 },
};
