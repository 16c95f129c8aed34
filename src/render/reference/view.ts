import type { ForwardView } from '../forward/view.ts';
import type { RgbaImage } from '../images/image.ts';
import type { SurfaceChange } from '../lighting/surface-change.ts';
import type { StaticPiece } from '../statics/lay-out.ts';

/** How reference pictures are sampled. */
export interface ReferenceOptions {
  /** Pictures, each a part of a pixel beside the others, that are averaged: 1 to 64, default 1. */
  readonly samples?: number;
  /** Texels of a shadow map each way, up to 4096; default 1024. */
  readonly shadowResolution?: number;
  /** Shadow maps, 0 to 4; default 3. */
  readonly cascadeCount?: number;
  /** What stands still around the crowd: what `createStatics` takes. */
  readonly scenery?: readonly StaticPiece[];
  /** Steps of a pixel that corners are rounded to, a power of two up to 256; default 256, as GPUs have them. */
  readonly gridSteps?: number;
  /** What the application makes of surfaces of characters: its twin runs. Columns that it reads have to be there. */
  readonly surface?: SurfaceChange;
}

/** One picture to draw: as the visibility renderer's, with everything that its targets could hold. */
export interface ReferenceView extends Pick<
  ForwardView,
  'camera' | 'previousCamera' | 'width' | 'height' | 'bounds' | 'scene' | 'views'
> {
  /** Receives the share of the work that is done, 0 to 1, some twenty times a second. */
  readonly onProgress?: (share: number) => void;
}

export interface ReferenceRenderer {
  /**
   * Draws the crowd as its last frame left it. It gives way to other tasks every 50 ms; the crowd has to wait for it.
   *
   * @throws ManipleError RENDER_FAILED (a frame of the crowd ran meanwhile, or it has taken on types), RENDER_TOO_LARGE
   */
  render(view: ReferenceView): Promise<ReferencePicture>;
  /** Milliseconds by stage, of the last picture. */
  readonly timings: ReadonlyMap<string, number>;
  /** Triangles that filter-triangles kept in the last picture: in it, then in each cascade, nearest first. */
  readonly kept: readonly number[];
}

/** A picture on the CPU; arrays go row by row from the top. What is beside colours is of the first sample. */
export interface ReferencePicture {
  /** sRGB, as `encodePng` takes it. */
  readonly color: RgbaImage;
  /** Two numbers a pixel: how far to the right and down what it shows has moved since the last picture, pixels. */
  readonly velocity: Float32Array<ArrayBuffer>;
  /** Two a pixel: 1 + row of the character, 0 where there is none; and its primitive. */
  readonly ids: Uint32Array<ArrayBuffer>;
  /** The near plane's distance over that of what a pixel shows; 0 where there is only sky. */
  readonly depth: Float32Array<ArrayBuffer>;
  /** Four a pixel: the world's x, y, z, and 1; all 0 where there is only sky. */
  readonly normals: Float32Array<ArrayBuffer>;
}
