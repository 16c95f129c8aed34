// Kernels are compiled while an application waits, and the first frame finds them.
import { expect, test, vi } from 'vitest';
import { createForwardRenderer, createReadableTarget, createVisibilityRenderer } from '../../src/render/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { nodeDevice } from '../../src/node/node-gpu.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { noCore, noGpu } from '../support/gpu.ts';
import { some } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const KERNELS = [
  ['of software adapters', { serialPoses: true, cachedPalettes: false, serialLists: true }, createForwardRenderer],
  [
    'of GPUs',
    { serialPoses: false, cachedPalettes: true, serialLists: false },
    noCore() ? createForwardRenderer : createVisibilityRenderer,
  ],
] as const;

const title = 'the first frame and picture of a crowd and a renderer that are ready compile nothing: kernels %s';
test.skipIf(noGpu()).each(some(KERNELS, 1))(title, async (_, kernels, createRenderer) => {
  const { device } = await nodeDevice(); // others have compiled the kernels of the shared one
  const { character } = smallActor();
  const crowd = createCrowd(device, { characters: [character], capacity: 4, kernels });
  const now = [vi.spyOn(device, 'createComputePipeline'), vi.spyOn(device, 'createRenderPipeline')];
  const renderer = await createRenderer(device, crowd);
  const ahead = vi.spyOn(device, 'createComputePipelineAsync');
  crowd.spawn(character, { count: 2 });
  expect(() => renderer.render(null as never, {} as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  const encoder = device.createCommandEncoder();
  expect(() => renderer.render(encoder, null as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  expect(() => renderer.render(encoder, { scene: {} } as never)).toThrow(/Unknown option "scene"/);
  await expect(renderer.pick({ scene: {} } as never, 0, 0)).rejects.toThrow(/Unknown option "scene"/);
  await renderer.ready();
  const compiled = ahead.mock.calls.length;
  expect(compiled).toBeGreaterThan(5);
  const camera = { eye: [0, 1, 5], target: [0, 1, 0], fovY: 1 } as const;
  await updateAndWait(crowd, { dt: 0.1, views: [{ clipFromWorld: clipFromWorld(camera, 1), height: 100 }] });
  expect(await crowd.readStats()).toMatchObject({ listed: 2, posed: 2 });
  const picture = createReadableTarget(device, 100, 100);
  const bounds = { min: [-1, 0, -1], max: [1, 2, 1] } as const;
  const view = { camera, bounds, target: picture.view, width: 100, height: 100 };
  const drawn = renderer.render(encoder, view);
  device.queue.submit([encoder.finish()]);
  await drawn.submitted();
  for (const compile of now) expect(compile).not.toHaveBeenCalled();
  await crowd.ready();
  expect(ahead).toHaveBeenCalledTimes(compiled);
  for (let open = 0; open < 16; open++) renderer.render(device.createCommandEncoder(), view);
  expect(() => renderer.render(device.createCommandEncoder(), view)).toThrow(coded('CROWD_FRAME_OPEN'));
  crowd.destroy();
  renderer.destroy();
  device.destroy();
  await expect(crowd.ready()).rejects.toThrow('CROWD_DESTROYED');
});
