import type { Object3D } from 'three';
import { sampleTrack } from '../../character/evaluate.ts';
import { chooseKeys, type Curve, sampleAdaptively } from '../../character/resample.ts';
import type { ComponentKeys } from './merge-keys.ts';
import { type Keys, previousFloat } from './keys.ts';

/** Tolerance in radians: a hundredth of a millimetre at a distance of one metre. */
const CURVE: Curve = { at: 0, width: 4, tolerance: 1e-5 };
/** Largest number of keys of a rotation. */
const KEY_LIMIT = 20_000;

/** Converts angles about three axes to quaternion keys with slerps between them. Undefined if this takes too many keys. */
export function eulerKeys(object: Object3D, parts: readonly ComponentKeys[]): Keys | undefined {
  const euler = object.rotation.clone();
  const quaternion = object.quaternion.clone();
  const angles = [euler.x, euler.y, euler.z];
  const value = new Float64Array(1);
  const times = new Set<number>();
  for (const { keys } of parts) {
    keys.times.forEach((time, key) => {
      times.add(time);
      if (keys.interpolation === 'STEP' && key > 0) times.add(previousFloat(time));
    });
  }
  const evaluate = (time: number, out: Float64Array): void => {
    for (const { component, keys } of parts) {
      sampleTrack({ path: 'weights', targetIndex: 0, ...keys }, time, value, 0);
      angles[component] = value[0]!;
    }
    const [x, y, z] = angles as [number, number, number];
    out.set(quaternion.setFromEuler(euler.set(x, y, z)).toArray());
  };
  const samples = sampleAdaptively(
    [...times].sort((a, b) => a - b),
    4,
    evaluate,
    [CURVE],
    KEY_LIMIT,
  );
  if (!samples) return undefined;
  const kept = chooseKeys(samples, [CURVE]);
  return {
    interpolation: 'LINEAR',
    times: Float32Array.from(kept, (i) => samples.times[i]!),
    values: Float32Array.from(kept.flatMap((i) => [...samples.rows[i]!])),
  };
}
