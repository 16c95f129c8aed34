import { View, roundUp } from '../../layout/index.ts';
import {
  CHANNEL_COUNT,
  CHANNEL_DELTA_NORMAL,
  CHANNEL_DELTA_POSITION,
  CHANNEL_DELTA_TANGENT,
  CHANNEL_KEY_TEXCOORD_1,
  CHANNEL_KEY_WIND,
  CHANNEL_NORMAL,
  CHANNEL_POSITION,
  CHANNEL_TEXCOORD,
  CHANNEL_WIND,
  FORMAT_FLOAT16,
  FORMAT_FLOAT32,
  FORMAT_SNORM16,
  FORMAT_SNORM8,
  WIND_NAME,
  channelKey,
  componentBytes,
  elementAlignment,
  elementBytes,
  encodeElement,
  isNormalized,
} from '../../vertex/vertex-format.ts';
import type { ChannelPlace } from '../../vertex/vertex-loader.ts';
import {
  MeshChannels,
  MORPH_DELTA_WORDS,
  NamedChannel,
  NamedChannels,
  VertexChannel,
} from '../format/geometry-layout.ts';
import type { MeshChannelModel, MeshModel } from '../model.ts';
import { type ChosenFormat, FORMAT_NAMES, isInRange } from '../vertex-formats.ts';
import type { BlobBuilder } from './blob.ts';

/** Consecutive meshes of one format, which share a channel table. With morph targets: a single mesh. */
export interface ChannelGroup {
  readonly format: ChosenFormat;
  readonly meshes: readonly MeshModel[];
  readonly firstVertex: number;
  /** First word of its deltas, if they are in the standard layout. */
  readonly deltaWord: number;
}

/** A box that normalised positions are relative to. */
interface Box {
  readonly origin: readonly number[];
  readonly scale: readonly number[];
}

/** Bytes of a row of the packed layout, and the positions of its normal and its wind. */
const PACKED_BYTES = 16;
const [PACKED_NORMAL, PACKED_WIND] = [12, 15];
/** Rows of one table: the record, and a VertexChannel for every channel. */
const TABLE_ROWS = (MeshChannels.size + CHANNEL_COUNT * VertexChannel.size) / 16;

/** Appends the streams and tables of the groups. Returns the row of each group's table. */
export function packChannels(blob: BlobBuilder, groups: readonly ChannelGroup[]): number[] {
  const corners = cornersOf(groups);
  const tables = groups.map((group) => {
    const box = boxFor(group.format.formats[CHANNEL_POSITION]!, corners);
    return { group, box, places: placesOf(blob, group, box) };
  });
  const words = new Uint32Array(tables.length * TABLE_ROWS * 4);
  const firstRow = blob.append(words);
  const rowOf = (index: number) => firstRow + index * TABLE_ROWS;
  tables.forEach(({ group, box, places }, index) => {
    const at = index * TABLE_ROWS * 16;
    const targetCount = group.meshes[0]!.targets.length;
    new View(MeshChannels, words.buffer, at, 1).assign(0, {
      firstVertex: group.firstVertex,
      vertexCount: group.meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0),
      activeChannels: places.reduce((bits, place, channel) => (place ? bits | (1 << channel) : bits), 0),
      targetCount,
      positionOrigin: box.origin,
      nextRow: index + 1 < tables.length ? rowOf(index + 1) : 0,
      positionScale: box.scale,
    });
    const view = new View(VertexChannel, words.buffer, at + MeshChannels.size, CHANNEL_COUNT);
    places.forEach((place, channel) => place && view.assign(channel, { ...place }));
  });
  if (tables.length > 0) blob.fillWords(firstRow, words);
  return tables.map((_, index) => rowOf(index));
}

function placesOf(blob: BlobBuilder, group: ChannelGroup, box: Box): (ChannelPlace | undefined)[] {
  const places = Array.from({ length: CHANNEL_COUNT }, (_, channel) => {
    const known = group.format.kind === 'packed' && [CHANNEL_POSITION, CHANNEL_NORMAL, CHANNEL_WIND].includes(channel);
    return known || channel >= CHANNEL_DELTA_POSITION ? undefined : packStream(blob, group, channel, box);
  });
  if (group.format.kind === 'packed') packRows(blob, group, places);
  if (group.meshes[0]!.targets.length > 0) packDeltas(blob, group, places);
  return places;
}

