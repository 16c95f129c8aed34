// Crowds that come back after their device was lost, on Dawn's null backend: it compiles nothing, and buffers are all that counts.
import { describe, expect, test } from 'vitest';
import { createCrowd } from '../../test/support/create-crowd.ts';
import { smallActor } from '../../test/support/crowd-truth.ts';
import { noGpu } from '../../test/support/gpu.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { internalsOf } from '../crowd/internals.ts';
import { layoutBytes } from '../frame/tables/memory.ts';
import { nodeDevice } from '../node/node-gpu.ts';
import { recoverCrowd } from './recover.ts';

const { character } = smallActor();
const requestDevice = async () => (await nodeDevice({ kind: 'null', limits: 'default' })).device;

async function lostCrowd() {
  const device = await requestDevice();
  const crowd = createCrowd(device, { characters: [character], capacity: 256 });
  crowd.spawn(character, { count: 256 });
  device.destroy();
  return { crowd, ...layoutBytes(internalsOf(crowd).host.shape) };
}

/** Bytes of a crowd with all poses and slots that it may have. */
function byteLengthAtMost(crowd: Crowd): number {
  const { shape } = internalsOf(crowd).host;
  const { fixed, pose } = layoutBytes(shape);
  return fixed + shape.poseLimit * pose + 8 * shape.rowBudget;
}

describe.skipIf(noGpu())('a crowd on a lost device', () => {
  test('comes back as it was, and with half its bytes where that device is lost as well', async () => {
    const lost = await lostCrowd();
    const first = await recoverCrowd(lost.crowd, { requestDevice });
    expect(first).toMatchObject({ budget: undefined, from: 'start' });
    expect([first.crowd.count, first.crowd.capacity]).toEqual([256, 256]);
    first.device.destroy();
    const second = await recoverCrowd(first.crowd, { requestDevice });
    const bytes = lost.fixed + 128 * (lost.pose + lost.finest);
    expect(second.budget).toEqual({ bytes });
    expect(second.crowd.count).toBe(256);
    expect(byteLengthAtMost(second.crowd)).toBeLessThanOrEqual(bytes);
    second.crowd.destroy();
  });

  test('takes less until the devices hold it', async () => {
    const lost = await lostCrowd();
    let requests = 0;
    // the first device has no memory for it, the second one is lost meanwhile
    const small = async () => {
      const device = await requestDevice();
      requests++;
      const full = () => device.queue.onSubmittedWorkDone().then(() => ({ message: 'full' }) as GPUError);
      if (requests === 1) Object.defineProperty(device, 'popErrorScope', { value: full });
      if (requests === 2) device.destroy();
      return device;
    };
    const { crowd, budget } = await recoverCrowd(lost.crowd, { requestDevice: small });
    expect(requests).toBe(3);
    expect(budget!.bytes).toBeLessThanOrEqual(lost.fixed + 64 * (lost.pose + lost.finest));
    expect(budget!.bytes).toBeGreaterThan(lost.fixed + 32 * (lost.pose + lost.finest));
    expect(byteLengthAtMost(crowd)).toBeLessThanOrEqual(budget!.bytes!);
    expect(crowd.count).toBe(256);
    crowd.destroy();
  });

  test('gives up where no device holds it, and can be recovered later', async () => {
    const { crowd } = await lostCrowd();
    const broken = async () => {
      const device = await requestDevice();
      device.destroy();
      return device;
    };
    await expect(recoverCrowd(crowd, { requestDevice: broken })).rejects.toMatchObject({
      code: /DEVICE_LOST|CROWD_FULL/,
    });
  });
});
