import type { TrackModel } from '../../character/model.ts';
import { alignQuaternion } from '../../math/quaternion.ts';
import { rotationIn, translationIn } from './frames.ts';
import type { BvhFile } from './parse.ts';

/**
 * The keys of all frames as linear tracks. Rotations go the short way from key to key. Position channels that repeat the
 * offset of their joint in every frame give no track.
 *
 * @param metres Of one unit of the file.
 */
export function readTracks(file: BvhFile, metres: number): TrackModel[] {
  const { frameCount, frameTime } = file;
  const times = Float32Array.from({ length: frameCount }, (_, frame) => frame * frameTime);
  const track = (path: 'translation' | 'rotation', targetIndex: number, values: Float32Array): TrackModel => {
    return { path, targetIndex, interpolation: 'LINEAR', times, values };
  };
  return file.joints.flatMap((joint, index) => {
    const tracks: TrackModel[] = [];
    const key = new Float64Array(4);
    const has = (wanted: string) => frameCount > 0 && joint.channels.some(({ kind }) => kind === wanted);
    if (has('position')) {
      const values = new Float32Array(3 * frameCount);
      for (let frame = 0; frame < frameCount; frame++) {
        translationIn(file, joint, frame, key);
        for (let axis = 0; axis < 3; axis++) values[3 * frame + axis] = key[axis]! * metres;
      }
      const rest = Float32Array.from(joint.offset, (value) => value * metres);
      if (!values.every((value, i) => value === rest[i % 3])) tracks.push(track('translation', index, values));
    }
    if (has('rotation')) {
      const values = new Float32Array(4 * frameCount);
      let [previous, rotation] = [new Float64Array([0, 0, 0, 1]), key];
      for (let frame = 0; frame < frameCount; frame++) {
        rotationIn(file, joint, frame, rotation);
        alignQuaternion(rotation, previous);
        values.set(rotation, 4 * frame);
        [previous, rotation] = [rotation, previous];
      }
      tracks.push(track('rotation', index, values));
    }
    return tracks;
  });
}
