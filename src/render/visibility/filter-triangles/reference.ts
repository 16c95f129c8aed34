import { transform } from '../../camera.ts';
import type { FoundTriangle, Point, TriangleReader } from '../triangle-reference.ts';

export type Clip = readonly [number, number, number, number];
export type Pixel = readonly [number, number];

/**
 * Twin of filter-triangles: distance of a triangle from the nearest middle of a pixel of a view, in pixels. It is 0
 * where the triangle covers one, and Infinity where it shows its back or lies outside. A triangle nearer than the
 * kernel's margin has to be kept.
 *
 * Looks at every pixel that the triangle's box can hold: for small pictures.
 */
export function nearestMiddle({ viewRows }: TriangleReader, view: number, triangle: FoundTriangle): number {
  const [width, height] = [viewRows.get(view, 'width'), viewRows.get(view, 'height')];
  return nearestMiddleIn({ clipFromWorld: viewRows.get(view, 'clipFromWorld'), width, height }, triangle);
}

export interface FilterView {
  readonly clipFromWorld: ArrayLike<number>;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The same of a single triangle. */
export function nearestMiddleIn(
  { clipFromWorld, width, height }: FilterView,
  { corners, side }: Pick<FoundTriangle, 'corners' | 'side'>,
): number {
  const polygon = polygonIn(clipFromWorld, width, height, corners);
  if (polygon.length < 3) return Infinity;
  if (areaOf(polygon) * side > 0) return Infinity;
  const ys = polygon.map(([, y]) => y);
  // a pixel more on each side: what is farther away does not count
  const first = (low: number) => Math.max(0, Math.floor(low - 1.5));
  const last = (high: number, size: number) => Math.min(size - 1, Math.ceil(high + 0.5));
  let nearest = Infinity;
  for (let y = first(Math.min(...ys)); y <= last(Math.max(...ys), height) && nearest > 0; y++) {
    const [left, right] = spanOf(polygon, y - 0.5, y + 1.5);
    for (let x = first(left); x <= last(right, width) && nearest > 0; x++) {
      nearest = Math.min(nearest, distanceTo(polygon, [x + 0.5, y + 0.5]));
    }
  }
  return nearest;
}

/** The part of a triangle that a view's near plane does not clip, in pixels. */
export function polygonOf({ viewRows }: TriangleReader, view: number, { corners }: FoundTriangle): Pixel[] {
  const matrix = viewRows.get(view, 'clipFromWorld');
  return polygonIn(matrix, viewRows.get(view, 'width'), viewRows.get(view, 'height'), corners);
}

/** The same of any polygon, or of an edge, which is its own way back. */
export function polygonIn(
  clipFromWorld: ArrayLike<number>,
  width: number,
  height: number,
  corners: readonly Point[],
): Pixel[] {
  const clips = corners.map((corner) => transform(clipFromWorld, corner));
  return clipNear(clips).map(([x, y, , w]): Pixel => [((x / w) * 0.5 + 0.5) * width, (0.5 - (y / w) * 0.5) * height]);
}

/** How far a convex polygon reaches to the left and right between two heights. */
function spanOf(polygon: readonly Pixel[], top: number, bottom: number): [left: number, right: number] {
  let [left, right] = [Infinity, -Infinity];
  polygon.forEach(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!;
    if (Math.min(ay, by) > bottom || Math.max(ay, by) < top) return;
    const at = (y: number) => ax + ((Math.min(bottom, Math.max(top, y)) - ay) / (by - ay)) * (bx - ax);
    const ends = ay === by ? [ax, bx] : [at(ay), at(by)];
    [left, right] = [Math.min(left, ...ends), Math.max(right, ...ends)];
  });
  return [left, right];
}

/**
 * The part of a triangle that the near plane does not clip, z ≤ w. Sutherland and Hodgman, "Reentrant Polygon
 * Clipping", 1974.
 */
export function clipNear(corners: readonly Clip[]): Clip[] {
  const out: Clip[] = [];
  corners.forEach((from, i) => {
    const to = corners[(i + 1) % corners.length]!;
    const [a, b] = [from[3] - from[2], to[3] - to[2]];
    if (a >= 0) out.push(from);
    if (a >= 0 !== b >= 0) {
      const t = a / (a - b);
      out.push(from.map((value, c) => value + t * (to[c]! - value)) as unknown as Clip);
    }
  });
  return out;
}

/** Twice its area; positive for clockwise ones where y points down. */
export function areaOf(polygon: readonly Pixel[]): number {
  return polygon.reduce((sum, [x, y], i) => {
    const [nx, ny] = polygon[(i + 1) % polygon.length]!;
    return sum + x * ny - nx * y;
  }, 0);
}

/** Distance from a point to a convex polygon; 0 inside. */
function distanceTo(polygon: readonly Pixel[], point: Pixel): number {
  return isInside(polygon, point) ? 0 : edgeDistance(polygon, point);
}

/** Returns true if a convex polygon holds a point, edges included. */
export function isInside(polygon: readonly Pixel[], [x, y]: Pixel): boolean {
  const turn = Math.sign(areaOf(polygon));
  return polygon.every(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!;
    return turn !== 0 && ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) * turn >= 0;
  });
}

/** Distance from a point to the nearest of a polygon's edges. */
export function edgeDistance(polygon: readonly Pixel[], [x, y]: Pixel): number {
  const distances = polygon.map(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!;
    const [ex, ey, px, py] = [bx - ax, by - ay, x - ax, y - ay];
    const t = Math.min(1, Math.max(0, (px * ex + py * ey) / (ex * ex + ey * ey || 1)));
    return Math.hypot(px - t * ex, py - t * ey);
  });
  return Math.min(...distances);
}
