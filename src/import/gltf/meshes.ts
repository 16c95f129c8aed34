import type { BindingModel, LodModel, MeshModel, MorphSetModel } from '../../character/model.ts';
import { determinant3 } from '../../math/affine.ts';
import { Binder } from './binder.ts';
import { padTargets, readLodMeshes, shapeOf } from './lod-meshes.ts';
import type { NodeLods } from './node-lods.ts';
import { nameOf } from './schema.ts';
import type { Skeleton } from './skeleton.ts';
import { pointer } from '../model-builder/issue-list.ts';
import { isObject } from '../../forms/rules.ts';
import { renumber } from '../model-builder/palette.ts';
import { turned } from '../model-builder/geometry.ts';
import type { GltfFile } from './decode.ts';

/** The imported meshes of a scene. */
export interface BoundMeshes {
  readonly meshes: readonly MeshModel[];
  readonly lods: readonly LodModel[];
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
  { skeleton, lodsOf }: { readonly skeleton: Skeleton; readonly lodsOf: NodeLods['lodsOf'] },
  onMesh: (done: number, total: number) => void,
): Promise<BoundMeshes> {
  const binder = new Binder(file, skeleton);
  const { json, issues } = file;
  const meshes: MeshModel[] = [];
  const morphSets: MorphSetModel[] = [];
  const morphSetOfNode = new Map<number, number>();

  for (const [done, nodeIndex] of skeleton.meshNodes.entries()) {
    onMesh(done, skeleton.meshNodes.length);
    const node = json.nodes![nodeIndex]!;
    const primitives = json.meshes![node.mesh!]!.primitives;
    const morphSet = readMorphSet(file, nodeIndex);
    if (morphSet) morphSetOfNode.set(nodeIndex, morphSets.push(morphSet) - 1);
    const rigidEntry = () => binder.palette.bindRigid(skeleton.jointOfNode[nodeIndex]!);
    for (const [primitiveIndex, primitive] of primitives.entries()) {
      const bound = await binder.bind(nodeIndex, primitiveIndex, rigidEntry);
      if (!bound) continue;
      meshes.push({
        name: nameOf(json.meshes![node.mesh!]),
        nodeIndex,
        nodeName: nameOf(node),
        primitiveIndex,
        materialIndex: primitive.material ?? -1,
        ...shapeOf(bound),
        morphSetIndex: morphSet ? morphSetOfNode.get(nodeIndex)! : -1,
        targets: padTargets(bound.geometry, morphSet?.weights.length ?? 0),
        vertexOfSource: bound.geometry.vertexOfSource,
      });
    }
  }
  const lods = await readLodMeshes(binder, meshes, lodsOf);
  const { bindings, movedTo } = binder.palette.finish(skeleton.joints.length, issues);
  const signs = bindings.map(({ jointIndex, jointFromMesh }) =>
    Math.sign(determinant3(skeleton.restFromJoint, 12 * jointIndex) * determinant3(jointFromMesh)),
  );
  const finished = new Map<MeshModel, MeshModel>();
  const finish = (mesh: MeshModel): MeshModel => {
    const known = finished.get(mesh);
    if (known) return known;
    renumber(mesh.influences.bindings, movedTo);
    finished.set(mesh, isMirrored(mesh, signs) ? turned(mesh) : mesh);
    return finished.get(mesh)!;
  };
  return {
    meshes: meshes.map(finish),
    // a mesh without a coarser one is used again
    lods: lods.map((lod) => ({ meshes: lod.map((mesh) => ({ ...finish(mesh), vertexOfSource: new Uint32Array() })) })),
    bindings,
    morphSets,
    morphSetOfNode,
  };
}

/** glTF §3.7.4: what is mirrored in the rest pose. A mesh is turned if most of its weight is on bindings that mirror. */
export function isMirrored(
  { influences: { bindings, weights } }: MeshModel,
  signOfBinding: readonly number[],
): boolean {
  let balance = 0;
  for (let i = 0; i < bindings.length; i++) balance += weights[i]! * signOfBinding[bindings[i]!]!;
  return balance < 0;
}

/**
 * The morph weights of a node, if its mesh has targets. Names come from `extras.targetNames`, where exporters put
 * them, else they are the target's number. Rest weights are the node's, else the mesh's, else 0.
 */
function readMorphSet({ json, issues }: GltfFile, nodeIndex: number): MorphSetModel | undefined {
  const node = json.nodes![nodeIndex]!;
  const mesh = json.meshes![node.mesh!]!;
  const counts = mesh.primitives.map((primitive) => primitive.targets?.length ?? 0);
  const count = counts.reduce((most, each) => Math.max(most, each), 0);
  if (count === 0) return undefined;
  const path = pointer('meshes', node.mesh!);
  if (counts.some((each) => each !== count)) {
    const message = `the primitives have ${counts.slice(0, 8).join(', ')} morph targets; missing ones move nothing`;
    issues.warn('GLTF_VALUES_REPAIRED', path, message);
  }
  const given = node.weights ?? mesh.weights ?? [];
  if (given.length !== 0 && given.length !== count) {
    const place = node.weights ? pointer('nodes', nodeIndex, 'weights') : `${path}/weights`;
    const message = `${given.length} morph weights for ${count} targets; missing ones are 0, others ignored`;
    issues.warn('GLTF_VALUES_REPAIRED', place, message);
  }
  const extras: unknown = mesh.extras;
  const names: unknown = isObject(extras) ? extras.targetNames : undefined;
  return {
    nodeIndex,
    names: Array.from({ length: count }, (_, i) => {
      const name: unknown = Array.isArray(names) ? names[i] : undefined;
      return typeof name === 'string' ? name : String(i);
    }),
    weights: Array.from({ length: count }, (_, i) => given[i] ?? 0),
  };
}
