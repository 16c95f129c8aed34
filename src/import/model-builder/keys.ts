import type { Interpolation } from '../../character/model.ts';
import { isUsable } from './limits.ts';

/** Quaternions further from unit length than this are normalised; nearer ones keep the bits of the file. */
const UNIT_TOLERANCE = 1e-6;

/** Lengths further from 1 are reported: normalised bytes, which are the coarsest that glTF has, are off by less. */
const REPORTED_TOLERANCE = 0.01;

/** Keys as a clip needs them: times strictly increasing from 0 on, every number usable, rotations of unit length. */
export interface CleanKeys {
  readonly times: Float32Array;
  readonly values: Float32Array;
  /** Faults in the file's keys; empty if there were none. */
  readonly repairs: readonly string[];
}

/** How the values of a sampler are laid out. */
export interface KeyLayout {
  /** Components of one value. */
  readonly width: number;
  readonly interpolation: Interpolation;
  readonly isRotation: boolean;
}

/**
 * Makes keys usable. Times without a value and values without a time are dropped. So are keys with NaN, infinite or
 * absurd numbers, rotations of length zero, and keys that are not later than the previous key. Of keys before 0 only
 * the last stays. It moves to 0, because a clip begins there. Undefined if no key is left.
 */
export function cleanKeys(times: Float32Array, values: Float32Array, layout: KeyLayout): CleanKeys | undefined {
  const { width, interpolation, isRotation } = layout;
  // cubic keys hold in-tangent, value, out-tangent
  const [stride, valueAt] = interpolation === 'CUBICSPLINE' ? [3 * width, width] : [width, 0];
  const repairs: string[] = [];
  if (values.length !== times.length * stride)
    repairs.push(`${times.length} times for ${values.length / stride} values`);
  const count = Math.min(times.length, Math.floor(values.length / stride));
  const kept = new Uint32Array(count);
  let [length, unusable, unordered, early, notUnit] = [0, 0, 0, 0, 0];
  for (let key = 0; key < count; key++) {
    const time = times[key]!;
    if (!isUsable(time) || !isUsableRun(values, key * stride, stride)) unusable++;
    else if (isRotation && lengthOf(values, key * stride + valueAt) === 0) unusable++;
    else if (length > 0 && time <= times[kept[length - 1]!]!) unordered++;
    else {
      // a later key replaces one before 0, unless it is the first at or after 0
      if (length > 0 && times[kept[length - 1]!]! < 0 && time <= 0) length--;
      if (time < 0) early++;
      kept[length++] = key;
    }
  }
  if (unusable > 0) repairs.push(`${unusable} of ${count} keys are NaN or have no direction`);
  if (unordered > 0) repairs.push(`${unordered} of ${count} keys are not later than the one before`);
  if (early > 0) repairs.push(`${early} keys lie before 0; a clip begins there`);
  if (length === 0) return undefined;

  const cleanTimes = new Float32Array(length);
  const cleanValues = new Float32Array(length * stride);
  for (let i = 0; i < length; i++) {
    const key = kept[i]!;
    cleanTimes[i] = Math.max(0, times[key]!);
    cleanValues.set(values.subarray(key * stride, (key + 1) * stride), i * stride);
    if (!isRotation) continue;
    if (Math.abs(lengthOf(cleanValues, i * stride + valueAt) - 1) > REPORTED_TOLERANCE) notUnit++;
    normaliseKey(cleanValues, i * stride, stride, valueAt);
  }
  if (notUnit > 0) repairs.push(`${notUnit} rotations were not of unit length, and are now`);
  return { times: cleanTimes, values: cleanValues, repairs };
}

function isUsableRun(values: Float32Array, from: number, length: number): boolean {
  for (let i = from; i < from + length; i++) if (!isUsable(values[i]!)) return false;
  return true;
}

function lengthOf(values: Float32Array, at: number): number {
  const [x, y, z, w] = [values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!];
  return Math.sqrt(x * x + y * y + z * z + w * w);
}

/** Scales a key so that its quaternion has unit length; tangents go with it. */
function normaliseKey(values: Float32Array, from: number, stride: number, valueAt: number): void {
  const length = lengthOf(values, from + valueAt);
  if (Math.abs(length - 1) <= UNIT_TOLERANCE) return;
  for (let i = from; i < from + stride; i++) values[i] = values[i]! / length;
}
