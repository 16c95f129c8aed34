import { transform, type Vector } from '../camera.ts';
import type { LitFrame } from '../lighting/lit-frame.ts';

type MovedFrame = Pick<LitFrame, 'clipFromWorld' | 'previousClipFromWorld' | 'pictureWidth' | 'pictureHeight'>;

/** A point in metres (`w` 1), or a direction (`w` 0). */
export interface WorldPlace {
  readonly at: Vector;
  readonly w: 0 | 1;
}

/**
 * Twin of `motion.wesl`: motion of a place since the last picture, in pixels to the right and down. It is 0 for a place that was
 * behind the eye.
 */
export function velocityOf(frame: MovedFrame, now: WorldPlace, before: WorldPlace): [x: number, y: number] {
  const clip = (matrix: MovedFrame['clipFromWorld'], { at, w }: WorldPlace) => {
    const moved = transform(matrix, at);
    return w === 1 ? moved : moved.map((value, row) => value - matrix[12 + row]!);
  };
  const [here, there] = [clip(frame.clipFromWorld, now), clip(frame.previousClipFromWorld, before)];
  if (there[3]! <= 0) return [0, 0];
  const between = (axis: 0 | 1) => here[axis]! / here[3]! - there[axis]! / there[3]!;
  return [0.5 * frame.pictureWidth * between(0), -0.5 * frame.pictureHeight * between(1)];
}
