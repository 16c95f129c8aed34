import {
  dot,
  multiply,
  normalize,
  orthographic,
  transform,
  viewFromWorld,
  type Matrix4,
  type Vector,
} from '../camera.ts';

/** A box in world space, metres, that holds all that casts or receives a shadow. */
export interface Bounds {
  readonly min: Vector;
  readonly max: Vector;
}

/**
 * The sun's view of a box: `sunFromWorld` maps it to clip space, depth 0 nearest to the sun. `texel` is the width of
 * one texel of a map of `resolution`².
 */
export function sunView(
  direction: Vector,
  { min, max }: Bounds,
  resolution: number,
): { sunFromWorld: Matrix4; texel: number } {
  const towards = normalize(direction);
  const center: Vector = [0, 1, 2].map((c) => (min[c]! + max[c]!) / 2) as unknown as Vector;
  const eye: Vector = [center[0] + towards[0], center[1] + towards[1], center[2] + towards[2]];
  const up: Vector = Math.abs(dot(towards, [0, 1, 0])) > 0.99 ? [0, 0, 1] : [0, 1, 0];
  const view = viewFromWorld({ eye, target: center, up });
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const p = [0, 1, 2].map((c) => ((corner >> c) & 1 ? max[c]! : min[c]!)) as unknown as Vector;
    transform(view, p)
      .slice(0, 3)
      .forEach((value, c) => {
        low[c] = Math.min(low[c]!, value);
        high[c] = Math.max(high[c]!, value);
      });
  }
  const margin = 0.02 * Math.max(high[0]! - low[0]!, high[1]! - low[1]!);
  const projection = orthographic({
    left: low[0]! - margin,
    right: high[0]! + margin,
    bottom: low[1]! - margin,
    top: high[1]! + margin,
    near: -high[2]! - margin,
    far: -low[2]! + margin,
  });
  const width = Math.max(high[0]! - low[0]!, high[1]! - low[1]!) + 2 * margin;
  return { sunFromWorld: multiply(projection, view), texel: width / resolution };
}
