import { heat, INFLUENCE_COLOURS, linearOf, NONE, type Rgb } from './colours.ts';
import type { PackedMesh } from './packed-mesh.ts';

/** Colours of the mesh: its materials, or one of three measures. */
export type Mode = 'material' | 'error' | 'influences' | 'weight';

/** Colours of errors, 3 per vertex; `scale` is the error in metres at the end of the scale. */
export function paintErrors(errors: Float32Array, scale: number, out: Float32Array): void {
  errors.forEach((error, v) => out.set(heat(error / scale), 3 * v));
}

/** Colours of how many joints move each vertex. */
export function paintInfluences({ influenceOffsets, vertexCount }: PackedMesh, out: Float32Array): void {
  const colours = INFLUENCE_COLOURS.map(linearOf);
  for (let v = 0; v < vertexCount; v++) {
    const count = influenceOffsets[v + 1]! - influenceOffsets[v]!;
    out.set(colours[Math.min(count, colours.length - 1)]!, 3 * v);
  }
}

/** Colours of the weight of one joint. Returns how many vertices it moves. */
export function paintWeight(mesh: PackedMesh, joint: number, out: Float32Array): number {
  const none: Rgb = linearOf(NONE);
  let moved = 0;
  for (let v = 0; v < mesh.vertexCount; v++) {
    const weight = weightOf(mesh, v, joint);
    if (weight > 0) moved++;
    out.set(weight > 0 ? heat(Math.min(1, weight)) : none, 3 * v);
  }
  return moved;
}

/** How much of a vertex a joint moves. */
function weightOf(mesh: PackedMesh, vertex: number, joint: number): number {
  let weight = 0;
  for (let i = mesh.influenceOffsets[vertex]!; i < mesh.influenceOffsets[vertex + 1]!; i++) {
    if (mesh.influenceJoints[i] === joint) weight += mesh.influenceWeights[i]!;
  }
  return weight;
}
