import { bindings, reads, sampler, struct, texture, uniform, writes } from '../../layout/index.ts';
import { TriangleViews } from '../../stages/triangles.ts';

export const ContactParams = struct('ContactParams', {
  /** Rows of instances that there is room for. */
  instanceCount: 'u32',
  /** Words from one row of pixels to the next, in `splats`. */
  pitch: 'u32',
  /** Pixels across up to which a disc is drawn by compute. */
  largest: 'f32',
  pad: 'u32',
});
/** Words of `large` before its discs: arguments of a draw of four vertices each. */
export const LARGE_FIRST_WORD = 4;
/** Words of a disc: x, z, radius, strength. */
export const LARGE_WORDS = 4;

/** Runs whose vertices a dispatch reads: those of one page. */
export const ContactPage = struct('ContactPage', { firstRun: 'u32', runCount: 'u32', pad0: 'u32', pad1: 'u32' });

/** Group 1 of what splats the shade of feet; group 0 is the frame. */
export const splatBindings = bindings(1, {
  params: uniform(ContactParams),
  views: uniform(TriangleViews),
  drawn: reads('vec4u'),
  /** Per pixel what is taken of the light: bits of a float. */
  splats: writes('atomic<u32>'),
  /** Discs that are larger. */
  large: writes('atomic<u32>'),
  page: uniform(ContactPage),
  /** Of each run, as `find-contact-points.ts` finds them. */
  points: reads('u32'),
  skinned: reads('vec4u'),
});

/** Group 1 of what makes a picture of it. */
export const contactBindings = bindings(1, {
  params: uniform(ContactParams),
  views: uniform(TriangleViews),
  splats: reads('u32'),
  large: reads('u32'),
});

/** Group 0 of what brings a shaded picture to the caller's target. */
export const presentBindings = bindings(0, { color: texture('texture_2d<f32>', { filterable: false }) });

/** Group 1 of what brings the rest that is known of its pixels to the caller's targets; group 0 is the frame. */
export const surfacesBindings = bindings(1, {
  motion: texture('texture_2d<f32>', { filterable: false }),
  ids: texture('texture_2d<u32>'),
  normals: texture('texture_2d<f32>', { filterable: false }),
  visibility: texture('texture_2d<u32>'),
});

export const TemporalParams = struct('TemporalParams', {
  /** Of this picture in the result; 1: there is no history. */
  share: 'f32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** Group 1 of temporal antialiasing; group 0 is the frame. */
export const temporalBindings = bindings(1, {
  params: uniform(TemporalParams),
  color: texture('texture_2d<f32>', { filterable: false }),
  motion: texture('texture_2d<f32>', { filterable: false }),
  visibility: texture('texture_2d<u32>'),
  /** The last result. */
  history: texture(),
  bilinear: sampler(),
});

/** Steps of a pixel by which the edges of `probe-grid.wesl` differ. */
export const PROBE_STEPS = 8192;

/** Group 0 of what finds the hardware's grid. */
export const probeBindings = bindings(0, { covering: writes('atomic<u32>') });
