import { fail, quoted } from '../errors.ts';
import type { GroundField } from '../frame/backend.ts';
import { expectFloats, expectList, expectObject, isFloat } from './arguments.ts';

/** Ground under characters: a field of heights. */
export interface Ground {
  /** Metres: row after row, along x in each, rows along z. Copied by the call: set the ground again when it changes. */
  readonly heights: Float32Array;
  /** Heights along x, and along z: 2 at least. */
  readonly columns: number;
  readonly rows: number;
  /** Position of the first height in the world; y is added to all heights. Default 0, 0, 0. */
  readonly origin?: readonly [number, number, number];
  /** Metres from one height to the next, along both or along x and z. Default 1. */
  readonly spacing?: number | readonly [number, number];
  /** How far characters lean with the slope: 0 (default) stays upright, 1 has both feet flat on the ground. */
  readonly lean?: number;
}

/** A copy of what is said of the ground. @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LIMIT */
export function checkGround(ground: Ground, bindingBytes: number): GroundField {
  expectObject('ground', ground);
  const { heights, columns, rows, origin = [0, 0, 0], spacing = 1, lean = 0 } = ground;
  const steps: readonly [number, number] = typeof spacing === 'number' ? [spacing, spacing] : spacing;
  const refuse = (message: string) => fail('CROWD_BAD_ARGUMENT', 'setGround', message);
  if (![columns, rows].every((count) => Number.isInteger(count) && count >= 2)) {
    refuse(`${quoted(columns)} × ${quoted(rows)} heights: use at least 2 each way.`);
  }
  expectList('heights', heights);
  if (heights.length !== columns * rows) refuse(`there are ${heights.length} heights, not ${columns} × ${rows}.`);
  if (!heights.every(Number.isFinite)) refuse('a height is not a number.');
  expectFloats('origin', origin, 3);
  expectFloats('spacing', steps, 2);
  if (!steps.every((step) => Math.fround(step) > 0)) refuse(`its spacing is ${steps.join(', ')} metres.`);
  const highest = heights.reduce((most, height) => Math.max(most, Math.abs(height)), 0);
  // what kernels compute: a height, a slope along both axes
  if (!isFloat(2 * highest + Math.abs(origin[1])) || !isFloat((4 * highest) / Math.min(...steps))) {
    refuse(`it rises to ${highest} metres: too much for a 32-bit float.`);
  }
  if (!(isFloat(lean) && lean >= 0 && lean <= 1)) refuse(`lean is ${quoted(lean)}; use 0 to 1.`);
  if (heights.byteLength > bindingBytes) {
    const message = `${heights.byteLength} bytes of heights; this device binds ${bindingBytes}.`;
    fail('DEVICE_LIMIT', 'setGround', message, 'Use a coarser field, or the part of it that is near.');
  }
  return { heights: Float32Array.from(heights), columns, rows, origin, spacing: steps, lean };
}