/** Appends a separate stream for a channel, if some mesh has it. */
function packStream(blob: BlobBuilder, group: ChannelGroup, channel: number, box: Box): ChannelPlace | undefined {
  const values = group.meshes.map((mesh) => valuesOf(mesh, channel));
  if (!values.some(Boolean)) return undefined;
  const format = group.format.formats[channel]!;
  const byteStride = roundUp(elementBytes(channel, format), elementAlignment(format));
  const count = group.meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  const bytes = new DataView(new ArrayBuffer(roundUp(count * byteStride, 4)));
  const shares = channel === CHANNEL_POSITION && isNormalized(format);
  let byte = 0;
  group.meshes.forEach((mesh, m) => {
    for (let v = 0; v < mesh.vertexCount; v++, byte += byteStride) {
      const element = elementOf(values[m], channel, v);
      encodeElement(bytes, byte, { channel, format }, shares ? shareOf(element, box) : element);
    }
  });
  const byteOffset = 16 * blob.append(new Uint32Array(bytes.buffer));
  return { byteOffset, byteStride, format, setByteStride: 0 };
}

/** Appends position, normal and wind in rows of the packed layout. */
function packRows(blob: BlobBuilder, { meshes, format }: ChannelGroup, places: (ChannelPlace | undefined)[]): void {
  const count = meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  const bytes = new DataView(new ArrayBuffer(count * PACKED_BYTES));
  let byte = 0;
  for (const mesh of meshes) {
    for (let v = 0; v < mesh.vertexCount; v++, byte += PACKED_BYTES) {
      for (const [channel, offset] of PACKED_PLACES) {
        const element = elementOf(valuesOf(mesh, channel), channel, v);
        encodeElement(bytes, byte + offset, { channel, format: format.formats[channel]! }, element);
      }
    }
  }
  const first = 16 * blob.append(new Uint32Array(bytes.buffer));
  for (const [channel, offset] of PACKED_PLACES) {
    const place = { byteOffset: first + offset, byteStride: PACKED_BYTES, setByteStride: 0 };
    places[channel] = { ...place, format: format.formats[channel]! };
  }
}

const PACKED_PLACES = [
  [CHANNEL_POSITION, 0],
  [CHANNEL_NORMAL, PACKED_NORMAL],
  [CHANNEL_WIND, PACKED_WIND],
] as const;

/** Appends deltas of morph targets: for the general loader in the chosen format, else where the batches expect them. */
function packDeltas(blob: BlobBuilder, group: ChannelGroup, places: (ChannelPlace | undefined)[]): void {
  const mesh = group.meshes[0]!;
  if (group.format.kind === 'packed') {
    const byteStride = 4 * MORPH_DELTA_WORDS;
    const all = { byteStride, setByteStride: byteStride * mesh.vertexCount };
    const first = 4 * group.deltaWord;
    places[CHANNEL_DELTA_POSITION] = { ...all, byteOffset: first, format: FORMAT_FLOAT32 };
    places[CHANNEL_DELTA_NORMAL] = { ...all, byteOffset: first + 12, format: FORMAT_FLOAT16 };
    places[CHANNEL_DELTA_TANGENT] = { ...all, byteOffset: first + 18, format: FORMAT_FLOAT16 };
    return;
  }
  for (const [channel, key] of DELTAS) {
    if (!mesh.targets.some((target) => target[key])) continue;
    const format = group.format.formats[channel]!;
    const byteStride = elementBytes(channel, format);
    const { targets, vertexCount } = mesh;
    const byteOffset = appendElements(blob, targets.length * vertexCount, byteStride, { channel, format }, (index) => {
      const v = index % vertexCount;
      return targets[Math.floor(index / vertexCount)]![key]?.subarray(3 * v, 3 * v + 3) ?? [0, 0, 0];
    });
    places[channel] = { byteOffset, byteStride, format, setByteStride: vertexCount * byteStride };
  }
}

/** Appends elements of one form. Returns the byte at which they begin. */
function appendElements(
  blob: BlobBuilder,
  count: number,
  byteStride: number,
  form: { readonly channel: number; readonly format: number },
  elementAt: (index: number) => ArrayLike<number>,
): number {
  const bytes = new DataView(new ArrayBuffer(roundUp(count * byteStride, 4)));
  for (let index = 0; index < count; index++) encodeElement(bytes, index * byteStride, form, elementAt(index));
  return 16 * blob.append(new Uint32Array(bytes.buffer));
}

const DELTAS = [
  [CHANNEL_DELTA_POSITION, 'positions'],
  [CHANNEL_DELTA_NORMAL, 'normals'],
  [CHANNEL_DELTA_TANGENT, 'tangents'],
] as const;

