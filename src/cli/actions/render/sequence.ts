import type { Crowd } from '../../../crowd/crowd.ts';
import type { Battle } from '../../../render/battle.ts';
import type { Camera, Vector } from '../../../render/camera.ts';
import type { RgbaImage } from '../../../render/images/index.ts';
import type { Shard } from '../../options.ts';
import type { RenderOptions } from './options.ts';
import type { PictureMaker } from './pictures.ts';

/** Seconds that a single picture comes after what has been staged. */
const MOMENT = 1 / 60;

/** One drawn frame. */
export interface DrawnFrame {
  /** From 1. */
  readonly number: number;
  readonly image: RgbaImage;
}

type SequenceOptions = Pick<RenderOptions, 'frames' | 'fps' | 'shard' | 'camera' | 'orbit' | 'output'>;

/**
 * Lets a staged crowd go on frame by frame, 1 / `fps` seconds each, and draws those of the shard.
 *
 * Every shard runs every frame in full, with the views of a camera that looks: who is posed, at which level and how often
 * follows from the frames before, so a frame is the same, byte for byte, whoever draws it. What shards share is drawing.
 */
export async function* playSequence(
  crowd: Crowd,
  stage: Battle,
  pictures: PictureMaker,
  options: SequenceOptions,
  onFrame: (number: number) => void,
): AsyncGenerator<DrawnFrame> {
  const { frames, fps, shard, output } = options;
  const dt = frames > 1 ? 1 / fps : MOMENT;
  const cameraAt = (number: number) => orbited(options.camera ?? stage.camera, options, number);
  const update = (number: number) => crowd.update({ dt, views: pictures.viewsOf(cameraAt(number)) });
  // what a debug view shows of a crowd is what has become of it since the frame before
  if (output !== 'color') await update(1);
  for (let number = 1; number <= frames; number++) {
    onFrame(number);
    if (number > 1) stage.director?.advance(dt);
    await update(number);
    if (!isOf(shard, number)) continue;
    const previousCamera = cameraAt(Math.max(1, number - 1));
    yield { number, image: await pictures.draw({ camera: cameraAt(number), previousCamera }) };
  }
}

/** Whether a shard draws a frame. */
export function isOf(shard: Shard | undefined, number: number): boolean {
  return shard === undefined || (number - 1) % shard.count === shard.index - 1;
}

/** The camera of a frame that turns around its target, anticlockwise from above; after a full circle the first comes again. */
function orbited(
  camera: Camera,
  { orbit = 0, frames }: Pick<SequenceOptions, 'orbit' | 'frames'>,
  number: number,
): Camera {
  const angle = (orbit * Math.PI * (number - 1)) / (180 * frames);
  if (angle === 0) return camera;
  const { eye, target } = camera;
  const [x, z] = [eye[0] - target[0], eye[2] - target[2]];
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const turned: Vector = [target[0] + x * cos + z * sin, eye[1], target[2] - x * sin + z * cos];
  return { ...camera, eye: turned };
}
