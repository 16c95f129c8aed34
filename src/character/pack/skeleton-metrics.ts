import { transformPoint } from '../../math/affine.ts';
import { composeJoints, evaluateVertices, morphOffsets, restPose } from '../evaluate.ts';
import type { CharacterModel } from '../model.ts';

/**
 * The size of errors in model space. Compression is judged where it is visible: at the vertices, in model space, not in
 * the numbers of a joint's own channels. This is the "object-space error" of animation compression, as in ACL's error
 * metric.
 */
export interface SkeletonMetrics {
  /** Diagonal of the rest pose's bounds. This is "size" everywhere. */
  readonly size: number;
  /** Bounds of all vertices in the rest pose. */
  readonly bounds: { readonly min: readonly number[]; readonly max: readonly number[] };
  /** Per joint, in its own space: distance of the farthest vertex that it moves; 0 when it moves none. */
  readonly shell: Float64Array;
  /** Per joint, in model space: distance of the farthest vertex that it or a descendant can move. */
  readonly reach: Float64Array;
  /** Per joint: length in model space of one unit of its parent's space, in the rest pose. */
  readonly parentScale: Float64Array;
  /** Per morph weight: the farthest that weight 1 moves a vertex. */
  readonly morphReach: Float64Array;
}

export function measureSkeleton(model: CharacterModel): SkeletonMetrics {
  const modelFromJoint = composeJoints(model, restPose(model));
  const bounds = restBounds(model, modelFromJoint);
  const size = Math.hypot(...bounds.max.map((high, c) => high - bounds.min[c]!)) || 1;
  const shell = shellDistances(model);
  const scale = Float64Array.from(model.joints, (_, j) => largestScale(modelFromJoint, j * 12));
  const parentScale = Float64Array.from(model.joints, ({ parentIndex }) => (parentIndex < 0 ? 1 : scale[parentIndex]!));
  const reach = Float64Array.from(shell, (distance, j) => distance * scale[j]!);
  for (let j = model.joints.length - 1; j >= 0; j--) {
    const parent = model.joints[j]!.parentIndex;
    if (parent < 0 || reach[j] === 0) continue;
    const arm = Math.hypot(...[3, 7, 11].map((c) => modelFromJoint[j * 12 + c]! - modelFromJoint[parent * 12 + c]!));
    reach[parent] = Math.max(reach[parent]!, arm + reach[j]!);
  }
  // A joint that moves no vertex may still have a socket: keep it accurate to within a twentieth of the model's size.
  for (let j = 0; j < reach.length; j++) reach[j] = Math.max(reach[j]!, size / 20);
  return { size, bounds, shell, reach, parentScale, morphReach: morphDistances(model, scale) };
}

function restBounds(model: CharacterModel, modelFromJoint: Float64Array): SkeletonMetrics['bounds'] {
  const weights = Float64Array.from(model.morphSets.flatMap((set) => set.weights));
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (const mesh of model.meshes) {
    evaluateVertices(model, mesh, modelFromJoint, weights).forEach((p, i) => {
      min[i % 3] = Math.min(min[i % 3]!, p);
      max[i % 3] = Math.max(max[i % 3]!, p);
    });
  }
  return min.every(Number.isFinite) ? { min, max } : { min: [0, 0, 0], max: [0, 0, 0] };
}

function shellDistances(model: CharacterModel): Float64Array {
  const shell = new Float64Array(model.joints.length);
  const point = [0, 0, 0];
  for (const mesh of model.meshes) {
    const { offsets, bindings } = mesh.influences;
    for (let v = 0; v < mesh.vertexCount; v++) {
      const x = mesh.positions[3 * v]!;
      const y = mesh.positions[3 * v + 1]!;
      const z = mesh.positions[3 * v + 2]!;
      for (let i = offsets[v]!; i < offsets[v + 1]!; i++) {
        const { jointIndex, jointFromMesh } = model.bindings[bindings[i]!]!;
        transformPoint(jointFromMesh, 0, x, y, z, point, 0);
        shell[jointIndex] = Math.max(shell[jointIndex]!, Math.hypot(point[0]!, point[1]!, point[2]!));
      }
    }
  }
  return shell;
}

function morphDistances(model: CharacterModel, scale: Float64Array): Float64Array {
  const offsets = morphOffsets(model);
  const out = new Float64Array(offsets.at(-1)!);
  for (const mesh of model.meshes) {
    mesh.targets.forEach((target, t) => {
      const weight = offsets[mesh.morphSetIndex]! + t;
      const { offsets: first, bindings } = mesh.influences;
      for (let v = 0; v < mesh.vertexCount; v++) {
        const length = Math.hypot(...target.positions.subarray(3 * v, 3 * v + 3));
        const binding = first[v] === first[v + 1] ? undefined : model.bindings[bindings[first[v]!]!];
        const stretch = binding ? scale[binding.jointIndex]! * largestScale(binding.jointFromMesh, 0) : 1;
        out[weight] = Math.max(out[weight]!, length * stretch);
      }
    });
  }
  return out;
}

/** The longest image of a unit axis. */
function largestScale(m: ArrayLike<number>, at: number): number {
  return Math.max(...[0, 1, 2].map((c) => Math.hypot(m[at + c]!, m[at + c + 4]!, m[at + c + 8]!)));
}
