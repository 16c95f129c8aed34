import type { KeyframeTrack } from 'three';
import type { Interpolation } from '../../asset/model.ts';
import { bezierKeys } from './bezier-keys.ts';
import { smoothKeys } from './smooth-keys.ts';

/** Keys of a track as glTF lays them out: a cubic's hold in-tangent, value, out-tangent. */
export interface Keys {
  readonly interpolation: Interpolation;
  readonly times: Float32Array;
  readonly values: Float32Array;
}

/** three's names for what runs between keys. */
const [DISCRETE, LINEAR, SMOOTH, BEZIER] = [2300, 2301, 2302, 2303];

/**
 * The keys of a three track; a string, if they cannot be had, says why.
 *
 * @param width Numbers of one value.
 * @param loops How three's smooth curves end depends on it: they run on into the clip's begin, or come to rest.
 */
export function trackKeys(track: KeyframeTrack, width: number, loops: boolean): Keys | string {
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
      return smoothKeys(given, width, loops);
    case BEZIER:
      return bezierKeys({ ...given, ...tangentsOf(track) }, width);
    default:
      return 'its interpolation is not one of three’s own';
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['vector', 'quaternion', 'number', 'color']);

/** Two keys at one time are a jump: the second comes right after the first. */
function distinct(times: ArrayLike<number>): Float32Array {
  const out = Float32Array.from(times);
  for (let i = 1; i < out.length; i++) if (times[i] === times[i - 1]) out[i] = nextFloat(out[i - 1]!);
  return out;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next larger 32-bit float. */
function nextFloat(value: number): number {
  float[0] = value;
  if (value === 0) bits[0] = 1;
  else bits[0] = bits[0]! + (value > 0 ? 1 : -1);
  return float[0];
}

/** The float before. */
export function previousFloat(value: number): number {
  return -nextFloat(-value);
}

/** Handles of three's Bézier curves: (time, value) per key and component. */
function tangentsOf(track: KeyframeTrack) {
  const { settings } = track as { settings?: { inTangents?: ArrayLike<number>; outTangents?: ArrayLike<number> } };
  return { inTangents: settings?.inTangents, outTangents: settings?.outTangents };
}
