import { struct, type View } from '../../layout/index.ts';

/**
 * Definitions that stages that draw triangles share. An *instance* is one drawn thing: a row of a visible list, a
 * character's or a piece of scenery's. Consecutive instances of one mesh are a *run*. Their triangles are cut into
 * *batches* of 256 that are counted through all runs. A triangle's id is its batch (23 bits) and its index in it (8
 * bits).
 */

/** Triangles of a batch, and threads that look at it. */
export const TRIANGLE_BATCH = 256;
export const TRIANGLE_SHIFT = 8;
/** Batches that ids can distinguish: the highest bit of an id is free, so that lists can mark an entry by it. */
export const BATCH_LIMIT = 0x7fffff;
/** Views that one renderer draws: pictures, and cascades of shadows. */
export const TRIANGLE_VIEW_LIMIT = 8;

/** Instances of one mesh: consecutive rows of a visible list. */
export const TriangleRun = /* @__PURE__ */ struct('TriangleRun', {
  firstRow: 'u32',
  rowCount: 'u32',
  /** Batches of all runs before. */
  firstBatch: 'u32',
  batchesPerRow: 'u32',
  triangleCount: 'u32',
  /** Where the mesh's indices begin, in `indices1`. */
  firstIndex: 'u32',
  /** Row of its first TrianglePrimitive. */
  primitiveRow: 'u32',
  primitiveCount: 'u32',
  /** Sphere that contains every pose, in model space. A radius below 0: there is no sphere. */
  center: 'vec3f',
  radius: 'f32',
  /** All parts that its character has. A character that hides them all leaves no shade on the ground. */
  parts: 'vec2u',
  /** Radius of the shade that its character's feet leave, metres; 0: none. */
  contactRadius: 'f32',
  /** Where the tags of its triangles begin in `drawn`, in halves of words. */
  firstTag: 'u32',
});

/** A primitive of a mesh: consecutive triangles of one material. */
export const TrianglePrimitive = /* @__PURE__ */ struct('TrianglePrimitive', {
  firstTriangle: 'u32',
  /** TRIANGLE_ flags. */
  flags: 'u32',
  /** The bit of its part: hidden parts are not drawn. */
  part: 'vec2u',
  /** Row of its material. */
  materialRow: 'u32',
  /** Index among its type's. */
  primitiveIndex: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});
/** Both sides are drawn. */
export const TRIANGLE_DOUBLE_SIDED = 1;
/** It may have holes. */
export const TRIANGLE_MASKED = 2;
/** Its background shows through: it is not in the lists of pictures. */
export const TRIANGLE_BLENDED = 4;

/** Where the part of a triangle's primitive begins in its tag, above TRIANGLE_ flags. A tag has 16 bits. */
export const TAG_PART_SHIFT = 8;

/** An instance and its transforms. */
export const DrawnInstance = /* @__PURE__ */ struct('DrawnInstance', {
  worldFromModel: 'Affine',
  /** `worldFromModel` of the last frame with views. */
  previousFromModel: 'Affine',
  /** Rows of its page. */
  currentVertexOffset: 'u32',
  previousVertexOffset: 'u32',
  /** Row of its TriangleRun. */
  runRow: 'u32',
  geometryRow: 'u32',
  parts: 'vec2u',
  /**
   * Views that draw it, a bit each, and those of them that draw it by the hardware's rasteriser. Above the latter, from IMPOSTOR_SHIFT on,
   * 24 bits: the share of its pixels in the first view that an impostor takes. Views have no bit where an impostor takes all.
   */
  views: 'u32',
  hardwareViews: 'u32',
  /** 1 + its row in the crowd's columns; 0: scenery. */
  character: 'u32',
  /** Linear RGBA, unorm8. */
  tint: 'u32',
  /** As in VisibleCharacter. `detail` has INSTANCE_ flags as well. */
  attributeWord: 'u32',
  detail: 'u32',
});
/** Where the impostor's share begins in `hardwareViews`. */
export const IMPOSTOR_SHIFT = 8;
/** Bit of `detail`: it is mirrored, and front faces are clockwise. */
export const INSTANCE_MIRRORED = 1 << 19;

/**
 * An instance's matrix in a view. Products of `x` and `y` with (x, y, z, 1) in model space are pixels from the left and
 * from the top, times w. Those of `w` and `z` are w, and depth times w.
 */
export const Projection = /* @__PURE__ */ struct('Projection', { x: 'vec4f', y: 'vec4f', w: 'vec4f', z: 'vec4f' });
export const PROJECTION_ROWS = 4;

