import { channelKey } from '../vertex/vertex-format.ts';
import { VISIBLE_WORDS, VISIBLE_WORDS_SHIFT } from './layout.ts';

/** A channel that skin-vertices writes for every vertex of every character, a word each, as providers leave it. */
export interface SkinnedChannel {
  /** As meshes name it: it begins as what a mesh has of that name, or as 0. */
  readonly name: string;
  /** Contents of the word: four numbers from 0 to 1, two of 16 bits, or one of 32. Default: `unorm8`. */
  readonly format?: SkinnedFormat | undefined;
}

/** How the word of a {@link SkinnedChannel} is packed. */
export type SkinnedFormat = 'unorm8' | 'float16' | 'float32';

interface Packing {
  /** WGSL of a word from a vec4f, and the reverse: components that the word lacks are 0. */
  readonly packed: (value: string) => string;
  readonly unpacked: (word: string) => string;
}

const PACKINGS: Readonly<Record<SkinnedFormat, Packing>> = {
  unorm8: { packed: (value) => `pack4x8unorm(${value})`, unpacked: (word) => `unpack4x8unorm(${word})` },
  float16: {
    packed: (value) => `pack2x16float((${value}).xy)`,
    unpacked: (word) => `vec4<f32>(unpack2x16float(${word}), 0.0, 0.0)`,
  },
  float32: {
    packed: (value) => `bitcast<u32>((${value}).x)`,
    unpacked: (word) => `vec4<f32>(bitcast<f32>(${word}), 0.0, 0.0, 0.0)`,
  },
};

export const SKINNED_FORMATS = Object.keys(PACKINGS) as readonly SkinnedFormat[];

/** WGSL of the vec4f that a word holds. */
export function unpackSkinnedCode({ format = 'unorm8' }: SkinnedChannel, word: string): string {
  return PACKINGS[format].unpacked(word);
}

/**
 * WGSL that kernels run for a crowd's channel: `load` before everything else, `store` last. Its word is the third of a
 * vertex's attributes.
 */
export function skinnedChannelCode(channel: SkinnedChannel | undefined): {
  readonly load: string;
  readonly store: string;
} {
  if (!channel) return { load: 'skinnedChannel = vec4f(0.0);', store: '' };
  const { format = 'unorm8', name } = channel;
  return {
    load: `skinnedChannel = loadChannel(openVertices(geometryRow, vertex), ${channelKey(name)}u, vertex);`,
    store: `let words = (visible[who].detail >> ${VISIBLE_WORDS_SHIFT}u) & ${VISIBLE_WORDS}u;
  storeAttribute(visible[who].attributeWord + words * vertex + 2u, ${PACKINGS[format].packed('skinnedChannel')});`,
  };
}
