import type { FilterView } from '../filter-triangles/reference.ts';
import { LARGEST_TRIANGLE } from '../triangles.ts';
import { transform } from '../../camera.ts';
import type { Point, ShownTriangle } from '../triangle-reference.ts';
import { weightsAt, type ShownVertices, type StaticAttributes } from '../shown-triangle.ts';

/** A triangle on the grid, as `setup.wesl` makes it; floats are 32-bit values. */
export interface RasterSetup {
  /** Corners in grid steps: x, y of a, b, c, in an order of positive area where y points down. */
  readonly corners: readonly [number, number, number, number, number, number];
  /** Depth at a; `slope` is its growth per step to the right and down. */
  readonly depth: number;
  readonly slope: readonly [number, number];
  readonly low: number;
  readonly high: number;
}

export interface GridView extends FilterView {
  readonly gridSteps: number;
}

/**
 * Twin of `setup.wesl`, in double precision. Returns undefined if nothing is drawn. Corners may differ from the kernel's by a step.
 * @param side Sign of the area of front faces where y points down; 0: both sides are drawn.
 */
export function setUpTriangle(
  { clipFromWorld, width, height, gridSteps }: GridView,
  world: readonly [Point, Point, Point],
  side: number,
): RasterSetup | undefined {
  const placed = world.map((point): PlacedCorner => {
    const [x, y, z, w] = transform(clipFromWorld, point);
    return onGrid([((x / w) * 0.5 + 0.5) * width, (0.5 - (y / w) * 0.5) * height], z / w, gridSteps);
  }) as unknown as PlacedTriangle;
  const extent = (axis: 0 | 1) =>
    Math.max(...placed.map(({ at }) => at[axis])) - Math.min(...placed.map(({ at }) => at[axis]));
  if (Math.max(extent(0), extent(1)) >= (LARGEST_TRIANGLE + 1) * gridSteps) return undefined;
  return setUpPlaced(placed, side);
}

/** A corner on the grid, in steps from the picture's left and top, and its depth. */
export interface PlacedCorner {
  readonly at: readonly [number, number];
  readonly depth: number;
}
type PlacedTriangle = readonly [PlacedCorner, PlacedCorner, PlacedCorner];

/** @param pixel From the picture's left and top. */
export function onGrid([x, y]: readonly [number, number], depth: number, gridSteps: number): PlacedCorner {
  return { at: [Math.floor(x * gridSteps + 0.5), Math.floor(y * gridSteps + 0.5)], depth };
}

/** The same for corners on the grid, and triangles of any size: doubles hold products of 53 bits. */
export function setUpPlaced([p, q, r]: PlacedTriangle, side: number): RasterSetup | undefined {
  const [ux, uy, vx, vy] = [q.at[0] - p.at[0], q.at[1] - p.at[1], r.at[0] - p.at[0], r.at[1] - p.at[1]];
  const area = ux * vy - uy * vx;
  if (area === 0 || area * side > 0) return undefined;
  const [rise, run] = [q.depth - p.depth, r.depth - p.depth];
  const depths = [p.depth, q.depth, r.depth];
  const [b, c] = area > 0 ? [q, r] : [r, q];
  return {
    corners: [...p.at, ...b.at, ...c.at],
    depth: p.depth,
    slope: [(rise * vy - run * uy) / area, (run * ux - rise * vx) / area],
    low: Math.min(...depths),
    high: Math.max(...depths),
  };
}

const f32 = Math.fround;

/**
 * Twin of the kernel from the set-up on, exact to the bit. Plots the pixels that have their middle inside the triangle, by the
 * top-left rule, and the depths there.
 */
export function rasterSetup(
  { corners, depth, slope, low, high }: RasterSetup,
  { width, height, gridSteps }: Omit<GridView, 'clipFromWorld'>,
  plot: (x: number, y: number, depth: number) => void,
): void {
  const [ax, ay, bx, by, cx, cy] = corners;
  const half = gridSteps / 2;
  const first = (...at: number[]) => Math.max(0, Math.ceil((Math.min(...at) - half) / gridSteps));
  const last = (size: number, ...at: number[]) => Math.min(size - 1, Math.floor((Math.max(...at) - half) / gridSteps));
  const inside = (x0: number, y0: number, x1: number, y1: number, x: number, y: number) => {
    const value = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0);
    const owns = y1 < y0 || (y1 === y0 && x1 > x0);
    return value > 0 || (value === 0 && owns);
  };
  for (let py = first(ay, by, cy); py <= last(height, ay, by, cy); py++) {
    for (let px = first(ax, bx, cx); px <= last(width, ax, bx, cx); px++) {
      const [x, y] = [px * gridSteps + half, py * gridSteps + half];
      if (!inside(ax, ay, bx, by, x, y) || !inside(bx, by, cx, cy, x, y) || !inside(cx, cy, ax, ay, x, y)) continue;
      const plane = f32(f32(depth + f32((x - ax) * slope[0])) + f32((y - ay) * slope[1]));
      plot(px, py, Math.min(Math.max(plane, low), high));
    }
  }
}

/** A material that may have holes. */
export interface MaskedMaterial {
  readonly alphaCutoff: number;
  /** Factor × texture, without vertex colour. */
  alphaAt(attributes: StaticAttributes): number;
}

/**
 * Returns true if a triangle has a hole at a pixel: its alpha is below the cutoff there. Twin of `masks.wesl`.
 * @param pixels Rows of the view, see `pixelsFromWorld`. @param pixel Its middle.
 */
export function isHole(
  vertices: ShownVertices,
  triangle: ShownTriangle,
  material: MaskedMaterial,
  pixels: readonly number[],
  pixel: readonly [number, number],
): boolean {
  const weights = weightsAt(pixels, vertices.worldCorners(triangle), pixel);
  const attributes = vertices.attributes(triangle, weights);
  const own = (attributes.color[3] * (triangle.tint >>> 24)) / 255;
  return own * material.alphaAt(attributes) < material.alphaCutoff;
}
