import type { RgbaImage } from '../images/image.ts';

/** Meaning of an image's red, green and blue; alpha is always a number. */
export type ColorSpace = 'srgb' | 'numbers';

/** An image in a texture array on the CPU. */
export interface TextureLayer {
  /** Squares, each half as wide as the one before, down to one pixel. */
  readonly levels: readonly RgbaImage[];
  readonly space: ColorSpace;
}

/** True if an image repeats beyond its edges, by axis, for the texels that blend across them. */
export interface Edges {
  readonly repeatS: boolean;
  readonly repeatT: boolean;
}

/**
 * Resamples an image to a square of `side` pixels. Where it grows it is blended between pixels, as a sampler would do
 * with the smaller one. Where it shrinks each pixel is a tent over the area that it covers. Colours are blended in
 * linear light.
 */
export function resample(image: RgbaImage, side: number, space: ColorSpace, { repeatS, repeatT }: Edges): RgbaImage {
  const { width, height, data } = image;
  if (width === side && height === side) return image;
  const [columns, rows] = [taps(width, side, repeatS), taps(height, side, repeatT)];
  const toLinear = decoder(space);
  const wide = new Float32Array(4 * side * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < side; x++) {
      for (const [column, weight] of columns[x]!) {
        const from = 4 * (y * width + column);
        const to = 4 * (y * side + x);
        for (let c = 0; c < 3; c++) wide[to + c]! += weight * toLinear[data[from + c]!]!;
        wide[to + 3]! += (weight * data[from + 3]!) / 255;
      }
    }
  }
  const out = new Uint8Array(4 * side * side);
  const sum = new Float64Array(4 * side);
  for (let y = 0; y < side; y++) {
    sum.fill(0);
    for (const [row, weight] of rows[y]!) {
      for (let i = 0; i < sum.length; i++) sum[i]! += weight * wide[4 * row * side + i]!;
    }
    for (let i = 0; i < sum.length; i++) out[4 * y * side + i] = encode(sum[i]!, i % 4 === 3 ? 'numbers' : space);
  }
  return { width: side, height: side, data: out };
}

/** A square image, a power of two wide, and its halves down to one pixel: each pixel the mean of four. */
export function mipLevels(image: RgbaImage, space: ColorSpace): RgbaImage[] {
  const levels = [image];
  for (let last = image; last.width > 1; last = levels.at(-1)!) levels.push(halved(last, space));
  return levels;
}

function halved({ width, data }: RgbaImage, space: ColorSpace): RgbaImage {
  const side = width / 2;
  const toLinear = decoder(space);
  const out = new Uint8Array(4 * side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const from = 8 * (y * width + x);
      const below = from + 4 * width;
      const to = 4 * (y * side + x);
      for (let c = 0; c < 3; c++) {
        const [a, b] = [data[from + c]!, data[from + 4 + c]!];
        const [d, e] = [data[below + c]!, data[below + 4 + c]!];
        // most are equal, and need no curve
        const same = a === b && a === d && a === e;
        out[to + c] = same ? a : encode((toLinear[a]! + toLinear[b]! + toLinear[d]! + toLinear[e]!) / 4, space);
      }
      out[to + 3] = Math.round((data[from + 3]! + data[from + 7]! + data[below + 3]! + data[below + 7]!) / 4);
    }
  }
  return { width: side, height: side, data: out };
}

/** For each new pixel along an axis, the old ones that it is made of, and their weights, which sum to 1. */
function taps(from: number, to: number, repeats: boolean): readonly (readonly [index: number, weight: number])[][] {
  const radius = Math.max(1, from / to);
  return Array.from({ length: to }, (_, i) => {
    const center = ((i + 0.5) * from) / to - 0.5;
    const found: [number, number][] = [];
    for (let at = Math.ceil(center - radius); at <= center + radius; at++) {
      const weight = 1 - Math.abs(at - center) / radius;
      if (weight > 0) found.push([wrapped(at, from, repeats), weight]);
    }
    const total = found.reduce((sum, [, weight]) => sum + weight, 0);
    return found.map(([index, weight]) => [index, weight / total] as const);
  });
}

/** The pixel that an index beyond an edge shows: of the image's repetition, or the edge's. */
export function wrapped(index: number, width: number, repeats: boolean): number {
  return repeats ? ((index % width) + width) % width : Math.min(width - 1, Math.max(0, index));
}

const NUMBERS = Float32Array.from({ length: 256 }, (_, code) => code / 255);
/** Linear light of every sRGB code (IEC 61966-2-1). */
const LINEAR = NUMBERS.map((e) => (e <= 0.04045 ? e / 12.92 : ((e + 0.055) / 1.055) ** 2.4));

/** Linear values of all codes. */
export function decoder(space: ColorSpace): Float32Array {
  return space === 'srgb' ? LINEAR : NUMBERS;
}

/** The code of a linear value. */
export function encode(value: number, space: ColorSpace): number {
  if (space === 'numbers') return Math.round(255 * value);
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
}
