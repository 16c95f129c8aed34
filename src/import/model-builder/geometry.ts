import type { MeshChannelModel, MeshModel, MorphTargetModel } from '../../character/model.ts';
import { SECOND_TEXCOORD_NAME } from '../../character/vertex-formats.ts';
import type { IssueList } from './issue-list.ts';
import { flatNormals, unitNormals, unitTangents } from './normals.ts';
import { makeTangents } from './tangents.ts';
import { streamOf, weld, type WordStream } from './weld.ts';

/** One set of four joints and weights per vertex. */
export interface JointSet {
  readonly joints: ArrayLike<number>;
  readonly weights: Float32Array;
}

/** Deltas of one morph target; undefined for an attribute that the target does not change. */
export interface SourceTarget {
  readonly positions: Float32Array | undefined;
  readonly normals: Float32Array | undefined;
  readonly tangents: Float32Array | undefined;
}

/** A primitive as the file has it: floats, triangle list, everything in the order of its POSITION accessor. */
export interface SourcePrimitive {
  readonly path: string;
  readonly vertexCount: number;
  readonly positions: Float32Array;
  readonly normals: Float32Array | undefined;
  readonly tangents: Float32Array | undefined;
  readonly texcoords: Float32Array | undefined;
  /** RGBA. */
  readonly colors: Float32Array | undefined;
  /** Named channels. */
  readonly channels?: readonly MeshChannelModel[] | undefined;
  readonly jointSets: readonly JointSet[];
  readonly targets: readonly SourceTarget[];
  /** Further values of vertices. Vertices with different ones are not welded. */
  readonly others?: readonly { readonly values: Float32Array; readonly width: number }[];
  readonly triangles: Uint32Array;
}

/** A geometry that can be bound: welded, in the order of its triangles, and independent of any node. */
export interface Geometry {
  readonly path: string;
  readonly vertexCount: number;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly tangents: Float32Array | undefined;
  readonly texcoords: Float32Array | undefined;
  readonly colors: Float32Array | undefined;
  readonly channels: readonly MeshChannelModel[];
  readonly jointSets: readonly JointSet[];
  readonly targets: readonly MorphTargetModel[];
  readonly indices: Uint32Array;
  readonly vertexOfSource: Uint32Array;
  /** Per vertex: its first vertex in the source. */
  readonly sourceOfVertex: Uint32Array;
}

/**
 * Puts a triangle list into another order, in place, and numbers the vertices that it uses. Returns each one's new number
 * (`UNUSED` where it has none), and how many were given.
 */
export type TriangleOrder = (indices: Uint32Array) => readonly [remap: Uint32Array, used: number];

/** Number of a vertex that no index names. */
export const UNUSED = 0xffffffff;

interface GeometryOptions {
  /** The set of texture coordinates that its normal map is looked up by: tangents are made where the source has none. */
  readonly normalSet: 0 | 1 | undefined;
  /** Default: triangles and vertices stay in the source's order. */
  readonly order?: TriangleOrder;
}

/**
 * Welds bitwise equal vertices, drops triangles that use one vertex twice (they have no area in any pose) and puts
 * triangles and vertices into the order asked for. Vertices that no triangle uses come last there; they are kept because a
 * pose lists every POSITION of the file. Without normals every triangle gets corners of
 * its own with its flat normal, as glTF asks.
 */
