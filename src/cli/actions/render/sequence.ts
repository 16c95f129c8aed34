import type { Crowd } from '../../../crowd/crowd.ts';
import type { Battle } from '../../../render/battle.ts';
import { orbited } from '../../../render/framing.ts';
import type { RgbaImage } from '../../../render/images/index.ts';
import type { Shard } from '../../options.ts';
import type { PictureMaker } from './pictures.ts';
import { orbitsOf, scheduleOf, type SequenceOptions } from './schedule.ts';

/** One drawn frame. */
export interface DrawnFrame {
  /** From 1. */
  readonly number: number;
  readonly image: RgbaImage;
}

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
  const { frames, shard } = options;
  const { dt, early } = scheduleOf(options);
  const angles = orbitsOf(options);
  const camera = options.camera ?? stage.camera;
  const cameraAt = (number: number) => orbited(camera, angles[number - 1] ?? 0);
  const update = (number: number) => crowd.update({ dt, views: pictures.viewsOf(cameraAt(number)) });
  for (let i = 0; i < early; i++) await update(1);
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
