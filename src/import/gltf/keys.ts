import type { Interpolation } from '../../asset/model.ts';
import { isUsable } from './limits.ts';

/** Quaternions further from unit length than this are normalised; nearer ones keep the bits of the file. */
const UNIT_TOLERANCE = 1e-6;

/** Keys as a clip needs them: times strictly increasing from 0 on, every number usable, rotations of unit length. */
export interface CleanKeys {
  readonly times: Float32Array;
  readonly values: Float32Array;
  /** What was wrong with the file's keys; empty when nothing was. */
  readonly repairs: readonly string[];
}

/**
 * Makes keys usable. `width` is the number of components of one value; cubic keys hold three (in-tangent, value,
 * out-tangent). In this order:
 *
 * - keys beyond the shorter of times and values are dropped;
 * - keys with NaN, infinite or absurd numbers, and rotations of length zero, are dropped;
 * - keys out of order are sorted; of several at one time the last in the file stays;
 * - of keys before 0 only the last stays, moved to 0: a clip begins there.
 *
 * undefined when no key is left.
 */
export function cleanKeys(
  times: Float32Array,
  values: Float32Array,
  width: number,
  interpolation: Interpolation,
  isRotation: boolean,
): CleanKeys | undefined {
  const stride = interpolation === 'CUBICSPLINE' ? 3 * width : width;
  const available = Math.floor(values.length / stride);
  const repairs: string[] = [];
  if (available !== times.length || values.length % stride !== 0) {
    repairs.push(`${times.length} times for ${values.length / stride} values`);
  }
  const valueAt = interpolation === 'CUBICSPLINE' ? width : 0;
  const usable: number[] = [];
  const count = Math.min(times.length, available);
  for (let key = 0; key < count; key++) {
    if (!isUsable(times[key]!) || !isUsableRun(values, key * stride, stride)) continue;
    if (isRotation && lengthOf(values, key * stride + valueAt) === 0) continue;
    usable.push(key);
  }
  if (usable.length < count) repairs.push(`${count - usable.length} of ${count} keys are NaN or have no direction`);
  const kept = inOrder(times, usable, repairs);
  if (kept.length === 0) return undefined;

  const cleanTimes = new Float32Array(kept.length);
  const cleanValues = new Float32Array(kept.length * stride);
  for (const [i, key] of kept.entries()) {
    cleanTimes[i] = Math.max(0, times[key]!);
    cleanValues.set(values.subarray(key * stride, (key + 1) * stride), i * stride);
    if (isRotation) normaliseKey(cleanValues, i * stride, stride, valueAt);
  }
  return { times: cleanTimes, values: cleanValues, repairs };
}

/** The usable keys in strictly increasing time, with at most one at or before 0. */
function inOrder(times: Float32Array, usable: number[], repairs: string[]): number[] {
  const isOrdered = usable.every((key, i) => i === 0 || times[key]! > times[usable[i - 1]!]!);
  let kept = usable;
  if (!isOrdered) {
    const sorted = usable.toSorted((a, b) => times[a]! - times[b]! || a - b);
    kept = sorted.filter((key, i) => i + 1 === sorted.length || times[sorted[i + 1]!]! > times[key]!);
    const doubled = sorted.length - kept.length;
    repairs.push(
      `the times do not increase; keys were sorted${doubled > 0 ? `, ${doubled} at equal times dropped` : ''}`,
    );
  }
  let negative = 0;
  while (negative < kept.length && times[kept[negative]!]! < 0) negative++;
  if (negative === 0) return kept;
  repairs.push(`${negative} keys lie before 0; the last of them was moved there`);
  return kept.slice(times[kept[negative] ?? -1] === 0 ? negative : negative - 1);
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
