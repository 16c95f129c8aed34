import type { GLTF } from '@gltf-transform/core';
import { NAMED_CHANNEL_LIMIT } from '../../character/format/geometry-layout.ts';
import { TYPE_WIDTH } from './layout.ts';
import { triangleCount } from '../model-builder/triangles.ts';
import type { GltfFile } from './decode.ts';

const READ_ATTRIBUTES = /^(?:POSITION|NORMAL|TANGENT|TEXCOORD_\d+|COLOR_0|JOINTS_\d+|WEIGHTS_\d+)$/;

/** Bytes of a morph target besides its deltas: objects, a name, a weight. */
const TARGET_BYTES = 256;

/**
 * Adds up what the meshes of the scene will take, before any of them is read: a few bytes of JSON can use one
 * accessor a thousand times. Over a limit, that is an error in `issues`.
 */
export function checkMeshCost({ json, limits, issues }: GltfFile, meshNodes: readonly number[]): void {
  const total = { meshes: 0, vertices: 0, triangles: 0, bytes: 0 };
  const costs = new Map<number, typeof total>();
  for (const node of meshNodes) {
    const { mesh } = json.nodes![node]!;
    // coarser LODs may be without
    if (mesh === undefined) continue;
    let cost = costs.get(mesh);
    if (!cost) {
      cost = { meshes: 0, vertices: 0, triangles: 0, bytes: 0 };
      for (const primitive of json.meshes![mesh]!.primitives) addPrimitive(json.accessors ?? [], primitive, cost);
      costs.set(mesh, cost);
    }
    total.meshes += cost.meshes;
    total.vertices += cost.vertices;
    total.triangles += cost.triangles;
    total.bytes += cost.bytes;
  }
  const over = (what: string, value: number, limit: number): void => {
    if (value > limit) issues.error('GLTF_LIMIT', '/meshes', `the scene has ${value} ${what}, the limit is ${limit}`);
  };
  over('meshes (one per node and primitive)', total.meshes, limits.meshes);
  over('vertices', total.vertices, limits.vertices);
  over('triangles', total.triangles, limits.triangles);
  over('bytes of vertices and morph targets', total.bytes, limits.decodedBytes);
}

function addPrimitive(
  accessors: readonly GLTF.IAccessor[],
  { attributes, indices, mode, targets = [] }: GLTF.IMeshPrimitive,
  cost: { meshes: number; vertices: number; triangles: number; bytes: number },
): void {
  if (attributes.POSITION === undefined) return;
  const sources = accessors[attributes.POSITION]!.count;
  const triangles = triangleCount(mode, indices === undefined ? sources : accessors[indices]!.count);
  // flat normals take a vertex per corner
  const vertices = attributes.NORMAL === undefined ? Math.max(sources, 3 * triangles) : sources;
  const widthOf = (group: Record<string, number>): number =>
    Object.entries(group).reduce(
      (width, [semantic, accessor]) =>
        width + (READ_ATTRIBUTES.test(semantic) ? TYPE_WIDTH[accessors[accessor]!.type] : 0),
      0,
    );
  // of those of applications the first are read that can be
  const named = Object.entries(attributes).flatMap(([semantic, accessor]) => {
    const components = TYPE_WIDTH[accessors[accessor]!.type];
    return semantic.startsWith('_') && components <= 4 ? components : [];
  });
  const namedWidth = named
    .sort((a, b) => b - a)
    .slice(0, NAMED_CHANNEL_LIMIT)
    .reduce((sum, components) => sum + components, 0);
  // a target without positions gets zeros
  const width = targets.reduce((sum, target) => sum + Math.max(3, widthOf(target)), widthOf(attributes) + namedWidth);
  cost.meshes += 1;
  cost.vertices += vertices;
  cost.triangles += triangles;
  cost.bytes += 4 * width * vertices + 12 * triangles + TARGET_BYTES * targets.length;
}
