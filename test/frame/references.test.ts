// Packed poses against positions that others computed: what tools/pose-table.ts measures, on the twins.
import { describe, expect, test } from 'vitest';
import { POSE_LIMITS } from '../support/pose-limits.ts';
import { poseError, referencedFiles } from '../support/references.ts';
import { hasTurn, noShared, sample } from '../support/setup.ts';

describe.skipIf(noShared() || !hasTurn(0))('poses on the CPU are where references have them', () => {
  test.each(sample(referencedFiles(), 6))('$file', async ({ file, size }) => {
    const { worst, mean, points } = await poseError(file, size, { backend: 'cpu' });
    expect(points).toBeGreaterThan(0);
    expect(worst).toBeLessThan(POSE_LIMITS.worst);
    expect(mean).toBeLessThan(POSE_LIMITS.mean);
  });

  test.each(sample(referencedFiles(), 8))('$file, keys unquantised', async ({ file, size, quantized }) => {
    const { worst } = await poseError(file, size, { backend: 'cpu', errorBudget: 0 });
    expect(worst).toBeLessThan(quantized ? POSE_LIMITS.exactQuantized : POSE_LIMITS.exact);
  });
});
