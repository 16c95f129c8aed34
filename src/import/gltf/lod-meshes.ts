import { affineFromPose, determinant3, multiplyAffine } from '../../math/affine.ts';
import type { MeshModel } from '../../character/model.ts';
import type { Binder, BoundPrimitive } from './binder.ts';
import type { Geometry } from '../model-builder/geometry.ts';
import { pointer } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import { invertAffine, nodeTransform } from '../model-builder/node-transforms.ts';
import { isSkinned } from './schema.ts';

/** The part of a mesh that its geometry says. */
export function shapeOf({ geometry, influences }: BoundPrimitive) {
  const { vertexCount, positions, normals, tangents, texcoords, colors, channels, indices } = geometry;
  const shape = { vertexCount, positions, normals, tangents, texcoords, colors, indices, influences };
  return channels.length > 0 ? { ...shape, channels } : shape;
}

/** Primitives of a mesh must have equally many targets; what is missing moves nothing. */
export function padTargets({ targets, positions }: Geometry, count: number): MeshModel['targets'] {
  if (targets.length >= count) return targets;
  const still = { positions: new Float32Array(positions.length), normals: undefined, tangents: undefined };
  return [...targets, ...Array.from({ length: count - targets.length }, () => still)];
}

/** Nothing, of a mesh that has vanished. */
const NO_SHAPE = {
  vertexCount: 0,
  positions: new Float32Array(),
  normals: new Float32Array(),
  indices: new Uint32Array(),
};

/**
 * The meshes of coarser LODs, a list per level: for each mesh its replacement there. Nodes with fewer levels stay at
 * their coarsest, those without any as they are. A coarser node replaces its finest one, below that one's parent, and
 * moves with it. Each of its primitives replaces one of the same material. Primitives without a replacement vanish.
 * If a node cannot be matched, it is left out with a warning, and the previous level is kept.
 */
export async function readLodMeshes(
  binder: Binder,
  meshes: readonly MeshModel[],
  lodsOf: ReadonlyMap<number, readonly number[]>,
): Promise<MeshModel[][]> {
  const nodes = [...new Set(meshes.map(({ nodeIndex }) => nodeIndex))];
  const depth = nodes.reduce((most, node) => Math.max(most, lodsOf.get(node)?.length ?? 0), 0);
  const levels: MeshModel[][] = [];
  let last = [...meshes];
  for (let level = 0; level < depth; level++) {
    const next = [...last];
    for (const node of nodes) {
      const lod = lodsOf.get(node)?.[level];
      if (lod === undefined) continue;
      const places = meshes.flatMap(({ nodeIndex }, i) => (nodeIndex === node ? [i] : []));
      const finest = places.map((i) => meshes[i]!);
      const coarser = await matchNode(binder, { node, lod }, finest);
      coarser?.forEach((mesh, k) => (next[places[k]!] = mesh));
    }
    const isNew = next.some((mesh, i) => mesh !== last[i]);
    if (isNew && next.some(({ indices }) => indices.length > 0)) levels.push(next);
    if (isNew) last = next;
  }
  return levels;
}

