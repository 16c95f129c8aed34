import type { InfluencesModel } from '../../character/model.ts';
import { multiplyAffine } from '../../math/affine.ts';
import { isUsable, MAX_INFLUENCES } from '../model-builder/limits.ts';
import { invertAffine } from '../model-builder/node-transforms.ts';
import type { Palette } from '../model-builder/palette.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import type { Rig, RigNode } from './rig.ts';

/** Influences of all meshes together; a vertex stores where its own begin in 24 bits. */
export const MAX_PAIRS: number = 2 ** 24;

/** Everything that binding meshes needs. */
export interface BindContext {
  readonly document: FbxDocument;
  readonly rig: Rig;
  readonly palette: Palette;
  /** Metres per unit. */
  readonly unit: number;
  /** Matrices of models in the file's bind pose, in the file's space. */
  readonly bindPose: ReadonlyMap<FbxObject, Float64Array>;
}

/** The influences on each control point of a mesh, as of a vertex of a model. */
export type PointInfluences = InfluencesModel;

/** Models' matrices in the file's bind pose. */
export function readBindPose({ objects, issues }: FbxDocument): Map<FbxObject, Float64Array> {
  const matrices = new Map<FbxObject, Float64Array>();
  const byId = new Map((objects.get('Model') ?? []).map((model) => [model.id, model]));
  for (const pose of objects.get('Pose') ?? []) {
    if (pose.subtype !== 'BindPose') {
      issues.info('FBX_IGNORED', pose.place, 'a pose that is not a bind pose has no effect');
      continue;
    }
    for (const entry of pose.node.childrenNamed('PoseNode')) {
      const model = byId.get(entry.child('Node')?.values[0] as number);
      const matrix = entry.numbers('Matrix');
      if (model && matrix.length === 16 && matrix.every(isUsable)) matrices.set(model, matrix);
    }
  }
  return matrices;
}

/**
 * The influences of a skin's clusters on control points. Weights of a point are scaled to sum 1, as FBX's mode Normalize
 * asks. Points without weight follow the mesh's own node, as in the FBX SDK.
 *
 * A cluster's Transform is the mesh in the space of its joint as both were bound. TransformLink, the joint's matrix then, is
 * needed only where that is missing.
 */
export function readSkin(
  { document, rig, palette, unit, bindPose }: BindContext,
  {
    skin,
    mesh,
    geometric,
    pointCount,
  }: {
    readonly skin: FbxObject;
    readonly mesh: RigNode;
    readonly geometric: Float64Array;
    readonly pointCount: number;
  },
): PointInfluences {
  const { issues } = document;
  const lists = new WeightLists(pointCount);
  for (const cluster of skin.sourcesOf('Deformer', 'Cluster')) {
    const [link] = cluster.sourcesOf('Model');
    const node = link && rig.nodeOf.get(link);
    const points = cluster.node.numbers('Indexes');
    if (!node) {
      if (points.length === 0) continue;
      const message = `the cluster of ${points.length} control points has no joint; its weights were dropped`;
      issues.warn('GLTF_WEIGHTS_REPAIRED', cluster.place, message);
      continue;
    }
    const mode = cluster.node.childText('Mode') ?? 'Normalize';
    if (mode === 'Additive') {
      const message = 'the cluster adds to others (mode Additive); its weights were normalised with theirs';
      issues.warn('FBX_SIMPLIFIED', cluster.place, message);
    }
    const matrix = meshMatrix(cluster, node, mesh);
    const jointFromMesh = new Float64Array(12);
    multiplyAffine(matrix, 0, geometric, 0, jointFromMesh, 0);
    const binding = palette.bind(node.scaleJoint, Float32Array.from(jointFromMesh));
    lists.add(points, cluster.node.numbers('Weights'), binding);
  }
  reportSkinning(document, skin);
  return lists.finish(document, skin, palette.bind(mesh.scaleJoint, Float32Array.from(geometric)));

  /** From the mesh to the joint of a cluster, in metres. */
  function meshMatrix(cluster: FbxObject, node: RigNode, mesh: RigNode): Float32Array | Float64Array {
    const transform = cluster.node.numbers('Transform');
    const inMetres = (matrix: Float64Array): Float64Array => {
      for (const at of [3, 7, 11]) matrix[at] = matrix[at]! * unit;
      return matrix;
    };
    if (transform.length === 16 && transform.every(isUsable)) return inMetres(affineOf(transform));
    const link = cluster.node.numbers('TransformLink');
    const bound = bindPose.get(mesh.model);
    const out = new Float64Array(12);
    if (bound && link.length === 16 && link.every(isUsable)) {
      multiplyAffine(invertAffine(affineOf(link)), 0, affineOf(bound), 0, out, 0);
      return inMetres(out);
    }
    const message = 'the cluster has no Transform that can be used; it was made from the rest pose';
    issues.warn('GLTF_VALUES_REPAIRED', cluster.place, message);
    const rest = rig.restFromJoint;
    const inverse = invertAffine(rest.subarray(12 * node.scaleJoint, 12 * node.scaleJoint + 12));
    multiplyAffine(inverse, 0, rest, 12 * mesh.scaleJoint, out, 0);
    return out;
  }
}

/** A 3 × 4 row-major matrix from the file's 16 numbers, in double precision. */
function affineOf(columns: Float64Array): Float64Array {
  const matrix = new Float64Array(12);
  for (let i = 0; i < 12; i++) matrix[i] = columns[4 * (i % 4) + Math.floor(i / 4)]!;
  return matrix;
}

