import type { EncodedFrame } from '../../crowd/frame-options.ts';
import type { CharacterId } from '../../crowd/ids.ts';
import type { Camera } from '../camera.ts';
import type { Bounds } from '../lighting/cascades.ts';
import type { DrawnViews } from '../lighting/frame-uniforms.ts';
import type { Scene } from '../lighting/scene.ts';

/** What a picture shows: colours in light, or a debug view; the README of this folder has their legends. */
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
   * The frame of the crowd that is drawn: the last recorded one (default), or with `copies: 3` the one before it. A renderer binds
   * memory for one of both: use it for the same one each time.
   */
  readonly frame?: EncodedFrame;
  /** Places here and in `bounds` and `scene` count from the crowd's origin, as the frame has it. */
  readonly camera: Camera;
  /** Where the picture goes; of the renderer's format. */
  readonly target: GPUTextureView;
  /** Pixels of the target, exactly. */
  readonly width: number;
  readonly height: number;
  /** What casts and receives shadows, metres in world space; the smaller, the finer the shadows. */
  readonly bounds: Bounds;
  /** What differs from `DEFAULT_SCENE`. */
  readonly scene?: Partial<Scene>;
  /**
   * Views of the crowd's frame, a bit each, whose characters are drawn: in the picture, and into the shadow maps, or into
   * each of them, nearest first (`cascadesOf` says what they see). Default: whoever any view sees.
   */
  readonly views?: DrawnViews;
  /** Default 'color'. Debug views are compiled by the first picture that shows them, and cast no shadows. */
  readonly show?: ShownView;
  /**
   * Where motion vectors go as well: rg32float, of the same size, see `createVelocityTarget`. Pixels, to the right and
   * down, that what a pixel shows has moved since the last picture: pixel − vector is where it was. Without several
   * samples. What was behind the eye has none.
   */
  readonly velocity?: GPUTextureView;
  /** Where ids go as well: rg32uint, see `createIdTarget`. 1 + the character's row and which of its primitives; 0: none. */
  readonly ids?: GPUTextureView;
  /**
   * Where the last picture was seen from, counted from the crowd's origin of now; default: the camera of this renderer's last
   * picture, wherever the origin was then, in the first one this one's. To be given where a renderer draws several pictures
   * of each frame.
   */
  readonly previousCamera?: Camera;
}

/** What of a view matters to what a pixel shows. */
export type PickView = Pick<ForwardView, 'camera' | 'width' | 'height' | 'scene' | 'views'>;

/** What a pixel shows. */
export interface PickedCharacter {
  readonly id: CharacterId;
  /** Index into the `primitives` of its type. */
  readonly primitive: number;
  /** Name of the part that the primitive belongs to. */
  readonly part: string;
}
