// What a frame costs the main thread: calls into WebGPU. They take most of a frame's time there, whatever the crowd's size.
import { beforeAll, describe, expect, test } from 'vitest';
import { nodeDevice } from '../../src/node/index.ts';
import type { Crowd, CrowdOptions, CrowdView, FrameOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { noGpu } from '../support/gpu.ts';
import { countNativeCalls, type NativeCalls } from '../support/native-calls.ts';
import { marcher, recruit } from '../support/soldiers.ts';

/** The kernels of GPUs. */
const KERNELS = { serialLists: false, serialPoses: false, cachedPalettes: true };
const characters = [marcher(), recruit()];
const shape = { characters, capacity: 100, skin: 'compute' } as const;
const views = [1, 2, 3].map((height): CrowdView => {
  return { clipFromWorld: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], height: 100 * height };
});

/**
 * Calls of every frame: one upload of parameters, one of the clock, one copy of transforms. It creates no buffers and no groups.
 * Indirect dispatches are not among them: Dawn records a check for each, in a tenth of a millisecond of the CPU.
 */
const FRAME: NativeCalls = {
  'GPUDevice.createCommandEncoder': 1,
  'GPUCommandEncoder.beginComputePass': 1,
  'GPUCommandEncoder.copyBufferToBuffer': 3,
  'GPUCommandEncoder.finish': 1,
  'GPUComputePassEncoder.end': 1,
  'GPUQueue.submit': 1,
  'GPUBuffer.unmap': 1,
  'GPUBuffer.mapAsync': 1,
  'GPUBuffer.getMappedRange': 1,
};

describe.skipIf(noGpu())('calls into WebGPU by a frame without changes', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    // it checks calls, and runs nothing: kernels need not be compiled
    ({ device } = await nodeDevice({ kind: 'null' }));
  });

  function newCrowd(kernels: CrowdOptions['kernels'] = {}): Crowd {
    const crowd = createCrowd(device, { ...shape, kernels: { ...KERNELS, ...kernels } });
    for (const character of characters) crowd.spawn(character, { count: 30 });
    return crowd;
  }

  async function callsOf(crowd: Crowd, options: Partial<FrameOptions> = {}): Promise<NativeCalls> {
    const frame = async () => {
      const encoder = device.createCommandEncoder();
      const encoded = crowd.encode(encoder, { dt: 0.1, views, ...options });
      device.queue.submit([encoder.finish()]);
      await encoded.submitted();
    };
    for (let i = 0; i < 4; i++) await frame();
    const calls = await countNativeCalls(device, frame);
    expect(await countNativeCalls(device, frame)).toEqual(calls);
    crowd.destroy();
    return calls;
  }

  test('of a small crowd', async () => {
    expect(await callsOf(newCrowd())).toEqual({
      ...FRAME,
      'GPUComputePassEncoder.setPipeline': 19,
      'GPUComputePassEncoder.setBindGroup': 24,
      'GPUComputePassEncoder.dispatchWorkgroups': 20,
    });
  });

  test('of a large crowd', async () => {
    expect(await callsOf(newCrowd({ fewCharacters: 0 }))).toEqual({
      ...FRAME,
      'GPUComputePassEncoder.setPipeline': 22,
      'GPUComputePassEncoder.setBindGroup': 27,
      'GPUComputePassEncoder.dispatchWorkgroups': 23,
    });
  });

  test('of a frame without views', async () => {
    expect(await callsOf(newCrowd(), { views: [] })).toEqual({
      ...FRAME,
      'GPUCommandEncoder.copyBufferToBuffer': 2,
      'GPUComputePassEncoder.setPipeline': 4,
      'GPUComputePassEncoder.setBindGroup': 3,
      'GPUComputePassEncoder.dispatchWorkgroups': 4,
    });
  });

  test('with a budget of milliseconds: one frame in eight is timed, and the others cost what they cost without', async () => {
    const crowd = createCrowd(device, { ...shape, kernels: KERNELS, budget: { milliseconds: 4 } });
    for (const character of characters) crowd.spawn(character, { count: 30 });
    const frame = async () => {
      const encoder = device.createCommandEncoder();
      const encoded = crowd.encode(encoder, { dt: 0.1, views });
      device.queue.submit([encoder.finish()]);
      await encoded.submitted();
    };
    for (let i = 0; i < 16; i++) await frame();
    let timed = 0;
    for (let i = 0; i < 8; i++) {
      const calls = await countNativeCalls(device, frame);
      expect(calls).toMatchObject({
        'GPUCommandEncoder.beginComputePass': 1,
        'GPUComputePassEncoder.dispatchWorkgroups': 20,
      });
      if (calls['GPUCommandEncoder.resolveQuerySet']) timed++;
      else expect(calls).toMatchObject(FRAME);
    }
    expect(timed).toBe(device.features.has('timestamp-query') ? 1 : 0);
    crowd.destroy();
  });

  test('once its stages are measured: a pass for each, and a readback', async () => {
    const crowd = newCrowd();
    const passes = device.features.has('timestamp-query') ? 5 : 1;
    expect(crowd.timings.size).toBe(0);
    expect(await callsOf(crowd)).toMatchObject({ 'GPUCommandEncoder.beginComputePass': passes });
  });
});
