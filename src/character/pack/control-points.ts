import { trackWidth } from '../evaluate.ts';
import type { TrackModel } from '../model.ts';
import { isStill } from './track-reader.ts';

/**
 * Control points of a track between a key and the next one: both values, or the four Bézier points of a cubic. The hull
 * of the Bézier points contains the curve. For a step, and after the last key: the key's own value.
 */
export function controlPoints(track: TrackModel, key: number): number[][] {
  const { times, values, interpolation } = track;
  const width = trackWidth(track);
  const stride = values.length / times.length;
  /** Value of a key, plus a multiple of its incoming (-1) or outgoing (1) tangent. */
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

/**
 * Visits the control points of a whole track, some of them twice. The list that is passed is reused for the next one.
 */
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
