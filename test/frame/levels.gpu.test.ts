// Levels of detail of a character that comes and goes around the size at which they change, on both backends.
import { describe, expect, test } from 'vitest';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { smallActor } from '../support/crowd-truth.ts';
import { shownBy } from '../support/flight.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { withFewerJoints } from '../support/random-rigs.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const [HEIGHT, FOV_Y] = [1000, 0.5];
const view = { clipFromWorld: clipFromWorld({ eye: [0, 0, 0], target: [0, 0, -1], fovY: FOV_Y }, 1), height: HEIGHT };
/** Metres by which the coarse level may be off: at 1 pixel of tolerance it is good for 2 r / ERROR pixels. */
const ERROR = 0.02;

/** Sizes as shares of that one, frame by frame, and the level that is drawn. Negative: behind the camera; 0: no views. */
const FRAMES: readonly (readonly [share: number, level: number | undefined])[] = [
  [0.95, 1], // it has no past: the coarsest that is good enough
  [1.05, 0], // a finer one at once
  [0.95, 0],
  [0.87, 0], // a coarser one from 0.85 on
  [1.05, 0],
  [0.83, 1],
  [0.87, 1],
  [0.99, 1],
  [1.01, 0],
  [0.99, 0],
  [-1, undefined],
  [0.95, 1], // nor has it a past here
  [1.05, 0],
  [0, undefined],
  [0.95, 1], // nor after a frame without views
];

describe.skipIf(noGpu())('levels change at 0.85 of the size that they change back at', () => {
  const character = withFewerJoints(new Random(4), smallActor().character, ERROR);
  const { center, radius } = character.reach!;
  const limit = (2 * radius) / ERROR;

  test.each(['gpu', 'cpu'] as const)('%s', async (backend) => {
    const { device } = await testDevice();
    const crowd = createCrowd(device, {
      characters: [character],
      capacity: 4,
      skin: 'compute',
      lodTolerancePx: 1,
      updateRates: false,
      backend,
    });
    const group = crowd.spawn(character);
    const row = group.id(0) % 2 ** 24;
    const levels: (number | undefined)[] = [];
    for (const [share] of FRAMES) {
      if (share === 0) {
        await updateAndWait(crowd, { dt: 0.01, views: [] });
        levels.push(undefined);
        continue;
      }
      // 2 r takes as many pixels at its nearest depth
      const depth = radius + (radius * HEIGHT) / Math.tan(FOV_Y / 2) / Math.abs(share * limit);
      crowd.setTransform(group.id(0), (at) =>
        at.position.set(-center[0]!, -center[1]!, -Math.sign(share) * depth - center[2]!),
      );
      await updateAndWait(crowd, { dt: 0.01, views: [view] });
      levels.push((await shownBy(device, crowd, [row])).get(row)?.level);
    }
    expect(levels).toEqual(FRAMES.map(([, level]) => level));
    crowd.destroy();
  });
});
