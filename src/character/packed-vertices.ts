import { View } from '../layout/index.ts';
import { transformPoint } from '../math/affine.ts';
import { openBatch, openVertices } from '../vertex/vertex-channels.ts';
import { CHANNEL_DELTA_POSITION, channelKey, componentBytes, elementBytes } from '../vertex/vertex-format.ts';
import type { Character, CharacterMesh } from './character.ts';
import { GeometryHeader, LOADER_GENERAL, LOADER_PACKED, LOADER_VARIABLE, SkinBatch } from './format/geometry-layout.ts';
import { CHANNEL_NAMES, FORMAT_NAMES } from './vertex-formats.ts';

type PackedMesh = Pick<CharacterMesh, 'geometry' | 'batchRuns'>;

/** The batches of a packed mesh, and the loader variant of each. */
function batchesOf({ geometry, batchRuns }: PackedMesh) {
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  const variants = batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
  const at = geometry.byteOffset + 16 * header.get(0, 'batchRow');
  return { header, variants, batches: new View(SkinBatch, geometry.buffer, at, variants.length) };
}

/**
 * Reads the influences on the vertices of a packed mesh, as `geometry-layout.ts` defines the format.
 *
 * @param visit Receives a vertex, a palette entry and its weight above 0. Vertices come in rising order, the influences
 * of each in the order of the mesh.
 */
export function eachInfluence(
  { geometry, batchRuns }: PackedMesh,
  visit: (vertex: number, entry: number, weight: number) => void,
): void {
  const floats = new Float32Array(geometry.buffer, geometry.byteOffset, geometry.length);
  const { header, batches, variants } = batchesOf({ geometry, batchRuns });
  const firstPair = header.get(0, 'influencePairWord');
  variants.forEach((variant, b) => {
    const firstVertex = batches.get(b, 'firstVertex');
    const influence = batches.get(b, 'influence');
    for (let i = 0; i < batches.get(b, 'vertexCount'); i++) {
      if (variant & LOADER_VARIABLE) {
        const head = geometry[influence + i]!;
        for (let k = 0; k < head >>> 24; k++) {
          const pair = firstPair + 2 * ((head & 0xffffff) + k);
          if (floats[pair + 1]! > 0) visit(firstVertex + i, geometry[pair]!, floats[pair + 1]!);
        }
        continue;
      }
      // four entries, then four weights, of 16 bits each
      const word = 4 * (influence + i);
      for (let k = 0; k < 4; k++) {
        const shift = 16 * (k & 1);
        const code = (geometry[word + 2 + (k >> 1)]! >>> shift) & 0xffff;
        if (code > 0) visit(firstVertex + i, (geometry[word + (k >> 1)]! >>> shift) & 0xffff, code / 65535);
      }
    }
  });
}

/** Vertices of the finest mesh, and their influences. Morph targets are left out. */
export interface VertexSample {
  /** Metres in mesh space, 3 per vertex. */
  readonly positions: Float64Array;
  /** Index of its primitive, per vertex. */
  readonly primitives: Uint32Array;
  /** Sample s is moved by entries offsets[s] … offsets[s + 1] − 1. */
  readonly offsets: Uint32Array;
  readonly entries: Uint16Array;
  readonly weights: Float64Array;
}

/** Reads at most `most` vertices, evenly spread: all of them if there are no more. */
export function sampleVertices(character: Character, most: number): VertexSample {
  const step = Math.max(1, Math.ceil(character.vertexCount / most));
  const count = Math.ceil(character.vertexCount / step);
  const positions = new Float64Array(3 * count);
  const primitives = new Uint32Array(count);
  character.primitives.forEach(({ firstVertex, vertexCount }, primitive) => {
    const first = Math.ceil(firstVertex / step);
    const end = Math.ceil((firstVertex + vertexCount) / step);
    if (first === end) return;
    const loader = openVertices(character.geometry, 0, firstVertex);
    for (let s = first; s < end; s++) positions.set(loader.loadPosition(s * step, 0), 3 * s);
    primitives.fill(primitive, first, end);
  });
  const [entries, weights]: [number[], number[]] = [[], []];
  const offsets = new Uint32Array(count + 1);
  eachInfluence(character, (vertex, entry, weight) => {
    if (vertex % step !== 0) return;
    entries.push(entry);
    weights.push(weight);
    offsets[vertex / step + 1] = entries.length;
  });
  // a vertex without influences ends where the previous one does
  for (let s = 0; s < count; s++) offsets[s + 1] = Math.max(offsets[s]!, offsets[s + 1]!);
  return { positions, primitives, offsets, entries: Uint16Array.from(entries), weights: Float64Array.from(weights) };
}

/**
 * The weighted sum of a vertex's images under its palette entries.
 * @param palette 12 numbers per entry, three rows of four.
 * @param out Written: the sum, or the unchanged vertex if nothing moves it.
 */
export function blendVertex(sample: VertexSample, s: number, palette: Float64Array, out: number[]): void {
  const { positions, offsets, entries, weights } = sample;
  const [x, y, z] = [positions[3 * s]!, positions[3 * s + 1]!, positions[3 * s + 2]!];
  if (offsets[s] === offsets[s + 1]) return void out.splice(0, 3, x, y, z);
  const moved = [0, 0, 0];
  out.fill(0);
  for (let i = offsets[s]!; i < offsets[s + 1]!; i++) {
    transformPoint(palette, 12 * entries[i]!, x, y, z, moved, 0);
    for (let c = 0; c < 3; c++) out[c]! += weights[i]! * moved[c]!;
  }
}

/** Report of how the vertices of a primitive are packed. */
export interface VertexReport {
  /** The loader that reads them. */
  readonly layout: 'standard' | 'packed' | 'general';
  /** Formats of present channels, by name. Those of application-defined channels include the number of components. */
  readonly channels: Readonly<Record<string, string>>;
  readonly influences: 'fixed' | 'variable';
  /** Channels, influences (the mean, if they are variable), and the size of one morph target. */
  readonly bytesPerVertex: { readonly channels: number; readonly influences: number; readonly perTarget: number };
}

/** One report per primitive, in their order. */
export function reportVertices(character: Character): VertexReport[] {
  const { geometry, primitives, channels: names = [] } = character;
  const { batches, variants } = batchesOf(character);
  return primitives.map(({ firstVertex, vertexCount }) => {
    // batches are sorted by their vertices
    const first = variants.findLastIndex((_, b) => batches.get(b, 'firstVertex') <= firstVertex);
    const variant = variants[first]!;
    const batchByte = batches.words.byteOffset + first * SkinBatch.size;
    const { table } = openBatch(geometry, 0, new View(SkinBatch, geometry.buffer, batchByte, 1));
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
