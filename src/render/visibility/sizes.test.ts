import { expect, test } from 'vitest';
import { issuesOf } from '../../errors.ts';
import { checkSizes, RASTER_DEFAULTS } from './sizes.ts';

function refused(sizes: Partial<typeof RASTER_DEFAULTS.hardware>): string[] {
  try {
    checkSizes({ ...RASTER_DEFAULTS.hardware, ...sizes });
    return [];
  } catch (thrown) {
    return issuesOf(thrown).map(({ code, path, message }) => `${code} ${path} ${message}`);
  }
}

test('sizes that compute could not draw by are refused', () => {
  for (const sizes of Object.values(RASTER_DEFAULTS)) expect(refused(sizes)).toEqual([]);
  expect(refused({ hardwareSize: 0, triangleSize: 126, gridSteps: 1 })).toEqual([]);
  for (const hardwareSize of [-1, NaN]) {
    expect(refused({ hardwareSize })).toEqual([`RENDER_FAILED sizes.hardwareSize is ${hardwareSize}.`]);
  }
  for (const triangleSize of [-1, 127, Infinity, NaN]) {
    expect(refused({ triangleSize })).toEqual([`RENDER_FAILED sizes.triangleSize is ${triangleSize}.`]);
  }
  for (const gridSteps of [0, 0.5, 3, 100, 512, Infinity, NaN]) {
    expect(refused({ gridSteps })).toEqual([`RENDER_FAILED sizes.gridSteps is ${gridSteps}.`]);
  }
});
