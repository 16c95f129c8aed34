import type { Interpolation } from '../../character/model.ts';

/** Keys of a track in glTF's layout. A key of a cubic is in-tangent, value, out-tangent. */
export interface Keys {
  readonly interpolation: Interpolation;
  readonly times: Float32Array;
  readonly values: Float32Array;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next larger 32-bit float. */
export function nextFloat(value: number): number {
  float[0] = value;
  if (value === 0) bits[0] = 1;
  else bits[0] = bits[0]! + (value > 0 ? 1 : -1);
  return float[0];
}

/** The next smaller 32-bit float. */
export function previousFloat(value: number): number {
  return -nextFloat(-value);
}
