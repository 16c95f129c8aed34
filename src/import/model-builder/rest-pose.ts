import type { CharacterModel, JointModel, MeshModel } from '../../character/model.ts';
import { multiplyAffine } from '../../math/affine.ts';
import { type IssueList, pointer } from './issue-list.ts';
import { isUsable, MAX_MAGNITUDE } from './limits.ts';

const LIMIT = MAX_MAGNITUDE.toExponential();
const SUGGESTION = 'Correct the translations and scales of the node and of those above it.';

interface RestPose {
  /** The model-space matrix of every joint: 12 numbers each, three rows of four. */
  readonly restFromJoint: Float64Array;
}

type PlaceOf = (nodeIndex: number) => string;

const nodePointer: PlaceOf = (nodeIndex) => pointer('nodes', nodeIndex);

/**
 * Reports nodes with a sound transform of their own that is not sound in the product with their ancestors'. Of nested
 * ones only the first is reported.
 */
export function checkRestTransforms(
  { joints, restFromJoint }: RestPose & { readonly joints: readonly JointModel[] },
  issues: IssueList,
  placeOf: PlaceOf = nodePointer,
): void {
  const broken = new Uint8Array(joints.length);
  joints.forEach(({ parentIndex, nodeIndex }, joint) => {
    broken[joint] = restFromJoint.subarray(12 * joint, 12 * joint + 12).every(isUsable) ? 0 : 1;
    if (!broken[joint] || (parentIndex >= 0 && broken[parentIndex])) return;
    // a helper directly precedes the joint of its node
    const node = nodeIndex >= 0 ? nodeIndex : joints[joint + 1]!.nodeIndex;
    const message = `with its ancestors, the node's transform is beyond ${LIMIT}`;
    issues.error('GLTF_INVALID', placeOf(node), message, SUGGESTION);
  });
}

/** Reports nodes with meshes that may reach too far in the rest pose, judged by the largest coordinate of each mesh. */
export function checkRestMeshes(
  { meshes, lods, bindings, morphSets }: Pick<CharacterModel, 'meshes' | 'lods' | 'bindings' | 'morphSets'>,
  rest: RestPose,
  issues: IssueList,
  placeOf: PlaceOf = nodePointer,
): void {
  const palette = bindings.map(({ jointIndex, jointFromMesh }) => {
    const modelFromMesh = new Float64Array(12);
    multiplyAffine(rest.restFromJoint, 12 * jointIndex, jointFromMesh, 0, modelFromMesh, 0);
    return modelFromMesh;
  });
  for (const mesh of [meshes, ...(lods ?? []).map((lod) => lod.meshes)].flat()) {
    const weights = morphSets[mesh.morphSetIndex]?.weights ?? [];
    const reach = largestCoordinate(mesh, weights);
    const far = Array.from(new Set(mesh.influences.bindings), (binding) => farthest(palette[binding]!, reach));
    if (isUsable(reach) && far.every(isUsable)) continue;
    const message = `in the rest pose, primitive ${mesh.primitiveIndex} of the node's mesh reaches beyond ${LIMIT}`;
    issues.error('GLTF_INVALID', placeOf(mesh.nodeIndex), message, SUGGESTION);
  }
}

/** No coordinate of the morphed mesh is larger. */
function largestCoordinate({ positions, targets }: MeshModel, weights: readonly number[]): number {
  const largest = (values: Float32Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return targets.reduce((sum, target, index) => {
    const weight = weights[index] ?? 0;
    return weight === 0 ? sum : sum + Math.abs(weight) * largest(target.positions);
  }, largest(positions));
}

/** The farthest distance along an axis for a point with coordinates within `reach`. */
function farthest(m: Float64Array, reach: number): number {
  const along = [0, 4, 8].map(
    (row) => (Math.abs(m[row]!) + Math.abs(m[row + 1]!) + Math.abs(m[row + 2]!)) * reach + Math.abs(m[row + 3]!),
  );
  return Math.max(...along);
}
