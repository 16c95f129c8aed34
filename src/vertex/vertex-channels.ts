import { View } from '../layout/index.ts';
import { CHANNEL_COUNT, FORMAT_FLOAT16, FORMAT_FLOAT32, FORMAT_OCTAHEDRAL16, FORMAT_UNORM8 } from './vertex-format.ts';
import { VertexLoader, type ChannelPlace, type ChannelTable, type NamedPlace } from './vertex-loader.ts';
import {
  GEOMETRY_COLORS,
  GEOMETRY_TANGENTS,
  GEOMETRY_TEXCOORDS,
  GeometryHeader,
  MeshChannels,
  MORPH_DELTA_WORDS,
  NamedChannel,
  NamedChannels,
  SkinBatch,
  VertexChannel,
} from '../character/format/geometry-layout.ts';

type BatchView = View<(typeof SkinBatch)['fields']>;

/**
 * The loader of a batch's vertices, for any layout. `words` is a geometry table, `geometryRow` the start of the
 * character's blob in it.
 */
export function openBatch(words: Uint32Array<ArrayBuffer>, geometryRow: number, batch: BatchView): VertexLoader {
  const channelRow = batch.get(0, 'channelRow');
  const table = channelRow === 0 ? standardTable(words, geometryRow, batch) : readTable(words, geometryRow, channelRow);
  const named = readNamed(words, geometryRow, batch.get(0, 'namedRow'));
  return new VertexLoader(words, 16 * geometryRow, { ...table, named });
}

/** The loader of the mesh that contains this vertex of the character. */
export function openVertices(words: Uint32Array<ArrayBuffer>, geometryRow: number, vertex: number): VertexLoader {
  const header = headerAt(words, geometryRow);
  const batches = new View(
    SkinBatch,
    words.buffer,
    words.byteOffset + 16 * (geometryRow + header.get(0, 'batchRow')),
    header.get(0, 'batchCount'),
  );
  for (let b = 0; b < batches.count; b++) {
    if (vertex >= batches.get(b, 'firstVertex') + batches.get(b, 'vertexCount')) continue;
    const at = batches.words.byteOffset + b * SkinBatch.size;
    return openBatch(words, geometryRow, new View(SkinBatch, words.buffer, at, 1));
  }
  throw new RangeError(`the character has no vertex ${vertex}`);
}

type TableOfBatch = Omit<ChannelTable, 'named'>;

function readNamed(words: Uint32Array<ArrayBuffer>, geometryRow: number, namedRow: number): ChannelTable['named'] {
  const named = new Map<number, NamedPlace>();
  if (namedRow === 0) return named;
  const at = words.byteOffset + 16 * (geometryRow + namedRow);
  const head = new View(NamedChannels, words.buffer, at, 1);
  const channels = new View(NamedChannel, words.buffer, at + NamedChannels.size, head.get(0, 'channelCount'));
  for (let c = 0; c < channels.count; c++) {
    const format = channels.get(c, 'format');
    named.set(channels.get(c, 'key'), {
      firstVertex: head.get(0, 'firstVertex'),
      byteOffset: channels.get(c, 'byteOffset'),
      byteStride: channels.get(c, 'byteStride'),
      format: format & 0xff,
      width: format >>> 8,
    });
  }
  return named;
}

function readTable(words: Uint32Array<ArrayBuffer>, geometryRow: number, channelRow: number): TableOfBatch {
  const at = words.byteOffset + 16 * (geometryRow + channelRow);
  const mesh = new View(MeshChannels, words.buffer, at, 1);
  const places = new View(VertexChannel, words.buffer, at + MeshChannels.size, CHANNEL_COUNT);
  const active = mesh.get(0, 'activeChannels');
  return {
    firstVertex: mesh.get(0, 'firstVertex'),
    targetCount: mesh.get(0, 'targetCount'),
    positionOrigin: mesh.get(0, 'positionOrigin'),
    positionScale: mesh.get(0, 'positionScale'),
    channels: Array.from({ length: CHANNEL_COUNT }, (_, channel) => {
      if (((active >>> channel) & 1) === 0) return undefined;
      const field = (key: keyof ChannelPlace) => places.get(channel, key);
      return {
        byteOffset: field('byteOffset'),
        byteStride: field('byteStride'),
        format: field('format'),
        setByteStride: field('setByteStride'),
      };
    }),
  };
}

/** A channel table that describes the standard layout: streams from the header, deltas from the batch. */
function standardTable(words: Uint32Array<ArrayBuffer>, geometryRow: number, batch: BatchView): TableOfBatch {
  const header = headerAt(words, geometryRow);
  const flags = header.get(0, 'flags');
  const place = (byteOffset: number, byteStride: number, format: number): ChannelPlace => {
    return { byteOffset, byteStride, format, setByteStride: 0 };
  };
  const word = (key: 'tangentWord' | 'texcoordWord' | 'colorWord') => 4 * header.get(0, key);
  const positions = 16 * header.get(0, 'positionRow');
  const deltaBytes = 4 * MORPH_DELTA_WORDS;
  const targetCount = batch.get(0, 'morphTargets') >>> 16;
  // as if the mesh's deltas began at vertex 0
  const deltas = 4 * batch.get(0, 'morphWord') - deltaBytes * batch.get(0, 'firstVertex');
  const delta = (byte: number, format: number): ChannelPlace | undefined =>
    targetCount === 0
      ? undefined
      : { ...place(deltas + byte, deltaBytes, format), setByteStride: deltaBytes * batch.get(0, 'morphStride') };
  return {
    firstVertex: 0,
    targetCount,
    positionOrigin: [0, 0, 0],
    positionScale: [1, 1, 1],
    channels: [
      place(positions, 16, FORMAT_FLOAT32),
      place(positions + 12, 16, FORMAT_OCTAHEDRAL16),
      flags & GEOMETRY_TANGENTS ? place(word('tangentWord'), 4, FORMAT_OCTAHEDRAL16) : undefined,
      flags & GEOMETRY_TEXCOORDS ? place(word('texcoordWord'), 8, FORMAT_FLOAT32) : undefined,
      flags & GEOMETRY_COLORS ? place(word('colorWord'), 4, FORMAT_UNORM8) : undefined,
      undefined,
      delta(0, FORMAT_FLOAT32),
      delta(12, FORMAT_FLOAT16),
      delta(18, FORMAT_FLOAT16),
    ],
  };
}

function headerAt(words: Uint32Array<ArrayBuffer>, geometryRow: number): View<(typeof GeometryHeader)['fields']> {
  return new View(GeometryHeader, words.buffer, words.byteOffset + 16 * geometryRow, 1);
}
