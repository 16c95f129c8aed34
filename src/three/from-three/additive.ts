import type { CharacterModel, MorphSetModel, TrackModel } from '../../character/model.ts';
import { trackWidth } from '../../character/evaluate.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';

/** Adds tracks of differences to the rest pose, as three does. Key times and interpolation do not change. */
export function onRest(
  tracks: readonly TrackModel[],
  { joints }: Pick<CharacterModel, 'joints'>,
  morphSets: readonly MorphSetModel[],
): TrackModel[] {
  const product: number[] = [];
  return tracks.map((track) => {
    const { path, targetIndex, interpolation } = track;
    const rest = path === 'weights' ? morphSets[targetIndex]!.weights : joints[targetIndex]![path];
    const width = trackWidth(track);
    const values = track.values.slice();
    for (let at = 0, part = 0; at < values.length; at += width, part++) {
      const isTangent = interpolation === 'CUBICSPLINE' && part % 3 !== 1;
      if (path === 'rotation') {
        multiplyQuaternion(rest, values.subarray(at, at + 4), product);
        values.set(product, at);
      } else if (!isTangent) {
        for (let c = 0; c < width; c++) values[at + c]! += rest[c]!;
      }
    }
    return { ...track, values };
  });
}
