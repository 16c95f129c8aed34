import { MeshoptEncoder } from 'meshoptimizer/encoder';
import type { InfluencesModel, MeshModel } from '../../character/model.ts';
import { gather, gatherChannel } from '../model-builder/geometry.ts';

/**
 * A mesh of some of another one's triangles and vertices: those that `indices` name, in the order of the vertex cache,
 * so that neighbours share joints and cache lines. Its vertices no longer refer to those of the source file.
 * `indices` is changed.
 */
export function subsetMesh(mesh: MeshModel, indices: Uint32Array): MeshModel {
  const from = indices.length > 0 ? reorder(indices) : new Uint32Array();
  return {
    ...mesh,
    vertexCount: from.length,
    positions: gather(mesh.positions, 3, from),
    normals: gather(mesh.normals, 3, from),
    tangents: mesh.tangents && gather(mesh.tangents, 4, from),
    texcoords: mesh.texcoords && gather(mesh.texcoords, 2, from),
    colors: mesh.colors && gather(mesh.colors, 4, from),
    ...(mesh.wind ? { wind: gather(mesh.wind, 1, from) } : {}),
    ...(mesh.channels ? { channels: mesh.channels.map((channel) => gatherChannel(channel, from)) } : {}),
    indices,
    influences: subsetInfluences(mesh.influences, from),
    targets: mesh.targets.map(({ positions, normals, tangents }) => ({
      positions: gather(positions, 3, from),
      normals: normals && gather(normals, 3, from),
      tangents: tangents && gather(tangents, 3, from),
    })),
    vertexOfSource: new Uint32Array(),
  };
}

/** Renumbers `indices` in place; returns which vertex each new one was. */
function reorder(indices: Uint32Array): Uint32Array {
  const [remap, count] = MeshoptEncoder.reorderMesh(indices, true, false);
  const from = new Uint32Array(count);
  remap.forEach((to, vertex) => {
    // vertices that no index names have no place
    if (to < count) from[to] = vertex;
  });
  return from;
}

function subsetInfluences({ offsets, bindings, weights }: InfluencesModel, from: Uint32Array): InfluencesModel {
  const out = new Uint32Array(from.length + 1);
  from.forEach((vertex, v) => (out[v + 1] = out[v]! + offsets[vertex + 1]! - offsets[vertex]!));
  const count = out.at(-1)!;
  const subset = { offsets: out, bindings: new Uint16Array(count), weights: new Float32Array(count) };
  from.forEach((vertex, v) => {
    subset.bindings.set(bindings.subarray(offsets[vertex], offsets[vertex + 1]), out[v]);
    subset.weights.set(weights.subarray(offsets[vertex], offsets[vertex + 1]), out[v]);
  });
  return subset;
}