/** A picture that triangles are drawn into. */
export const TriangleView = /* @__PURE__ */ struct('TriangleView', {
  clipFromWorld: 'mat4x4f',
  /** Pixels. */
  width: 'f32',
  height: 'f32',
  /** Views of the crowd, a bit each: it shows the characters that these see. */
  crowdViews: 'u32',
  /** Pixels that a metre takes at depth 1. */
  pixelsPerMetre: 'f32',
  /** Instances that are larger are drawn by the hardware's rasteriser; pixels across. */
  hardwareSize: 'f32',
  /** So are single triangles that are larger; pixels, at most LARGEST_TRIANGLE. */
  triangleSize: 'f32',
  /** Depth (w) of the near plane. 0 without perspective: then all that casts has to be beyond it. */
  near: 'f32',
  /** Primitives with one of these TRIANGLE_ flags are not drawn in it. */
  skippedFlags: 'u32',
});
/** Pixels across, below which sums of products of two edges are 32-bit integers. */
export const LARGEST_TRIANGLE = 127;

export const TriangleViews = /* @__PURE__ */ struct('TriangleViews', {
  viewCount: 'u32',
  runCount: 'u32',
  /** Row of the first DrawnInstance, and of the Projection of the first instance in the first view; views go fastest. */
  instanceRow: 'u32',
  projectionRow: 'u32',
  /** Triangles that the lists of all views together have room for. */
  listCapacity: 'u32',
  /** 1: filter-triangles keeps whatever is in front of the eye, for comparison. */
  keepsAll: 'u32',
  /** Steps to which positions in pixels are rounded, a power of two, and its logarithm. */
  gridSteps: 'f32',
  gridShift: 'u32',
  /** 0, which compilers cannot know: see `exact` in raster-triangles. */
  zero: 'u32',
  /** Pixels by which rounding, and arithmetic, can move a corner; endless where all is kept. */
  margin: 'f32',
  /** 1: lists may be too short; then what each instance keeps in a view is counted in `kept`. */
  countsKept: 'u32',
  /** 1: impostors take shares of a crowd's characters, or all of them. */
  hasImpostors: 'u32',
  views: [TriangleView, TRIANGLE_VIEW_LIMIT],
});

/** Batches that one dispatch processes: those of a page's runs. The dispatch's arguments follow it. */
export const BatchRange = /* @__PURE__ */ struct('BatchRange', {
  firstBatch: 'u32',
  batchCount: 'u32',
  firstRun: 'u32',
  runCount: 'u32',
  /** 1: filter-triangles counts what each instance keeps, and lists nothing. */
  counts: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** Threads of a workgroup of raster-triangles: an eighth of them by an eighth where it draws one large triangle. */
export const RASTER_GROUP = 64;

/** Triangles at the beginning of a view's list, which a thread of raster-triangles draws each, and at its end. */
export const ListCounts = /* @__PURE__ */ struct('ListCounts', { small: 'u32', last: 'u32' });
/** Bit of an entry at a list's end: a workgroup of compute draws it, not the hardware. */
export const LARGE_ENTRY = 0x80000000;
/** Words of `lists` before the entries. The first ones are the ListCounts of each view. */
export const LIST_HEADER_WORDS = 72;
/** Words of the header, one per view: triangles at its list's end that are LARGE_ENTRY. */
export const LIST_LARGE_WORD = 16;
/** Words of the header, one per view: triangles that a list was too short for, those it has included; instances that were dropped. */
export const LIST_WANTED_WORD = 24;
export const LIST_DROPPED_WORD = 32;
/**
 * Words of the header: instances without ids, and the characters among them; instances that are missing in lists, and the
 * characters among those.
 */
export const DROPPED_ROWS_WORD = 40;
export const DROPPED_KEPT_WORD = 42;
/** Word of the header: a LIST_ state that planLists leaves. */
export const LIST_STATE_WORD = 44;
/** Lists have room for all. */
export const LIST_FITS = 0;
/** They did not fit, but do in other places, and are filled again. */
export const LIST_MOVES = 1;
/** All of them together do not fit. */
export const LIST_LACKS = 2;
/** Words of the header that are 0 when a picture begins; the others last. */
export const LIST_CLEARED_WORDS = 48;
/**
 * Words of the header, one per view: where its list begins (a word of `lists`), the triangles that it has room for, and those that
 * pictures have wanted of late.
 */
export const LIST_FIRST_WORD = 48;
export const LIST_ROOM_WORD = 56;
export const LIST_DEMAND_WORD = 64;
/** Triangles that lists may have room for at most, so that sums of what is kept fit a word. */
export const LIST_LIMIT: number = 2 ** 29;

export type RunView = View<(typeof TriangleRun)['fields']>;
export type PrimitiveView = View<(typeof TrianglePrimitive)['fields']>;
export type InstanceView = View<(typeof DrawnInstance)['fields']>;
