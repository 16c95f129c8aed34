// A camera flies through a crowd: what kernels draw in every frame is what twins draw. Slots may differ, and do.
import { describe, expect, test } from 'vitest';
import { fly } from '../support/flight.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { full } from '../support/setup.ts';

const FRAMES = full ? 300 : 40;

describe.skipIf(noGpu())('a camera flight', () => {
  test.each([
    ['room for all', {}],
    ['vertex memory for a third', { maxVertexBytes: 8 * 2 * 12 * 224 }],
    ['poses for a few', { maxPoses: 5 }],
  ])('shows the same on both backends: %s', async (_, options) => {
    const { device } = await testDevice();
    const met = await fly(device, FRAMES, options);
    console.log(`${FRAMES} frames`, met);
    expect(Math.min(met.posed, met.coarse, met.kept, met.unseen, met.moved)).toBeGreaterThan(FRAMES);
  });
});
