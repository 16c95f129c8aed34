import type { Battle } from '../../../battle/battle.ts';
import { orbited } from '../../../battle/framing.ts';
import type { Crowd } from '../../../crowd/crowd.ts';
import type { RgbaImage } from '../../../render/images/index.ts';
import { orbitsOf, scheduleOf, type SequenceOptions } from './options.ts';
import type { PictureMaker } from './pictures.ts';

/**
 * Runs a staged crowd frame by frame, 1 / `fps` seconds each, and draws the frames in `numbers`.
 *
 * Every shard runs every frame in full up to its last, with the views of the camera. Earlier frames decide which
 * characters are posed, at which level and how often. So a frame is the same, byte for byte, in any shard. Shards
 * divide only the drawing.
 */
export async function* playSequence(
  crowd: Crowd,
  stage: Battle,
  pictures: PictureMaker,
  options: SequenceOptions,
  numbers: ReadonlySet<number>,
  onFrame: (number: number) => void,
): AsyncGenerator<{ readonly number: number; readonly image: RgbaImage }> {
  const { dt, early } = scheduleOf(options);
  const angles = orbitsOf(options);
  const camera = options.camera ?? stage.camera;
  const cameraAt = (number: number) => orbited(camera, angles[number - 1] ?? 0);
  const update = (number: number) => {
    crowd.update({ dt, views: pictures.viewsOf(cameraAt(number)) });
    return crowd.workDone();
  };
  const last = Array.from(numbers).at(-1) ?? 0; // they rise
  if (last > 0) for (let i = 0; i < early; i++) await update(1);
  for (let number = 1; number <= last; number++) {
    onFrame(number);
    if (number > 1) stage.director?.advance(dt);
    await update(number);
    if (!numbers.has(number)) continue;
    const previousCamera = cameraAt(Math.max(1, number - 1));
    yield { number, image: await pictures.draw({ camera: cameraAt(number), previousCamera }) };
  }
}

/** Frames that a run draws, from 1: those of its shard that are not there yet. */
export function framesToDraw({ frames, shard }: SequenceOptions, existing: readonly number[]): ReadonlySet<number> {
  const { index, count } = shard ?? { index: 1, count: 1 };
  const numbers = new Set<number>();
  for (let number = index; number <= frames; number += count) numbers.add(number);
  for (const number of existing) numbers.delete(number);
  return numbers;
}
