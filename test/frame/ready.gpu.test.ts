// Kernels are compiled while an application waits, and the first frame finds them.
import { expect, test, vi } from 'vitest';
import { createForwardRenderer } from '../../src/render/index.ts';
import { createCrowd } from '../../src/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { nodeDevice } from '../../src/device/node.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { noGpu } from '../support/gpu.ts';
import { some } from '../support/setup.ts';

const KERNELS = [
  ['of software adapters', { serialPoses: true, cachedPalettes: false, serialLists: true }],
  ['of GPUs', { serialPoses: false, cachedPalettes: true, serialLists: false }],
] as const;

const title = 'the first frame of a crowd that is ready compiles nothing: kernels %s';
test.skipIf(noGpu()).each(some(KERNELS, 1))(title, async (_, kernels) => {
  const { device } = await nodeDevice(); // others have compiled the kernels of the shared one
  const { character } = smallActor();
  const crowd = createCrowd(device, { characters: [character], capacity: 4, kernels });
  const renderer = await createForwardRenderer(device, crowd, { format: 'rgba8unorm' });
  const now = vi.spyOn(device, 'createComputePipeline');
  const ahead = vi.spyOn(device, 'createComputePipelineAsync');
  crowd.spawn(character, { count: 2 });
  expect(() => renderer.render(null as never, {} as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  const encoder = device.createCommandEncoder();
  expect(() => renderer.render(encoder, null as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  await crowd.ready();
  const compiled = ahead.mock.calls.length;
  expect(compiled).toBeGreaterThan(5);
  const view = clipFromWorld({ eye: [0, 1, 5], target: [0, 1, 0], fovY: 1 }, 1);
  await crowd.update({ dt: 0.1, views: [{ clipFromWorld: view, height: 100 }] });
  expect(await crowd.readStats()).toMatchObject({ listed: 2, posed: 2 });
  expect(now).not.toHaveBeenCalled();
  await crowd.ready();
  expect(ahead).toHaveBeenCalledTimes(compiled);
  crowd.destroy();
  renderer.destroy();
  device.destroy();
  await expect(crowd.ready()).rejects.toThrow('CROWD_DESTROYED');
});