export function buildGeometry(
  source: SourcePrimitive,
  { normalSet, order: triangleOrder }: GeometryOptions,
  issues: IssueList,
): Geometry {
  const given = source.normals ? asIndexed(source, source.normals, issues) : asFlat(source, issues);
  const candidates = withTangents(source, given, normalSet, issues);
  const { sourceOf, normals, tangents, triangles } = candidates;
  const firstOf = weld(sourceOf?.length ?? source.vertexCount, streamsOf(source, candidates));

  const indices = withoutDegenerate(triangles, firstOf);
  const { vertexOf, order } = numberVertices(indices, firstOf, triangleOrder);
  const from = sourceOf ? order.map((candidate) => sourceOf[candidate]!) : order;
  const vertexOfSource = new Uint32Array(source.vertexCount);
  // backwards, so that of several corners at one source vertex the first is used
  for (let candidate = firstOf.length - 1; candidate >= 0; candidate--) {
    vertexOfSource[sourceOf?.[candidate] ?? candidate] = vertexOf[firstOf[candidate]!]!;
  }
  return {
    path: source.path,
    vertexCount: order.length,
    positions: gather(source.positions, 3, from),
    normals: gather(normals, 3, order),
    tangents: tangents && gather(tangents, 4, order),
    texcoords: source.texcoords && gather(source.texcoords, 2, from),
    colors: source.colors && gather(source.colors, 4, from),
    channels: (source.channels ?? []).map((channel) => gatherChannel(channel, from)),
    jointSets: source.jointSets.map(({ joints, weights }) => ({
      joints: gatherIntegers(joints, from),
      weights: gather(weights, 4, from),
    })),
    targets: source.targets.map((target) => ({
      positions: target.positions ? gather(target.positions, 3, from) : new Float32Array(3 * order.length),
      normals: target.normals && gather(target.normals, 3, from),
      tangents: target.tangents && gather(target.tangents, 3, from),
    })),
    indices,
    vertexOfSource,
    sourceOfVertex: from,
  };
}

/** Vertices before welding: `sourceOf` says which source vertex each is, undefined when they are the same. */
interface Candidates {
  readonly sourceOf: Uint32Array | undefined;
  readonly normals: Float32Array;
  readonly tangents: Float32Array | undefined;
  readonly triangles: Uint32Array;
}

function asIndexed(source: SourcePrimitive, given: Float32Array, issues: IssueList): Candidates {
  const { normals, repaired } = unitNormals(given, source.positions, source.triangles);
  if (repaired > 0) {
    const message = `${repaired} of ${source.vertexCount} normals have no direction; they were made from the triangles`;
    issues.warn('GLTF_VALUES_REPAIRED', `${source.path}/attributes/NORMAL`, message);
  }
  const tangents = repairedTangents(source, normals, issues);
  return { sourceOf: undefined, normals, tangents, triangles: source.triangles };
}

function asFlat(source: SourcePrimitive, issues: IssueList): Candidates {
  issues.info('GLTF_NORMALS_GENERATED', source.path, 'the primitive has no normals; it got flat ones, as glTF asks');
  const used = new Uint8Array(source.vertexCount);
  for (const vertex of source.triangles) used[vertex] = 1;
  const loose = used.reduce((count, isUsed) => count + 1 - isUsed, 0);
  const cornerCount = source.triangles.length;
  const sourceOf = new Uint32Array(cornerCount + loose);
  sourceOf.set(source.triangles);
  let next = cornerCount;
  for (let vertex = 0; vertex < source.vertexCount; vertex++) if (!used[vertex]) sourceOf[next++] = vertex;
  const triangles = new Uint32Array(cornerCount);
  for (let corner = 0; corner < cornerCount; corner++) triangles[corner] = corner;
  const normals = flatNormals(source.positions, source.triangles, loose);
  return { sourceOf, normals, tangents: undefined, triangles };
}

/** Makes missing tangents from the triangles, if there are texture coordinates. Vertices may be split. */
function withTangents(
  source: SourcePrimitive,
  candidates: Candidates,
  normalSet: 0 | 1 | undefined,
  issues: IssueList,
): Candidates {
  const { sourceOf, normals, triangles } = candidates;
  if (candidates.tangents || normalSet === undefined) return candidates;
  const second = source.channels?.find(({ name }) => name === SECOND_TEXCOORD_NAME)?.values;
  const texcoords = normalSet === 0 ? source.texcoords : second;
  if (!texcoords) return candidates;
  issues.info('GLTF_TANGENTS_GENERATED', source.path, 'the primitive has a normal map and no tangents; they were made');
  const made = makeTangents({
    positions: sourceOf ? gather(source.positions, 3, sourceOf) : source.positions,
    texcoords: sourceOf ? gather(texcoords, 2, sourceOf) : texcoords,
    normals,
    triangles,
  });
  return {
    sourceOf: sourceOf ? made.from.map((candidate) => sourceOf[candidate]!) : made.from,
    normals: gather(normals, 3, made.from),
    tangents: made.tangents,
    triangles: made.triangles,
  };
}

