import { clipFromWorld, viewFromWorld, type Matrix4, type Vector } from '../camera.ts';
import type { ForwardView, PickView } from './view.ts';

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

/** @param last `clipFromWorld` of the last picture. */
export function lensOf(
  { camera, previousCamera, width, height }: Pick<ForwardView, 'camera' | 'previousCamera' | 'width' | 'height'>,
  last?: Matrix4,
): Lens {
  const now = clipFromWorld(camera, width / height);
  const slope = Math.tan((camera.fovY ?? Math.PI / 4) / 2);
  // the axes that vertices are projected by, also where the camera looks along its own up
  const axes = viewFromWorld(camera);
  const axis = (row: number, factor: number): Vector => [
    axes[row]! * factor,
    axes[4 + row]! * factor,
    axes[8 + row]! * factor,
  ];
  return {
    clipFromWorld: now,
    previousClipFromWorld: previousCamera ? clipFromWorld(previousCamera, width / height) : (last ?? now),
    skyRight: axis(0, (slope * width) / height),
    skyUp: axis(1, slope),
    skyForward: axis(2, -1),
    pictureWidth: width,
    pictureHeight: height,
  };
}

/** The lens of a picture that is one pixel of a view's picture, counted from the left and the top. Nothing moves in it. */
export function pixelLens(view: PickView, [x, y]: readonly [number, number]): Lens {
  const { clipFromWorld: m, skyRight, skyUp, skyForward } = lensOf(view);
  const { width, height } = view;
  const right = 2 * x + 1 - width;
  const up = height - 2 * y - 1;
  const magnified = m.map((value, i) => {
    const w = m[i - (i % 4) + 3]!;
    return i % 4 === 0 ? width * value - right * w : i % 4 === 1 ? height * value - up * w : value;
  });
  const scaled = (v: Vector, factor: number) => v.map((c) => c * factor) as unknown as Vector;
  return {
    clipFromWorld: magnified,
    previousClipFromWorld: magnified,
    skyRight: scaled(skyRight, 1 / width),
    skyUp: scaled(skyUp, 1 / height),
    skyForward: skyForward.map(
      (c, i) => c + (right / width) * skyRight[i]! + (up / height) * skyUp[i]!,
    ) as unknown as Vector,
    pictureWidth: 1,
    pictureHeight: 1,
  };
}
