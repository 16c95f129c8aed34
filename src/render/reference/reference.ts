import { expectOptions, type Names } from '../../crowd/arguments.ts';
import { expectCrowd } from '../../crowd/internals.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import type { ForwardRenderer } from '../forward/forward.ts';
import type { ForwardView } from '../forward/view.ts';
import type { RgbaImage } from '../images/image.ts';
import type { SurfaceChange } from '../lighting/surface-change.ts';
import type { StaticPiece } from '../scenery/lay-out.ts';

/**
 * Creates a renderer that runs on the CPU, on the twins of filter-triangles, raster-triangles and shade-pixels. The GPU's pictures
 * are compared with it. It needs no device and is slow: some 60 µs per pixel and 10 to 30 µs per triangle and view. The
 * crowd must be created with `backend: 'cpu'`.
 *
 * @throws ManipleError RENDER_FAILED (the crowd runs on a GPU, or a type skins in draws; an option), IMAGE_UNDECODABLE,
 *   CROWD_BAD_ARGUMENT and SURFACE_INVALID (`surface`)
 * @example
 *   const crowd = await createCrowd(undefined, { characters: [knight], capacity: 8, backend: 'cpu' });
 *   crowd.spawn(knight, { count: 8 });
 *   crowd.update({ dt: 0.1 });
 *   const renderer = await createReferenceRenderer(crowd);
 *   const { color } = await renderer.render({ camera, bounds, width: 160, height: 90 });
 *   await writeFile('crowd.png', await encodePng(color));
 */
export async function createReferenceRenderer(
  crowd: Crowd,
  options: ReferenceOptions = {},
): Promise<ReferenceRenderer> {
  expectCrowd(crowd);
  expectOptions('options', options, REFERENCE_OPTIONS);
  const { createRenderer } = await import('./renderer.ts');
  return createRenderer(crowd, options);
}

/** How reference pictures are sampled. */
export interface ReferenceOptions {
  /** Number of pictures to average, each shifted by a part of a pixel: 1 to 64, default 1. */
  readonly sampleCount?: number;
  /** Texels of a shadow map each way, up to 4096; default 1024. */
  readonly shadowResolution?: number;
  /** Shadow maps, 0 to 4; default 3. */
  readonly cascadeCount?: number;
  /** Scenery around the crowd, in the form that `createScenery` takes. */
  readonly scenery?: readonly StaticPiece[];
  /** Steps of a pixel that corners are rounded to, a power of two up to 256; default 256, as GPUs have them. */
  readonly gridSteps?: number;
  /** The application's change to surfaces of characters. Its twin runs. Columns that it reads must exist. */
  readonly surface?: SurfaceChange;
}

const REFERENCE_OPTIONS: Names<ReferenceOptions> = {
  sampleCount: true,
  shadowResolution: true,
  cascadeCount: true,
  scenery: true,
  gridSteps: true,
  surface: true,
};

/** One picture to draw, as with the visibility renderer. It always has what that renderer's targets could hold. */
export interface ReferenceView extends Pick<
  ForwardView,
  'camera' | 'previousCamera' | 'width' | 'height' | 'bounds' | 'lighting' | 'views'
> {
  /** Receives the share of the work that is done, 0 to 1, about twenty times a second. */
  readonly onProgress?: (share: number) => void;
}

export const REFERENCE_VIEW: Names<ReferenceView> = {
  camera: true,
  previousCamera: true,
  width: true,
  height: true,
  bounds: true,
  lighting: true,
  views: true,
  onProgress: true,
};

export interface ReferenceRenderer extends Pick<ForwardRenderer, 'crowdViews'> {
  /**
   * Draws the crowd's last frame. It lets other tasks run every 50 ms. Do not update the crowd until it is done.
   *
   * @throws ManipleError RENDER_FAILED (a frame of the crowd ran meanwhile, or types were added to it), RENDER_TOO_LARGE
   */
  render(view: ReferenceView): Promise<ReferencePicture>;
  /** Milliseconds by stage, of the last picture. */
  readonly timings: ReadonlyMap<string, number>;
  /** Counts of triangles that filter-triangles kept: in the last picture, then in each cascade, nearest first. */
  readonly kept: readonly number[];
}

/** A picture on the CPU. Arrays go row by row from the top. All but the colours are from the first sample. */
export interface ReferencePicture {
  /** sRGB, as `encodePng` takes it. */
  readonly color: RgbaImage;
  /** Two numbers a pixel: motion of its surface since the last picture, in pixels to the right and down. */
  readonly velocity: Float32Array<ArrayBuffer>;
  /** Two a pixel: 1 + row of the character (0 without a character), and its primitive. */
  readonly ids: Uint32Array<ArrayBuffer>;
  /** The near plane's distance divided by the surface's distance; 0 where there is only sky. */
  readonly depth: Float32Array<ArrayBuffer>;
  /** Four a pixel: the world's x, y, z, and 1; all 0 where there is only sky. */
  readonly normals: Float32Array<ArrayBuffer>;
}
