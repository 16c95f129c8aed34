import { streamOf, weld } from './weld.ts';

interface Shape {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly texcoords: Float32Array;
  readonly triangles: Uint32Array;
}

type Triple = [number, number, number];

/**
 * Tangents as MikkTSpace makes them, which normal maps are baked for (Morten S. Mikkelsen, "Simulation of Wrinkled
 * Surfaces Revisited", 2008). At each vertex this is the mean direction in which u grows in the triangles around it.
 * The directions are projected across the normal and weighted by the triangle's angle there. Vertices with equal
 * position, normal and texture coordinates share their tangent. Triangles with a mirrored texture have tangents of
 * their own. Unlike MikkTSpace, triangles that meet in only one vertex are not kept apart.
 *
 * @returns `from`: for each vertex the one that it was; those where mirrored halves of a texture meet are there twice.
 *   `tangents`: x, y, z and handedness; the bitangent is handedness × normal × tangent.
 */
export function makeTangents(shape: Shape) {
  const { positions, normals, texcoords, triangles } = shape;
  const count = positions.length / 3;
  const firstOf = weld(count, [streamOf(positions, 3), streamOf(normals, 3), streamOf(texcoords, 2)]);
  /** Per vertex: the sum where the texture is mirrored, then where it is not. */
  const sums = new Float64Array(6 * count);
  const sides = new Uint8Array(triangles.length / 3);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!];
    const [u1, v1] = [texcoords[2 * b]! - texcoords[2 * a]!, texcoords[2 * b + 1]! - texcoords[2 * a + 1]!];
    const [u2, v2] = [texcoords[2 * c]! - texcoords[2 * a]!, texcoords[2 * c + 1]! - texcoords[2 * a + 1]!];
    const area = u1 * v2 - u2 * v1;
    // glTF's v points down, its bitangent up
    const side = area < 0 ? 1 : 0;
    sides[t / 3] = area === 0 ? UNKNOWN : side;
    if (area === 0) continue;
    const [e1, e2] = [edge(positions, a, b), edge(positions, a, c)];
    const along = [0, 1, 2].map((i) => Math.sign(area) * (v2 * e1[i]! - v1 * e2[i]!)) as Triple;
    for (let corner = 0; corner < 3; corner++) {
      const vertex = triangles[t + corner]!;
      const [next, last] = [triangles[t + ((corner + 1) % 3)]!, triangles[t + ((corner + 2) % 3)]!];
      const flat = (v: Triple) => unit(across(v, normals, vertex));
      const angle = Math.acos(
        Math.max(-1, Math.min(1, dot(flat(edge(positions, vertex, next)), flat(edge(positions, vertex, last))))),
      );
      const direction = flat(along);
      const at = 6 * firstOf[vertex]! + 3 * side;
      for (let i = 0; i < 3; i++) sums[at + i]! += angle * direction[i]!;
    }
  }
  return assemble(shape, firstOf, sums, sides);
}

/** Side of a triangle without area in the texture. It takes the side of its vertices. */
const UNKNOWN = 2;

/** A vertex for each side that its triangles are on. */
function assemble({ normals, triangles }: Shape, firstOf: Uint32Array, sums: Float64Array, sides: Uint8Array) {
  const count = firstOf.length;
  /** Side of each vertex. Its twin for the other side is added at the end. */
  const sideOf = new Uint8Array(count).fill(UNKNOWN);
  const twinOf = new Map<number, number>();
  const from = Array.from({ length: count }, (_, vertex) => vertex);
  const moved = triangles.slice();
  triangles.forEach((vertex, at) => {
    const side = sides[Math.floor(at / 3)]!;
    if (side === UNKNOWN) return;
    if (sideOf[vertex] === UNKNOWN) sideOf[vertex] = side;
    if (sideOf[vertex] === side) return;
    if (!twinOf.has(vertex)) twinOf.set(vertex, from.push(vertex) - 1);
    moved[at] = twinOf.get(vertex)!;
  });
  const tangents = new Float32Array(4 * from.length);
  from.forEach((vertex, index) => {
    const first = 6 * firstOf[vertex]!;
    const own = (sideOf[vertex] ?? UNKNOWN) === UNKNOWN ? Number(isZero(sums, first)) : sideOf[vertex]!;
    const side = index < count ? own : 1 - own;
    const sum = [0, 1, 2].map((i) => sums[first + 3 * side + i]!) as Triple;
    const direction = unit(across(sum, normals, vertex));
    tangents.set(dot(direction, direction) > 0 ? direction : anyAcross(normals, vertex), 4 * index);
    tangents[4 * index + 3] = side === 1 ? 1 : -1;
  });
  return { from: Uint32Array.from(from), tangents, triangles: moved };
}

function isZero(sums: Float64Array, at: number): boolean {
  return sums[at] === 0 && sums[at + 1] === 0 && sums[at + 2] === 0;
}

function edge(positions: Float32Array, a: number, b: number): Triple {
  return [0, 1, 2].map((i) => positions[3 * b + i]! - positions[3 * a + i]!) as Triple;
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** The part of a vector that lies across the vertex's normal. */
function across(v: Triple, normals: Float32Array, vertex: number): Triple {
  const n: Triple = [normals[3 * vertex]!, normals[3 * vertex + 1]!, normals[3 * vertex + 2]!];
  const along = dot(v, n);
  return [v[0] - along * n[0], v[1] - along * n[1], v[2] - along * n[2]];
}

/** The vector with length 1; 0 if it has no direction. */
function unit(v: Triple): Triple {
  const length = Math.hypot(...v);
  return length > 1e-30 ? [v[0] / length, v[1] / length, v[2] / length] : [0, 0, 0];
}

function anyAcross(normals: Float32Array, vertex: number): Triple {
  const axis: Triple = Math.abs(normals[3 * vertex]!) < 0.7 ? [1, 0, 0] : [0, 1, 0];
  return unit(across(axis, normals, vertex));
}
