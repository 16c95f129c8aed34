import { type FbxDocument, type FbxObject } from './document.ts';
import { isUsable, withoutUnusable } from '../model-builder/limits.ts';
import type { SourcePrimitive, SourceTarget } from '../model-builder/geometry.ts';
import {
  BINORMALS,
  COLORS,
  type Corners,
  mappingOf,
  NORMALS,
  readElement,
  TANGENTS,
  TEXCOORDS,
} from './layer-element.ts';
import type { Shape } from './shapes.ts';
import { Triangulator } from './triangulate.ts';

/** A part of a geometry with one material. */
export interface FbxPrimitive {
  /** Index into the materials of the node that shows it. */
  readonly material: number;
  readonly source: SourcePrimitive;
  /** The control point of each vertex of the source. */
  readonly pointOf: Uint32Array;
}

/** Adds a part's corners and triangles to what the import has; refuses them over its limits. */
export interface MeshCost {
  add(vertices: number, triangles: number): void;
}

/**
 * Reads a geometry as parts by material. Every corner of a polygon is a vertex, to be welded later where all is equal.
 * Polygons of more than three corners are cut. Positions and shapes are in metres.
 */
export function readGeometry(
  document: FbxDocument,
  geometry: FbxObject,
  { shapes, unit, cost }: { readonly shapes: readonly Shape[]; readonly unit: number; readonly cost: MeshCost },
): FbxPrimitive[] {
  const { issues } = document;
  // counts are known before anything is inflated
  const { budget, limits } = document;
  const pointCount = Math.floor(geometry.node.count('Vertices') / 3);
  if (pointCount > limits.vertices) budget.over('control points', pointCount, limits.vertices);
  cost.add(geometry.node.count('PolygonVertexIndex'), 0);
  const points = geometry.node.numbers('Vertices');
  const index = geometry.node.numbers('PolygonVertexIndex');
  const corners = readCorners(document, geometry, index, Math.floor(points.length / 3));
  if (!corners) return [];
  const { parts, fans } = cutPolygons(geometry, corners, points, document);
  cost.add(
    0,
    parts.reduce((sum, part) => sum + (part?.length ?? 0) / 3, 0),
  );
  if (fans > 0) {
    const message = `${fans} polygons are too large to be cut by their shape; they became fans`;
    issues.warn('FBX_SIMPLIFIED', geometry.place, message, 'Triangulate the mesh before you export.');
  }
  const scaled = Float32Array.from(points, (value) => value * unit);
  const place = `${geometry.place}/Vertices`;
  const positions = withoutUnusable(scaled, { semantic: 'positions', place, fallback: 0 }, issues);
  const layers = readLayers(document, geometry, corners);
  // corners of each part are numbered in the order of the file
  const numberOf = new Uint32Array(corners.count);
  return parts.flatMap((part, material) => {
    if (!part) return [];
    const used = new Uint8Array(corners.count);
    for (const corner of part) used[corner] = 1;
    const kept = new Uint32Array(used.reduce((sum, flag) => sum + flag, 0));
    for (let corner = 0, n = 0; corner < corners.count; corner++) {
      if (!used[corner]) continue;
      numberOf[corner] = n;
      kept[n++] = corner;
    }
    const pointOf = kept.map((corner) => corners.pointOf[corner]!);
    document.budget.addBytes(4 * kept.length * (16 + 6 * shapes.length));
    const source: SourcePrimitive = {
      path: geometry.place,
      vertexCount: kept.length,
      positions: expand(positions, 3, pointOf),
      normals: layers.normals && expand(layers.normals, 3, kept),
      tangents: layers.tangents && expand(layers.tangents, 4, kept),
      texcoords: layers.texcoords && expand(layers.texcoords, 2, kept),
      colors: layers.colors && expand(layers.colors, 4, kept),
      jointSets: [],
      targets: shapes.map((shape) => targetOf(shape, pointOf)),
      // weights belong to control points: corners of others stay apart
      others: [{ values: Float32Array.from(pointOf), width: 1 }],
      triangles: part.map((corner) => numberOf[corner]!),
    };
    return [{ material, source, pointOf }];
  });
}

function expand(values: Float32Array, width: number, elements: Uint32Array): Float32Array {
  const out = new Float32Array(width * elements.length);
  for (let i = 0; i < elements.length; i++) {
    for (let c = 0; c < width; c++) out[width * i + c] = values[width * elements[i]! + c]!;
  }
  return out;
}

function targetOf({ positions, normals }: Shape, pointOf: Uint32Array): SourceTarget {
  return {
    positions: expand(positions, 3, pointOf),
    normals: normals && expand(normals, 3, pointOf),
    tangents: undefined,
  };
}

