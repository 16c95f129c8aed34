/** Fallback for surfaces without a direction. */
const UP = [0, 1, 0] as const;
/** Vectors shorter than this have no direction. */
const SHORTEST = 1e-12;

/**
 * The normals at unit length. Zero and NaN ones are replaced by the area-weighted normal of the triangles around the
 * vertex, and counted.
 */
export function unitNormals(normals: Float32Array, positions: Float32Array, triangles: Uint32Array) {
  const out = new Float32Array(normals.length);
  const bad = new Set<number>();
  for (let v = 0; v < normals.length / 3; v++) {
    if (!writeUnit(normals[3 * v]!, normals[3 * v + 1]!, normals[3 * v + 2]!, out, 3 * v)) bad.add(v);
  }
  if (bad.size === 0) return { normals: out, repaired: 0 };
  const sums = new Float64Array(normals.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [x, y, z] = faceNormal(positions, triangles, t);
    for (let corner = 0; corner < 3; corner++) {
      const at = 3 * triangles[t + corner]!;
      sums[at]! += x;
      sums[at + 1]! += y;
      sums[at + 2]! += z;
    }
  }
  for (const v of bad) {
    if (!writeUnit(sums[3 * v]!, sums[3 * v + 1]!, sums[3 * v + 2]!, out, 3 * v)) out.set(UP, 3 * v);
  }
  return { normals: out, repaired: bad.size };
}

/** One normal per corner of every triangle, all three alike; then `extra` that belong to no triangle. */
export function flatNormals(positions: Float32Array, triangles: Uint32Array, extra: number): Float32Array {
  const out = new Float32Array(3 * (triangles.length + extra));
  for (let t = 0; t < triangles.length; t += 3) {
    const [x, y, z] = faceNormal(positions, triangles, t);
    if (!writeUnit(x, y, z, out, 3 * t)) out.set(UP, 3 * t);
    out.copyWithin(3 * t + 3, 3 * t, 3 * t + 3);
    out.copyWithin(3 * t + 6, 3 * t, 3 * t + 3);
  }
  for (let i = triangles.length; i < triangles.length + extra; i++) out.set(UP, 3 * i);
  return out;
}

/** The tangents at unit length with handedness 1 or −1; unusable ones are laid across the normal, and counted. */
export function unitTangents(tangents: Float32Array, normals: Float32Array) {
  const out = new Float32Array(tangents.length);
  let repaired = 0;
  for (let v = 0; v < tangents.length / 4; v++) {
    if (!writeUnit(tangents[4 * v]!, tangents[4 * v + 1]!, tangents[4 * v + 2]!, out, 4 * v)) {
      const [x, y, z] = [normals[3 * v]!, normals[3 * v + 1]!, normals[3 * v + 2]!];
      // the cross product with whichever axis is further away
      if (Math.abs(x) < 0.7) writeUnit(0, z, -y, out, 4 * v);
      else writeUnit(-z, 0, x, out, 4 * v);
      repaired++;
    }
    out[4 * v + 3] = tangents[4 * v + 3]! < 0 ? -1 : 1;
  }
  return { tangents: out, repaired };
}

/** The normal of a triangle, as long as twice its area. */
export function faceNormal(positions: Float32Array, triangles: Uint32Array, t: number): [number, number, number] {
  const a = 3 * triangles[t]!;
  const b = 3 * triangles[t + 1]!;
  const c = 3 * triangles[t + 2]!;
  const [ux, uy, uz] = [0, 1, 2].map((i) => positions[b + i]! - positions[a + i]!) as [number, number, number];
  const [vx, vy, vz] = [0, 1, 2].map((i) => positions[c + i]! - positions[a + i]!) as [number, number, number];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

/** Writes the vector at unit length; false, and nothing written, when it has none. */
function writeUnit(x: number, y: number, z: number, out: Float32Array, at: number): boolean {
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > SHORTEST && length < Infinity)) return false;
  out[at] = x / length;
  out[at + 1] = y / length;
  out[at + 2] = z / length;
  return true;
}
