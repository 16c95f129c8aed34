import type { Names } from '../../crowd/arguments.ts';
import type { ForwardRenderer } from '../forward/forward.ts';
import type { ForwardView } from '../forward/view.ts';
import type { RgbaImage } from '../images/image.ts';
import type { SurfaceChange } from '../lighting/surface-change.ts';
import type { StaticPiece } from '../scenery/lay-out.ts';

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
