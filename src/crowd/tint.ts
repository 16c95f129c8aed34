import { expectFloats, refuseArgument } from './arguments.ts';

/** Linear red, green, blue and alpha, 0 … 1. */
export type Tint = readonly [red: number, green: number, blue: number, alpha: number];

/** Four unorm8, to the nearest code, the first in the lowest byte. @throws ManipleError CROWD_BAD_ARGUMENT */
export function tintWord(color: Tint): number {
  expectFloats('tint', color, 4);
  if (!color.every((c) => c >= 0 && c <= 1)) refuseArgument('tint', color, 'red, green, blue and alpha from 0 to 1');
  return color.reduce((word, c, i) => (word | (Math.round(c * 255) << (8 * i))) >>> 0, 0);
}
