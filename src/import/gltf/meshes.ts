import type { BindingModel, MeshModel, MorphSetModel } from '../../asset/model.ts';
import { determinant3 } from '../../shaders/affine.ts';
import type { GltfFile } from './file.ts';
import { buildGeometry, type Geometry } from './geometry.ts';
import { rigidInfluences, skinInfluences } from './influences.ts';
import { pointer } from './issue-list.ts';
import { baseColorTexcoordSet } from './materials.ts';
import { readMorphSet } from './morph-sets.ts';
import { Palette } from './palette.ts';
import { readPrimitive } from './primitive.ts';
import { nameOf } from './schema.ts';
import type { Skeleton } from './skeleton.ts';
import { readSkin, type SkinBindings } from './skin-bindings.ts';

/** What the meshes of a scene become. */
export interface BoundMeshes {
  readonly meshes: readonly MeshModel[];
  readonly bindings: readonly BindingModel[];
  readonly morphSets: readonly MorphSetModel[];
  /** For each node, its morph set; nodes without targets have none. */
  readonly morphSetOfNode: ReadonlyMap<number, number>;
}

/**
 * Reads every (node, primitive) of the scene, by ascending node index, then primitive, and binds it: to the joints of
 * its skin, or rigidly to its node. Primitives that several nodes share are read once.
 */
export async function readMeshes(
  file: GltfFile,
  skeleton: Skeleton,
  onMesh: (done: number, total: number) => void,
): Promise<BoundMeshes> {
  const { json, issues } = file;
  const palette = new Palette();
  const geometries = new Map<string, Geometry | undefined>();
  const skins = new Map<number, SkinBindings | undefined>();
  const meshes: MeshModel[] = [];
  const morphSets: MorphSetModel[] = [];
  const morphSetOfNode = new Map<number, number>();

  const geometryOf = async (mesh: number, primitiveIndex: number): Promise<Geometry | undefined> => {
    const path = pointer('meshes', mesh, 'primitives', primitiveIndex);
    if (!geometries.has(path)) {
      const primitive = json.meshes![mesh]!.primitives[primitiveIndex]!;
      const texcoordSet = baseColorTexcoordSet(json, primitive.material);
      const source = readPrimitive(file, primitive, { path, texcoordSet });
      geometries.set(path, source && (await buildGeometry(source, issues)));
    }
    return geometries.get(path);
  };
  const skinOf = (index: number): SkinBindings | undefined => {
    if (!skins.has(index)) skins.set(index, readSkin(file, index, skeleton, palette));
    return skins.get(index);
  };

  for (const [done, nodeIndex] of skeleton.meshNodes.entries()) {
    onMesh(done, skeleton.meshNodes.length);
    const node = json.nodes![nodeIndex]!;
    const primitives = json.meshes![node.mesh!]!.primitives;
    const morphSet = readMorphSet(file, nodeIndex);
    if (morphSet) morphSetOfNode.set(nodeIndex, morphSets.push(morphSet) - 1);
    for (const [primitiveIndex, primitive] of primitives.entries()) {
      const geometry = await geometryOf(node.mesh!, primitiveIndex);
      if (!geometry) continue;
      const isBound = geometry.jointSets.length > 0 && node.skin !== undefined;
      const skin = isBound ? skinOf(node.skin!) : undefined;
      if (isBound && !skin) continue;
      if (!isBound) reportUnbound(file, nodeIndex, geometry);
      meshes.push({
        name: nameOf(json.meshes![node.mesh!]),
        nodeIndex,
        nodeName: nameOf(node),
        primitiveIndex,
        materialIndex: primitive.material ?? -1,
        vertexCount: geometry.vertexCount,
        positions: geometry.positions,
        normals: geometry.normals,
        tangents: geometry.tangents,
        texcoords: geometry.texcoords,
        colors: geometry.colors,
        indices: geometry.indices,
        influences: skin
          ? skinInfluences(geometry, skin, issues)
          : rigidInfluences(geometry.vertexCount, palette.bindRigid(skeleton.jointOfNode[nodeIndex]!)),
        morphSetIndex: morphSet ? morphSetOfNode.get(nodeIndex)! : -1,
        targets: padTargets(geometry, morphSet?.weights.length ?? 0),
        vertexOfSource: geometry.vertexOfSource,
      });
    }
  }
  const { bindings, movedTo } = palette.finish(skeleton.joints.length, issues);
  const signs = bindings.map(({ jointIndex, jointFromMesh }) =>
    Math.sign(determinant3(skeleton.restFromJoint, 12 * jointIndex) * determinant3(jointFromMesh)),
  );
  for (const { influences } of meshes) renumber(influences.bindings, movedTo);
  return { meshes: meshes.map((mesh) => facingOut(mesh, signs)), bindings, morphSets, morphSetOfNode };
}

function renumber(entries: Uint16Array, movedTo: Uint16Array): void {
  for (let i = 0; i < entries.length; i++) entries[i] = movedTo[entries[i]!]!;
}

function reportUnbound({ json, issues }: GltfFile, nodeIndex: number, { jointSets, path }: Geometry): void {
  const node = json.nodes![nodeIndex]!;
  if (jointSets.length > 0 === (node.skin !== undefined)) return;
  const what =
    node.skin === undefined ? 'the mesh names joints, but its node has no skin' : 'the skinned mesh names no joints';
  const message = `${what}; it moves with node ${nodeIndex}`;
  issues.warn('GLTF_MESH_WITHOUT_SKIN', pointer('nodes', nodeIndex), `${message} (${path})`);
}

/** Primitives of a mesh must have equally many targets; what is missing moves nothing. */
function padTargets({ targets, positions }: Geometry, count: number): MeshModel['targets'] {
  if (targets.length >= count) return targets;
  const still = { positions: new Float32Array(positions.length), normals: undefined, tangents: undefined };
  return [...targets, ...Array.from({ length: count - targets.length }, () => still)];
}

/**
 * A binding that mirrors in the rest pose turns triangles inside out. glTF §3.7.4 then asks for the other winding,
 * which is applied here once; the handedness of the tangents goes with it. A mesh is turned if most of its weight is
 * on such bindings.
 */
function facingOut(mesh: MeshModel, signOfBinding: readonly number[]): MeshModel {
  const { bindings, weights } = mesh.influences;
  let balance = 0;
  for (let i = 0; i < bindings.length; i++) balance += weights[i]! * signOfBinding[bindings[i]!]!;
  if (!(balance < 0)) return mesh;
  const indices = mesh.indices.slice();
  for (let t = 0; t < indices.length; t += 3) [indices[t + 1], indices[t + 2]] = [indices[t + 2]!, indices[t + 1]!];
  const tangents = mesh.tangents?.slice();
  if (tangents) for (let v = 3; v < tangents.length; v += 4) tangents[v] = -tangents[v]!;
  return { ...mesh, indices, tangents };
}
