import { expect, test } from 'vitest';
import { packCharacter } from '../character/pack/index.ts';
import { createCrowd } from '../crowd/create-crowd.ts';
import { nodeDevice } from '../node/node-gpu.ts';
import { FrameLoop, type FramePace } from './frames.ts';
import { syntheticModel } from './synthetic-model.ts';

const PACE: FramePace = { warmUpFrames: 3, warmUpSeconds: 0, frames: 5, seconds: 60 };

async function createScene() {
  const { device } = await nodeDevice();
  const character = packCharacter(syntheticModel({ joints: 6, clips: 1, keys: 3, vertices: 12, influences: 2 }));
  const crowd = await createCrowd(device, { characters: [character], capacity: 4 });
  crowd.spawn(character, { count: 4 }).setClips(() => [{ clip: 0 }]);
  return { device, crowd };
}

test('a loop calls for options once a frame, and measures as many frames as it is asked for', async () => {
  const { device, crowd } = await createScene();
  let frames = 0;
  const loop = new FrameLoop(device, { crowd, options: () => ({ dt: ++frames && 0.01 }) });
  await loop.warmUp(PACE);
  expect(frames).toBe(3);
  const floors = [{ stage: 'pose-joints', read: 1024, written: 64, work: 1, unit: 'joints' }];
  const samples = await loop.measure(floors, PACE);
  // whole frames, then frames of timed stages
  expect(frames).toBe(3 + 5 + 5);
  expect(samples.frame).toHaveLength(5);
  expect(samples.host).toHaveLength(5);
  expect(samples.stages.get('pose-joints')).toHaveLength(5);
  expect(Array.from(samples.floors.keys())).toEqual(['pose-joints']);
  for (const times of samples.stages.values()) expect(Math.min(...times)).toBeGreaterThan(0);
  crowd.destroy();
  device.destroy();
});

test('a device that is lost in the middle rejects the loop, and nothing else', async () => {
  const { device, crowd } = await createScene();
  let frames = 0;
  const options = () => {
    if (++frames === 2) setTimeout(() => device.destroy(), 0);
    return { dt: 0.01 };
  };
  const loop = new FrameLoop(device, { crowd, options });
  await expect(loop.warmUp({ ...PACE, warmUpFrames: 500 })).rejects.toMatchObject({ code: 'DEVICE_LOST' });
});