/** Corners of polygons: their control points, of which the last one of each polygon is stored as its complement. */
function readCorners(
  { issues }: FbxDocument,
  geometry: FbxObject,
  index: Float64Array,
  pointCount: number,
): Corners | undefined {
  const pointOf = new Uint32Array(index.length);
  const polygonOf = new Uint32Array(index.length);
  let polygon = 0;
  for (let corner = 0; corner < index.length; corner++) {
    const value = index[corner]!;
    const point = value < 0 ? -value - 1 : value;
    if (!(point < pointCount)) {
      const message = `corner ${corner} names control point ${point}, the geometry has ${pointCount}`;
      issues.error('GLTF_INDEX_OUT_OF_RANGE', geometry.place, message, 'Export it again.');
      return undefined;
    }
    pointOf[corner] = point;
    polygonOf[corner] = polygon;
    if (value < 0) polygon++;
  }
  return { count: index.length, pointOf, polygonOf };
}

/** Triangles by material, as corners. */
function cutPolygons(geometry: FbxObject, corners: Corners, points: Float64Array, { issues }: FbxDocument) {
  const triangulator = new Triangulator(points);
  const materialOf = readMaterialIndex(geometry, corners);
  if (typeof materialOf === 'string') issues.warn('FBX_IGNORED', geometry.place, materialOf);
  const lists: number[][] = [];
  let loose = 0;
  for (let start = 0, end = 0; start < corners.count; start = end) {
    while (end < corners.count && corners.polygonOf[end] === corners.polygonOf[start]) end++;
    if (end - start < 3) loose++;
    const material = typeof materialOf === 'string' ? 0 : materialOf(start);
    const list = (lists[material] ??= []);
    triangulator.cut(corners.pointOf.subarray(start, end), (a, b, c) => list.push(start + a, start + b, start + c));
  }
  if (loose > 0) {
    const message = `${loose} polygons have fewer than three corners; they are not drawn`;
    issues.info('GLTF_PRIMITIVE_IGNORED', geometry.place, message);
  }
  const parts = Array.from(lists, (list) => (list && list.length > 0 ? Uint32Array.from(list) : undefined));
  return { parts, fans: triangulator.fans };
}

/** Materials of one geometry. */
const MAX_MATERIALS = 1_024;

/** The material of each corner's polygon, or the reason why it is not known. */
function readMaterialIndex(geometry: FbxObject, corners: Corners): ((corner: number) => number) | string {
  const element = geometry.node.child('LayerElementMaterial');
  if (!element) return () => 0;
  const mapping = element.childText('MappingInformationType');
  const mapped = mappingOf(mapping, corners);
  if (typeof mapped === 'string') return `Materials: ${mapped}; the first one is used for all polygons`;
  const materials = element.numbers('Materials');
  return (corner) => {
    const material = materials[mapped(corner)] ?? 0;
    return material >= 0 && material < MAX_MATERIALS ? material : 0;
  };
}

function readLayers(document: FbxDocument, geometry: FbxObject, corners: Corners) {
  const { issues } = document;
  const read = (names: typeof NORMALS, fallback: number) => {
    const values = readElement(document, geometry, names, corners);
    const place = `${geometry.place}/${names.element}`;
    return values && withoutUnusable(values, { semantic: names.values, place, fallback }, issues);
  };
  const normals = read(NORMALS, 0);
  const texcoords = read(TEXCOORDS, 0);
  // the first row of an image is at v = 1 in FBX and at 0 in glTF
  if (texcoords) for (let i = 1; i < texcoords.length; i += 2) texcoords[i] = 1 - texcoords[i]!;
  const colors = read(COLORS, 1)?.map((value) => Math.min(1, Math.max(0, value)));
  const tangents = normals && read(TANGENTS, 0);
  const binormals = tangents && read(BINORMALS, 0);
  return { normals, texcoords, colors, tangents: binormals && signedTangents(normals, tangents, binormals) };
}

/** Tangents with their handedness: whether the binormal is normal × tangent or its opposite. */
function signedTangents(normals: Float32Array, tangents: Float32Array, binormals: Float32Array): Float32Array {
  const out = new Float32Array((tangents.length / 3) * 4);
  for (let i = 0, to = 0; i < tangents.length; i += 3, to += 4) {
    const [x, y, z] = [0, 1, 2].map((c) => {
      const [u, v] = [i + ((c + 1) % 3), i + ((c + 2) % 3)];
      return normals[u]! * tangents[v]! - normals[v]! * tangents[u]!;
    }) as [number, number, number];
    out.set(tangents.subarray(i, i + 3), to);
    const sign = x * binormals[i]! + y * binormals[i + 1]! + z * binormals[i + 2]!;
    out[to + 3] = isUsable(sign) && sign < 0 ? -1 : 1;
  }
  return out;
}
