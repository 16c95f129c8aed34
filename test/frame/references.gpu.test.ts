// Packed poses against positions that others computed: what tools/pose-table.ts measures, on the kernels.
import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { POSE_LIMITS } from '../support/pose-limits.ts';
import { poseError, referencedFiles } from '../support/references.ts';
import { noShared, sample } from '../support/setup.ts';

describe.skipIf(noShared() || noGpu())('poses on the GPU are where references have them', () => {
  test.each(sample(referencedFiles(), 16))('$file', async ({ file, size, quantized }) => {
    const { device } = await testDevice();
    const { worst, mean, points } = await poseError(file, size, { backend: 'gpu' }, device);
    expect(points).toBeGreaterThan(0);
    expect(worst).toBeLessThan(POSE_LIMITS.worst);
    expect(mean).toBeLessThan(POSE_LIMITS.mean);
    const exact = await poseError(file, size, { backend: 'gpu', errorBudget: 0 }, device);
    expect(exact.worst).toBeLessThan(quantized ? POSE_LIMITS.exactQuantized : POSE_LIMITS.exact);
  });
});
