import { evaluateVertices } from '../evaluate.ts';
import type { CharacterModel, MeshModel } from '../model.ts';
import { type SurfacePoints, TriangleTree } from './nearest-triangle.ts';
import type { SamplePose } from './sample-poses.ts';

/** The most parts that an edge is cut into. */
const MOST_CUTS = 8;

/** All meshes of one LOD, in the space of some poses. */
export class Surface {
  readonly vertexCount: number;
  readonly tree: TriangleTree;
  readonly #dimensions: number;
  readonly #posed = new Map<SamplePose, Float32Array>();
  readonly #vertices: Float32Array;

  constructor(
    readonly model: CharacterModel,
    readonly meshes: readonly MeshModel[],
    poses: readonly SamplePose[],
    /** Function that adapts each pose. Default: poses are unchanged. */
    readonly posing: (pose: SamplePose) => SamplePose = (pose) => pose,
  ) {
    this.#dimensions = 3 * poses.length;
    this.#vertices = poseSpace(model, meshes, poses.map(posing));
    this.vertexCount = this.#vertices.length / this.#dimensions;
    this.tree = new TriangleTree(this.#vertices, this.#dimensions, joinedTriangles(meshes));
  }

  /** Three numbers per vertex, metres in model space. */
  posed(pose: SamplePose): Float32Array {
    const known = this.#posed.get(pose);
    if (known) return known;
    const vertices = Float32Array.from(posedVertices(this.model, this.meshes, this.posing(pose)));
    this.#posed.set(pose, vertices);
    return vertices;
  }

  /**
   * Points all over it: vertices, and points on edges and between them at most `spacing` metres apart in the first pose.
   * Takes every n-th one if that makes more than `most`.
   */
  spread(spacing: number, most: number): SurfacePoints {
    const { triangles } = this.tree;
    const [n, vertices] = [this.#dimensions, this.#vertices];
    const edge = (a: number, b: number) =>
      Math.hypot(
        vertices[n * a]! - vertices[n * b]!,
        vertices[n * a + 1]! - vertices[n * b + 1]!,
        vertices[n * a + 2]! - vertices[n * b + 2]!,
      );
    const visit: Visit = (add) => {
      const seen = new Uint8Array(this.vertexCount);
      for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!];
        for (let corner = t; corner < t + 3; corner++) {
          if (seen[triangles[corner]!]) continue;
          seen[triangles[corner]!] = 1;
          add(corner, 1, 0, 0);
        }
        const longest = Math.max(edge(a, b), edge(b, c), edge(c, a));
        const cuts = Math.min(MOST_CUTS, Math.ceil(longest / spacing));
        for (let i = 0; i <= cuts; i++) {
          for (let j = 0; i + j <= cuts; j++) {
            if (Math.max(i, j, cuts - i - j) < cuts) add(t, i / cuts, j / cuts, (cuts - i - j) / cuts);
          }
        }
      }
    };
    return collect(visit, triangles, most);
  }

  /** Points of another surface, and the nearest of this; those not nearer than `least` metres in all of the poses. */
  pairs(other: Surface, all: SurfacePoints, least: number): { points: SurfacePoints; partners: SurfacePoints } {
    const n = this.#dimensions;
    const asked = placePoints(all, other.#vertices, n);
    const nearest = this.tree.nearest(asked);
    if (least === 0) return { points: all, partners: nearest };
    const found = placePoints(nearest, this.#vertices, n);
    const isFar = (point: number): boolean => {
      for (let at = n * point; at < n * (point + 1); at += 3) {
        let square = 0;
        for (let c = at; c < at + 3; c++) square += (asked[c]! - found[c]!) ** 2;
        if (square >= least * least) return true;
      }
      return false;
    };
    const far = Array.from({ length: asked.length / n }, (_, point) => point).filter(isFar);
    return { points: chosen(all, far), partners: chosen(nearest, far) };
  }
}

function chosen({ corners, shares }: SurfacePoints, points: readonly number[]): SurfacePoints {
  const threes = points.flatMap((point) => [3 * point, 3 * point + 1, 3 * point + 2]);
  return {
    corners: Uint32Array.from(threes, (i) => corners[i]!),
    shares: Float32Array.from(threes, (i) => shares[i]!),
  };
}

/** Vertices of all meshes in sequence. */
function posedVertices(model: CharacterModel, meshes: readonly MeshModel[], pose: SamplePose): Float64Array {
  const out = new Float64Array(3 * meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0));
  let at = 0;
  for (const mesh of meshes) {
    out.set(evaluateVertices(model, mesh, pose.modelFromJoint, pose.morphWeights), at);
    at += 3 * mesh.vertexCount;
  }
  return out;
}

/** Triangles of all meshes, with vertices numbered as in `posedVertices`. */
export function joinedTriangles(meshes: readonly MeshModel[]): Uint32Array {
  const out = new Uint32Array(meshes.reduce((sum, { indices }) => sum + indices.length, 0));
  let [at, firstVertex] = [0, 0];
  for (const { indices, vertexCount } of meshes) {
    for (const index of indices) out[at++] = index + firstVertex;
    firstVertex += vertexCount;
  }
  return out;
}

/**
 * Each vertex as one point in the space of all poses: its positions in them in sequence, 3 numbers per pose. Points
 * that are near in this space are near in every pose. An arm that only rests on the hip is not near the hip.
 */
export function poseSpace(
  model: CharacterModel,
  meshes: readonly MeshModel[],
  poses: readonly SamplePose[],
): Float32Array {
  const n = 3 * poses.length;
  const out = new Float32Array(n * meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0));
  poses.forEach((pose, p) => {
    posedVertices(model, meshes, pose).forEach((value, i) => {
      out[Math.floor(i / 3) * n + 3 * p + (i % 3)] = value;
    });
  });
  return out;
}

/** Passes points to a visitor: a corner in the list of triangles, then the shares of it and of the next two corners. */
type Visit = (add: (corner: number, x: number, y: number, z: number) => void) => void;

/** The visited points, or every n-th if there are more than `most`. */
function collect(visit: Visit, triangles: Uint32Array, most: number): SurfacePoints {
  let visited = 0;
  visit(() => visited++);
  const step = Math.ceil(visited / most);
  const count = Math.ceil(visited / step);
  const corners = new Uint32Array(3 * count);
  const shares = new Float32Array(3 * count);
  let at = 0;
  visited = 0;
  visit((corner, x, y, z) => {
    if (visited++ % step !== 0) return;
    const t = corner - (corner % 3);
    for (let k = 0; k < 3; k++) corners[at + k] = triangles[t + ((corner - t + k) % 3)]!;
    shares.set([x, y, z], at);
    at += 3;
  });
  return { corners, shares };
}

/** Positions of a surface's points, `n` numbers each, from those of its vertices. */
function placePoints({ corners, shares }: SurfacePoints, vertices: Float32Array, n: number): Float32Array {
  const out = new Float32Array((n * corners.length) / 3);
  for (let i = 0, at = 0; i < corners.length; i += 3, at += n) {
    const [u, v, w] = [n * corners[i]!, n * corners[i + 1]!, n * corners[i + 2]!];
    const [su, sv, sw] = [shares[i]!, shares[i + 1]!, shares[i + 2]!];
    for (let c = 0; c < n; c++) out[at + c] = su * vertices[u + c]! + sv * vertices[v + c]! + sw * vertices[w + c]!;
  }
  return out;
}
