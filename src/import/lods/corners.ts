import type { MeshChannelModel, MeshModel } from '../../character/model.ts';
import { WIND_NAME } from '../../character/vertex-formats.ts';
import { streamOf, weld } from '../model-builder/weld.ts';
import { faceNormal } from '../model-builder/normals.ts';
import { withoutDegenerate } from '../model-builder/geometry.ts';

/** Vertices form no border if their colours differ by less in every channel. */
const COLOR_TOLERANCE = 0.15;
/** Weight of a difference of colours, against one of unit normals, when a corner's vertex is chosen. */
const COLOR_SHARE = 4;

/** Vertices of all meshes, one mesh after the other. Some represent others. */
export interface Welded {
  /** Per vertex: its representative, which is itself or an earlier one. */
  readonly representative: Uint32Array;
  /**
   * Vertices that each vertex represents, itself included: `members[offsets[v]] …`. Empty for vertices that represent
   * none.
   */
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  /** Three representatives per triangle; those with an edge of no length are left out. */
  readonly triangles: Uint32Array;
  readonly meshOf: Uint32Array;
  /** By mesh. */
  readonly firstVertices: readonly number[];
  /** Per vertex, three numbers: mean normals and colours of the vertices that it represents. */
  readonly normals: Float32Array;
  readonly colors: Float32Array | undefined;
}

/**
 * Joins vertices of one mesh that are in the same place in all poses and on the textures. Their named channels must be
 * equal, and their colours nearly so.
 *
 * @param space `dimensions` numbers per vertex: its places.
 */
export function weldCorners(
  meshes: readonly MeshModel[],
  triangles: Uint32Array,
  space: Float32Array,
  dimensions: number,
): Welded {
  const count = space.length / dimensions;
  const meshOf = new Uint32Array(count);
  const texcoords = new Float32Array(2 * count);
  const channels = new Map<string, Float32Array>();
  const normals = new Float32Array(3 * count);
  const colors = meshes.some((mesh) => mesh.colors) ? new Float32Array(3 * count).fill(1) : undefined;
  let next = 0;
  const firstVertices = meshes.map(({ vertexCount }) => (next += vertexCount) - vertexCount);
  meshes.forEach((mesh, m) => {
    const first = firstVertices[m]!;
    meshOf.fill(m, first, first + mesh.vertexCount);
    if (mesh.texcoords) texcoords.set(mesh.texcoords, 2 * first);
    for (const { name, width, values } of channelsOf(mesh)) {
      const joined = channels.get(`${name} ${width}`) ?? new Float32Array(width * count);
      joined.set(values, width * first);
      channels.set(`${name} ${width}`, joined);
    }
    normals.set(mesh.normals, 3 * first);
    mesh.colors?.forEach((value, i) => {
      if (i % 4 < 3) colors![3 * (first + (i >> 2)) + (i % 4)] = value;
    });
  });
  const same = weld(count, [
    { words: meshOf, width: 1 },
    streamOf(space, dimensions),
    streamOf(texcoords, 2),
    ...Array.from(channels.values(), (values) => streamOf(values, values.length / count)),
  ]);
  const representative = colors ? splitColors(same, colors) : same;
  const { offsets, members } = membersOf(representative);
  return {
    representative,
    offsets,
    members,
    triangles: withoutDegenerate(triangles, representative),
    meshOf,
    firstVertices,
    normals: unitLength(means(normals, representative)),
    colors: colors && means(colors, representative),
  };
}

/** Named channels of a mesh, wind included. */
export function channelsOf({ wind, channels = [] }: MeshModel): readonly MeshChannelModel[] {
  return wind ? [...channels, { name: WIND_NAME, width: 1, values: wind }] : channels;
}

/** Separates vertices with different colours: each joins the first one in its place that has nearly its colour. */
function splitColors(same: Uint32Array, colors: Float32Array): Uint32Array {
  const standing = new Map<number, number[]>();
  return same.map((first, v) => {
    const known = standing.get(first) ?? [];
    const found = known.find((other) =>
      [0, 1, 2].every((c) => Math.abs(colors[3 * v + c]! - colors[3 * other + c]!) <= COLOR_TOLERANCE),
    );
    if (found === undefined) standing.set(first, [...known, v]);
    return found ?? v;
  });
}

