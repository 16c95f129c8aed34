import { View } from '../layout/index.ts';
import { CHANNEL_DELTA_POSITION, channelKey, componentBytes, elementBytes } from '../vertex/vertex-format.ts';
import type { Character } from './character.ts';
import { GeometryHeader, LOADER_GENERAL, LOADER_PACKED, LOADER_VARIABLE, SkinBatch } from './format/geometry-layout.ts';
import { CHANNEL_NAMES, FORMAT_NAMES } from './vertex-formats.ts';
import { openBatch } from '../vertex/vertex-channels.ts';

/** Report of how the vertices of a primitive are packed. */
export interface VertexReport {
  /** The loader that reads them. */
  readonly layout: 'standard' | 'packed' | 'general';
  /**
   * Format of every present channel, by the channel's name. An application's own channels include their number of
   * components.
   */
  readonly channels: Readonly<Record<string, string>>;
  readonly influences: 'fixed' | 'variable';
  /** Channels, influences (the mean, if they are variable), and the size of one morph target. */
  readonly bytesPerVertex: { readonly channels: number; readonly influences: number; readonly perTarget: number };
}

/** One report per primitive, in their order. */
export function reportVertices({ geometry, primitives, batchRuns, channels: names = [] }: Character): VertexReport[] {
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  const variants = batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
  const at = geometry.byteOffset + 16 * header.get(0, 'batchRow');
  const batches = new View(SkinBatch, geometry.buffer, at, variants.length);
  return primitives.map(({ firstVertex, vertexCount }) => {
    // batches are sorted by their vertices
    const first = variants.findLastIndex((_, b) => batches.get(b, 'firstVertex') <= firstVertex);
    const variant = variants[first]!;
    const { table } = openBatch(geometry, 0, new View(SkinBatch, geometry.buffer, at + first * SkinBatch.size, 1));
    const channels: Record<string, string> = {};
    const bytes = [0, 0];
    table.channels.forEach((place, channel) => {
      if (!place) return;
      channels[CHANNEL_NAMES[channel]!] = FORMAT_NAMES[place.format]!;
      bytes[Number(channel >= CHANNEL_DELTA_POSITION)]! += elementBytes(channel, place.format);
    });
    for (const name of names) {
      const place = table.named.get(channelKey(name));
      if (!place) continue;
      channels[name] = `${FORMAT_NAMES[place.format]!}${place.width > 1 ? ` × ${place.width}` : ''}`;
      bytes[0]! += componentBytes(place.format) * place.width;
    }
    const variable = (variant & LOADER_VARIABLE) !== 0;
    // headers of all meshes are in one stream, by the character's vertex
    const headerOf = (vertex: number) =>
      geometry[batches.get(first, 'influence') + vertex - batches.get(first, 'firstVertex')]!;
    let pairs = 0;
    if (variable) for (let v = firstVertex; v < firstVertex + vertexCount; v++) pairs += headerOf(v) >>> 24;
    return {
      layout: variant & LOADER_PACKED ? 'packed' : variant & LOADER_GENERAL ? 'general' : 'standard',
      channels,
      influences: variable ? 'variable' : 'fixed',
      bytesPerVertex: {
        channels: bytes[0]!,
        influences: variable ? 4 + (8 * pairs) / vertexCount : 16,
        perTarget: bytes[1]!,
      },
    };
  });
}
