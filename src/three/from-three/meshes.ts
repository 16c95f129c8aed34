import type { BufferGeometry, Mesh, Object3D } from 'three';
import type { InfluencesModel, MeshModel, MorphSetModel } from '../../character/model.ts';
import { ChannelNames } from '../../import/model-builder/channel-names.ts';
import { buildGeometry, type Geometry, turned } from '../../import/model-builder/geometry.ts';
import { rigidInfluences, skinInfluences } from '../../import/model-builder/influences.ts';
import { quote } from '../../import/model-builder/issue-list.ts';
import { isUsable } from '../../import/model-builder/limits.ts';
import { Palette, renumber, SkinBindings } from '../../import/model-builder/palette.ts';
import { checkRestMeshes } from '../../import/model-builder/rest-pose.ts';
import { determinant3 } from '../../math/affine.ts';
import type { SourceGeometry } from '../sources.ts';
import type { Joints } from './joints.ts';
import { MaterialList } from './materials.ts';
import { type BoundMesh, isBound, isDetached, isSkinned, nameInFile, partOwner, placeOf, type Scene } from './scan.ts';
import { type DrawnTriangles, readTriangles } from './vertices.ts';
import { affineOfColumns, invertAffine } from '../../import/model-builder/node-transforms.ts';

/** Maps a mesh of a model to its source. Models themselves are plain data without references to three. */
export const sourceOfMesh: WeakMap<MeshModel, SourceGeometry> = new WeakMap();

/** Reads every mesh of a scene, and binds it: to the bones of its skeleton, or rigidly to its own joint. */
export function* readMeshes(scene: Scene, joints: Joints) {
  const { issues } = scene;
  const palette = new Palette();
  const materials = new MaterialList();
  const triangles = new TriangleCache(scene);
  const morphSets: MorphSetModel[] = [];
  const morphSetIndices = new Map<Mesh, number>();
  const made: (BuiltTriangles & { model: MeshModel; mesh: Mesh })[] = [];
  for (const mesh of scene.meshes) {
    const above = partOwner(mesh);
    const owner = scene.indexOf.has(above) ? above : mesh;
    const nodeIndex = scene.indexOf.get(owner)!;
    const firstPrimitive = owner === mesh ? 0 : owner.children.indexOf(mesh);
    const morphSet = morphSetOf(mesh, nodeIndex);
    if (morphSet) morphSetIndices.set(mesh, morphSets.push(morphSet) - 1);
    const influencesOf = influencesBy(mesh, scene, joints, palette);
    for (const [primitiveIndex, { drawn, geometry }] of triangles.of(mesh).entries()) {
      const { vertexCount, positions, normals, tangents, texcoords, colors, channels, indices } = geometry;
      const model: MeshModel = {
        name: mesh.geometry.name || mesh.name,
        nodeIndex,
        nodeName: nameInFile(owner),
        primitiveIndex: firstPrimitive + primitiveIndex,
        materialIndex: materials.index(drawn.material),
        vertexCount,
        positions,
        normals,
        tangents,
        texcoords,
        colors,
        ...(channels.length > 0 ? { channels } : {}),
        indices,
        influences: influencesOf(geometry),
        morphSetIndex: morphSetIndices.get(mesh) ?? -1,
        targets: morphSet ? geometry.targets : [],
        vertexOfSource: geometry.vertexOfSource,
      };
      made.push({ model, mesh, drawn, geometry });
    }
    yield;
  }
  issues.throwIfErrors();
  const { bindings, movedTo } = palette.finish(joints.joints.length, issues);
  const meshes = made.map(({ model, mesh, drawn, geometry }) => {
    renumber(model.influences.bindings, movedTo);
    const facing = mirrors(mesh, scene.space) ? turned(model) : model;
    const { elements, material } = drawn;
    const { sourceOfVertex: own } = geometry;
    const sourceOfVertex = elements ? own.map((vertex) => elements[vertex]!) : own;
    sourceOfMesh.set(facing, { mesh, geometry: mesh.geometry, material, sourceOfVertex });
    return facing;
  });
  const read = { meshes, bindings, morphSets, materials: materials.models };
  const objects = [...scene.indexOf.keys()];
  checkRestMeshes({ ...read, lods: [] }, joints, issues, (node) => placeOf(objects[node]!));
  issues.throwIfErrors();
  return { ...read, morphSetOf: morphSetIndices };
}

