import type { CharacterModel, ClipModel, MeshModel } from '../model.ts';
import { measureSkeleton, type SkeletonMetrics } from '../pack/skeleton-metrics.ts';
import { Comparison } from './comparison.ts';
import { distinctPoses, posedBy, samplePoses, type SamplePose } from './sample-poses.ts';
import { neededJoints } from './spare-joints.ts';
import { Surface } from './surface.ts';

/** Poses whose places make up the space in which surfaces are compared; fewer for more vertices than this. */
const KEY_POSES = 8;
const KEY_VERTICES = 800_000;
/** Vertices that are posed at most, over all poses; and the fewest and most moments of clips. */
const VERTEX_POSES = 2_000_000;
const [LEAST_MOMENTS, MOST_MOMENTS] = [16, 96];
/** How far apart points are, as a share of the character's size. */
const SPACING = 1 / 64;
const STRAY_SPACING = 1 / 32;
/** Points that are nearer in all key poses than this share of a distance hardly are that far in others. */
const HOPEFUL_SHARE = 1 / 3;
/** Joints are left out where that moves vertices by no more than these shares of a level's error: tried one after the other. */
const JOINT_SHARES = [1 / 4, 1 / 16, 1 / 64];
/** What poses and points that nobody looked at may add. */
export const MARGIN = 1.1;

/**
 * Measures how far coarser meshes of a character are from its finest ones, in any pose.
 *
 * The error is the largest distance of a point of one surface from the other, either way, over points all over both, over
 * moments of all clips, blends between them, and morph targets at 1; and a tenth more. Few points need that distance: each
 * has a partner on the other surface, the point that is nearest in the space of several poses at once, and the surface is
 * no farther than that.
 *
 * Cost: see `docs/adr/0014-mesh-lods.md`; poses and points are fewer for more vertices, so that it stays within seconds.
 */
export class LodMeter {
  /** Poses as different from each other as can be, that of rest first. */
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

  /**
   * How far meshes are from the finest ones, in metres.
   *
   * @param meshes With at least one triangle, as the finest.
   */
  measure(meshes: readonly MeshModel[]): number {
    return this.#measure(this.#surfaceOf(meshes), Infinity);
  }

  /**
   * How far meshes are from the finest ones, and the joints that are needed for that: fingers that nobody sees move
   * stand still.
   *
   * @returns `error` as `measure` has it, no larger without the other joints; `posedJoints` is undefined where all are needed.
   */
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

  /** @param enough Larger errors are not measured any further. */
  #measure(surface: Surface, enough: number): number {
    const comparison = new Comparison(this.#fine, surface, { spacing: SPACING * this.metrics.size, least: 0 });
    let worst = 0;
    for (const pose of this.#poses) {
      if (MARGIN * Math.sqrt(worst) > enough) break;
      // what is no farther than another point was is not looked at
      comparison.distances(pose, worst, (_, square) => (worst = Math.max(worst, square)));
    }
    return MARGIN * Math.sqrt(worst);
  }

  /**
   * Per vertex of the finest meshes, how far surfaces are from each other around it: metres, in the pose in which that is
   * most, without a margin.
   *
   * @param least Smaller distances are not looked at: metres.
   * @param thorough At all points of `measure`; else at fewer, and only where the key poses make one hope to find something: in
   *   a fraction of the time.
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
