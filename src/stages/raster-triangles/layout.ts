import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { BatchRange } from '../filter-triangles/layout.ts';
import { TriangleViews } from '../triangles.ts';

/** What a dispatch, or a draw, rasterises. */
export const RasterParams = struct('RasterParams', {
  viewIndex: 'u32',
  /** RASTER_… */
  mode: 'u32',
  /** Words from one row of pixels to the next, in `visibility`. */
  pitch: 'u32',
  /** Word of `visibility` where ids begin; depths begin at 0. */
  idWord: 'u32',
});
/** Depths: the nearest counts. */
export const RASTER_DEPTH = 0;
/** Ids, where the triangle's depth is the one that stands there. */
export const RASTER_IDS = 1;
/** What triangles are rounded to, in place of any picture: for tests. */
export const RASTER_TRACE = 2;
/** Words of a triangle in a trace. */
export const TRACE_WORDS = 13;

/** Bytes between rows of pixels that are copied to textures are a multiple of 256. */
export const PITCH_WORDS = 64;

export const rasterBindings = bindings(0, {
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  raster: uniform(RasterParams),
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec4u'),
  lists: reads('u32'),
  /** Depths as bits of floats, larger is nearer, 0 where there is nothing; then complements of ids, 0 where there is nobody. */
  visibility: writes('atomic<u32>'),
});

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

/** Of draws: fragments. */
export const drawnPixelBindings = bindings(1, { visibility: writes('atomic<u32>') });