function membersOf(representative: Uint32Array): Pick<Welded, 'offsets' | 'members'> {
  const offsets = new Uint32Array(representative.length + 1);
  for (const v of representative) offsets[v + 1]!++;
  for (let v = 0; v < representative.length; v++) offsets[v + 1]! += offsets[v]!;
  const next = offsets.slice();
  const members = new Uint32Array(representative.length);
  representative.forEach((standing, v) => (members[next[standing]!++] = v));
  return { offsets, members };
}

/** Means of the vertices that each vertex represents. Others keep their own values. */
function means(values: Float32Array, representative: Uint32Array): Float32Array {
  const sums = new Float32Array(values.length);
  const counts = new Uint32Array(representative.length);
  representative.forEach((standing, v) => {
    counts[standing]!++;
    for (let c = 0; c < 3; c++) sums[3 * standing + c]! += values[3 * v + c]!;
  });
  return sums.map((sum, i) => sum / Math.max(1, counts[Math.floor(i / 3)]!));
}

function unitLength(vectors: Float32Array): Float32Array {
  for (let at = 0; at < vectors.length; at += 3) {
    const length = Math.hypot(...vectors.subarray(at, at + 3)) || 1;
    for (let c = at; c < at + 3; c++) vectors[c]! /= length;
  }
  return vectors;
}

/**
 * For the corners of triangles over welded vertices, vertices that look right there: normals nearest to the triangle's
 * own, colours nearest to each other.
 */
export function chooseCorners(meshes: readonly MeshModel[], welded: Welded, triangles: Uint32Array): Uint32Array {
  const out = new Uint32Array(triangles.length);
  const looks = new Looks(meshes, welded);
  for (let t = 0; t < triangles.length; t += 3) {
    const standing = triangles.subarray(t, t + 3);
    const candidates = Array.from(standing, (v) => welded.members.subarray(welded.offsets[v], welded.offsets[v + 1]));
    if (candidates.every(({ length }) => length === 1)) out.set(standing, t);
    else out.set(looks.best(candidates as [Uint32Array, Uint32Array, Uint32Array]), t);
  }
  return out;
}

class Looks {
  /** Per mesh: 1, or −1 where triangles are wound against their normals. */
  readonly #facing: readonly number[];

  constructor(
    readonly meshes: readonly MeshModel[],
    readonly welded: Welded,
  ) {
    this.#facing = meshes.map(({ positions, normals, indices }) => {
      let sum = 0;
      for (let t = 0; t < indices.length; t += 3) {
        const face = faceNormal(positions, indices, t);
        for (const v of indices.subarray(t, t + 3)) for (let c = 0; c < 3; c++) sum += face[c]! * normals[3 * v + c]!;
      }
      return sum < 0 ? -1 : 1;
    });
  }

  /** One of the candidates for each corner. Colours follow one of the first corner's, whichever fits best. */
  best(candidates: readonly [Uint32Array, Uint32Array, Uint32Array]): number[] {
    const m = this.welded.meshOf[candidates[0][0]!]!;
    const mesh = this.meshes[m]!;
    const first = this.welded.firstVertices[m]!;
    const corners = Uint32Array.from(candidates, ([v]) => v! - first);
    const face = faceNormal(mesh.positions, corners, 0);
    const length = this.#facing[m]! * (Math.hypot(...face) || 1);
    const normal = face.map((c) => c / length);
    const away = (v: number) =>
      [0, 1, 2].reduce((sum, c) => sum + (mesh.normals[3 * (v - first) + c]! - normal[c]!) ** 2, 0);
    const color = (v: number, c: number) => mesh.colors?.[4 * (v - first) + c] ?? 0;
    const apart = (v: number, w: number) => [0, 1, 2].reduce((sum, c) => sum + (color(v, c) - color(w, c)) ** 2, 0);
    let best: { cost: number; vertices: number[] } = { cost: Infinity, vertices: [] };
    for (const seed of candidates[0]) {
      let cost = away(seed);
      const vertices = [seed];
      for (const others of candidates.slice(1)) {
        const costs = Array.from(others, (v) => away(v) + COLOR_SHARE * apart(v, seed));
        const least = costs.reduce((at, c, i) => (c < costs[at]! ? i : at), 0);
        vertices.push(others[least]!);
        cost += costs[least]!;
      }
      if (cost < best.cost) best = { cost, vertices };
    }
    return best.vertices;
  }
}
