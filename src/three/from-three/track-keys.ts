import type { KeyframeTrack } from 'three';
import { bezierKeys } from './bezier-keys.ts';
import { type Keys, nextFloat } from './keys.ts';
import { smoothKeys } from './smooth-keys.ts';

/** three's constants for interpolation. */
const [DISCRETE, LINEAR, SMOOTH, BEZIER] = [2300, 2301, 2302, 2303];

/**
 * Returns the keys of a three track, or a string with the reason why they cannot be read.
 *
 * @param width Count of numbers in one value.
 */
export function trackKeys(track: KeyframeTrack, width: number): Keys | string {
  const { createInterpolant } = track as {
    createInterpolant?: { isInterpolantFactoryMethodGLTFCubicSpline?: boolean };
  };
  const isSpline = createInterpolant?.isInterpolantFactoryMethodGLTFCubicSpline === true;
  const perKey = track.values.length / track.times.length;
  const expected = isSpline ? 3 * width : width;
  if (!NUMBERS.has(track.ValueTypeName)) return `its values are of type ${track.ValueTypeName}`;
  if (perKey !== expected) return `it has ${perKey} numbers for each key, ${expected} are needed`;
  const given = { times: distinct(track.times), values: Float32Array.from(track.values) };
  if (isSpline) return { ...given, interpolation: 'CUBICSPLINE' };
  switch (track.getInterpolation() as number | undefined) {
    case DISCRETE:
      return { ...given, interpolation: 'STEP' };
    case LINEAR:
      return { ...given, interpolation: 'LINEAR' };
    case SMOOTH:
      return smoothKeys(given, width);
    case BEZIER:
      return bezierKeys({ ...given, ...tangentsOf(track) }, width);
    default:
      return 'its interpolation is not one of three’s own';
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['vector', 'quaternion', 'number', 'color']);

/** Makes times distinct. Two keys at one time are a jump, so the second moves to the next float. */
function distinct(times: ArrayLike<number>): Float32Array {
  const out = Float32Array.from(times);
  for (let i = 1; i < out.length; i++) if (times[i] === times[i - 1]) out[i] = nextFloat(out[i - 1]!);
  return out;
}

/** Handles of three's Bézier curves: (time, value) per key and component. */
function tangentsOf(track: KeyframeTrack) {
  const { settings } = track as { settings?: { inTangents?: ArrayLike<number>; outTangents?: ArrayLike<number> } };
  return { inTangents: settings?.inTangents, outTangents: settings?.outTangents };
}
