import {
  GEOMETRY_NON_UNIFORM,
  GEOMETRY_TANGENTS,
  GeometryHeader,
  LOADER_MORPH,
  LOADER_VARIABLE,
  SkinBatch,
} from '../../character/format/geometry-layout.ts';
import { openBatch } from '../../vertex/vertex-channels.ts';
import { View } from '../../layout/index.ts';
import { determinant3, transformNormal, transformPoint } from '../../math/affine.ts';
import { packHalf, packOctahedral, packPosition, packTangent, packUnorm8 } from '../../math/packing.ts';
import type { VertexLoader } from '../../vertex/vertex-loader.ts';
import { EXACT_WORDS, ROW_NONE, VISIBLE_WHOLE, VISIBLE_WORDS, VISIBLE_WORDS_SHIFT } from '../layout.ts';
import { providerTwins, type ProvidedCharacter, type ProviderTwins } from '../provider-twins.ts';
import type { VertexProvider } from '../providers.ts';
import type { SkinnedChannel } from '../skinned-channel.ts';
import type { VisibleList } from '../visible-row.ts';

/** Properties of a mesh that select its kernels. */
export interface SkinnedMesh {
  /** Loader variant (LOADER_ bits) of each batch; `batchRuns` has them. */
  readonly variants: readonly number[];
  /** True if parts can be hidden one by one: hidden ones are left out. A character of one part that hides it is not drawn. */
  readonly hasParts: boolean;
}

export interface SkinVerticesViews extends VisibleList {
  /** The geometry table: one or more geometry blobs (a `Character`'s `geometry`). */
  readonly geometry: Uint32Array<ArrayBuffer>;
  /** Meshes by the row of their geometry headers. Characters of other geometry are not skinned by this stage. */
  readonly meshes: ReadonlyMap<number, SkinnedMesh>;
  /** Rows of four floats: three per palette entry (`modelFromMesh`, metres), then morph weights, from `paletteRow` on. */
  readonly palettes: Float32Array<ArrayBuffer>;
  /**
   * Written: the words of a page. Positions (metres, model space) take two each, as `packPosition` has them. Attributes are a normal,
   * octahedral, then a tangent with handedness where the character has tangents, then a channel.
   */
  readonly skinned: Uint32Array<ArrayBuffer>;
  /** A channel that is also written with every vertex. */
  readonly skinnedChannel?: SkinnedChannel | undefined;
  /** Providers, for meshes that name them, and their data per character. */
  readonly providers?: ProvidedMeshes | undefined;
}

export interface ProvidedMeshes {
  readonly list: readonly VertexProvider[];
  readonly of: (character: number, seenBy: number) => ProvidedCharacter;
}

/**
 * Twin of skin-vertices: skins every vertex of every visible character, one after the other. Hidden parts are left out.
 *
 * It reads the `currentVertexOffset` of cullCharacters and the palettes of poseJoints. Some
 * 2 to 3 µs per vertex.
 */
