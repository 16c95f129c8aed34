import type { CharacterModel, ClipModel, MeshModel } from '../model.ts';
import { measureSkeleton, type SkeletonMetrics } from '../pack/skeleton-metrics.ts';
import { TriangleTree, type SurfacePoints } from './nearest-triangle.ts';
import { distinctPoses, posedBy, samplePoses, type SamplePose } from './sample-poses.ts';
import { neededJoints } from './spare-joints.ts';
import { Surface } from './surface.ts';

/** Number of poses that make up the space in which surfaces are compared. Meshes over KEY_VERTICES get fewer. */
const KEY_POSES = 8;
const KEY_VERTICES = 800_000;
/** The most vertices that are posed, over all poses. Then the fewest and most moments of clips. */
const VERTEX_POSES = 2_000_000;
const [LEAST_MOMENTS, MOST_MOMENTS] = [16, 96];
/** Distance between points, as a share of the character's size. */
const SPACING = 1 / 64;
const STRAY_SPACING = 1 / 32;
/** Points that are nearer in all key poses than this share of a distance are hardly that far in others. */
const HOPEFUL_SHARE = 1 / 3;
/** Joints are left out if that moves vertices by at most these shares of a level's error, tried in order. */
const JOINT_SHARES = [1 / 4, 1 / 16, 1 / 64];
/** Factor for errors in poses and at points that are not sampled. */
export const MARGIN = 1.1;

/**
 * Measures the distance of a character's coarser meshes from its finest ones, over all poses.
 *
 * The error is the largest distance of a point of one surface from the other, in both directions, plus a tenth. It is
 * taken over points all over both surfaces, moments of all clips, blends between them, and morph targets at 1. Few
 * points need that distance. Each has a partner on the other surface: the point that is nearest in the space of several
 * poses at once. The surface is at most as far as that partner.
 *
 * Cost: see `docs/adr/0014-mesh-lods.md`. Meshes with more vertices get fewer poses and points, so that it stays within
 * seconds.
 */
export class LodMeter {
  /** Poses as different from each other as possible; the rest pose is first. */
  readonly keyPoses: readonly SamplePose[];
  readonly #poses: readonly SamplePose[];
  readonly #fine: Surface;

  constructor(
    readonly model: CharacterModel,
    clips: readonly ClipModel[],
    readonly metrics: SkeletonMetrics = measureSkeleton(model),
  ) {
    const vertexCount = Math.max(
      1,
      model.meshes.reduce((sum, mesh) => sum + mesh.vertexCount, 0),
    );
    const between = (low: number, high: number, value: number) => Math.max(low, Math.min(high, Math.floor(value)));
    this.#poses = samplePoses(model, clips, between(LEAST_MOMENTS, MOST_MOMENTS, VERTEX_POSES / vertexCount));
    this.keyPoses = distinctPoses(this.#poses, between(2, KEY_POSES, KEY_VERTICES / vertexCount), metrics);
    this.#fine = this.#surfaceOf(model.meshes);
  }

  /** Distance of meshes from the finest ones, in metres. There has to be at least one triangle. */
  measure(meshes: readonly MeshModel[]): number {
    return this.#measure(this.#surfaceOf(meshes), Infinity);
  }

  /** The distance, and the joints that are needed to keep it: fingers may move invisibly. Undefined: all. */
  judge(meshes: readonly MeshModel[]): { readonly error: number; readonly posedJoints?: readonly number[] } {
    const error = this.measure(meshes);
    const poses = [...new Set([...this.keyPoses, ...this.#poses])];
    let [tried, tries] = [this.model.joints.length, 0];
    for (const share of JOINT_SHARES) {
      const tolerance = share * error;
      const posedJoints = neededJoints(this.model, meshes, poses, { size: this.metrics.size, tolerance });
      if (posedJoints.length === this.model.joints.length) break;
      if (tries++ > 0 && posedJoints.length === tried) continue;
      tried = posedJoints.length;
      const surface = new Surface(this.model, meshes, this.keyPoses, posedBy(this.model, posedJoints));
      if (this.#measure(surface, error) <= error) return { error, posedJoints };
    }
    return { error };
  }

  /** @param enough Measuring stops at a larger error. */
  #measure(surface: Surface, enough: number): number {
    const comparison = new Comparison(this.#fine, surface, { spacing: SPACING * this.metrics.size, least: 0 });
    let worst = 0;
    for (const pose of this.#poses) {
      if (MARGIN * Math.sqrt(worst) > enough) break;
      // points within the largest distance so far are skipped
      comparison.distances(pose, worst, (_, square) => (worst = Math.max(worst, square)));
    }
    return MARGIN * Math.sqrt(worst);
  }

  /**
   * Per vertex of the finest meshes, the distance between the surfaces around it: metres, in the pose with the largest
   * distance, without a margin.
   *
   * @param least Metres. Smaller distances are skipped.
   * @param thorough True: all points of `measure`. False: fewer points, and only where distances in the key poses are
   * large, in a fraction of the time.
   */
  strays(
    meshes: readonly MeshModel[],
    { least, thorough }: { readonly least: number; readonly thorough: boolean },
  ): Float32Array {
    const comparison = new Comparison(this.#fine, this.#surfaceOf(meshes), {
      spacing: (thorough ? SPACING : STRAY_SPACING) * this.metrics.size,
      least: thorough ? 0 : HOPEFUL_SHARE * least,
    });
    const strays = new Float32Array(this.#fine.vertexCount);
    for (const pose of this.#poses) {
      comparison.distances(pose, least ** 2, ({ corners, shares }, square, point) => {
        for (let k = 3 * point; k < 3 * point + 3; k++) {
          const vertex = corners[k]!;
          if (shares[k]! >= 1 / 3) strays[vertex] = Math.max(strays[vertex]!, Math.sqrt(square));
        }
      });
    }
    return strays;
  }

  #surfaceOf(meshes: readonly MeshModel[]): Surface {
    return new Surface(this.model, meshes, this.keyPoses);
  }
}

/** The most points of one surface. */
const MOST_POINTS = 100_000;

/** Points all over the finest meshes and coarser ones, and their distances to the other surface in a pose. */
class Comparison {
  /** Points of a surface, and the nearest points on the other one, in the space of the key poses. */
  readonly #pairs;

  /**
   * @param options Metres between points at rest. Points that are nearer than `least` metres to their partner in all key
   * poses are left out.
   */
  constructor(
    fine: Surface,
    coarse: Surface,
    { spacing, least }: { readonly spacing: number; readonly least: number },
  ) {
    const pair = (asking: Surface, asked: Surface) => {
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
