import { createFilled } from '../../frame/tables/memory.ts';
import { roundUp, View } from '../../layout/index.ts';
import { PITCH_PIXELS, RASTER_DEPTH, RASTER_IDS, RasterParams } from './raster-triangles/layout.ts';
import { canRasterWide, RASTER_FORMAT, type RasterVariant } from './raster-triangles/stage.ts';

/** A picture's depths, and ids if they are wanted, as both rasterisers write them. */
export interface RasterTarget {
  readonly width: number;
  readonly height: number;
  /** Output of raster-triangles: see `rasterBindings`. */
  readonly visibility: GPUBuffer;
  /** Pixels from row to row, and words of a pixel: 2 with ids, else 1. */
  readonly pitch: number;
  readonly pixelWords: number;
  /** Attachment for the hardware's rasteriser. Its contents are not used. */
  readonly attachment: GPUTextureView;
  /** Passes that fill it, one after the other, with their RasterParams. */
  readonly passes: readonly { readonly variant: RasterVariant; readonly params: GPUBuffer }[];
  destroy(): void;
}

/**
 * 5 bytes per pixel, 9 with ids.
 * @param variant Default: what the device can do.
 */
export function createRasterTarget(
  device: GPUDevice,
  viewIndex: number,
  { width, height, ids }: { readonly width: number; readonly height: number; readonly ids: boolean },
  variant: RasterVariant = canRasterWide(device) ? 'wide' : 'base',
): RasterTarget {
  const pitch = roundUp(width, PITCH_PIXELS);
  const pixelWords = ids ? 2 : 1;
  const visibility = device.createBuffer({
    label: 'visibility',
    size: pitch * height * 4 * pixelWords,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  const attachment = device.createTexture({
    label: 'nothing',
    size: [width, height],
    format: RASTER_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const passOf = (mode: number, chosen: RasterVariant) => {
    const params = new View(RasterParams, 1);
    params.assign(0, { viewIndex, mode, pitch, pixelWords });
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    return { variant: chosen, params: createFilled(device, 'raster params', usage, params.words) };
  };
  // the wide variant draws depths and ids at once, so it needs ids
  const depths = passOf(RASTER_DEPTH, ids ? variant : 'base');
  const passes = ids && variant === 'base' ? [depths, passOf(RASTER_IDS, variant)] : [depths];
  return {
    width,
    height,
    visibility,
    pitch,
    pixelWords,
    attachment: attachment.createView(),
    passes,
    destroy: () => [visibility, attachment, ...passes.map(({ params }) => params)].forEach((owned) => owned.destroy()),
  };
}