export function skinVertices(views: SkinVerticesViews): void {
  // draws that skin everything leave nothing to do
  if (views.meshes.size === 0) return;
  for (let i = 0; i < views.visibleCount; i++) {
    if (views.visible.get(i, 'paletteRow') === ROW_NONE) continue;
    const geometryRow = views.visible.get(i, 'geometryRow');
    const mesh = views.meshes.get(geometryRow);
    if (!mesh) continue;
    const header = new View(GeometryHeader, views.geometry.buffer, geometryByte(views, geometryRow), 1);
    const { variants, hasParts } = mesh;
    const { list = [] } = views.providers ?? {};
    const provided = views.providers?.of(views.visible.get(i, 'character'), views.visible.get(i, 'views'));
    const isWhole = !hasParts || (views.visible.get(i, 'detail') & VISIBLE_WHOLE) !== 0;
    const parts = views.visible.get(i, 'parts').map((own) => (isWhole ? 0xffffffff : own));
    for (let b = 0; b < header.get(0, 'batchCount'); b++) {
      const at = geometryByte(views, geometryRow + header.get(0, 'batchRow')) + b * SkinBatch.size;
      const batch = new View(SkinBatch, views.geometry.buffer, at, 1);
      const owners = batch.get(0, 'parts');
      if (((parts[0]! & owners[0]!) | (parts[1]! & owners[1]!)) === 0) continue;
      const variant = variants[b]!;
      const provide = providerTwins(list, provided, { variant, geometryRow, geometry: views.geometry });
      const vertices = new BatchVertices(views, geometryRow, header, batch, variant, provide);
      const paletteRow = views.visible.get(i, 'paletteRow');
      const stride = (views.visible.get(i, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS;
      const first = batch.get(0, 'firstVertex');
      const row = views.visible.get(i, 'currentVertexOffset') + first;
      const word = views.visible.get(i, 'attributeWord') + stride * first;
      for (let v = 0; v < batch.get(0, 'vertexCount'); v++) {
        vertices.skin(v, paletteRow, row + v, word + stride * v, stride);
      }
    }
  }
}

function geometryByte({ geometry }: SkinVerticesViews, row: number): number {
  return geometry.byteOffset + row * 16;
}

interface Surface {
  readonly position: number[];
  readonly normal: number[];
  /** x, y, z, handedness. */
  readonly tangent: number[];
}

/** The vertices of one batch: loads, morphs, skins and stores them. */
class BatchVertices {
  readonly #floats: Float32Array;
  readonly #firstWord: number;
  readonly #firstPair: number;
  readonly #firstInfluence: number;
  readonly #firstVertex: number;
  readonly #flags: number;
  readonly #loader: VertexLoader;
  readonly #matrix = new Float64Array(12);

  constructor(
    readonly views: SkinVerticesViews,
    geometryRow: number,
    readonly header: View<(typeof GeometryHeader)['fields']>,
    readonly batch: View<(typeof SkinBatch)['fields']>,
    readonly variant: number,
    readonly provide: ProviderTwins,
  ) {
    const { geometry } = views;
    this.#floats = new Float32Array(geometry.buffer, geometry.byteOffset, geometry.length);
    this.#firstWord = 4 * geometryRow;
    this.#firstPair = this.#firstWord + header.get(0, 'influencePairWord');
    this.#firstInfluence = batch.get(0, 'influence');
    this.#firstVertex = batch.get(0, 'firstVertex');
    this.#flags = header.get(0, 'flags');
    this.#loader = openBatch(geometry, geometryRow, batch);
  }

  /** @param row Where its position goes. @param word Where its attributes go, `stride` words. */
  skin(index: number, paletteRow: number, row: number, word: number, stride: number): void {
    const { skinned, skinnedChannel: channel } = this.views;
    const vertex = this.#firstVertex + index;
    const stored = channel ? this.#loader.loadChannel(channel.name, vertex) : [0, 0, 0, 0];
    const bound = this.provide('mesh', vertex, { ...this.#load(vertex, 0), skinnedChannel: stored });
    let surface: Surface = bound;
    if (this.variant & LOADER_MORPH) this.#morph(surface, vertex, paletteRow);
    const matrix = this.#blend(index, paletteRow);
    if (matrix) surface = this.#transform(surface, matrix);
    const skinnedSurface = this.provide('model', vertex, { ...surface, skinnedChannel: bound.skinnedChannel });
    const { position, normal, tangent } = skinnedSurface;
    skinned.set(packPosition(position), 2 * row);
    skinned[word] = packOctahedral(normal[0]!, normal[1]!, normal[2]!);
    if (this.#flags & GEOMETRY_TANGENTS) {
      skinned[word + 1] = packTangent(tangent[0]!, tangent[1]!, tangent[2]!, tangent[3]!);
    }
    if (stride >= EXACT_WORDS) new Float32Array(skinned.buffer, skinned.byteOffset).set(position, word + stride - 3);
    if (channel) skinned[word + 2] = packSkinned(channel, skinnedSurface.skinnedChannel);
  }

  /** @param set 0: the vertex. 1 + t: what morph target t adds to it. */
  #load(vertex: number, set: number): Surface {
    const loader = this.#loader;
    return {
      position: loader.loadPosition(vertex, set),
      normal: loader.loadNormal(vertex, set),
      tangent: loader.loadTangent(vertex, set),
    };
  }

  #morph({ position, normal, tangent }: Surface, vertex: number, paletteRow: number): void {
    const { palettes } = this.views;
    const targets = this.batch.get(0, 'morphTargets');
    const weights = 4 * (paletteRow + this.header.get(0, 'morphWeightRow'));
    for (let t = 0; t < targets >>> 16; t++) {
      const w = (targets & 0xffff) + t;
      const weight = palettes[weights + 4 * Math.floor(w / 3) + (w % 3)]!;
      const added = this.#load(vertex, 1 + t);
      for (let c = 0; c < 3; c++) {
        position[c]! += weight * added.position[c]!;
        normal[c]! += weight * added.normal[c]!;
        tangent[c]! += weight * added.tangent[c]!;
      }
    }
  }

  /** The weighted palette matrix, valid until the next call, or undefined for a vertex that nothing moves. */
  #blend(index: number, paletteRow: number): Float64Array | undefined {
    this.#matrix.fill(0);
    const isVariable = (this.variant & LOADER_VARIABLE) !== 0;
    const sum = isVariable ? this.#addPairs(index, paletteRow) : this.#addCodes(index, paletteRow);
    return sum === 0 ? undefined : this.#matrix;
  }

  /** Adds all influences of a vertex, until the weights sum to 1. Returns the sum. */
  #addPairs(index: number, paletteRow: number): number {
    const { geometry } = this.views;
    const head = geometry[this.#firstWord + this.#firstInfluence + index]!;
    let sum = 0;
    for (let i = 0; i < head >>> 24 && sum < 1; i++) {
      const pair = this.#firstPair + 2 * ((head & 0xffffff) + i);
      sum += this.#add(geometry[pair]!, this.#floats[pair + 1]!, paletteRow);
    }
    return sum;
  }

  /** Four influences: entries, then weights, of 16 bits each. */
  #addCodes(index: number, paletteRow: number): number {
    const { geometry } = this.views;
    const row = this.#firstWord + 4 * (this.#firstInfluence + index);
    // in codes, where a sum of 1 is exact
    let codes = 0;
    for (let i = 0; i < 4 && codes < 65535; i++) {
      const shift = 16 * (i & 1);
      const code = (geometry[row + 2 + (i >> 1)]! >>> shift) & 0xffff;
      codes += code;
      if (code > 0) this.#add((geometry[row + (i >> 1)]! >>> shift) & 0xffff, code / 65535, paletteRow);
    }
    return codes;
  }

  #add(entry: number, weight: number, paletteRow: number): number {
    const { palettes } = this.views;
    const at = 4 * (paletteRow + 3 * entry);
    for (let c = 0; c < 12; c++) this.#matrix[c]! += weight * palettes[at + c]!;
    return weight;
  }

  #transform({ position, normal, tangent }: Surface, matrix: Float64Array): Surface {
    const moved = [0, 0, 0];
    transformPoint(matrix, 0, position[0]!, position[1]!, position[2]!, moved, 0);
    const turnedTangent = [...rotated(matrix, tangent), tangent[3]!];
    if (!(this.#flags & GEOMETRY_NON_UNIFORM)) {
      return { position: moved, normal: rotated(matrix, normal), tangent: turnedTangent };
    }
    const turned = [0, 0, 0];
    transformNormal(matrix, 0, normal, turned);
    if (determinant3(matrix) < 0) turnedTangent[3] = -tangent[3]!;
    return { position: moved, normal: turned, tangent: turnedTangent };
  }
}

/** The 3 × 3 part of a matrix applied to a direction. */
function rotated(m: Float64Array, d: readonly number[]): [number, number, number] {
  const [x, y, z] = d as [number, number, number];
  return [m[0]! * x + m[1]! * y + m[2]! * z, m[4]! * x + m[5]! * y + m[6]! * z, m[8]! * x + m[9]! * y + m[10]! * z];
}

const scratchFloat = new Float32Array(1);
const scratchWord = new Uint32Array(scratchFloat.buffer);

/** The word of a skinned channel that holds four numbers. */
function packSkinned({ format = 'unorm8' }: SkinnedChannel, value: readonly number[]): number {
  if (format === 'unorm8') return packUnorm8(value);
  if (format === 'float16') return (packHalf(value[0]!) | (packHalf(value[1]!) << 16)) >>> 0;
  scratchFloat[0] = value[0]!;
  return scratchWord[0]!;
}
