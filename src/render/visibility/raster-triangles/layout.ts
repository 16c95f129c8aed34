import { bindings, reads, struct, uniform, writes } from '../../../layout/index.ts';
import { BatchRange, TriangleViews } from '../triangles.ts';

/** Parameters of a dispatch or a draw. */
export const RasterParams = /* @__PURE__ */ struct('RasterParams', {
  viewIndex: 'u32',
  /** RASTER_… */
  mode: 'u32',
  /** Pixels from one row to the next, in `visibility`. */
  pitch: 'u32',
  /** Words of a pixel. 1: its depth. 2: its id, then its depth. */
  pixelWords: 'u32',
});
/** Writes the nearest depth. */
export const RASTER_DEPTH = 0;
/** Writes ids where the triangle's depth is the stored one. */
export const RASTER_IDS = 1;
/** Writes rounded triangles, and no picture: for tests. */
export const RASTER_TRACE = 2;
/** Words of a triangle in a trace. */
export const TRACE_WORDS = 14;

/** Pixels from row to row are a multiple of this: rows copied to textures begin at multiples of 256 bytes. */
export const PITCH_PIXELS = 64;

/** Bindings of the vertex stage of draws. */
export const drawBindings = /* @__PURE__ */ bindings(0, {
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  raster: uniform(RasterParams),
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec2u'),
  lists: reads('u32'),
});
export const rasterBindings = /* @__PURE__ */ bindings(0, {
  ...drawBindings.entries,
  /**
   * Per pixel the complement of an id, if ids are requested, then the bits of a depth as a float (larger is nearer).
   * Both are 0 where no triangle was drawn.
   */
  visibility: writes('atomic<u32>'),
});
/** The same for GPUs with 64-bit maxima: depth and id at once, the id in the lower half. */
export const wideRasterBindings = /* @__PURE__ */ bindings(0, {
  ...rasterBindings.entries,
  visibility: writes('atomic<vec2u>'),
});

/** Bindings of the fragment stage of draws. If some materials have holes, group 1 is the geometry and group 3 the materials. */
export const drawnPixelBindings = /* @__PURE__ */ bindings(2, { visibility: writes('atomic<u32>') });
export const wideDrawnPixelBindings = /* @__PURE__ */ bindings(2, { visibility: writes('atomic<vec2u>') });
