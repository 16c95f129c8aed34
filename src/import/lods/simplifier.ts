import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import { joinedTriangles, poseSpace, type SamplePose } from '../../character/lods/index.ts';
import type { CharacterModel, InfluencesModel, MeshModel } from '../../character/model.ts';
import { SECOND_TEXCOORD_NAME } from '../../character/vertex-formats.ts';
import { chooseCorners, weldCorners, type Welded } from './corners.ts';
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { gather, gatherChannel } from '../model-builder/geometry.ts';

/**
 * Weights of differences: posed positions in metres, textures in metres on the surface, unit normals and colours as a
 * share of the size.
 */
const POSE_WEIGHT = 0.35;
const TEXTURE_WEIGHT = 0.3;
const NORMAL_WEIGHT = 0.01;
const COLOR_WEIGHT = 0.01;

/** Errors that are tried: shares of the character's size. */
const [LEAST_ERROR, MOST_ERROR] = [1e-5, 0.05];
const BISECTIONS = 12;
/** How far over the wanted number of triangles is near enough. */
const NEAR_ENOUGH = 1.02;

/**
 * Collapses edges of all meshes of a character together, so that touching meshes stay together. Each vertex that is
 * left existed before.
 *
 * Vertices are those of the rest pose. Their positions in some other poses are attributes and part of the error: a
 * collapse is cheap only where neighbours move alike. Vertices that differ only in normals, or slightly in colour,
 * are one while edges collapse. Otherwise a mesh of flat triangles would have no edges. Corners get their own
 * vertices back afterwards. Edges where textures, meshes or colours part only collapse along themselves.
 */
export class Simplifier {
  readonly vertexCount: number;
  readonly #welded: Welded;
  readonly #positions: Float32Array;
  readonly #attributes: Float32Array;
  readonly #weights: number[];
  /** Representatives that some triangle names: meshoptimizer takes any two vertices of one place for a seam. */
  readonly #shown: Uint32Array;
  /** Triangles over those. */
  readonly #triangles: Uint32Array;
  readonly #components: ReturnType<typeof findComponents>;

