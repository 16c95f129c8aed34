import type { RgbaImage } from '../images/image.ts';
import { decoder, type ColorSpace } from './resample.ts';

/** A layer of a texture array on the CPU. */
export interface TextureLayer {
  /** Squares, each half as wide as the one before, down to one pixel. */
  readonly levels: readonly RgbaImage[];
  readonly space: ColorSpace;
}

/** True if coordinates beyond 0 … 1 repeat the image, by axis; false if they show its edge. */
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

function sampleLevel(
  { width, data }: RgbaImage,
  space: ColorSpace,
  [u, v]: Pair,
  [repeatsS, repeatsT]: Repeats,
): number[] {
  const [x, y] = [u * width - 0.5, v * width - 0.5];
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [left, right] = [wrapped(column, width, repeatsS), wrapped(column + 1, width, repeatsS)];
  const [top, bottom] = [width * wrapped(row, width, repeatsT), width * wrapped(row + 1, width, repeatsT)];
  const [across, down] = [x - column, y - row];
  const [colors, numbers] = [decoder(space), decoder('numbers')];
  const out = [0, 0, 0, 0];
  for (let c = 0; c < 4; c++) {
    const codes = c === 3 ? numbers : colors;
    const above = mix(codes[data[4 * (top + left) + c]!]!, codes[data[4 * (top + right) + c]!]!, across);
    const below = mix(codes[data[4 * (bottom + left) + c]!]!, codes[data[4 * (bottom + right) + c]!]!, across);
    out[c] = mix(above, below, down);
  }
  return out;
}

function wrapped(index: number, width: number, repeats: boolean): number {
  return repeats ? ((index % width) + width) % width : Math.min(width - 1, Math.max(0, index));
}

function mix(a: number, b: number, share: number): number {
  return a + share * (b - a);
}