/** Triangles that one material draws, and the geometry made from them. */
interface BuiltTriangles {
  readonly drawn: DrawnTriangles;
  readonly geometry: Geometry;
}

/** Cache that reads geometries shared by several meshes only once. */
class TriangleCache {
  readonly #names = new ChannelNames();
  readonly #known = new Map<BufferGeometry, Map<string, BuiltTriangles[]>>();

  constructor(readonly scene: Scene) {}

  of(mesh: Mesh): readonly BuiltTriangles[] {
    const list = Array.isArray(mesh.material) ? mesh.material : [mesh.material];
    const key = `${isBound(mesh)} ${Array.isArray(mesh.material)} ${list.map(({ uuid }) => uuid).join(' ')}`;
    const known = this.#known.get(mesh.geometry) ?? new Map<string, BuiltTriangles[]>();
    this.#known.set(mesh.geometry, known);
    let read = known.get(key);
    if (!read) {
      const { issues } = this.scene;
      const place = { bound: isBound(mesh), path: placeOf(mesh), names: this.#names };
      read = readTriangles(mesh, place, issues).map((drawn) => ({
        drawn,
        geometry: buildGeometry(drawn.source, { normalSet: undefined }, issues),
      }));
      known.set(key, read);
    }
    return read;
  }
}

/** Returns the influences of a mesh's geometries: of the bones of its skeleton, or of its own joint. */
function influencesBy(
  mesh: Mesh,
  scene: Scene,
  joints: Joints,
  palette: Palette,
): (geometry: Geometry) => InfluencesModel {
  const { issues } = scene;
  if (isBound(mesh)) {
    const skin = bindSkeleton(mesh, scene, joints, palette);
    return (geometry) => skinInfluences(geometry, skin, issues);
  }
  if (isSkinned(mesh)) {
    const message = 'the mesh has no skeleton, or no joints and weights; it moves with its node';
    issues.warn('GLTF_MESH_WITHOUT_SKIN', placeOf(mesh), message);
  }
  return ({ vertexCount }) => rigidInfluences(vertexCount, palette.bindRigid(joints.jointOf(mesh)));
}

/** Binds the palette entries of a skeleton: inverse bind × bind, by bone. */
function bindSkeleton(mesh: BoundMesh, { issues }: Scene, joints: Joints, palette: Palette): SkinBindings {
  const { bones, boneInverses } = mesh.skeleton;
  return new SkinBindings(bones.length, (i) => {
    const joint = joints.jointOf(bones[i]!, isDetached(mesh) ? mesh : undefined);
    const matrix = affineOfColumns(boneInverses[i]!.clone().multiply(mesh.bindMatrix).elements, 0);
    if (matrix.every(isUsable)) return palette.bind(joint, matrix);
    const message = `the inverse bind of bone ${i} (${quote(bones[i]!.name)}) has NaN in it; made from the rest pose`;
    issues.warn('GLTF_VALUES_REPAIRED', placeOf(mesh), message);
    return palette.bind(joint, invertAffine(joints.restFromJoint.subarray(12 * joint, 12 * joint + 12)));
  });
}

/** Returns true if three reverses the winding of a mesh's triangles. It uses the mesh's own transform, never its bones'. */
function mirrors(mesh: Mesh, space: Object3D | undefined): boolean {
  let sign = 1;
  for (let object: Object3D | null = mesh; object && object !== space; object = object.parent) {
    const { x, y, z } = object.scale;
    const m = object.matrix.elements;
    sign *= Math.sign(object.matrixAutoUpdate ? x * y * z : determinant3(affineOfColumns(m, 0)));
  }
  return sign < 0;
}

/** The morph weights of a mesh. Undefined if three does not morph it. */
function morphSetOf(
  { geometry, morphTargetInfluences: weights, morphTargetDictionary: indexOf = {} }: Mesh,
  nodeIndex: number,
): MorphSetModel | undefined {
  const { position = [], normal = [] } = geometry.morphAttributes;
  const count = Math.max(position.length, normal.length);
  if (count === 0 || !weights) return undefined;
  const nameOf = new Map(Object.entries(indexOf).map(([name, index]) => [index, name]));
  return {
    nodeIndex,
    names: Array.from({ length: count }, (_, i) => nameOf.get(i) ?? String(i)),
    weights: Array.from({ length: count }, (_, i) => (isUsable(weights[i] ?? 0) ? (weights[i] ?? 0) : 0)),
  };
}
