import { shortened } from '../../errors.ts';
import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute, Material, Mesh } from 'three';
import { withoutUnusable } from '../../import/model-builder/limits.ts';
import { NAMED_CHANNEL_LIMIT } from '../../character/format/geometry-layout.ts';
import type { MeshChannelModel } from '../../character/model.ts';
import type { ChannelNames } from '../../import/model-builder/channel-names.ts';
import {
  gather,
  gatherChannel,
  gatherIntegers,
  type SourcePrimitive,
  type SourceTarget,
} from '../../import/model-builder/geometry.ts';
import type { IssueList } from '../../import/model-builder/issue-list.ts';
import { triangleList } from '../../import/model-builder/triangles.ts';
import { channelKey, SECOND_TEXCOORD_NAME } from '../../character/vertex-formats.ts';
import { CARRIED, SECOND_TEXCOORD_ATTRIBUTE } from '../vertex-attributes.ts';

/** The triangles of a mesh that one material draws. */
export interface DrawnTriangles {
  readonly source: SourcePrimitive;
  readonly material: Material;
  /** For each vertex of the source, the index of its element in the geometry. Undefined if indices are equal. */
  readonly elements: Uint32Array | undefined;
}

type Attribute = BufferAttribute | InterleavedBufferAttribute;

interface MeshContext {
  readonly path: string;
  /** True if bones move the mesh. */
  readonly bound: boolean;
  /** Names of the scene's channels. */
  readonly names: ChannelNames;
}

/**
 * Reads the triangles of a mesh. One material draws the whole geometry; with a list of materials, each group has its own. Attributes
 * may be interleaved, or normalised integers.
 */
export function readTriangles({ geometry, material }: Mesh, context: MeshContext, issues: IssueList): DrawnTriangles[] {
  const { path } = context;
  const list = Array.isArray(material) ? material : undefined;
  const whole = rangeOf(geometry);
  const ranges = new Map<Material, Range[]>();
  for (const group of list ? geometry.groups : [{ ...whole, materialIndex: 0 }]) {
    const own = list ? list[group.materialIndex ?? 0] : (material as Material);
    const range = within(group, whole);
    if (own?.visible && range.count > 0) ranges.set(own, [...(ranges.get(own) ?? []), range]);
  }
  if (ranges.size === 0) {
    issues.info('GLTF_PRIMITIVE_IGNORED', path, 'nothing of it is drawn');
    return [];
  }
  const vertices = readVertices(geometry, context, issues);
  return Array.from(ranges, ([drawn, runs]) => {
    const indices = indicesOf(geometry, runs);
    const triangles = triangleList({ mode: undefined, indices, vertexCount: vertices.vertexCount }, path, issues);
    const source = { ...vertices, triangles: triangles ?? new Uint32Array() };
    // three uses colours only if the material enables them
    const seen = drawn.vertexColors ? source : withoutColors(source);
    if (ranges.size === 1) return { source: seen, material: drawn, elements: undefined };
    return { ...onlyUsed(seen), material: drawn };
  });
}

interface Range {
  readonly start: number;
  readonly count: number;
}

function rangeOf({ index, attributes, drawRange }: BufferGeometry): Range {
  return within(drawRange, { start: 0, count: (index ?? attributes.position!).count });
}

function within({ start, count }: Range, { start: first, count: most }: Range): Range {
  const from = Math.max(start, first);
  return { start: from, count: Math.max(0, Math.min(start + count, first + most) - from) };
}