/** Tangents come only with normals, so that candidates are source vertices. */
function repairedTangents(source: SourcePrimitive, normals: Float32Array, issues: IssueList): Float32Array | undefined {
  if (!source.tangents) return undefined;
  const { tangents, repaired } = unitTangents(source.tangents, normals);
  if (repaired > 0) {
    const message = `${repaired} of ${source.vertexCount} tangents have no direction; they were laid across the normal`;
    issues.warn('GLTF_VALUES_REPAIRED', `${source.path}/attributes/TANGENT`, message);
  }
  return tangents;
}

function streamsOf(source: SourcePrimitive, { normals, tangents, sourceOf: elementOf }: Candidates): WordStream[] {
  const streams = [streamOf(normals, 3)];
  if (tangents) streams.push(streamOf(tangents, 4));
  const add = (values: Float32Array | undefined, width: number): void => {
    if (values) streams.push(streamOf(values, width, elementOf));
  };
  add(source.positions, 3);
  add(source.texcoords, 2);
  add(source.colors, 4);
  for (const { values, width } of source.channels ?? []) add(values, width);
  for (const { joints, weights } of source.jointSets) {
    streams.push({ words: new Uint32Array(joints), width: 4, elementOf });
    add(weights, 4);
  }
  for (const target of source.targets) {
    add(target.positions, 3);
    add(target.normals, 3);
    add(target.tangents, 3);
  }
  for (const { values, width } of source.others ?? []) add(values, width);
  return streams;
}

/** Triangles over the first vertex of each that are equal, without those that use one twice. */
export function withoutDegenerate(triangles: Uint32Array, firstOf: Uint32Array): Uint32Array {
  const kept = new Uint32Array(triangles.length);
  let length = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = firstOf[triangles[t]!]!;
    const b = firstOf[triangles[t + 1]!]!;
    const c = firstOf[triangles[t + 2]!]!;
    if (a === b || b === c || c === a) continue;
    kept[length++] = a;
    kept[length++] = b;
    kept[length++] = c;
  }
  return kept.slice(0, length);
}

/** Numbers vertices, in `indices` too. Returns each candidate's vertex (where it is one) and each vertex's candidate. */
function numberVertices(indices: Uint32Array, firstOf: Uint32Array, triangleOrder: TriangleOrder | undefined) {
  const vertexOf = new Uint32Array(firstOf.length).fill(UNUSED);
  let count = 0;
  if (triangleOrder && indices.length > 0) {
    const [remap, used] = triangleOrder(indices);
    vertexOf.set(remap);
    count = used;
  }
  for (let candidate = 0; candidate < firstOf.length; candidate++) {
    if (firstOf[candidate] === candidate && vertexOf[candidate] === UNUSED) vertexOf[candidate] = count++;
  }
  if (!triangleOrder) indices.forEach((candidate, i) => (indices[i] = vertexOf[candidate]!));
  const order = new Uint32Array(count);
  for (let candidate = 0; candidate < firstOf.length; candidate++) {
    if (firstOf[candidate] === candidate) order[vertexOf[candidate]!] = candidate;
  }
  return { vertexOf, order };
}

/** Copies elements of `width` numbers each, in the order asked for. */
export function gather(values: Float32Array, width: number, elements: Uint32Array): Float32Array {
  const out = new Float32Array(width * elements.length);
  for (let i = 0; i < elements.length; i++) {
    const from = width * elements[i]!;
    for (let c = 0; c < width; c++) out[width * i + c] = values[from + c]!;
  }
  return out;
}

/** A named channel of the elements asked for. */
export function gatherChannel(channel: MeshChannelModel, elements: Uint32Array): MeshChannelModel {
  return { ...channel, values: gather(channel.values, channel.width, elements) };
}

/** The same of four whole numbers each. */
export function gatherIntegers(values: ArrayLike<number>, elements: Uint32Array): Uint32Array {
  const out = new Uint32Array(4 * elements.length);
  for (let i = 0; i < elements.length; i++) {
    for (let c = 0; c < 4; c++) out[4 * i + c] = values[4 * elements[i]! + c]!;
  }
  return out;
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
