import type { RenderOptions } from './options.ts';

/** Options for the times of frames and the positions of the camera. */
export type SequenceOptions = Pick<RenderOptions, 'frames' | 'fps' | 'shard' | 'camera' | 'orbit' | 'output'>;

/** Seconds from the staged moment to a single picture. */
const MOMENT = 1 / 60;

/** Seconds between frames, and how many pass before the first that is drawn. */
export function scheduleOf({ frames, fps, output }: Pick<SequenceOptions, 'frames' | 'fps' | 'output'>): {
  readonly dt: number;
  readonly early: number;
} {
  // what a debug view shows of a crowd is what has become of it since the frame before
  return { dt: frames > 1 ? 1 / fps : MOMENT, early: output === 'color' ? 0 : 1 };
}

/**
 * Angles by which the camera has turned in each frame, anticlockwise from above. After a full circle they begin again.
 * One angle where it does not turn.
 */
export function orbitsOf({ orbit = 0, frames }: Pick<SequenceOptions, 'orbit' | 'frames'>): readonly number[] {
  if (orbit === 0) return [0];
  return Array.from({ length: frames }, (_, i) => (orbit * Math.PI * i) / (180 * frames));
}