function indicesOf({ index }: BufferGeometry, ranges: readonly Range[]): Uint32Array {
  const out = new Uint32Array(ranges.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  for (const { start, count } of ranges) {
    for (let i = start; i < start + count; i++) out[at++] = index ? index.getX(i) : i;
  }
  return out;
}

function readVertices(
  { attributes, morphAttributes, morphTargetsRelative }: BufferGeometry,
  context: MeshContext,
  issues: IssueList,
): Omit<SourcePrimitive, 'triangles'> {
  const { bound, path } = context;
  const vertexCount = attributes.position!.count;
  const read = (attribute: Attribute | undefined, name: string, width: number): Float32Array | undefined => {
    if (!attribute) return undefined;
    if (attribute.count >= vertexCount && attribute.itemSize >= width) return floats(attribute, width, vertexCount);
    const message = `it has ${attribute.count} × ${attribute.itemSize} numbers, ${vertexCount} × ${width} are needed`;
    if (name.startsWith('skin')) issues.error('GLTF_INVALID', `${path}/${name}`, message);
    else issues.warn('GLTF_ATTRIBUTE_IGNORED', `${path}/${name}`, message);
    return undefined;
  };
  const usable = (values: Float32Array | undefined, name: string) =>
    values && withoutUnusable(values, { semantic: name, place: `${path}/${name}`, fallback: 0 }, issues);
  const attribute = (name: string, width: number) => read(attributes[name], name, width);

  const positions = usable(attribute('position', 3), 'position') ?? new Float32Array(3 * vertexCount);
  const normals = attribute('normal', 3);
  const joints = bound ? attribute('skinIndex', 4) : undefined;
  const weights = bound ? attribute('skinWeight', 4) : undefined;
  if (morphAttributes.color) issues.warn('GLTF_ATTRIBUTE_IGNORED', `${path}/color`, 'colours are not morphed');
  const change = (values: Float32Array | undefined, base: Float32Array | undefined) =>
    morphTargetsRelative || !values || !base ? values : values.map((value, i) => value - base[i]!);
  const targetCount = Math.max(morphAttributes.position?.length ?? 0, morphAttributes.normal?.length ?? 0);
  const targets = Array.from({ length: targetCount }, (_, t): SourceTarget => {
    const of = (name: 'position' | 'normal', base: Float32Array | undefined) => {
      const label = `morphAttributes/${name}/${t}`;
      return usable(change(read(morphAttributes[name]?.[t], label, 3), base), label);
    };
    return { positions: of('position', positions), normals: of('normal', normals), tangents: undefined };
  });
  const channels = channelsOf(attributes, vertexCount, context, issues);
  return {
    path,
    vertexCount,
    positions,
    normals,
    tangents: normals && attribute('tangent', 4),
    texcoords: usable(attribute('uv', 2), 'uv'),
    colors: colorsOf(attributes.color, vertexCount),
    channels,
    jointSets: joints && weights ? [{ joints: Uint32Array.from(joints), weights }] : [],
    targets,
    others: Object.entries(attributes).flatMap(([name, other]) =>
      CARRIED.has(name) || other.count < vertexCount || channels.some((channel) => channel.name === channelName(name))
        ? []
        : [{ values: floats(other, other.itemSize, vertexCount), width: other.itemSize }],
    ),
  };
}

/** Reverses GLTFLoader's naming of channels: it turns `_WIND` into `_wind`, and the second texture coordinates into `uv1`. */
function channelName(attribute: string): string {
  return attribute === SECOND_TEXCOORD_ATTRIBUTE ? SECOND_TEXCOORD_NAME : attribute.toUpperCase();
}

/** Reads the second texture coordinates, and application attributes, which have names that begin with an underscore. */
function channelsOf(
  attributes: BufferGeometry['attributes'],
  vertexCount: number,
  { path, names }: MeshContext,
  issues: IssueList,
): MeshChannelModel[] {
  const channels: MeshChannelModel[] = [];
  const custom = Object.keys(attributes).filter((key) => key.startsWith('_'));
  for (const key of [SECOND_TEXCOORD_ATTRIBUTE, ...custom]) {
    const attribute = attributes[key];
    if (!attribute) continue;
    const name = channelName(key);
    const width = name === SECOND_TEXCOORD_NAME ? 2 : attribute.itemSize;
    const isTwice = channels.some((channel) => channelKey(channel.name) === channelKey(name));
    const why =
      names.add(name) ??
      (isTwice ? 'the mesh has it twice, as upper and lower case are the same' : undefined) ??
      (channels.length >= NAMED_CHANNEL_LIMIT
        ? `the mesh has ${NAMED_CHANNEL_LIMIT} such attributes already`
        : undefined) ??
      (attribute.count < vertexCount || attribute.itemSize < width || width > 4
        ? `it has ${attribute.count} × ${attribute.itemSize} numbers`
        : undefined);
    if (why !== undefined) {
      issues.warn('GLTF_ATTRIBUTE_IGNORED', `${path}/${key}`, `${shortened(key)} is not carried: ${why}`);
      continue;
    }
    const values = floats(attribute, width, vertexCount);
    const place = { semantic: key, place: `${path}/${key}`, fallback: 0 };
    channels.push({ name, width, values: withoutUnusable(values, place, issues) });
  }
  return channels;
}

/** RGBA in [0, 1]. */
function colorsOf(attribute: Attribute | undefined, vertexCount: number): Float32Array | undefined {
  if (!attribute || attribute.count < vertexCount || attribute.itemSize < 3) return undefined;
  const width = Math.min(4, attribute.itemSize);
  const colors = new Float32Array(4 * vertexCount).fill(1);
  for (let v = 0; v < vertexCount; v++) {
    for (let c = 0; c < width; c++) colors[4 * v + c] = Math.min(1, Math.max(0, attribute.getComponent(v, c) || 0));
  }
  return colors;
}

/** The first `width` components of every element. Normalised integers are converted to floats. */
function floats(attribute: Attribute, width: number, count: number): Float32Array {
  const { array, itemSize, normalized } = attribute as BufferAttribute;
  const isPlain = array instanceof Float32Array && itemSize === width && !normalized;
  if (isPlain && !('isInterleavedBufferAttribute' in attribute)) return array.slice(0, width * count);
  const out = new Float32Array(width * count);
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < width; c++) out[width * i + c] = attribute.getComponent(i, c);
  }
  return out;
}

/** Moves unused colours to `others`. They still prevent welding, because the application may show them later. */
function withoutColors(source: SourcePrimitive): SourcePrimitive {
  if (!source.colors) return source;
  return { ...source, colors: undefined, others: [...(source.others ?? []), { values: source.colors, width: 4 }] };
}

/** Keeps only the vertices that a group uses. */
function onlyUsed(source: SourcePrimitive): { source: SourcePrimitive; elements: Uint32Array } {
  const elements = Uint32Array.from(new Set(source.triangles)).sort();
  const vertexOf = new Uint32Array(source.vertexCount);
  elements.forEach((element, vertex) => (vertexOf[element] = vertex));
  const chosen = (values: Float32Array | undefined, width: number) => values && gather(values, width, elements);
  return {
    elements,
    source: {
      ...source,
      vertexCount: elements.length,
      positions: gather(source.positions, 3, elements),
      normals: chosen(source.normals, 3),
      tangents: chosen(source.tangents, 4),
      texcoords: chosen(source.texcoords, 2),
      colors: chosen(source.colors, 4),
      channels: source.channels?.map((channel) => gatherChannel(channel, elements)),
      jointSets: source.jointSets.map(({ joints, weights }) => ({
        joints: gatherIntegers(joints, elements),
        weights: gather(weights, 4, elements),
      })),
      targets: source.targets.map(({ positions, normals }) => ({
        positions: chosen(positions, 3),
        normals: chosen(normals, 3),
        tangents: undefined,
      })),
      others: (source.others ?? []).map(({ values, width }) => ({ values: gather(values, width, elements), width })),
      triangles: source.triangles.map((element) => vertexOf[element]!),
    },
  };
}
