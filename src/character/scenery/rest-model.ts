import { composeJoints, evaluateMorphWeights, evaluateVertices, morphOffsets, restPose } from '../evaluate.ts';
import type { CharacterModel, MeshModel } from '../model.ts';
import { multiplyAffine } from '../../math/affine.ts';

/** Influences for vertices that nothing moves. */
function unmoved(vertexCount: number): MeshModel['influences'] {
  return {
    offsets: new Uint32Array(vertexCount + 1),
    bindings: new Uint16Array(0),
    weights: new Float32Array(0),
  };
}

/**
 * Converts a model permanently to its rest pose: all of its meshes in model space, on one joint that moves none of
 * their vertices. Rest transforms of nodes, skins and morph targets are applied. Clips and coarser meshes are left out.
 *
 * Normals use the inverse transpose of their vertex's matrix, tangents the matrix itself (as in skin-vertices).
 */
export function restModel(model: CharacterModel): CharacterModel {
  const modelFromJoint = composeJoints(model, restPose(model));
  const weights = evaluateMorphWeights(model, undefined, 0);
  const palette = model.bindings.map(({ jointIndex, jointFromMesh }) => {
    const modelFromMesh = new Float64Array(12);
    multiplyAffine(modelFromJoint, jointIndex * 12, jointFromMesh, 0, modelFromMesh, 0);
    return modelFromMesh;
  });
  return {
    ...model,
    joints: [
      {
        name: 'root',
        parentIndex: -1,
        nodeIndex: -1,
        translation: [0, 0, 0],
        rotation: [0, 0, 0, 1],
        scale: [1, 1, 1],
      },
    ],
    bindings: [{ jointIndex: 0, jointFromMesh: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0) }],
    meshes: model.meshes.map((mesh) => ({
      ...mesh,
      positions: Float32Array.from(evaluateVertices(model, mesh, modelFromJoint, weights)),
      ...directionsAtRest(model, mesh, palette, weights),
      influences: unmoved(mesh.vertexCount),
      morphSetIndex: -1,
      targets: [],
    })),
    lods: [],
    morphSets: [],
    clips: [],
  };
}

type Matrix = ArrayLike<number>;

function directionsAtRest(
  model: CharacterModel,
  mesh: MeshModel,
  palette: readonly Matrix[],
  weights: Float64Array,
): Pick<MeshModel, 'normals' | 'tangents'> {
  const firstWeight = mesh.morphSetIndex < 0 ? 0 : morphOffsets(model)[mesh.morphSetIndex]!;
  const normals = new Float32Array(mesh.normals.length);
  const tangents = mesh.tangents && new Float32Array(mesh.tangents.length);
  for (let v = 0; v < mesh.vertexCount; v++) {
    const m = blended(mesh, v, palette);
    const morphed = (base: Float32Array, stride: number, of: 'normals' | 'tangents') =>
      [0, 1, 2].map((c) =>
        mesh.targets.reduce(
          (sum, target, t) => sum + weights[firstWeight + t]! * (target[of]?.[3 * v + c] ?? 0),
          base[stride * v + c]!,
        ),
      );
    const normal = morphed(mesh.normals, 3, 'normals');
    // the cofactors of m: its inverse transpose up to a factor. The factor's sign keeps normals pointing outwards if m
    // mirrors
    const cofactors = [0, 1, 2].map((row) => crossRows(m, (row + 1) % 3, (row + 2) % 3));
    const sign = Math.sign(dot(cofactors[0]!, [m[0]!, m[1]!, m[2]!])) || 1;
    normals.set(unit(cofactors.map((row) => sign * dot(row, normal))), 3 * v);
    if (!tangents) continue;
    const tangent = morphed(mesh.tangents!, 4, 'tangents');
    const turned = [0, 1, 2].map((row) => dot([m[4 * row]!, m[4 * row + 1]!, m[4 * row + 2]!], tangent));
    tangents.set([...unit(turned), mesh.tangents![4 * v + 3]!], 4 * v);
  }
  return { normals, tangents };
}

/** Matrix of a vertex: the weighted sum of its palette entries, or the identity without influences. */
function blended(
  { influences: { offsets, bindings, weights } }: MeshModel,
  v: number,
  palette: readonly Matrix[],
): Matrix {
  const [from, to] = [offsets[v]!, offsets[v + 1]!];
  if (from === to) return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const sum = new Float64Array(12);
  for (let i = from; i < to; i++) {
    const m = palette[bindings[i]!]!;
    for (let k = 0; k < 12; k++) sum[k]! += weights[i]! * m[k]!;
  }
  return sum;
}

function crossRows(m: Matrix, a: number, b: number): number[] {
  const [ax, ay, az] = [m[4 * a]!, m[4 * a + 1]!, m[4 * a + 2]!];
  const [bx, by, bz] = [m[4 * b]!, m[4 * b + 1]!, m[4 * b + 2]!];
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
}

function unit(v: readonly number[]): number[] {
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
}
