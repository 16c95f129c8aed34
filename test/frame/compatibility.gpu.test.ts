// Crowds on a device of WebGPU's compatibility level: the same characters, with kernels of half as many threads.
import { beforeAll, describe, expect, test } from 'vitest';
import { internalsOf } from '../../src/crowd/internals.ts';
import type { CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { farthest, largeActor, smallActor } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

describe.skipIf(noGpu())('a crowd on a device of the compatibility level', () => {
  const actors = [smallActor(), largeActor()];
  const characters = actors.map(({ character }) => character);
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice({ limits: 'compatibility' }));
  });

  test('says its tier, and shows what twins show', async () => {
    const options = { characters, capacity: 8 } as const;
    const [crowd, twin] = [createCrowd(device, options), createCrowd(undefined, { ...options, backend: 'cpu' })];
    expect([crowd.tier, twin.tier]).toEqual(['compatibility', undefined]);
    expect(internalsOf(crowd).host.shape.kernels.groupThreads).toBe(128);
    for (const each of [crowd, twin]) {
      characters.forEach((character) => each.spawn(character, { count: 2 }).play(0));
      for (const dt of [0.1, 0.25]) await updateAndWait(each, { dt });
    }
    for (const [i, id] of crowd.ids.entries()) {
      const [shown, expected] = [await crowd.readVertices(id), await twin.readVertices(id)];
      expect(farthest(actors[i >> 1]!, shown, expected)).toBeLessThan(1e-5);
    }
    for (const each of [crowd, twin]) each.destroy();
  });

  test('refuses kernels that the device cannot run, and takes undefined choices for none', () => {
    const create = (kernels: NonNullable<CrowdOptions['kernels']>, backend: 'gpu' | 'cpu' = 'gpu') =>
      createCrowd(device, { characters, capacity: 1, kernels, backend });
    for (const backend of ['gpu', 'cpu'] as const) {
      expect(() => create({ groupThreads: 256, wideSkins: true }, backend)).toThrow(
        'DEVICE_LIMIT at kernels.groupThreads: The kernels have workgroups of 256 threads; this device allows 128. ' +
          'Leave it out, or set it to 128, or request the device with the limits of its adapter.\n' +
          'DEVICE_LIMIT at kernels.wideSkins: The kernels have workgroups of 512 threads; this device allows 128.',
      );
    }
    const crowd = create({ groupThreads: undefined, wideSkins: undefined });
    expect(internalsOf(crowd).host.shape.kernels).toMatchObject({ groupThreads: 128, wideSkins: false });
    crowd.destroy();
  });
});
