import type { RgbaImage } from '../images/image.ts';
import { decoder, type ColorSpace } from './resample.ts';

/** A layer of a texture array on the CPU. */
export interface TextureLayer {
  /** Squares, each half as wide as the one before, down to one pixel. */
  readonly levels: readonly RgbaImage[];
  readonly space: ColorSpace;
}

/** Whether coordinates beyond 0 … 1 show the image again, by axis; else its edge. */
export type Repeats = readonly [s: boolean, t: boolean];
type Pair = readonly [number, number];

/**
 * `textureSampleGrad` with linear filters: two levels around log₂ of the longer footprint in texels (WebGPU leaves the exact
 * choice to adapters), each blended between four texels.
 */
export function sampleTexture(
  { levels, space }: TextureLayer,
  uv: Pair,
  [ddx, ddy]: readonly [Pair, Pair],
  repeats: Repeats,
): number[] {
  const side = levels[0]!.width;
  const footprint = Math.max(Math.hypot(...ddx), Math.hypot(...ddy)) * side;
  const level = Math.min(levels.length - 1, Math.max(0, Math.log2(footprint)));
  const finer = Math.floor(level);
  const share = level - finer;
  const near = sampleLevel(levels[finer]!, space, uv, repeats);
  if (share === 0) return near;
  const far = sampleLevel(levels[finer + 1]!, space, uv, repeats);
  return near.map((value, c) => value + share * (far[c]! - value));
}

function sampleLevel({ width, data }: RgbaImage, space: ColorSpace, uv: Pair, repeats: Repeats): number[] {
  const texels = (axis: 0 | 1) => {
    const at = uv[axis] * width - 0.5;
    const first = Math.floor(at);
    const wrap = (index: number) =>
      repeats[axis] ? ((index % width) + width) % width : Math.min(width - 1, Math.max(0, index));
    return { share: at - first, low: wrap(first), high: wrap(first + 1) };
  };
  const [s, t] = [texels(0), texels(1)];
  const toLinear = decoder(space);
  const numbers = decoder('numbers');
  return [0, 1, 2, 3].map((c) => {
    const codes = c === 3 ? numbers : toLinear;
    const value = (x: number, y: number) => codes[data[4 * (y * width + x) + c]!]!;
    const row = (y: number) => value(s.low, y) + s.share * (value(s.high, y) - value(s.low, y));
    return row(t.low) + t.share * (row(t.high) - row(t.low));
  });
}
