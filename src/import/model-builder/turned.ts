import type { MeshModel } from '../../character/model.ts';

/** Replaces palette entries by where the palette's sorting has moved them, in place. */
export function renumber(entries: Uint16Array, movedTo: Uint16Array): void {
  for (let i = 0; i < entries.length; i++) entries[i] = movedTo[entries[i]!]!;
}

/**
 * A mesh that is mirrored in the rest pose, which turns triangles inside out, wound the other way; the handedness of the
 * tangents goes with it.
 */
export function turned(mesh: MeshModel): MeshModel {
  const indices = mesh.indices.slice();
  for (let t = 0; t < indices.length; t += 3) [indices[t + 1], indices[t + 2]] = [indices[t + 2]!, indices[t + 1]!];
  const tangents = mesh.tangents?.slice();
  if (tangents) for (let v = 3; v < tangents.length; v += 4) tangents[v] = -tangents[v]!;
  return { ...mesh, indices, tangents };
}
