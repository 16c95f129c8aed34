import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { BatchRange, TriangleViews } from '../triangles.ts';

/** What a dispatch, or a draw, rasterises. */
export const RasterParams = struct('RasterParams', {
  viewIndex: 'u32',
  /** RASTER_… */
  mode: 'u32',
  /** Pixels from one row to the next, in `visibility`. */
  pitch: 'u32',
  /** Words of a pixel: its depth, and before it, if there are two, its id. */
  pixelWords: 'u32',
});
/** Depths: the nearest counts. */
export const RASTER_DEPTH = 0;
/** Ids, where the triangle's depth is the one that stands there. */
export const RASTER_IDS = 1;
/** What triangles are rounded to, in place of any picture: for tests. */
export const RASTER_TRACE = 2;
/** Words of a triangle in a trace. */
export const TRACE_WORDS = 14;

/** Bytes between rows that are copied to textures are a multiple of 256. */
export const PITCH_PIXELS = 64;

export const rasterBindings = bindings(0, {
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  raster: uniform(RasterParams),
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec4u'),
  lists: reads('u32'),
  /**
   * Per pixel the complement of an id, 0 where there is nobody, where ids are wanted; and a depth's bits as a float, larger is
   * nearer, 0 where there is nothing.
   */
  visibility: writes('atomic<u32>'),
});
/** The same where a GPU has maxima of 64 bits: depth and id at once, the id below. */
export const wideRasterBindings = bindings(0, { ...rasterBindings.entries, visibility: writes('atomic<vec2u>') });

/** Of draws: vertices. */
export const drawBindings = bindings(0, {
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  raster: uniform(RasterParams),
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec4u'),
  lists: reads('u32'),
});

/** Of draws: fragments. Group 1 is the geometry, and group 3 the materials, where some have holes. */
export const drawnPixelBindings = bindings(2, { visibility: writes('atomic<u32>') });
export const wideDrawnPixelBindings = bindings(2, { visibility: writes('atomic<vec2u>') });
