import { quoted, fail } from '../errors.ts';
import type { ChannelFormat, MeshModel } from './model.ts';

export { CHANNEL_NAME_LENGTH, channelKey, SECOND_TEXCOORD_NAME, WIND_NAME } from '../vertex/vertex-format.ts';

/** Names of FORMAT_… codes, by code. */
export const FORMAT_NAMES = [
  'float32',
  'float16',
  'unorm8',
  'snorm8',
  'unorm16',
  'snorm16',
  'biased8',
  'octahedral16',
  'octahedral8',
] as const;

type FormatName = (typeof FORMAT_NAMES)[number];

const SCALARS = ['float32', 'float16', 'unorm8', 'snorm8', 'unorm16', 'snorm16'] as const;
const DIRECTIONS = ['octahedral16', 'octahedral8', 'float32', 'float16', 'snorm8', 'snorm16', 'biased8'] as const;
const SHARES = ['float32', 'float16', 'unorm8', 'unorm16'] as const;
const FLOATS = ['float32', 'float16'] as const;

/** The allowed formats of each channel, in the order of CHANNEL_…. */
const ALLOWED = {
  position: SCALARS,
  normal: DIRECTIONS,
  tangent: DIRECTIONS,
  texcoord: SCALARS,
  color: SHARES,
  wind: SHARES,
  deltaPosition: FLOATS,
  deltaNormal: FLOATS,
  deltaTangent: FLOATS,
} as const;
type ChannelName = keyof typeof ALLOWED;

/** Names of channels, by CHANNEL_…. */
export const CHANNEL_NAMES = /* @__PURE__ */ Object.keys(ALLOWED) as ChannelName[];
/** The same for their formats. */
export const CHANNEL_FORMATS: readonly (readonly FormatName[])[] = /* @__PURE__ */ Object.values(ALLOWED);

/** Formats of a mesh's channels. Influences are always four in 16 bytes, or a header and pairs. */
export interface VertexFormat {
  /** Normalised formats are relative to the box around all such meshes, so that seams between them stay closed. */
  readonly position: (typeof SCALARS)[number];
  readonly normal: (typeof DIRECTIONS)[number];
  readonly tangent: (typeof DIRECTIONS)[number];
  /** Replaced by float32 if a coordinate of the mesh is outside a normalised format's range. */
  readonly texcoord: (typeof SCALARS)[number];
  readonly color: (typeof SHARES)[number];
  readonly wind: (typeof SHARES)[number];
  /** Format of the changes by morph targets. */
  readonly delta: (typeof FLOATS)[number];
}

/**
 * Formats of a mesh's vertices.
 * - `standard`: 32-bit positions with an octahedral normal in one row, and all other channels of the mesh. The fastest.
 * - `packed`: the layout of "Skinning in a Compute Shader" (wickedengine.net), 16 bytes of position, 8-bit normal and
 * wind, 4 of 8-bit tangent.
 * - `compact`: the smallest without a visible difference: 16-bit positions relative to the box, octahedral normals and
 * tangents.
 * - an object: those formats, and `compact`'s for missing fields.
 */
export type VertexFormatChoice = 'standard' | 'packed' | 'compact' | Partial<VertexFormat>;
/** Formats for named channels. */
export const NAMED_FORMATS: readonly ChannelFormat[] = SCALARS;

/** One choice for all meshes, or one per mesh. */
export type VertexFormatOption = VertexFormatChoice | ((mesh: MeshModel) => VertexFormatChoice);

const COMPACT: VertexFormat = {
  position: 'unorm16',
  normal: 'octahedral16',
  tangent: 'octahedral16',
  texcoord: 'unorm16',
  color: 'unorm8',
  wind: 'unorm8',
  delta: 'float16',
};

/** Formats that `packed` leaves open. Its own channels have fixed positions. */
const PACKED: VertexFormat = {
  position: 'float32',
  normal: 'biased8',
  tangent: 'biased8',
  texcoord: 'float32',
  color: 'unorm8',
  wind: 'unorm8',
  delta: 'float32',
};

/** A mesh's choice with all formats resolved. */
export interface ChosenFormat {
  readonly kind: 'standard' | 'packed' | 'general';
  /** Formats by CHANNEL_…, as codes. */
  readonly formats: readonly number[];
}

/** @throws ManipleError CHARACTER_VERTEX_FORMAT: a name or a channel's format is unknown */
export function chooseFormat(option: VertexFormatOption, mesh: MeshModel): ChosenFormat {
  const choice = typeof option === 'function' ? option(mesh) : option;
  const format: VertexFormat =
    typeof choice === 'object' ? { ...COMPACT, ...choice } : choice === 'packed' ? PACKED : COMPACT;
  if (typeof choice === 'string' && !['standard', 'packed', 'compact'].includes(choice)) {
    const what = `${quoted(choice)} is not a vertex format.`;
    fail('CHARACTER_VERTEX_FORMAT', mesh.name, what, 'standard, packed, compact.');
  }
  const names: Record<ChannelName, FormatName> = {
    ...format,
    texcoord: isInRange(mesh.texcoords, format.texcoord) ? format.texcoord : 'float32',
    deltaPosition: format.delta,
    deltaNormal: format.delta,
    deltaTangent: format.delta,
  };
  const formats = CHANNEL_NAMES.map((channel) => {
    const allowed: readonly FormatName[] = ALLOWED[channel];
    const name = names[channel];
    if (allowed.includes(name)) return FORMAT_NAMES.indexOf(name);
    const what = `${channel} cannot be ${quoted(name)}.`;
    return fail('CHARACTER_VERTEX_FORMAT', mesh.name, what, allowed.join(', '));
  });
  return { kind: choice === 'standard' || choice === 'packed' ? choice : 'general', formats };
}

/** Returns true if a format can hold the values, up to rounding. */
export function isInRange(values: Float32Array | undefined, format: FormatName): boolean {
  if (format === 'float32' || format === 'float16') return true;
  const low = format.startsWith('u') ? 0 : -1;
  return values?.every((value) => value >= low && value <= 1) ?? true;
}
