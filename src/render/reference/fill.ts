import { clipNear, nearestMiddleIn, type Clip } from '../visibility/filter-triangles/reference.ts';
import {
  isHole,
  onGrid,
  rasterSetup,
  setUpPlaced,
  type GridView,
  type MaskedMaterial,
  type PlacedCorner,
} from '../visibility/raster-triangles/reference.ts';
import { hasPerspective } from '../visibility/views.ts';
import { pixelsFromWorld } from '../visibility/shown-triangle.ts';
import type { Point, ShownTriangle } from '../visibility/triangle-reference.ts';
import { transform, type Matrix4, type Vector } from '../camera.ts';
import { clipped, type Plane } from '../lighting/cascades.ts';
import { triangleOf, type DrawnThing } from './drawn.ts';

/** A picture, or a shadow map, to fill with triangles. */
export interface FilledView extends GridView {
  /** Depth 1 at the near plane, 0 at infinity; without perspective 0 at the far end. */
  readonly clipFromWorld: Matrix4;
  /** Views of the crowd, a bit each. It shows their visible characters. */
  readonly crowdViews: number;
}

/** A triangle that filter-triangles kept. */
export interface KeptTriangle {
  readonly thing: DrawnThing;
  readonly shown: ShownTriangle;
  readonly corners: readonly [Point, Point, Point];
  /** Sign of the area of front faces where y points down; 0: both sides are drawn. */
  readonly side: number;
  readonly masked: boolean;
}

/** Nearest surface of each pixel, row by row. */
export interface FilledPixels {
  /** 0 where no triangle is. */
  readonly depths: Float32Array;
  /** Index of a kept triangle, or −1. */
  readonly triangles: Int32Array;
}

/** Work in steps. The renderer looks at the clock between them. */
export type Steps<T> = Generator<void, T>;

/** Finds the triangles of all things that can touch the middle of a pixel, in the order of ids. */
export function* filterView(view: FilledView, things: readonly DrawnThing[]): Steps<KeptTriangle[]> {
  const kept: KeptTriangle[] = [];
  // rounding moves a corner by half a step each way
  const margin = 1 / view.gridSteps;
  const { clipFromWorld: m } = view;
  // a shadow map has no near plane: surfaces beyond it get the nearest depth
  const clipFromWorld = hasPerspective(m) ? m : m.map((value, i) => (i % 4 === 2 ? 0 : value));
  for (const thing of things) {
    if ((thing.views & view.crowdViews) === 0) continue;
    for (const primitive of thing.primitives) {
      const side = primitive.doubleSided ? 0 : thing.isMirrored ? -1 : 1;
      for (let corner = 0; corner < primitive.indexCount; corner += 3) {
        const shown = triangleOf(thing, primitive, corner);
        const corners = thing.vertices.worldCorners(shown);
        if (nearestMiddleIn({ ...view, clipFromWorld }, { corners, side }) > margin) continue;
        kept.push({ thing, shown, corners, side, masked: primitive.masked });
      }
      yield;
    }
  }
  return kept;
}

/** Draws kept triangles. Each pixel gets the nearest triangle that covers it, and of equally near ones the first. */
export function* rasterView(
  view: FilledView,
  kept: readonly KeptTriangle[],
  materialOf: (row: number) => MaskedMaterial,
): Steps<FilledPixels> {
  const { clipFromWorld, width, height } = view;
  const depths = new Float32Array(width * height);
  const triangles = new Int32Array(width * height).fill(-1);
  const pixels = pixelsFromWorld(clipFromWorld, width, height);
  for (const [index, triangle] of kept.entries()) {
    const { thing, shown, side, masked } = triangle;
    const plot = (x: number, y: number, depth: number) => {
      const at = y * width + x;
      if (depth <= depths[at]!) return;
      if (masked && isHole(thing.vertices, shown, materialOf(shown.materialRow), pixels, [x + 0.5, y + 0.5])) return;
      depths[at] = depth;
      triangles[at] = index;
    };
    const [first, ...rest] = placedPolygon(view, triangle.corners);
    for (let i = 0; i + 1 < rest.length; i++) {
      const setup = setUpPlaced([first!, rest[i]!, rest[i + 1]!], side);
      if (setup) rasterSetup(setup, view, plot);
    }
    if (index % 256 === 255) yield;
  }
  return { depths, triangles };
}

/** Largest coordinate in pixels. Polygons are cut there, so that products of edges stay whole numbers. */
const GUARD = 2 ** 14;

/** Corners of a triangle after it is cut at the near plane, on the grid. */
function placedPolygon(view: FilledView, corners: readonly Point[]): PlacedCorner[] {
  const { clipFromWorld, width, height, gridSteps } = view;
  const clips = corners.map((corner): Clip => transform(clipFromWorld, corner));
  const polygon = (hasPerspective(clipFromWorld) ? clipNear(clips) : clips).map(([x, y, z, w]): Vector => [
    ((x / w) * 0.5 + 0.5) * width,
    (0.5 - (y / w) * 0.5) * height,
    z / w,
  ]);
  const isFar = polygon.some(([x, y]) => Math.abs(x) > GUARD || Math.abs(y) > GUARD);
  return (isFar ? clipped(polygon, GUARDS) : polygon).map(([x, y, depth]) =>
    onGrid([x, y], Math.min(1, Math.max(0, depth)), gridSteps),
  );
}

const GUARDS = [0, 1].flatMap((axis) =>
  [1, -1].map((sign): Plane => {
    const normal: Vector = axis === 0 ? [sign, 0, 0] : [0, sign, 0];
    return { normal, offset: -GUARD };
  }),
);
