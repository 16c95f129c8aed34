import { TriangleTree, type SurfacePoints } from './nearest-triangle.ts';
import type { SamplePose } from './sample-poses.ts';
import type { Surface } from './surface.ts';

/** The most points of one surface. */
const MOST_POINTS = 100_000;

/** Points of a surface, and the nearest points on another one, in the space of the key poses. */
interface Pairs {
  readonly asking: Surface;
  readonly asked: Surface;
  readonly points: SurfacePoints;
  readonly partners: SurfacePoints;
  /** Those of the two that are on the finest meshes. */
  readonly onFine: SurfacePoints;
}

/**
 * Compares the finest meshes with coarser ones: points all over both, and their distances to the other surface in a
 * pose.
 */
export class Comparison {
  readonly #pairs: readonly Pairs[];

  /**
   * @param spacing Metres between points at rest.
   * @param least Metres. Points that are nearer to their partner in all key poses are left out.
   */
  constructor(
    fine: Surface,
    coarse: Surface,
    { spacing, least }: { readonly spacing: number; readonly least: number },
  ) {
    const pair = (asking: Surface, asked: Surface): Pairs => {
      const all = asking.spread(spacing, MOST_POINTS);
      const { points, partners } = asked.pairs(asking, all, least);
      return { asking, asked, points, partners, onFine: asking === fine ? points : partners };
    };
    this.#pairs = [pair(fine, coarse), pair(coarse, fine)];
  }

  /**
   * Visits all points that are farther from the other surface than the square root of `least`, in a pose, in both
   * directions. Few points need the full search: a point's distance to a surface is at most its distance to its partner
   * on it.
   *
   * @param use Receives points on the finest meshes, the squared distance, and the index of the point. A number that it
   * returns becomes the next `least`.
   */
  distances(
    pose: SamplePose,
    least: number,
    use: (onFine: SurfacePoints, square: number, point: number) => number | void,
  ): void {
    let threshold = least;
    for (const { asking, asked, points, partners, onFine } of this.#pairs) {
      const [from, to] = [asking.posed(pose), asked.posed(pose)];
      const at = new Float32Array(3);
      const partner = new Float32Array(3);
      let tree: TriangleTree | undefined;
      for (let i = 0; i < points.corners.length; i += 3) {
        placePoint(points, i, from, at);
        placePoint(partners, i, to, partner);
        const x = at[0]! - partner[0]!;
        const y = at[1]! - partner[1]!;
        const z = at[2]! - partner[2]!;
        const apart = x * x + y * y + z * z;
        // skips poses with numbers that are not finite
        if (!(apart > threshold && apart < Infinity)) continue;
        tree ??= new TriangleTree(to, 3, asked.tree);
        const square = tree.squaredDistance(at, apart);
        if (square > threshold) threshold = use(onFine, square, i / 3) ?? threshold;
      }
    }
  }
}

/** Position of the point with corners from `i` on, from three numbers per vertex. */
function placePoint({ corners, shares }: SurfacePoints, i: number, vertices: Float32Array, out: Float32Array): void {
  const u = 3 * corners[i]!;
  const v = 3 * corners[i + 1]!;
  const w = 3 * corners[i + 2]!;
  const su = shares[i]!;
  const sv = shares[i + 1]!;
  const sw = shares[i + 2]!;
  out[0] = su * vertices[u]! + sv * vertices[v]! + sw * vertices[w]!;
  out[1] = su * vertices[u + 1]! + sv * vertices[v + 1]! + sw * vertices[w + 1]!;
  out[2] = su * vertices[u + 2]! + sv * vertices[v + 2]! + sw * vertices[w + 2]!;
}
