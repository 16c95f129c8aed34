import { struct } from '../../layout/index.ts';

/**
 * The geometry blob of a character type: its bind-pose vertex streams, and the batches that divide them. Bound as rows
 * (`geometry4`, vec4u) and as words (`geometry1`, u32). `…Row` and `…Word` count from the blob's first row, which is
 * the GeometryHeader. Vertices count through all meshes of the character, in sequence. First come meshes in the
 * standard layout: the header names their streams. Then come meshes with channel tables of their own.
 */
export const GeometryHeader = /* @__PURE__ */ struct('GeometryHeader', {
  vertexCount: 'u32',
  /** SkinBatch records, sorted by loader variant. */
  batchRow: 'u32',
  batchCount: 'u32',
  flags: 'u32',
  /** A row per vertex: position as three floats, normal as an octahedral word. */
  positionRow: 'u32',
  /** A word per vertex: octahedral tangent and handedness. */
  tangentWord: 'u32',
  /** Two words per vertex: two floats. */
  texcoordWord: 'u32',
  /** A word per vertex: linear RGBA, unorm8. */
  colorWord: 'u32',
  /** Number of palette entries that the influences index: the first ones. */
  paletteCount: 'u32',
  /** Start of a character's morph weights in its palette rows. */
  morphWeightRow: 'u32',
  /** Variable influences: word of the first (palette index, float weight) pair. */
  influencePairWord: 'u32',
  /** MeshChannels of the first mesh that has a table; 0: every mesh is in the standard layout. */
  channelRow: 'u32',
});

/** Some joint scales are not uniform or mirror: normals need the inverse transpose. */
export const GEOMETRY_NON_UNIFORM = 1;
/** Channels that are present; a missing one yields its default. */
export const GEOMETRY_TANGENTS = 2;
export const GEOMETRY_TEXCOORDS = 4;
export const GEOMETRY_COLORS = 8;
/** Some vertex has no influence and passes through unchanged. */
export const GEOMETRY_UNMOVED = 16;
/** Some batch has channels with names. */
export const GEOMETRY_NAMED = 32;

/** A vertex of the standard layout: metres in mesh space, and an octahedral normal. */
export const StandardVertex = /* @__PURE__ */ struct('StandardVertex', { position: 'vec3f', normal: 'u32' });

/**
 * Up to 256 consecutive vertices that one loader variant can read. A batch of an instance writes
 * `vertexCount` vertices from the instance's slot + firstVertex on.
 */
export const SkinBatch = /* @__PURE__ */ struct('SkinBatch', {
  firstVertex: 'u32',
  vertexCount: 'u32',
  /** Parts that own at least one vertex of the batch. It is skipped when a character hides all of them. */
  parts: 'vec2u',
  /** Fixed form: row of the first vertex's influences. Variable form: word of its header. */
  influence: 'u32',
  /** Morph targets: deltas of target t and vertex v of the batch begin at morphWord + (t × morphStride + v) × 6. */
  morphWord: 'u32',
  morphStride: 'u32',
  /** First morph weight (low 16 bits) and count of targets (high 16 bits). */
  morphTargets: 'u32',
  /** The most influences that a vertex of the batch has. */
  influenceCount: 'u32',
  /** MeshChannels of its vertices; 0 in the standard layout. */
  channelRow: 'u32',
  /**
   * LOADER_ bits. Written when a crowd's tables are joined, for types that are skinned while drawing; 0 in a
   * character's own blob.
   */
  variant: 'u32',
  /** NamedChannels of its vertices; 0: none. */
  namedRow: 'u32',
});

/**
 * The channel table of one mesh, or of several that share their formats: positions of its vertices' channels. A record
 * of three rows, then a VertexChannel for each of the CHANNEL_COUNT channels, in their order. Vertex v of set s of a
 * channel begins at byteOffset + s × setByteStride + (v − firstVertex) × byteStride.
 */
export const MeshChannels = /* @__PURE__ */ struct('MeshChannels', {
  firstVertex: 'u32',
  vertexCount: 'u32',
  /** A bit per channel (1 << CHANNEL_…) that is present; a missing one yields its default. */
  activeChannels: 'u32',
  /** Morph targets: sets of the delta channels. */
  targetCount: 'u32',
  /** Positions in unorm and snorm formats are positionOrigin + share × positionScale, metres in mesh space. */
  positionOrigin: 'vec3f',
  /** The next mesh's table, of the vertices that follow; 0 after the last. */
  nextRow: 'u32',
  positionScale: 'vec3f',
  pad0: 'u32',
});

/** One channel of a mesh; all 0 when it is not active. Bytes count from the blob's start. */
export const VertexChannel = /* @__PURE__ */ struct('VertexChannel', {
  byteOffset: 'u32',
  byteStride: 'u32',
  /** FORMAT_… of `vertex/vertex-format.ts`. */
  format: 'u32',
  /** From a set to the next: delta channels have one per morph target. */
  setByteStride: 'u32',
});

/**
 * Channels of one mesh that an application has named, whatever the layout of its other channels. A record of one row,
 * then `channelCount` NamedChannels.
 */
export const NamedChannels = /* @__PURE__ */ struct('NamedChannels', {
  firstVertex: 'u32',
  vertexCount: 'u32',
  channelCount: 'u32',
  pad0: 'u32',
});

/**
 * One named channel. Vertex v begins at byteOffset + (v − firstVertex) × byteStride; bytes count from the blob's start.
 */
export const NamedChannel = /* @__PURE__ */ struct('NamedChannel', {
  byteOffset: 'u32',
  byteStride: 'u32',
  /** FORMAT_… in the low 8 bits, then the number of components, 1 to 4. */
  format: 'u32',
  /** `channelKey` of its name. */
  key: 'u32',
});

/** Named channels of one mesh, and names of one character. */
export const NAMED_CHANNEL_LIMIT = 8;
export const CHANNEL_NAME_LIMIT = 64;

export const BATCH_VERTICES = 256;
/** Words of one morph delta: three floats, then normal and tangent deltas as six halves. */
export const MORPH_DELTA_WORDS = 6;

/**
 * Loader variants: bits of a variant index, a kernel each.
 * Fixed influences: a row of four 16-bit palette indices and four 16-bit unorm weights.
 * Variable influences: a header word per vertex, count in the top 8 bits, 24-bit offset into the pair stream below.
 */
export const LOADER_VARIABLE = 1;
export const LOADER_MORPH = 2;
/** Bits 2 to 9: providers that process the vertices, by their index in the crowd's list. */
export const LOADER_PROVIDER_SHIFT = 2;
export const PROVIDER_LIMIT = 8;
/** Vertices are in the packed layout of `vertex-formats.ts`: 16 bytes, and 4 of tangent. Not with LOADER_GENERAL. */
export const LOADER_PACKED = 0x400;
/** Vertices are read by their channel table, in whatever format. Neither bit: the standard layout. */
export const LOADER_GENERAL = 0x800;
/** Every bit that a variant can have. */
export const LOADER_BITS = 0xfff;
/** The most parts of a character that can be hidden separately. */
export const PART_LIMIT = 64;
