import { dot, type Vector } from '../camera.ts';

/** A half-space: points with normal · point ≥ offset. */
export interface Plane {
  readonly normal: Vector;
  readonly offset: number;
}

/** The six faces of something like a box: bit c of a corner's number says on which side of axis c it is. */
export function facesOf(corners: readonly Vector[]): readonly (readonly Vector[])[] {
  return [0, 1, 2].flatMap((c) => {
    const [a, b] = [1 << ((c + 1) % 3), 1 << ((c + 2) % 3)];
    return [0, 1 << c].map((side) => [0, a, a | b, b].map((corner) => corners[side | corner]!));
  });
}

/**
 * Clips a convex polygon to the half-spaces of all planes (Sutherland, Hodgman, "Reentrant polygon clipping", 1974).
 */
export function clipped(polygon: readonly Vector[], planes: readonly Plane[]): readonly Vector[] {
  return planes.reduce((points, { normal, offset }) => {
    const inside = points.map((point) => dot(normal, point) - offset);
    return points.flatMap((point, i) => {
      const next = (i + 1) % points.length;
      const [here, there] = [inside[i]!, inside[next]!];
      const kept = here >= 0 ? [point] : [];
      if (here >= 0 === there >= 0) return kept;
      const share = here / (here - there);
      const cut = point.map((value, c) => value + share * (points[next]![c]! - value)) as unknown as Vector;
      return [...kept, cut];
    });
  }, polygon);
}