  constructor(
    readonly model: CharacterModel,
    readonly size: number,
    poses: readonly SamplePose[],
  ) {
    const { meshes } = model;
    const space = poseSpace(model, meshes, poses);
    const n = 3 * poses.length;
    this.vertexCount = space.length / n;
    this.#welded = weldCorners(meshes, joinedTriangles(meshes), space, n);
    this.#shown = Uint32Array.from(new Set(this.#welded.triangles)).sort();
    const shownOf = new Uint32Array(this.vertexCount);
    this.#shown.forEach((v, i) => (shownOf[v] = i));
    this.#triangles = this.#welded.triangles.map((v) => shownOf[v]!);
    this.#positions = interleave([{ values: space, width: n, from: 0, end: 3 }], this.#shown);
    const places = MeshoptSimplifier.generatePositionRemap(this.#positions, 3);
    this.#components = findComponents(this.#triangles, places, this.#positions);
    const scale = MeshoptSimplifier.getScale(this.#positions, 3) || 1;
    const { normals, colors } = this.#welded;
    const channels = [
      { values: space, width: n, from: 3, end: n, weight: POSE_WEIGHT },
      { values: normals, width: 3, from: 0, end: 3, weight: NORMAL_WEIGHT * size },
    ];
    const sets = [
      meshes.map(({ texcoords }) => texcoords),
      meshes.map((mesh) => mesh.channels?.find(({ name }) => name === SECOND_TEXCOORD_NAME)?.values),
    ];
    for (const set of sets) {
      const texcoords = this.#surfaceTexcoords(set, space, n);
      if (texcoords) channels.push({ values: texcoords, width: 2, from: 0, end: 2, weight: TEXTURE_WEIGHT });
    }
    if (colors) channels.push({ values: colors, width: 3, from: 0, end: 3, weight: COLOR_WEIGHT * size });
    this.#weights = channels.flatMap(({ from, end, weight }) => Array<number>(end - from).fill(weight / scale));
    this.#attributes = interleave(channels, this.#shown);
  }

  /** A set of texture coordinates, by mesh, times the metres that a unit of them covers on its mesh; undefined when no mesh has any. */
  #surfaceTexcoords(
    sets: readonly (Float32Array | undefined)[],
    space: Float32Array,
    n: number,
  ): Float32Array | undefined {
    const { meshes } = this.model;
    if (!sets.some(Boolean)) return undefined;
    const out = new Float32Array(2 * this.vertexCount);
    meshes.forEach(({ indices, vertexCount }, m) => {
      const texcoords = sets[m];
      if (!texcoords) return;
      const first = this.#welded.firstVertices[m]!;
      const places = space.subarray(n * first, n * (first + vertexCount));
      const surface = doubleArea({ values: places, width: n, end: 3 }, indices);
      const texture = doubleArea({ values: texcoords, width: 2, end: 2 }, indices);
      const metres = texture > 0 ? Math.sqrt(surface / texture) : 0;
      texcoords.forEach((value, i) => (out[2 * first + i] = metres * value));
    });
    return out;
  }

  /**
   * The triangles, over vertices of all meshes, that are left when all collapses up to an error are done, or as many as are wanted are left. Loose pieces
   * of that size vanish, unless a vertex of theirs is locked.
   *
   * @param wanted Triangles.
   * @param error Metres.
   * @param locked Per vertex 1 if it has to stay.
   */
  simplify(wanted: number, error: number, locked: Uint8Array): Uint32Array {
    const { representative } = this.#welded;
    const lockedPlaces = new Uint8Array(this.vertexCount);
    locked.forEach((lock, v) => (lockedPlaces[representative[v]!]! |= lock));
    const locks = Uint8Array.from(this.#shown, (v) => lockedPlaces[v]!);
    const triangles = this.#largePieces(error, locks);
    const [kept] = MeshoptSimplifier.simplifyWithAttributes(
      triangles,
      this.#positions,
      3,
      this.#attributes,
      this.#weights.length,
      this.#weights,
      locks,
      Math.min(3 * wanted, triangles.length),
      error,
      ['ErrorAbsolute'],
    );
    return kept.map((i) => this.#shown[i]!);
  }

  /** Triangles of components that are larger than the error or have a locked vertex. */
  #largePieces(error: number, locks: Uint8Array): Uint32Array {
    const { componentOf, radii } = this.#components;
    const stays = Uint8Array.from(radii, (radius) => Number(radius > error));
    locks.forEach((lock, v) => (stays[componentOf[v]!]! |= lock));
    return this.#triangles.filter((_, corner) => stays[componentOf[this.#triangles[corner - (corner % 3)]!]!] === 1);
  }

  /** About the smallest error that leaves no more triangles than are wanted; `MOST_ERROR` where none does. */
  errorFor(wanted: number, locked: Uint8Array): number {
    let [low, high] = [LEAST_ERROR * this.size, MOST_ERROR * this.size];
    for (let i = 0; i < BISECTIONS; i++) {
      const middle = Math.sqrt(low * high);
      if (this.simplify(wanted, middle, locked).length <= 3 * NEAR_ENOUGH * wanted) high = middle;
      else low = middle;
    }
    return high;
  }

  /** The vertices, and those that share a triangle with one of them, all meshes one after the other. */
  withNeighbours(vertices: Uint8Array): Uint8Array {
    const { representative, triangles } = this.#welded;
    const out = vertices.slice();
    vertices.forEach((is, v) => (out[representative[v]!]! |= is));
    const near = out.slice();
    for (let t = 0; t < triangles.length; t += 3) {
      const corners = triangles.subarray(t, t + 3);
      if (corners.some((v) => out[v] === 1)) for (const v of corners) near[v] = 1;
    }
    return near;
  }

  /** The model's meshes with what is left of them, which may be nothing. */
  meshesOf(triangles: Uint32Array): MeshModel[] {
    const { meshes } = this.model;
    const corners = chooseCorners(meshes, this.#welded, triangles);
    const perMesh = meshes.map((): number[] => []);
    for (let t = 0; t < corners.length; t += 3) {
      const mesh = this.#welded.meshOf[corners[t]!]!;
      for (let k = t; k < t + 3; k++) perMesh[mesh]!.push(corners[k]! - this.#welded.firstVertices[mesh]!);
    }
    return meshes.map((mesh, m) => subsetMesh(mesh, Uint32Array.from(perMesh[m]!)));
  }
}

/** Some of the numbers of each vertex. */
interface Channel {
  readonly values: Float32Array;
  /** Numbers per vertex, of which those from `from` to `end` are meant. */
  readonly width: number;
  readonly from: number;
  readonly end: number;
}

/** Vertex by vertex, one channel's numbers after another's. */
function interleave(channels: readonly Channel[], vertices: Uint32Array): Float32Array {
  const stride = channels.reduce((sum, { from, end }) => sum + end - from, 0);
  const out = new Float32Array(stride * vertices.length);
  let at = 0;
  for (const { values, width, from, end } of channels) {
    const offset = at;
    vertices.forEach((v, i) => out.set(values.subarray(width * v + from, width * v + end), stride * i + offset));
    at += end - from;
  }
  return out;
}

/** Twice the area of all triangles. */
function doubleArea({ values, width, end }: Omit<Channel, 'from'>, indices: Uint32Array): number {
  let sum = 0;
  for (let t = 0; t < indices.length; t += 3) {
    let [bb, bc, cc] = [0, 0, 0];
    for (let k = 0; k < end; k++) {
      const origin = values[width * indices[t]! + k]!;
      const b = values[width * indices[t + 1]! + k]! - origin;
      const c = values[width * indices[t + 2]! + k]! - origin;
      bb += b * b;
      bc += b * c;
      cc += c * c;
    }
    sum += Math.sqrt(Math.max(0, bb * cc - bc * bc));
  }
  return sum;
}

/**
 * Finds what hangs together by triangles, or by vertices in the same place.
 *
 * @param places Per vertex, the first one in its place.
 * @param positions Three numbers per vertex.
 * @returns Per vertex its component, and per component the farthest that one of its vertices is from their mean.
 */
function findComponents(triangles: Uint32Array, places: Uint32Array, positions: Float32Array) {
  const parents = places.slice();
  const rootOf = (vertex: number): number => {
    let root = vertex;
    while (parents[root] !== root) root = parents[root]!;
    for (let v = vertex; v !== root;) [v, parents[v]] = [parents[v]!, root];
    return root;
  };
  for (let t = 0; t < triangles.length; t += 3) {
    const root = rootOf(triangles[t]!);
    for (let k = t + 1; k < t + 3; k++) parents[rootOf(triangles[k]!)] = root;
  }
  const numbers = new Map<number, number>();
  const componentOf = places.map((_, v) => {
    const root = rootOf(v);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    return numbers.get(root)!;
  });
  return { componentOf, radii: radiiOf(componentOf, numbers.size, positions) };
}

function radiiOf(componentOf: Uint32Array, count: number, positions: Float32Array): Float64Array {
  const sums = new Float64Array(4 * count);
  componentOf.forEach((component, v) => {
    for (let c = 0; c < 3; c++) sums[4 * component + c]! += positions[3 * v + c]!;
    sums[4 * component + 3]!++;
  });
  const radii = new Float64Array(count);
  componentOf.forEach((component, v) => {
    const away = [0, 1, 2].map((c) => positions[3 * v + c]! - sums[4 * component + c]! / sums[4 * component + 3]!);
    radii[component] = Math.max(radii[component]!, Math.hypot(...away));
  });
  return radii;
}

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