/** One mesh for each of the finest node's; undefined, and a warning, where the coarser node does not fit it. */
async function matchNode(
  binder: Binder,
  { node, lod }: { readonly node: number; readonly lod: number },
  finest: readonly MeshModel[],
): Promise<MeshModel[] | undefined> {
  const { file, palette, skeleton } = binder;
  const { issues } = file;
  const partners = partnersOf(binder, lod, finest);
  const isRigid = typeof partners !== 'string' && partners.some(({ skinned }) => !skinned);
  const place = isRigid ? rigidPlace(binder, node, lod) : undefined;
  const why = typeof partners === 'string' ? partners : typeof place === 'string' ? place : undefined;
  if (typeof partners === 'string' || why !== undefined) {
    issues.warn('GLTF_LOD_IGNORED', pointer('nodes', lod), `it cannot replace node ${node}: ${why}`);
    return undefined;
  }
  const rigidEntry = () => palette.bind(skeleton.jointOfNode[node]!, place as Float32Array);
  const coarser = finest.map((mesh): MeshModel => {
    const empty = (values: Float32Array | undefined) => values && NO_SHAPE.normals;
    const [tangents, texcoords, colors] = [mesh.tangents, mesh.texcoords, mesh.colors].map(empty);
    const none = { tangents, texcoords, colors, channels: undefined };
    const influences = { offsets: new Uint32Array(1), bindings: new Uint16Array(), weights: new Float32Array() };
    return { ...mesh, ...NO_SHAPE, influences, ...none, morphSetIndex: -1, targets: [] };
  });
  for (const { primitive, place: k, morphs } of partners) {
    const bound = await binder.bind(lod, primitive, rigidEntry);
    if (!bound) continue;
    const { morphSetIndex, targets } = finest[k]!;
    coarser[k] = {
      ...coarser[k]!,
      ...shapeOf(bound),
      ...(morphs ? { morphSetIndex, targets: padTargets(bound.geometry, targets.length) } : {}),
    };
  }
  return coarser;
}

/** A primitive of the coarser node, and the index of the mesh that it replaces. */
interface Partner {
  readonly primitive: number;
  readonly place: number;
  readonly skinned: boolean;
  readonly morphs: boolean;
}

/** Pairs of primitives and the meshes that they replace, or the reason why they do not match. */
function partnersOf(binder: Binder, lod: number, finest: readonly MeshModel[]): Partner[] | string {
  const { json } = binder.file;
  const { mesh, skin } = json.nodes![lod]!;
  if (mesh === undefined) return 'it carries no mesh';
  if (skin !== undefined && !binder.hasJointsOf(skin)) {
    return 'its skin names joints that the character does not have';
  }
  const taken = new Set<number>();
  const partners: Partner[] = [];
  for (const [primitive, { material = -1, attributes, targets = [] }] of json.meshes![mesh]!.primitives.entries()) {
    const place = finest.findIndex(({ materialIndex }, i) => materialIndex === material && !taken.has(i));
    if (place < 0) return `its primitive ${primitive} has a material that none of the finest is left for`;
    const morphs = targets.length > 0;
    if (morphs && targets.length !== finest[place]!.targets.length) {
      return `its primitive ${primitive} has ${targets.length} morph targets, the finest ${finest[place]!.targets.length}`;
    }
    taken.add(place);
    partners.push({ primitive, place, skinned: skin !== undefined && isSkinned(attributes), morphs });
  }
  return partners;
}

/** The transform of the coarser node's mesh into the space of the finest node, at rest; or the reason why it fails. */
function rigidPlace({ file, skeleton }: Binder, node: number, lod: number): Float32Array | string {
  if (skeleton.jointOfNode[node]! < 0) return 'it has no skin, and the finest has';
  const [finest, coarser] = [localTransform(node), localTransform(lod)];
  if (finest.every((value, i) => value === coarser[i])) return Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
  if (determinant3(finest) === 0) return 'the finest has a scale of 0';
  const out = new Float64Array(12);
  multiplyAffine(invertAffine(finest), 0, coarser, 0, out, 0);
  return out.every(isUsable) ? Float32Array.from(out) : 'its position is not a finite number';

  function localTransform(index: number): Float64Array {
    const { outer, inner } = nodeTransform(file.json.nodes![index]!, index, file.issues);
    const matrix = new Float64Array(12);
    const of = ({ translation, rotation, scale }: typeof outer) => [...translation, ...rotation, ...scale];
    affineFromPose(of(outer), 0, matrix, 0);
    if (!inner) return matrix;
    const turned = new Float64Array(12);
    affineFromPose(of(inner), 0, turned, 0);
    multiplyAffine(matrix, 0, turned, 0, turned, 0);
    return turned;
  }
}
