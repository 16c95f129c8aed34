import type { Keys } from './keys.ts';

/**
 * Converts three's smooth curves (`CubicInterpolant`: Catmull-Rom over uneven times) to cubics with tangents, exactly. The tangent of a
 * key is the mean of the slopes to both neighbours. The first and last key use the neighbour at the other end, as in clips that loop.
 * In three the ends also depend on how an action plays the clip.
 */
export function smoothKeys({ times, values }: Omit<Keys, 'interpolation'>, width: number): Keys {
  const last = times.length - 1;
  const out = new Float32Array(3 * values.length);
  for (let key = 0; key <= last; key++) {
    const [before, after] = [key === 0 ? last - 1 : key - 1, key === last ? 1 : key + 1];
    const back = key === 0 ? times[last]! - times[last - 1]! : times[key]! - times[before]!;
    const ahead = key === last ? times[1]! - times[0]! : times[after]! - times[key]!;
    for (let c = 0; c < width; c++) {
      const at = 3 * width * key + c;
      const value = values[key * width + c]!;
      out[at + width] = value;
      if (last === 0) continue;
      const tangent = ((value - values[before * width + c]!) / back + (values[after * width + c]! - value) / ahead) / 2;
      out[at] = out[at + 2 * width] = tangent;
    }
  }
  return { interpolation: 'CUBICSPLINE', times, values: out };
}
