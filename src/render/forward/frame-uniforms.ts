import { View } from '../../layout/index.ts';
import { clipFromWorld, normalize, viewFromWorld, type Matrix4, type Vector } from '../camera.ts';
import { FrameUniforms } from './layout.ts';
import type { Scene } from './scene.ts';
import { sunView, type Bounds } from './sun.ts';
import type { ForwardView, PickView } from './view.ts';

/** `clipFromWorld` of a view, and of the picture before it. */
export interface Projections {
  readonly now: Matrix4;
  readonly before: Matrix4;
}

/** @param last `clipFromWorld` of the last picture. */
export function projectionsOf(
  { camera, previousCamera, width, height }: Pick<ForwardView, 'camera' | 'previousCamera' | 'width' | 'height'>,
  last: Matrix4 | undefined,
): Projections {
  const now = clipFromWorld(camera, width / height);
  return { now, before: previousCamera ? clipFromWorld(previousCamera, width / height) : (last ?? now) };
}

/** The same projection where one pixel, counted from the left and the top, is the whole picture. */
export function magnified(m: Matrix4, { width, height }: PickView, [x, y]: readonly [number, number]): Matrix4 {
  const right = 2 * x + 1 - width;
  const up = height - 2 * y - 1;
  return m.map((value, i) => {
    const w = m[i - (i % 4) + 3]!;
    return i % 4 === 0 ? width * value - right * w : i % 4 === 1 ? height * value - up * w : value;
  });
}

const NO_BOUNDS: Bounds = { min: [0, 0, 0], max: [1, 1, 1] };

export function frameUniforms(
  { camera, width, height, bounds = NO_BOUNDS, views }: PickView & Partial<Pick<ForwardView, 'bounds'>>,
  scene: Scene,
  { now, before }: Projections,
  shadowResolution: number,
): Uint8Array<ArrayBuffer> {
  const view = new View(FrameUniforms, 1);
  const { sunFromWorld, texel } = sunView(scene.sunDirection, bounds, shadowResolution);
  const slope = Math.tan((camera.fovY ?? Math.PI / 4) / 2);
  // the axes that vertices are projected by, also where the camera looks along its own up
  const axes = viewFromWorld(camera);
  const axis = (row: number, factor: number): Vector => [
    axes[row]! * factor,
    axes[4 + row]! * factor,
    axes[8 + row]! * factor,
  ];
  view.assign(0, {
    clipFromWorld: now,
    previousClipFromWorld: before,
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
    skyRight: axis(0, (slope * width) / height),
    skyUp: axis(1, slope),
    skyForward: axis(2, -1),
    pictureWidth: width,
    pictureHeight: height,
  });
  return new Uint8Array(view.words.buffer);
}
