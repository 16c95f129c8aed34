import { normalizeQuaternion } from '../../math/quaternion.ts';
import { SAMPLED_RUN_BITS, SAMPLED_WIDTH_BIAS, SampledChannel } from './rig-layout.ts';

/** Reads samples of clips in sampled form on the CPU, as `SampledChannel` defines them. */

/** A rig table. */
interface Words {
  readonly words: Uint32Array;
}

/** The fields of a `ClipMotion` that are read of a clip in sampled form. */
interface SampledMotion {
  readonly value0: number;
  readonly value1: number;
  readonly rate0: number;
  readonly rate1: number;
  readonly basis: readonly [number, number, number, number];
}

/** Bits of a code, from the number in SampledChannel. */
export function codeWidth(stored: number): number {
  return stored === 0 ? 0 : stored + SAMPLED_WIDTH_BIAS;
}

/** The smallest step and the largest unit: lines and codes then stay below 2^60, the limit of all numbers. */
export const STEP_LOW: number = 2 ** -100;
export const UNIT_HIGH: number = 2 ** 42;

const scratch = new Uint32Array(1);
const float = new Float32Array(scratch.buffer);

/** The step of a channel's codes and the unit of its lines. */
export function stepAndUnit(word: number): { step: number; unit: number } {
  scratch[0] = word & 0xffff0000;
  return { step: float[0]!, unit: float[0]! * 2 ** (word & 31) };
}

/** Reads a number of at most 32 bits, from a bit of a pair on. */
function bitsAt(words: Uint32Array, pair: number, bit: number, width: number): number {
  const word = 2 * pair + (bit >>> 5);
  const shift = bit & 31;
  const low = words[word]! >>> shift;
  const high = shift === 0 ? 0 : words[word + 1]! << (32 - shift);
  return (low | high) & (2 ** width - 1);
}

/**
 * Reads a channel at both samples around the phase of a motion. Writes three components of the first sample to
 * out[at…], and those of the second to out[at + 4…]; of rotations all four. With `firstSide` 1 it reads only the second.
 */
export function readSamples(
  { words }: Words,
  motion: SampledMotion,
  channel: number,
  isRotation: boolean,
  out: Float64Array,
  at = 0,
  firstSide: 0 | 1 = 0,
): void {
  const row = 2 * motion.value0 + (channel * SampledChannel.size) / 4;
  const { step, unit } = stepAndUnit(words[2 * motion.rate1 + channel]!);
  const codes = words[row + 3]!;
  const left = codes >>> 30;
  for (let side: number = firstSide; side < 2; side++) {
    const pair = side === 0 ? motion.value1 : motion.rate0;
    const to = at + 4 * side;
    let bit = codes & (2 ** SAMPLED_RUN_BITS - 1);
    let square = 0;
    for (let c = 0; c < 3; c++) {
      const width = codeWidth((codes >>> (SAMPLED_RUN_BITS + 4 * c)) & 15);
      const start = (words[row + c]! << 16) >> 16;
      const end = words[row + c]! >> 16;
      const value = (start + (end - start) * motion.basis[side]!) * unit + bitsAt(words, pair, bit, width) * step;
      out[to + (isRotation && c >= left ? c + 1 : c)] = value;
      square += value * value;
      bit += width;
    }
    if (isRotation) out[to + left] = Math.sqrt(Math.max(0, 1 - square));
  }
}

const ends = new Float64Array(8);

/**
 * Writes the rotation between both samples. It turns at constant speed, as a slerp does. On a straight line, normalised,
 * it would be off by the third power of the angle θ. So the position on the line is bent by what remains:
 * f + f (1 − f) (1 − 2f) θ² / 6.
 * The squared length of the difference is about θ².
 */
export function sampledRotation(rig: Words, motion: SampledMotion, channel: number, out: Float64Array): void {
  readSamples(rig, motion, channel, true, ends);
  let square = 0;
  for (let c = 0; c < 4; c++) square += (ends[c + 4]! - ends[c]!) ** 2;
  const f = motion.basis[2] + motion.basis[3] * square;
  for (let c = 0; c < 4; c++) out[c] = ends[c]! + (ends[c + 4]! - ends[c]!) * f;
  normalizeQuaternion(out);
}

/** Writes the vector between both samples to out[at…]. */
export function sampledVector(rig: Words, motion: SampledMotion, channel: number, out: Float64Array, at: number): void {
  readSamples(rig, motion, channel, false, ends);
  for (let c = 0; c < 3; c++) out[at + c] = ends[c]! + (ends[c + 4]! - ends[c]!) * motion.basis[2];
}
