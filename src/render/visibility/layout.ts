import { bindings, reads, sampler, struct, texture, uniform, writes } from '../../layout/index.ts';
import { TriangleViews } from './triangles.ts';

export const ContactParams = /* @__PURE__ */ struct('ContactParams', {
  /** Capacity in rows of instances. */
  instanceCount: 'u32',
  /** Words from one row of pixels to the next, in `splats`. */
  pitch: 'u32',
  /** Pixels across up to which a disc is drawn by compute. */
  largest: 'f32',
  pad: 'u32',
});
/** Words of `large` before its discs: arguments of a draw of four vertices each. */
export const LARGE_FIRST_WORD = 4;
/** A disc on the ground; metres. */
export const LargeDisc = /* @__PURE__ */ struct('LargeDisc', { x: 'f32', z: 'f32', radius: 'f32', strength: 'f32' });
export const LARGE_WORDS = 4;

/** Runs that a dispatch reads vertices of: those of one page. */
export const ContactPage = /* @__PURE__ */ struct('ContactPage', {
  firstRun: 'u32',
  runCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/** Group 1 of the kernel that splats the shade of feet; group 0 is the frame. */
export const splatBindings = /* @__PURE__ */ bindings(1, {
  params: uniform(ContactParams),
  views: uniform(TriangleViews),
  drawn: reads('vec4u'),
  /** Share of the light that is taken, per pixel: bits of a float. */
  splats: writes('atomic<u32>'),
  /** Discs that are too large for compute. */
  large: writes('atomic<u32>'),
  page: uniform(ContactPage),
  /** Contact points of each run, as `contact-points.ts` finds them. */
  points: reads('u32'),
  skinned: reads('vec2u'),
});

/** Group 1 of the pass that draws this shade to a picture. */
export const contactBindings = /* @__PURE__ */ bindings(1, {
  params: uniform(ContactParams),
  views: uniform(TriangleViews),
  splats: reads('u32'),
  large: reads('u32'),
});

/** Group 0 of the pass that copies a shaded picture to the caller's target. */
export const presentBindings = /* @__PURE__ */ bindings(0, {
  color: texture('texture_2d<f32>', { filterable: false }),
});

/** Group 1 of the pass that copies motion, ids, depth and normals to the caller's targets; group 0 is the frame. */
export const surfacesBindings = /* @__PURE__ */ bindings(1, {
  motion: texture('texture_2d<f32>', { filterable: false }),
  ids: texture('texture_2d<u32>'),
  normals: texture('texture_2d<f32>', { filterable: false }),
  visibility: texture('texture_2d<u32>'),
});

export const TemporalParams = /* @__PURE__ */ struct('TemporalParams', {
  /** Share of this picture in the result; 1 without history. */
  share: 'f32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** Group 1 of temporal antialiasing; group 0 is the frame. */
export const temporalBindings = /* @__PURE__ */ bindings(1, {
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

/** Group 0 of the probe of the hardware's grid. */
export const probeBindings = /* @__PURE__ */ bindings(0, { covering: writes('atomic<u32>') });
