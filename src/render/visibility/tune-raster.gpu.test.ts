import { describe, expect, test } from 'vitest';
import { full } from '../../../test/support/setup.ts';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import { RASTER_DEFAULTS } from './sizes.ts';
import { tuneHardwareRaster } from './tune-raster.ts';
import { crossing, probeGridSteps } from './measure-raster.ts';

test('the hardware draws what is larger than all that compute draws faster', () => {
  const timed = (...hardware: number[]) => hardware.map((time, i) => ({ size: 4 ** i, compute: 1, hardware: time }));
  expect(crossing(timed(2, 2, 0.5, 0.5))).toBe(8);
  expect(crossing(timed(2, 0.5, 2, 0.5))).toBe(32);
  expect(crossing(timed(0.5, 0.5))).toBe(1);
  expect(crossing(timed(0.5, 2))).toBe(Infinity);
  // within what noise may be
  expect(crossing(timed(2, 0.98))).toBe(Infinity);
});

describe.skipIf(noVisibility())('tuning of rasterisers', () => {
  test('finds the grid of the hardware, which is always the same', async () => {
    const { device } = await testDevice();
    const { gridSteps } = RASTER_DEFAULTS[adapterKind(device.adapterInfo) === 'software' ? 'software' : 'hardware'];
    expect(await probeGridSteps(device)).toBe(gridSteps);
    expect(await probeGridSteps(device)).toBe(gridSteps);
  });

  test.runIf(full)('returns all that it measured, and chooses by it', async () => {
    const { device } = await testDevice();
    const { source, timed, hardwareSize, triangleSize, gridSteps } = await tuneHardwareRaster(device);
    expect(gridSteps).toBe(await probeGridSteps(device));
    expect(triangleSize).toBeGreaterThan(0);
    expect(triangleSize).toBeLessThanOrEqual(126);
    expect(hardwareSize).toBeGreaterThan(0);
    const measures = device.features.has('timestamp-query');
    expect(source).toBe(measures ? 'measured' : 'rule');
    expect(timed.length > 0).toBe(measures);
    const of = (kind: string) => timed.filter((each) => each.of === kind);
    if (measures) {
      expect(triangleSize).toBe(Math.min(126, crossing(of('triangles'))));
      expect(hardwareSize).toBe(crossing(of('instances')));
    }
    for (const { compute, hardware } of timed) expect(Math.min(compute, hardware)).toBeGreaterThan(0);
  });
});
