import { struct } from '../layout/index.ts';

/**
 * The geometry blob of a character type: its bind-pose vertex streams and the batches that cut them up. Bound as rows
 * (`geometry4`, vec4u) and as words (`geometry1`, u32). `…Row` and `…Word` count from the blob's first row, where the
 * GeometryHeader stands. Streams are indexed by the character's vertex: all its meshes stand one after the other.
 */
export const GeometryHeader = struct('GeometryHeader', {
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
  /** Entries of the palette that the influences index: the first ones. */
  paletteCount: 'u32',
  /** Where a character's morph weights begin in its palette rows. */
  morphWeightRow: 'u32',
  /** Variable influences: word of the first (palette index, float weight) pair. */
  influencePairWord: 'u32',
  pad0: 'u32',
});

/** Some joint scales are not uniform or mirror: normals need the inverse transpose. */
export const GEOMETRY_NON_UNIFORM = 1;
/** Channels that are present; a missing one yields its default. */
export const GEOMETRY_TANGENTS = 2;
export const GEOMETRY_TEXCOORDS = 4;
export const GEOMETRY_COLORS = 8;
/** Some vertex has no influence and passes through unchanged. */
export const GEOMETRY_UNMOVED = 16;

/**
 * Up to 256 consecutive vertices that one loader variant can read. A batch of an instance writes
 * `vertexCount` vertices from the instance's slot + firstVertex on.
 */
export const SkinBatch = struct('SkinBatch', {
  firstVertex: 'u32',
  vertexCount: 'u32',
  /** Parts that own at least one vertex of the batch: it is skipped when a character hides them all. */
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
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

export const BATCH_VERTICES = 256;
/** Words of one morph delta: three floats, then normal and tangent deltas as six halves. */
export const MORPH_DELTA_WORDS = 6;

/**
 * Which loader a batch needs, as bits of a variant index.
 * Fixed influences: a row of four 16-bit palette indices and four 16-bit unorm weights.
 * Variable influences: a header word per vertex, count in the top 8 bits, 24-bit offset into the pair stream below.
 */
export const LOADER_VARIABLE = 1;
export const LOADER_MORPH = 2;
/** Parts of a character that can be hidden one by one. */
export const PART_LIMIT = 64;
