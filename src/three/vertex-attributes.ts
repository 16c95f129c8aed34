import { BufferAttribute, Float32BufferAttribute } from 'three/webgpu';
import type { CharacterMesh, CharacterPrimitive } from '../character/character.ts';
import {
  GEOMETRY_COLORS,
  GEOMETRY_TANGENTS,
  GEOMETRY_TEXCOORDS,
  GeometryHeader,
  SkinBatch,
} from '../character/format/geometry-layout.ts';
import { openBatch } from '../vertex/vertex-channels.ts';
import { View } from '../layout/index.ts';
import { SECOND_TEXCOORD_NAME, WIND_NAME } from '../character/vertex-formats.ts';
import { sourceGeometries } from './sources.ts';

/** Attribute with the index of the character's part that a vertex belongs to. */
export const PART_ATTRIBUTE = 'crowdPart';

/** three's name for the second set of texture coordinates. */
export const SECOND_TEXCOORD_ATTRIBUTE = 'uv1';

/** Attributes that characters store themselves, or that draws no longer need. */
export const CARRIED = new Set(['position', 'normal', 'tangent', 'uv', 'color', 'skinIndex', 'skinWeight']);

/** Reads the header of a packed mesh and its batches, each with a loader of its vertices. */
export function openBatches({ geometry }: CharacterMesh) {
  const { buffer, byteOffset } = geometry;
  const header = new View(GeometryHeader, buffer, byteOffset, 1);
  const batchAt = byteOffset + 16 * header.get(0, 'batchRow');
  const batches = Array.from({ length: header.get(0, 'batchCount') }, (_, b) => {
    const batch = new View(SkinBatch, buffer, batchAt + b * SkinBatch.size, 1);
    const firstVertex = batch.get(0, 'firstVertex');
    return {
      firstVertex,
      endVertex: firstVertex + batch.get(0, 'vertexCount'),
      morphTargets: batch.get(0, 'morphTargets'),
      loader: openBatch(geometry, 0, batch),
    };
  });
  return { header, batches };
}

/**
 * Vertex attributes of a mesh for materials, under three's names. Positions and normals are those of the rest pose. Named channels
 * have the names that GLTFLoader gives them, in lower case.
 *
 * @param names Names of the character's named channels.
 */
export function vertexAttributes(
  mesh: CharacterMesh,
  names: readonly string[] = [],
): ReadonlyMap<string, BufferAttribute> {
  const { vertexCount, primitives } = mesh;
  const { header, batches } = openBatches(mesh);
  const flags = header.get(0, 'flags');
  const attributes = new Map<string, BufferAttribute>();
  const add = (name: string, itemSize: number) =>
    attributes.set(name, new Float32BufferAttribute(vertexCount * itemSize, itemSize));
  add('position', 3);
  add('normal', 3);
  if (flags & GEOMETRY_TANGENTS) add('tangent', 4);
  if (flags & GEOMETRY_TEXCOORDS) add('uv', 2);
  if (flags & GEOMETRY_COLORS) add('color', 4);
  const channels = [...new Set([...names, WIND_NAME])].flatMap((name) => {
    const width = Math.max(...batches.map(({ loader }) => loader.widthOf(name)));
    return width > 0 ? [{ name, attribute: attributeOf(name), width }] : [];
  });
  for (const { attribute, width } of channels) add(attribute, width);
  for (const { firstVertex, endVertex, loader } of batches) {
    const put = (name: string, vertex: number, value: readonly number[]) => {
      const attribute = attributes.get(name);
      attribute?.array.set(value.slice(0, attribute.itemSize), vertex * attribute.itemSize);
    };
    for (let vertex = firstVertex; vertex < endVertex; vertex++) {
      put('position', vertex, loader.loadPosition(vertex, 0));
      put('normal', vertex, loader.loadNormal(vertex, 0));
      put('tangent', vertex, loader.loadTangent(vertex, 0));
      put('uv', vertex, loader.loadTexcoord(vertex, 0));
      put('color', vertex, loader.loadColor(vertex, 0));
      for (const { name, attribute } of channels) put(attribute, vertex, loader.loadChannel(name, vertex));
    }
  }
  const parts = new Uint32Array(vertexCount);
  for (const { firstVertex, vertexCount: count, part } of primitives)
    parts.fill(part, firstVertex, firstVertex + count);
  attributes.set(PART_ATTRIBUTE, new BufferAttribute(parts, 1));
  for (const primitive of primitives) addSources(attributes, primitive, vertexCount);
  return attributes;
}

function attributeOf(channel: string): string {
  return channel === SECOND_TEXCOORD_NAME ? SECOND_TEXCOORD_ATTRIBUTE : channel.toLowerCase();
}

/** Adds further texture coordinates and application attributes from the geometry that three.js loaded. */
function addSources(
  attributes: Map<string, BufferAttribute>,
  primitive: CharacterPrimitive,
  vertexCount: number,
): void {
  const source = sourceGeometries.get(primitive);
  if (!source) return;
  for (const [name, from] of Object.entries(source.geometry.attributes)) {
    if (CARRIED.has(name)) continue;
    let to = attributes.get(name);
    if (!to) attributes.set(name, (to = new Float32BufferAttribute(vertexCount * from.itemSize, from.itemSize)));
    const itemSize = Math.min(to.itemSize, from.itemSize);
    source.sourceOfVertex.forEach((element, v) => {
      for (let c = 0; c < itemSize; c++) to.setComponent(primitive.firstVertex + v, c, from.getComponent(element, c));
    });
  }
}