function reportSkinning({ issues }: FbxDocument, skin: FbxObject): void {
  const type = skin.node.childText('SkinningType') ?? 'Linear';
  if (type === 'Linear' || type === 'Rigid') return;
  const message = `the skin's type is ${type}; it is skinned linearly`;
  issues.warn('FBX_SIMPLIFIED', skin.place, message);
}

/** Weights of control points, in the order of clusters. */
class WeightLists {
  readonly #points: Float64Array[] = [];
  readonly #weights: Float64Array[] = [];
  readonly #bindings: number[] = [];
  readonly #counts: Uint32Array;
  #unusable = 0;

  constructor(readonly pointCount: number) {
    this.#counts = new Uint32Array(pointCount + 1);
  }

  add(points: Float64Array, weights: Float64Array, binding: number): void {
    const count = Math.min(points.length, weights.length);
    this.#unusable += Math.max(points.length, weights.length) - count;
    for (let i = 0; i < count; i++) {
      const [point, weight] = [points[i]!, weights[i]!];
      if (point >= 0 && point < this.pointCount && weight >= 0 && isUsable(weight)) {
        if (weight > 0) this.#counts[point + 1]!++;
      } else {
        this.#unusable++;
        points[i] = 0;
        weights[i] = 0;
      }
    }
    this.#points.push(points.subarray(0, count));
    this.#weights.push(weights);
    this.#bindings.push(binding);
  }

  /** @param fallback The binding of points that have no weight. */
  finish({ issues }: FbxDocument, skin: FbxObject, fallback: number): PointInfluences {
    const starts = this.#counts;
    for (let point = 0; point < this.pointCount; point++) starts[point + 1]! += starts[point]!;
    const total = starts[this.pointCount]!;
    const bindings = new Uint16Array(total);
    const weights = new Float64Array(total);
    const next = starts.slice();
    this.#points.forEach((points, cluster) => {
      points.forEach((point, i) => {
        const weight = this.#weights[cluster]![i]!;
        if (weight === 0) return;
        const at = next[point]!++;
        bindings[at] = this.#bindings[cluster]!;
        weights[at] = weight;
      });
    });
    const merged = mergePoints({ starts, bindings, weights }, fallback);
    this.#report(merged, issues, skin);
    return merged;
  }

  #report({ loose, cut }: ReturnType<typeof mergePoints>, issues: FbxDocument['issues'], skin: FbxObject): void {
    const parts = [
      this.#unusable > 0 && `${this.#unusable} weights are NaN, negative or of no control point`,
      cut > 0 && `${cut} control points have more than ${MAX_INFLUENCES} influences`,
    ].filter(Boolean);
    if (parts.length > 0) issues.warn('GLTF_WEIGHTS_REPAIRED', skin.place, parts.join('; '));
    if (loose === 0) return;
    const message = `${loose} of ${this.pointCount} control points have no weight; they move with the mesh's node`;
    issues.warn('GLTF_WEIGHTS_ZERO', skin.place, message);
  }
}

/** Adds up weights of one binding, sorts them, keeps 255 and scales them to sum 1. */
function mergePoints(
  { starts, bindings, weights }: { starts: Uint32Array; bindings: Uint16Array; weights: Float64Array },
  fallback: number,
) {
  const pointCount = starts.length - 1;
  const offsets = new Uint32Array(pointCount + 1);
  const outBindings = new Uint16Array(bindings.length + pointCount);
  const outWeights = new Float32Array(bindings.length + pointCount);
  let [to, loose, cut] = [0, 0, 0];
  const sums = new Map<number, number>();
  for (let point = 0; point < pointCount; point++) {
    sums.clear();
    for (let i = starts[point]!; i < starts[point + 1]!; i++) {
      sums.set(bindings[i]!, (sums.get(bindings[i]!) ?? 0) + weights[i]!);
    }
    if (sums.size === 0) {
      loose++;
      sums.set(fallback, 1);
    }
    const sorted = [...sums].sort(([, a], [, b]) => b - a);
    if (sorted.length > MAX_INFLUENCES) cut++;
    const kept = sorted.slice(0, MAX_INFLUENCES);
    const total = kept.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [binding, weight] of kept) {
      // too small for a 32-bit float to show
      if (weight / total < 1e-10) continue;
      outBindings[to] = binding;
      outWeights[to++] = weight / total;
    }
    offsets[point + 1] = to;
  }
  return { offsets, bindings: outBindings.slice(0, to), weights: outWeights.slice(0, to), loose, cut };
}

/** The influences of vertices, from those of their control points. @returns Undefined if they are more than `left`. */
export function spreadInfluences(
  { offsets, bindings, weights }: PointInfluences,
  pointOfVertex: Uint32Array,
  left: number,
): InfluencesModel | undefined {
  const out = new Uint32Array(pointOfVertex.length + 1);
  pointOfVertex.forEach((point, v) => (out[v + 1] = out[v]! + offsets[point + 1]! - offsets[point]!));
  const total = out.at(-1)!;
  if (total > left) return undefined;
  const outBindings = new Uint16Array(total);
  const outWeights = new Float32Array(total);
  pointOfVertex.forEach((point, v) => {
    outBindings.set(bindings.subarray(offsets[point], offsets[point + 1]), out[v]);
    outWeights.set(weights.subarray(offsets[point], offsets[point + 1]), out[v]);
  });
  return { offsets: out, bindings: outBindings, weights: outWeights };
}
