import type { PackedMesh } from './packed-mesh.ts';

/**
 * Computes normals of a posed mesh from its triangles, smooth where the file's normals are. Vertices with equal position and
 * normal at bind are one corner, split only for texture coordinates.
 */
export class SmoothNormals {
  readonly #cornerOf: Uint32Array;
  readonly #sums: Float32Array;

  constructor(private readonly mesh: PackedMesh) {
    const { vertexCount, positions, normals } = mesh;
    const corners = new Map<string, number>();
    this.#cornerOf = new Uint32Array(vertexCount);
    for (let v = 0; v < vertexCount; v++) {
      // normals come from 16 bits, so equal ones are still equal
      const key = `${positions.subarray(3 * v, 3 * v + 3).join()} ${normals.subarray(3 * v, 3 * v + 3).join()}`;
      const corner = corners.get(key) ?? corners.size;
      corners.set(key, corner);
      this.#cornerOf[v] = corner;
    }
    this.#sums = new Float32Array(3 * corners.size);
  }

  /** Writes a unit normal per vertex, each triangle counted by its area. */
  compute(positions: Float32Array, out: Float32Array): void {
    const { indices, vertexCount } = this.mesh;
    const sums = this.#sums.fill(0);
    for (let i = 0; i < indices.length; i += 3) {
      const [a, b, c] = [3 * indices[i]!, 3 * indices[i + 1]!, 3 * indices[i + 2]!];
      const ux = positions[b]! - positions[a]!;
      const uy = positions[b + 1]! - positions[a + 1]!;
      const uz = positions[b + 2]! - positions[a + 2]!;
      const vx = positions[c]! - positions[a]!;
      const vy = positions[c + 1]! - positions[a + 1]!;
      const vz = positions[c + 2]! - positions[a + 2]!;
      for (let k = i; k < i + 3; k++) {
        const at = 3 * this.#cornerOf[indices[k]!]!;
        sums[at]! += uy * vz - uz * vy;
        sums[at + 1]! += uz * vx - ux * vz;
        sums[at + 2]! += ux * vy - uy * vx;
      }
    }
    for (let v = 0; v < vertexCount; v++) {
      const at = 3 * this.#cornerOf[v]!;
      const length = Math.hypot(sums[at]!, sums[at + 1]!, sums[at + 2]!) || 1;
      for (let c = 0; c < 3; c++) out[3 * v + c] = sums[at + c]! / length;
    }
  }
}
