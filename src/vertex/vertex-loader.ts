import {
  CHANNEL_COLOR,
  CHANNEL_DELTA_NORMAL,
  CHANNEL_DELTA_POSITION,
  CHANNEL_DELTA_TANGENT,
  CHANNEL_KEY_WIND,
  CHANNEL_NORMAL,
  CHANNEL_POSITION,
  CHANNEL_TANGENT,
  CHANNEL_TEXCOORD,
  CHANNEL_WIND,
  channelKey,
  isNormalized,
  loadComponents,
  loadDirection,
  loadHanded,
  SECOND_TEXCOORD_NAME,
  WIND_NAME,
} from './vertex-format.ts';

/** Where a channel's elements are: vertex v of set s at byteOffset + s × setByteStride + (v − firstVertex) × byteStride. */
export interface ChannelPlace {
  /** From the start of the geometry blob. */
  readonly byteOffset: number;
  readonly byteStride: number;
  /** FORMAT_… */
  readonly format: number;
  readonly setByteStride: number;
}

/** The channel table of a mesh, from its MeshChannels record or from the standard layout. */
export interface ChannelTable {
  readonly firstVertex: number;
  /** By CHANNEL_…; undefined for a channel that the mesh lacks. */
  readonly channels: readonly (ChannelPlace | undefined)[];
  /** Sets of the delta channels. */
  readonly targetCount: number;
  readonly positionOrigin: readonly number[];
  readonly positionScale: readonly number[];
  /** By `channelKey` of their names. */
  readonly named: ReadonlyMap<number, NamedPlace>;
}

/** Where a named channel is: vertex v at byteOffset + (v − firstVertex) × byteStride. */
export interface NamedPlace extends Omit<ChannelPlace, 'setByteStride'> {
  readonly firstVertex: number;
  readonly width: number;
}

/** Default values of channels that a mesh lacks. */
export const CHANNEL_DEFAULTS = {
  position: [0, 0, 0],
  normal: [0, 0, 1],
  tangent: [1, 0, 0, 1],
  texcoord: [0, 0],
  color: [1, 1, 1, 1],
  wind: 0,
} as const;

/**
 * Twin of `vertex-loader.wesl`, and of every loader for formats known in advance. Loads the vertices of one mesh, by
 * their number in the character. Set 0 is the mesh at rest, set k the deltas of morph target k − 1.
 */
export class VertexLoader {
  constructor(
    /** The geometry table. */
    readonly words: Uint32Array,
    /** Byte of the table where the mesh's blob begins. */
    readonly blobByte: number,
    readonly table: ChannelTable,
  ) {}

  /** Metres in mesh space; default the origin. */
  loadPosition(vertex: number, set: number): number[] {
    if (set > 0) return this.#delta(CHANNEL_DELTA_POSITION, vertex, set);
    const { channels, positionOrigin, positionScale } = this.table;
    const channel = channels[CHANNEL_POSITION];
    if (!channel) return [...CHANNEL_DEFAULTS.position];
    const stored = loadComponents(this.words, this.#byte(channel, vertex, 0), channel.format, 3);
    if (!isNormalized(channel.format)) return stored;
    return stored.map((share, c) => positionOrigin[c]! + share * positionScale[c]!);
  }

  /** Default +Z. */
  loadNormal(vertex: number, set: number): number[] {
    if (set > 0) return this.#delta(CHANNEL_DELTA_NORMAL, vertex, set);
    const channel = this.table.channels[CHANNEL_NORMAL];
    if (!channel) return [...CHANNEL_DEFAULTS.normal];
    return loadDirection(this.words, this.#byte(channel, vertex, 0), channel.format);
  }

  /** x, y, z and handedness, which no target changes; default +X, 1. */
  loadTangent(vertex: number, set: number): number[] {
    if (set > 0) return [...this.#delta(CHANNEL_DELTA_TANGENT, vertex, set), 0];
    const channel = this.table.channels[CHANNEL_TANGENT];
    if (!channel) return [...CHANNEL_DEFAULTS.tangent];
    return loadHanded(this.words, this.#byte(channel, vertex, 0), channel.format);
  }

  /** Default (0, 0); targets add nothing. */
  loadTexcoord(vertex: number, set: number): number[] {
    return set > 0 ? [0, 0] : (this.#load(CHANNEL_TEXCOORD, vertex, 2) ?? [...CHANNEL_DEFAULTS.texcoord]);
  }

  /** Linear RGBA; default white; targets add nothing. */
  loadColor(vertex: number, set: number): number[] {
    return set > 0 ? [0, 0, 0, 0] : (this.#load(CHANNEL_COLOR, vertex, 4) ?? [...CHANNEL_DEFAULTS.color]);
  }

  /** Strength of the wind at the vertex, 0 to 1; default 0. */
  loadWind(vertex: number, set: number): number {
    return set > 0 ? 0 : this.loadChannel(WIND_NAME, vertex)[0]!;
  }

  /** Four numbers of the channel with this name; 0 for components or channels that are missing. */
  loadChannel(name: string, vertex: number): number[] {
    const key = channelKey(name);
    const out = [0, 0, 0, 0];
    const place = this.table.named.get(key);
    if (place) {
      const { byteOffset, byteStride, firstVertex, width, format } = place;
      const byte = this.blobByte + byteOffset + (vertex - firstVertex) * byteStride;
      loadComponents(this.words, byte, format, width).forEach((value, c) => (out[c] = value));
    } else if (key === CHANNEL_KEY_WIND) out[0] = this.#wind(vertex);
    return out;
  }

  /** Number of components of that channel; 0 if the mesh lacks it. */
  widthOf(name: string): number {
    const hasWind = channelKey(name) === CHANNEL_KEY_WIND && this.table.channels[CHANNEL_WIND];
    return this.table.named.get(channelKey(name))?.width ?? (hasWind ? 1 : 0);
  }

  /** The second set of texture coordinates; default (0, 0). */
  loadSecondTexcoord(vertex: number): number[] {
    return this.loadChannel(SECOND_TEXCOORD_NAME, vertex).slice(0, 2);
  }

  #wind(vertex: number): number {
    return this.#load(CHANNEL_WIND, vertex, 1)?.[0] ?? CHANNEL_DEFAULTS.wind;
  }

  #load(which: number, vertex: number, count: number): number[] | undefined {
    const channel = this.table.channels[which];
    return channel && loadComponents(this.words, this.#byte(channel, vertex, 0), channel.format, count);
  }

  #delta(which: number, vertex: number, set: number): number[] {
    const channel = this.table.channels[which];
    if (!channel || set > this.table.targetCount) return [0, 0, 0];
    return loadComponents(this.words, this.#byte(channel, vertex, set - 1), channel.format, 3);
  }

  #byte({ byteOffset, byteStride, setByteStride }: ChannelPlace, vertex: number, set: number): number {
    return this.blobByte + byteOffset + set * setByteStride + (vertex - this.table.firstVertex) * byteStride;
  }
}

/** Vertex of the character at a corner of its triangles; `firstIndex` is where its type's indices begin. */
export function loadIndex(indices: Uint32Array, firstIndex: number, corner: number): number {
  return indices[firstIndex + corner]!;
}
