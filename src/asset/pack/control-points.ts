import { trackWidth } from '../evaluate.ts';
import type { TrackModel } from '../model.ts';
import { isStill } from './track-reader.ts';

/**
 * What holds a track between a key and the next one: both values, of a cubic its four Bézier points, whose hull holds the
 * curve. Of a step, and behind the last key, the key's own value.
 */
export function controlPoints(track: TrackModel, key: number): number[][] {
  const { times, values, interpolation } = track;
  const width = trackWidth(track);
  const stride = values.length / times.length;
  /** Values of a key, by so much of a tangent before (-1) or behind (1) them. */
  const pointAt = (k: number, tangent = 0, seconds = 0): number[] => {
    const at = k * stride + (stride === width ? 0 : width);
    const point: number[] = [];
    for (let c = 0; c < width; c++) {
      point.push(values[at + c]! + (tangent === 0 ? 0 : seconds * values[at + tangent * width + c]!));
    }
    return point;
  };
  if (key + 1 >= times.length || interpolation === 'STEP') return [pointAt(key)];
  if (interpolation === 'LINEAR') return [pointAt(key), pointAt(key + 1)];
  const third = (times[key + 1]! - times[key]!) / 3;
  return [pointAt(key), pointAt(key, 1, third), pointAt(key + 1, -1, -third), pointAt(key + 1)];
}

/** The control points of a whole track, some of them twice. The list that is handed over is used again for the next one. */
export function eachControlPoint(track: TrackModel, use: (point: number[]) => void): void {
  const { times, values, interpolation } = track;
  if (interpolation === 'CUBICSPLINE') {
    for (let key = 0; key < times.length; key++) for (const point of controlPoints(track, key)) use(point);
    return;
  }
  const width = trackWidth(track);
  const point: number[] = [];
  for (let at = 0; at < (isStill(track) ? width : values.length); at += width) {
    for (let c = 0; c < width; c++) point[c] = values[at + c]!;
    use(point);
  }
}
