import { View } from '../../layout/index.ts';
import { normalize, type Camera, type Matrix4, type Vector } from '../camera.ts';
import type { CascadeView } from './cascades.ts';
import { Cascade, FrameUniforms } from './layout.ts';
import type { Scene } from './scene.ts';

/** How the pixels of a picture look at the world; fields of `FrameUniforms`. */
export interface Lens {
  readonly clipFromWorld: Matrix4;
  /** The last picture's. */
  readonly previousClipFromWorld: Matrix4;
  /** World directions of the picture's right edge, top edge and centre. */
  readonly skyRight: Vector;
  readonly skyUp: Vector;
  readonly skyForward: Vector;
  /** Pixels. */
  readonly pictureWidth: number;
  readonly pictureHeight: number;
}

/** Views of the crowd, a bit each, whose characters are drawn: in the picture, and into the shadow maps, or into each of them. */
export interface DrawnViews {
  readonly picture: number;
  readonly shadow: number | readonly number[];
}

const ALL = 0xffffffff;

/** Of pictures without light: of a single pixel. */
export const NO_SHADOWS = { cascades: [], resolution: 1 } as const;

/** The bytes of `FrameUniforms`. */
export function frameUniforms(
  { camera, views }: { readonly camera: Camera; readonly views?: DrawnViews | undefined },
  scene: Scene,
  lens: Lens,
  { cascades, resolution }: { readonly cascades: readonly CascadeView[]; readonly resolution: number },
): Uint8Array<ArrayBuffer> {
  const view = new View(FrameUniforms, 1);
  view.assign(0, {
    ...lens,
    eye: camera.eye,
    fadeDistance: scene.fadeDistance,
    sunDirection: normalize(scene.sunDirection),
    cascadeCount: cascades.length,
    sunColor: scene.sunColor,
    exposure: scene.exposure,
    skyColor: scene.skyColor,
    groundHeight: scene.groundHeight,
    horizonColor: scene.horizonColor,
    shadowResolution: resolution,
    groundColor: scene.groundColor,
    pictureViews: views?.picture ?? ALL,
  });
  const { buffer } = view.words;
  const rows = new View(Cascade, buffer, FrameUniforms.offsets.cascades, cascades.length);
  cascades.forEach(({ sunFromWorld, texel, far }, i) => {
    const { shadow = ALL } = views ?? {};
    const depthPerMetre = Math.hypot(sunFromWorld[2]!, sunFromWorld[6]!, sunFromWorld[10]!);
    const seenBy = typeof shadow === 'number' ? shadow : (shadow[i] ?? 0);
    rows.assign(i, { sunFromWorld, texel, far, depthPerMetre, views: seenBy });
  });
  return new Uint8Array(buffer);
}
