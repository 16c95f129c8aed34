import { View } from '../../layout/index.ts';
import { LARGEST_TRIANGLE, TriangleView, TriangleViews } from './triangles.ts';
import type { Matrix4 } from '../camera.ts';
import type { Lens } from '../lighting/frame-uniforms.ts';
import { added, scaled } from '../lighting/numbers.ts';

/** A picture to fill with triangles. */
export interface RasterView {
  /** Depth 1 at the near plane and 0 at infinity; without perspective: 0 at the far end, and nothing in front of the near one. */
  readonly clipFromWorld: Matrix4;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bit mask of the crowd's views: it shows their characters. Default: all. */
  readonly crowdViews?: number | undefined;
  /** As in `RasterSizes`. */
  readonly hardwareSize: number;
  /** Default: the largest. */
  readonly triangleSize?: number | undefined;
  /** TRIANGLE_ flags of primitives that are not drawn in it; default: none. */
  readonly skippedFlags?: number;
}

/** Fields of the views' uniform that do not follow from the views. */
export interface ViewParams {
  readonly runCount: number;
  readonly instanceRow: number;
  readonly projectionRow: number;
  readonly listCapacity: number;
  /** Lists may be too short: see `TriangleTables.mayDrop`. */
  readonly countsKept: boolean;
  /** Steps of the grid that positions are rounded to, per pixel. */
  readonly gridSteps: number;
  /** Keeps every triangle that other rules of rasterisation could show. */
  readonly keepsAll?: boolean;
  /** Choices of impostors are bound, and count. */
  readonly hasImpostors?: boolean;
}

/** Pixels by which 32-bit floats can be off, in pictures of up to 8,192 pixels. */
const ARITHMETIC_MARGIN = 1 / 256;
/** Replaces it where all triangles are kept: arithmetic with it stays finite. */
const ENDLESS_MARGIN = 1e9;
/** Replaces Infinity in the uniform. */
const MOST = 1e38;
/** Pixels across up to which triangles may be rasterised by compute: rounding can add a step on both sides. */
export const TRIANGLE_SIZE = LARGEST_TRIANGLE - 1;

export function hasPerspective(clipFromWorld: Matrix4): boolean {
  return [3, 7, 11].some((at) => clipFromWorld[at] !== 0);
}

/** The uniform of filter-triangles and raster-triangles. */
export function triangleViews(views: readonly RasterView[], params: ViewParams): Uint32Array<ArrayBuffer> {
  const { gridSteps, countsKept, keepsAll = false, hasImpostors = false, ...rest } = params;
  const buffer = new ArrayBuffer(TriangleViews.size);
  const head = new View(TriangleViews, buffer);
  head.assign(0, {
    viewCount: views.length,
    ...rest,
    keepsAll: Number(keepsAll),
    gridSteps,
    gridShift: Math.log2(gridSteps),
    zero: 0,
    countsKept: Number(countsKept),
    hasImpostors: Number(hasImpostors),
    margin: keepsAll ? ENDLESS_MARGIN : 0.5 / gridSteps + ARITHMETIC_MARGIN,
  });
  const rows = new View(TriangleView, buffer, TriangleViews.offsets.views, views.length);
  views.forEach(({ clipFromWorld, width, height, hardwareSize, ...view }, index) => {
    const up = [1, 5, 9].map((at) => clipFromWorld[at]!);
    rows.assign(index, {
      clipFromWorld,
      width,
      height,
      crowdViews: view.crowdViews ?? 0xffffffff,
      pixelsPerMetre: (Math.hypot(...up) * height) / 2,
      skippedFlags: view.skippedFlags ?? 0,
      hardwareSize: Math.min(hardwareSize, MOST),
      near: hasPerspective(clipFromWorld) ? clipFromWorld[14]! : 0,
      triangleSize: Math.min(view.triangleSize ?? TRIANGLE_SIZE, TRIANGLE_SIZE),
    });
  });
  return new Uint32Array(buffer);
}

/**
 * Position of a sample, in pixels from the middle of its pixel. The first is the middle, the others are Halton's
 * sequences of 2 and 3.
 */
export function jitterOf(index: number): readonly [x: number, y: number] {
  return index === 0 ? [0, 0] : [halton(index, 2) - 0.5, halton(index, 3) - 0.5];
}

/** Van der Corput's sequence in a base: digits of the index mirrored at the point. */
function halton(index: number, base: number): number {
  let [value, share] = [0, 1];
  for (let rest = index; rest > 0; rest = Math.floor(rest / base)) {
    share /= base;
    value += share * (rest % base);
  }
  return value;
}

/** Moves a matrix's picture by x pixels to the right and y pixels down. */
export function jittered(m: Matrix4, [x, y]: readonly [number, number], width: number, height: number): Matrix4 {
  return m.map((value, i) => {
    const w = m[i - (i % 4) + 3]!;
    if (i % 4 === 0) return value + ((2 * x) / width) * w;
    return i % 4 === 1 ? value - ((2 * y) / height) * w : value;
  });
}

/**
 * Moves the directions of a lens in the same way. Its matrices stay, since motion vectors do not include the offset.
 */
export function jitteredLens(lens: Lens, [x, y]: readonly [number, number]): Lens {
  const { skyRight, skyUp, skyForward, pictureWidth, pictureHeight } = lens;
  const [right, up] = [scaled(skyRight, (-2 * x) / pictureWidth), scaled(skyUp, (2 * y) / pictureHeight)];
  return { ...lens, skyForward: added(added(skyForward, right), up) };
}
