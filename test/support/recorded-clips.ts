import type { CharacterModel, ClipModel, TrackModel } from '../../src/character/model.ts';
import { trackWidth } from '../../src/character/evaluate.ts';
import type { Random } from './random.ts';

/** The model with clips as they are recorded: keys of all tracks at equal steps of time, and noise at each of them. */
export function withRecordedClips(random: Random, model: CharacterModel, keys: number): CharacterModel {
  return { ...model, clips: model.clips.map((clip) => recorded(random, clip, keys)) };
}

function recorded(random: Random, clip: ClipModel, keys: number): ClipModel {
  const times = Float32Array.from({ length: keys }, (_, k) => k / 30);
  const tracks = clip.tracks.map((track): TrackModel => {
    const width = trackWidth(track);
    const first = track.interpolation === 'CUBICSPLINE' ? width : 0;
    const noise = track.path === 'rotation' ? 0.08 : 0.02;
    const values = new Float32Array(width * keys);
    for (let k = 0; k < keys; k++) {
      const value = Array.from({ length: width }, (_, c) => track.values[first + c]! + random.range(-noise, noise));
      const length = track.path === 'rotation' ? Math.hypot(...value) : 1;
      values.set(
        value.map((component) => component / length),
        k * width,
      );
    }
    return { ...track, interpolation: 'LINEAR', times, values };
  });
  return { ...clip, duration: times.at(-1)!, tracks };
}
