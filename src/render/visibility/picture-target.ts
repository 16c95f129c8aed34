import { CONTACT_FORMAT } from '../forward/pipelines.ts';
import { createRasterTarget, type RasterTarget } from './raster-target.ts';

/** Buffers and textures that a picture of one size is drawn in. */
export interface PictureTarget {
  readonly width: number;
  readonly height: number;
  readonly raster: RasterTarget;
  /** Output of raster-triangles, to be read by pixel: complement of an id, and bits of a depth. */
  readonly visibility: GPUTexture;
  readonly contact: GPUTextureView;
  readonly color: GPUTextureView;
  /** Means of several samples; undefined where there is one. */
  readonly mean: GPUTextureView | undefined;
  readonly surfaces:
    | { readonly motion: GPUTextureView; readonly ids: GPUTexture; readonly normals: GPUTextureView }
    | undefined;
  destroy(): void;
}

export const COLOR_FORMAT: GPUTextureFormat = 'rgba16float';

/** 26 bytes per pixel, 8 more for several samples, 20 more with motion, ids and normals. */
export function createPictureTarget(
  device: GPUDevice,
  { width, height }: { readonly width: number; readonly height: number },
  { surfaces, samples }: { readonly surfaces: boolean; readonly samples: number },
): PictureTarget {
  const textures: GPUTexture[] = [];
  const { TEXTURE_BINDING, STORAGE_BINDING, COPY_DST, COPY_SRC, RENDER_ATTACHMENT } = GPUTextureUsage;
  const create = (label: string, format: GPUTextureFormat, usage: number) => {
    const texture = device.createTexture({ label, size: [width, height], format, usage: TEXTURE_BINDING | usage });
    textures.push(texture);
    return texture;
  };
  const raster = createRasterTarget(device, 0, { width, height, ids: true });
  return {
    width,
    height,
    raster,
    visibility: create('visibility', 'rg32uint', COPY_DST),
    contact: create('contact shade', CONTACT_FORMAT, RENDER_ATTACHMENT).createView(),
    color: create('color', COLOR_FORMAT, STORAGE_BINDING | RENDER_ATTACHMENT).createView(),
    mean: samples > 1 ? create('mean', COLOR_FORMAT, RENDER_ATTACHMENT).createView() : undefined,
    surfaces: surfaces
      ? {
          motion: create('motion', 'rg32float', STORAGE_BINDING).createView(),
          ids: create('ids', 'rg32uint', STORAGE_BINDING | COPY_SRC),
          normals: create('normals', 'rgba8snorm', STORAGE_BINDING).createView(),
        }
      : undefined,
    destroy: () => [raster, ...textures].forEach((owned) => owned.destroy()),
  };
}
