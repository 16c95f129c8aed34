import { expect, test } from 'vitest';
import { nodeDevice } from '../../node/node-gpu.ts';
import { createHeater } from './gpu-heater.ts';
import { Streams } from './streams.ts';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { testInTurn } from '../../../test/support/setup.ts';

const MIB = 2 ** 20;

testInTurn(0)('floors grow with the bytes that they read and with those that they write', async () => {
  const { device } = await nodeDevice();
  const streams = new Streams(device, [
    { stage: 'little', read: MIB, written: MIB },
    { stage: 'read', read: 96 * MIB, written: 16 },
    { stage: 'written', read: 16, written: 96 * MIB },
    // moved by several dispatches
    { stage: 'much', read: 480 * MIB, written: 480 * MIB },
  ]);
  const best = new Map<string, number>();
  for (let round = 0; round < 3; round++) {
    const encoder = device.createCommandEncoder();
    const read = streams.record(encoder);
    device.queue.submit([encoder.finish()]);
    await read();
    for (const [stage, time] of streams.latest) best.set(stage, Math.min(time, best.get(stage) ?? Infinity));
  }
  streams.destroy();
  device.destroy();
  // wide margins: other programs take their share of a software adapter's time
  const time = (stage: string) => best.get(stage)!;
  expect(time('read')).toBeGreaterThan(4 * time('little'));
  expect(time('written')).toBeGreaterThan(4 * time('little'));
  expect(time('much')).toBeGreaterThan(2.5 * time('read'));
  expect(time('much')).toBeGreaterThan(2.5 * time('written'));
});

test.skipIf(noGpu())('floors and the heater run where workgroups have 128 threads', async () => {
  const { device } = await testDevice({ limits: 'compatibility' });
  const streams = new Streams(device, [{ stage: 'some', read: MIB, written: MIB }]);
  const encoder = device.createCommandEncoder();
  createHeater(device, 1)(encoder);
  const read = streams.record(encoder);
  device.queue.submit([encoder.finish()]);
  await read();
  streams.destroy();
  if (device.features.has('timestamp-query')) expect(streams.latest.get('some')).toBeGreaterThan(0);
});
