import type { Names } from '../../crowd/arguments.ts';
import type { EncodedFrame } from '../../crowd/frame-options.ts';
import type { CharacterId } from '../../crowd/rows/ids.ts';
import type { Camera } from '../camera.ts';
import type { Bounds } from '../lighting/cascades.ts';
import type { DrawnViews } from '../lighting/frame-uniforms.ts';
import type { Lighting } from '../lighting/scene.ts';

/** Content of a picture: colours in light, or a debug view. The README of this folder has their legends. */
export type ShownView =
  | 'color'
  | 'level'
  | 'rate'
  | 'slot'
  | 'bounds'
  | 'joints'
  | 'ids'
  | 'overdraw'
  | 'velocity'
  | 'depth'
  | 'normals';

/** One picture to draw. */
export interface ForwardView {
  /**
   * The crowd's frame to draw: the last recorded one (default), or the one before it with `copies: 3`. A renderer binds memory
   * for only one of the two, so pass the same one each time.
   */
  readonly frame?: EncodedFrame;
  /** Positions here and in `bounds` and `lighting` count from the crowd's origin in that frame. */
  readonly camera: Camera;
  /** Target of the picture, in the renderer's format. */
  readonly target: GPUTextureView;
  /** Exact size of the target, pixels. */
  readonly width: number;
  readonly height: number;
  /** Box that casts and receives shadows, metres in world space. A smaller box has finer shadows. */
  readonly bounds: Bounds;
  /** Changes to `DEFAULT_LIGHTING`. */
  readonly lighting?: Partial<Lighting>;
  /**
   * Views of the crowd's frame, a bit each: only their visible characters are drawn. One mask is for the picture. The other is
   * for all shadow maps, or there is one for each map, nearest first (`cascadesOf` returns their views). Default: all views.
   */
  readonly views?: DrawnViews;
  /** Default 'color'. Debug views are compiled by the first picture that shows them, and cast no shadows. */
  readonly debugView?: ShownView;
  /**
   * Target for motion vectors: rg32float, of the same size, see `createVelocityTarget`. A vector is the motion of a pixel's
   * surface since the last picture, in pixels to the right and down: pixel − vector is where it was. There is one
   * sample per pixel. Surfaces that were behind the eye have a vector of 0.
   */
  readonly velocity?: GPUTextureView;
  /** Target for ids: rg32uint, see `createIdTarget`. 1 + the character's row (0 without one), and the index of its primitive. */
  readonly ids?: GPUTextureView;
  /**
   * Camera of the last picture, counted from the crowd's origin in the drawn frame. Default: the camera of this renderer's last
   * picture, corrected for moves of the origin. The renderer's first picture uses its own camera. Pass it where a renderer
   * draws several pictures of each frame.
   */
  readonly previousCamera?: Camera;
}

/** Names of the fields that views of both renderers have. */
export const COMMON_VIEW: Names<Omit<ForwardView, 'debugView'>> = {
  frame: true,
  camera: true,
  target: true,
  width: true,
  height: true,
  bounds: true,
  lighting: true,
  views: true,
  velocity: true,
  ids: true,
  previousCamera: true,
};
export const FORWARD_VIEW: Names<ForwardView> = { ...COMMON_VIEW, debugView: true };
/** Views of pictures may be passed to picks as they are. */
export const PICK_VIEW = { ...FORWARD_VIEW, depth: true, normals: true } as const;

/** Fields of a view that decide what a pixel shows. */
export type PickView = Pick<ForwardView, 'camera' | 'width' | 'height' | 'lighting' | 'views'>;

/** The character that a pixel shows. */
export interface PickHit {
  readonly id: CharacterId;
  /** Index into the `primitives` of its type. */
  readonly primitive: number;
  /** Name of the part that the primitive belongs to. */
  readonly part: string;
}
