import { View } from '../../layout/index.ts';
import { normalize } from '../camera.ts';
import { FrameUniforms } from './layout.ts';
import type { Lens } from './lens.ts';
import type { Scene } from './scene.ts';
import { sunView, type Bounds } from './sun.ts';
import type { ForwardView, PickView } from './view.ts';

const NO_BOUNDS: Bounds = { min: [0, 0, 0], max: [1, 1, 1] };

export function frameUniforms(
  { camera, bounds = NO_BOUNDS, views }: PickView & Partial<Pick<ForwardView, 'bounds'>>,
  scene: Scene,
  lens: Lens,
  shadowResolution: number,
): Uint8Array<ArrayBuffer> {
  const view = new View(FrameUniforms, 1);
  const { sunFromWorld, texel } = sunView(scene.sunDirection, bounds, shadowResolution);
  view.assign(0, {
    ...lens,
    sunFromWorld,
    eye: camera.eye,
    fadeDistance: scene.fadeDistance,
    sunDirection: normalize(scene.sunDirection),
    shadowTexel: texel,
    sunColor: scene.sunColor,
    exposure: scene.exposure,
    skyColor: scene.skyColor,
    groundHeight: scene.groundHeight,
    horizonColor: scene.horizonColor,
    shadowStep: 1 / shadowResolution,
    groundColor: scene.groundColor,
    pictureViews: views?.picture ?? 0xffffffff,
    shadowViews: views?.shadow ?? 0xffffffff,
  });
  return new Uint8Array(view.words.buffer);
}
