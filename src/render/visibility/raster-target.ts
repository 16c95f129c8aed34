import { roundUp, View } from '../../layout/index.ts';
import { createFilled } from '../../frame/gpu-memory.ts';
import { PITCH_WORDS, RASTER_DEPTH, RASTER_IDS, RasterParams } from '../../stages/raster-triangles/layout.ts';
import { RASTER_DEPTH_FORMAT } from '../../stages/raster-triangles/stage.ts';

/** A picture's depths, and ids where they are wanted, as all rasterisers leave them. */
export interface RasterTarget {
  readonly width: number;
  readonly height: number;
  /** Depths, then ids: words that raster-triangles writes. */
  readonly visibility: GPUBuffer;
  readonly pitch: number;
  readonly idWord: number;
  /** What the hardware's rasteriser draws to. */
  readonly hardwareDepth: GPUTexture;
  /** RasterParams of depths, and of ids. */
  readonly depthParams: GPUBuffer;
  readonly idParams: GPUBuffer | undefined;
  destroy(): void;
}

/** 8 bytes per pixel, and 4 more with ids. */
export function createRasterTarget(
  device: GPUDevice,
  viewIndex: number,
  { width, height, ids }: { readonly width: number; readonly height: number; readonly ids: boolean },
): RasterTarget {
  const pitch = roundUp(width, PITCH_WORDS);
  const idWord = pitch * height;
  const visibility = device.createBuffer({
    label: 'visibility',
    size: idWord * 4 * (ids ? 2 : 1),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  const hardwareDepth = device.createTexture({
    label: 'hardware depth',
    size: [width, height],
    format: RASTER_DEPTH_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const paramsOf = (mode: number) => {
    const params = new View(RasterParams, 1);
    params.assign(0, { viewIndex, mode, pitch, idWord });
    return createFilled(device, 'raster params', GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST, params.words);
  };
  const depthParams = paramsOf(RASTER_DEPTH);
  const idParams = ids ? paramsOf(RASTER_IDS) : undefined;
  return {
    width,
    height,
    visibility,
    pitch,
    idWord,
    hardwareDepth,
    depthParams,
    idParams,
    destroy: () => [visibility, hardwareDepth, depthParams, idParams].forEach((owned) => owned?.destroy()),
  };
}
