import { bindings, reads, sampler, struct, texture, uniform, writes } from '../../layout/index.ts';
import { TriangleViews } from '../../stages/triangles.ts';

/** Group 1 of the shade of feet; group 0 is the frame. */
export const contactBindings = bindings(1, { views: uniform(TriangleViews), drawn: reads('vec4u') });

/** Group 0 of what brings a shaded picture to the caller's targets. */
export const presentBindings = bindings(0, {
  color: texture('texture_2d<f32>', { filterable: false }),
  motion: texture('texture_2d<f32>', { filterable: false }),
  ids: texture('texture_2d<u32>'),
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
