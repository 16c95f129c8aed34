import { clipFromWorld, subtract, viewFromWorld, type Camera, type Matrix4, type Vector } from '../camera.ts';
import { added, scaled } from '../lighting/numbers.ts';
import type { Lens } from '../lighting/frame-uniforms.ts';
import type { ForwardView, PickView } from './view.ts';

export interface Sight {
  readonly camera: Camera;
  /** Width by height. */
  readonly aspect: number;
  /** Origin that the camera counts from: the crowd's in that frame, metres in the world. */
  readonly origin: Vector;
}

/** @param origin The crowd's origin in the frame that the picture shows. */
export function sightOf({ camera, width, height }: PickView, origin: Vector): Sight {
  const { eye, target, up } = camera;
  // callers may change their vectors later
  const own: Camera = { ...camera, eye: [...eye], target: [...target], ...(up && { up: [...up] }) };
  return { camera: own, aspect: width / height, origin };
}

/** `clipFromWorld` of a picture, for positions that count from another origin. Computed in double precision, then rounded. */
export function projectionOf({ camera, aspect, origin }: Sight, to: Vector): Matrix4 {
  const move = subtract(to, origin);
  return clipFromWorld({ ...camera, eye: subtract(camera.eye, move), target: subtract(camera.target, move) }, aspect);
}

/** @param last `clipFromWorld` of the last picture, counted from the same origin. */
export function lensOf(
  { camera, previousCamera, width, height }: Pick<ForwardView, 'camera' | 'previousCamera' | 'width' | 'height'>,
  last?: Matrix4,
): Lens {
  const now = clipFromWorld(camera, width / height);
  const slope = Math.tan((camera.fovY ?? Math.PI / 4) / 2);
  // the axes that vertices are projected by, also where the camera looks along its own up
  const axes = viewFromWorld(camera);
  const axis = (row: number, factor: number) => scaled([axes[row]!, axes[4 + row]!, axes[8 + row]!], factor);
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

/** Lens of a picture that is one pixel of a view's picture, counted from the left and the top. Nothing moves in it. */
export function pixelLens(view: PickView, [x, y]: readonly [number, number]): Lens {
  const { clipFromWorld: m, skyRight, skyUp, skyForward } = lensOf(view);
  const { width, height } = view;
  const right = 2 * x + 1 - width;
  const up = height - 2 * y - 1;
  const magnified = m.map((value, i) => {
    const w = m[i - (i % 4) + 3]!;
    return i % 4 === 0 ? width * value - right * w : i % 4 === 1 ? height * value - up * w : value;
  });
  return {
    clipFromWorld: magnified,
    previousClipFromWorld: magnified,
    skyRight: scaled(skyRight, 1 / width),
    skyUp: scaled(skyUp, 1 / height),
    skyForward: added(added(skyForward, scaled(skyRight, right / width)), scaled(skyUp, up / height)),
    pictureWidth: 1,
    pictureHeight: 1,
  };
}
