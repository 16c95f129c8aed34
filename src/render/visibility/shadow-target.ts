import { createRasterTarget, type RasterTarget } from './raster-target.ts';

/** Cascades of the sun's shadow map. */
export interface ShadowTarget {
  readonly rasters: readonly RasterTarget[];
  /** A layer each: depth from the sun, for `viewBindings`. */
  readonly view: GPUTextureView;
  /** Copies the output of raster-triangles to the layers. */
  copy(encoder: GPUCommandEncoder): void;
  destroy(): void;
}

/** 9 bytes per texel. @param firstView Index of the first among the views that are drawn. */
export function createShadowTarget(
  device: GPUDevice,
  firstView: number,
  { count, resolution }: { readonly count: number; readonly resolution: number },
): ShadowTarget {
  const [width, height] = count === 0 ? [1, 1] : [resolution, resolution];
  const texture = device.createTexture({
    label: 'shadow maps',
    size: [width, height, Math.max(1, count)],
    format: 'r32float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  const rasters = Array.from({ length: count }, (_, i) =>
    createRasterTarget(device, firstView + i, { width, height, ids: false }),
  );
  return {
    rasters,
    view: texture.createView({ dimension: '2d-array' }),
    copy(encoder) {
      rasters.forEach(({ visibility, pitch }, layer) => {
        const to = { texture, origin: [0, 0, layer] };
        encoder.copyBufferToTexture({ buffer: visibility, bytesPerRow: 4 * pitch }, to, [width, height]);
      });
    },
    destroy: () => [texture, ...rasters].forEach((owned) => owned.destroy()),
  };
}
