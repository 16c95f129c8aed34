import { TriangleTree, type SurfacePoints } from './nearest-triangle.ts';
import type { SamplePose } from './sample-poses.ts';
import { placePoints, type Surface } from './surface.ts';

/** Points of one surface at most. */
const MOST_POINTS = 100_000;

/** Points of a surface, and what is nearest to them on another one, in the space of the key poses. */
interface Pairs {
  readonly asking: Surface;
  readonly asked: Surface;
  readonly points: SurfacePoints;
  readonly partners: SurfacePoints;
  /** Those of the two that are on the finest meshes. */
  readonly onFine: SurfacePoints;
}

/** The finest meshes beside coarser ones: points all over both, and how far from the other surface they are in a pose. */
export class Comparison {
  readonly #pairs: readonly Pairs[];

  /** @param spacing Metres between points at rest. */
  constructor(fine: Surface, coarse: Surface, spacing: number) {
    const pair = (asking: Surface, asked: Surface): Pairs => {
      const points = asking.spread(spacing, MOST_POINTS);
      const partners = asked.nearest(asking, points);
      return { asking, asked, points, partners, onFine: asking === fine ? points : partners };
    };
    this.#pairs = [pair(fine, coarse), pair(coarse, fine)];
  }

  /**
   * Goes through all points that are farther from the other surface than the square root of `least`, in a pose; either way.
   * Few are asked for: a point is no farther from a surface than from its partner on it.
   *
   * @param use Gets points on the finest meshes, the squared distance, and the index of the point. What it returns is the next
   *   `least`, if it is a number.
   */
  distances(
    pose: SamplePose,
    least: number,
    use: (onFine: SurfacePoints, square: number, point: number) => number | void,
  ): void {
    let threshold = least;
    for (const { asking, asked, points, partners, onFine } of this.#pairs) {
      const vertices = asked.posed(pose);
      const from = placePoints(points, asking.posed(pose), 3);
      const to = placePoints(partners, vertices, 3);
      let tree: TriangleTree | undefined;
      for (let at = 0; at < from.length; at += 3) {
        const apart =
          (from[at]! - to[at]!) ** 2 + (from[at + 1]! - to[at + 1]!) ** 2 + (from[at + 2]! - to[at + 2]!) ** 2;
        // a pose that cannot be computed with is none
        if (!(apart > threshold && apart < Infinity)) continue;
        tree ??= new TriangleTree(vertices, 3, asked.tree);
        const square = tree.squaredDistance(from.subarray(at, at + 3), apart);
        if (square > threshold) threshold = use(onFine, square, at / 3) ?? threshold;
      }
    }
  }
}