const SOURCES = ['positions', 'normals', 'tangents', 'texcoords', 'colors', 'wind'] as const;
/** Values for a mesh without the channel, in a group where others have it. */
const DEFAULTS = [[0, 0, 0], [0, 0, 1], [1, 0, 0, 1], [0, 0], [1, 1, 1, 1], [0]] as const;

function valuesOf(mesh: MeshModel, channel: number): Float32Array | undefined {
  return mesh[SOURCES[channel]!];
}

function elementOf(values: Float32Array | undefined, channel: number, v: number): ArrayLike<number> {
  const width = DEFAULTS[channel]!.length;
  return values?.subarray(width * v, width * (v + 1)) ?? DEFAULTS[channel]!;
}

function shareOf(position: ArrayLike<number>, { origin, scale }: Box): number[] {
  return [0, 1, 2].map((c) => (scale[c]! > 0 ? (position[c]! - origin[c]!) / scale[c]! : 0));
}

/** Corners of the box around all meshes with normalised positions. */
function cornersOf(groups: readonly ChannelGroup[]): { low: number[]; high: number[] } {
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (const { format, meshes } of groups) {
    if (!isNormalized(format.formats[CHANNEL_POSITION]!)) continue;
    for (const { positions } of meshes) {
      positions.forEach((value, i) => {
        low[i % 3] = Math.min(low[i % 3]!, value);
        high[i % 3] = Math.max(high[i % 3]!, value);
      });
    }
  }
  return { low, high };
}

/** Box for a format: unorm shares begin at the low corner, snorm ones in the middle. */
function boxFor(format: number, { low, high }: { low: number[]; high: number[] }): Box {
  if (!isNormalized(format) || !low.every(Number.isFinite)) return { origin: [0, 0, 0], scale: [0, 0, 0] };
  const signed = format === FORMAT_SNORM8 || format === FORMAT_SNORM16;
  const origin = low.map((value, c) => Math.fround(signed ? (value + high[c]!) / 2 : value));
  return { origin, scale: high.map((value, c) => Math.fround(value - origin[c]!)) };
}

/** Stores wind once: in `wind` if the layout has a channel for it and the values are in 0 to 1, else in `channels`. */
export function withOneWind(mesh: MeshModel, { kind }: ChosenFormat): MeshModel {
  const named = mesh.channels?.find(({ name, width }) => channelKey(name) === CHANNEL_KEY_WIND && width === 1);
  const values = mesh.wind ?? named?.values;
  if (!values) return mesh;
  const others = mesh.channels?.filter((channel) => channel !== named) ?? [];
  if (kind !== 'standard' && isInRange(values, 'unorm8')) return { ...mesh, wind: values, channels: others };
  if (values === named?.values) return mesh;
  return { ...mesh, wind: undefined, channels: [...others, { name: WIND_NAME, width: 1, values }] };
}

/** Appends a mesh's named channels and their table. Returns its row, or 0 without named channels. */
export function packNamedChannels(
  blob: BlobBuilder,
  { mesh, firstVertex, format }: { mesh: MeshModel; firstVertex: number; format: ChosenFormat },
): number {
  const { channels = [], vertexCount } = mesh;
  if (channels.length === 0 || vertexCount === 0) return 0;
  const words = new Uint32Array((NamedChannels.size + channels.length * NamedChannel.size) / 4);
  new View(NamedChannels, words.buffer, 0, 1).assign(0, { firstVertex, vertexCount, channelCount: channels.length });
  const table = new View(NamedChannel, words.buffer, NamedChannels.size, channels.length);
  channels.forEach((channel, index) => {
    const code = formatOf(channel, format);
    const { width, values } = channel;
    const byteStride = componentBytes(code) * width;
    const as = { channel: CHANNEL_POSITION, format: code };
    const byteOffset = appendElements(blob, vertexCount, byteStride, as, (v) =>
      values.subarray(width * v, width * (v + 1)),
    );
    table.assign(index, { byteOffset, byteStride, format: code | (width << 8), key: channelKey(channel.name) });
  });
  return blob.append(words);
}

/** The channel's own format. Outside the standard layout, formats for wind and texture coordinates override it. */
function formatOf({ name, values, format }: MeshChannelModel, { kind, formats }: ChosenFormat): number {
  const key = channelKey(name);
  const chosen = key === CHANNEL_KEY_WIND ? CHANNEL_WIND : key === CHANNEL_KEY_TEXCOORD_1 ? CHANNEL_TEXCOORD : -1;
  const own = FORMAT_NAMES.indexOf(format ?? 'float32');
  if (kind !== 'general' || chosen < 0) return own;
  const code = formats[chosen]!;
  return isInRange(values, FORMAT_NAMES[code]!) ? code : own;
}
