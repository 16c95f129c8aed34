import { expectModel } from './arguments.ts';
import { transformNormal } from '../math/affine.ts';
import type { Character } from './character.ts';
import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePalette,
  evaluateVertices,
  morphOffsets,
  restPose,
} from './evaluate.ts';
import type { CharacterModel, MeshModel } from './model.ts';
import { packCharacter } from './pack/index.ts';

/**
 * Packs a static model in its rest pose: a character without clips, with one joint that moves no vertex. All of its
 * meshes are in the standard layout, so its position rows have the same form that draws read for a skinned character.
 *
 * @throws ManipleError CHARACTER_TOO_LARGE, and other errors of `packCharacter`
 * @example const rock = packScenery(await importGltf({ name: 'rock', bytes, resolve }));
 */
export function packScenery(model: CharacterModel): Character {
  expectModel(model);
  return packCharacter(restModel(model), { vertexFormat: 'standard' });
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
  const palette = evaluatePalette(model, modelFromJoint);
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
      influences: {
        offsets: new Uint32Array(mesh.vertexCount + 1),
        bindings: new Uint16Array(0),
        weights: new Float32Array(0),
      },
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
  const turned = [0, 0, 0];
  for (let v = 0; v < mesh.vertexCount; v++) {
    const m = blended(mesh, v, palette);
    const morphed = (base: Float32Array, stride: number, of: 'normals' | 'tangents') =>
      [0, 1, 2].map((c) =>
        mesh.targets.reduce(
          (sum, target, t) => sum + weights[firstWeight + t]! * (target[of]?.[3 * v + c] ?? 0),
          base[stride * v + c]!,
        ),
      );
    transformNormal(m, 0, morphed(mesh.normals, 3, 'normals'), turned);
    normals.set(unit(turned), 3 * v);
    if (!tangents) continue;
    const [x, y, z] = morphed(mesh.tangents!, 4, 'tangents') as [number, number, number];
    for (let row = 0; row < 3; row++) turned[row] = m[4 * row]! * x + m[4 * row + 1]! * y + m[4 * row + 2]! * z;
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

function unit(v: readonly number[]): number[] {
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
}
