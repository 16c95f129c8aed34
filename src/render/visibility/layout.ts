import { bindings, reads, texture, uniform } from '../../layout/index.ts';
import { TriangleViews } from '../../stages/triangles.ts';

/** Group 1 of the shade of feet; group 0 is the frame. */
export const contactBindings = bindings(1, { views: uniform(TriangleViews), drawn: reads('vec4u') });

/** Group 0 of what brings a shaded picture to the caller's targets. */
export const presentBindings = bindings(0, {
  color: texture('texture_2d<f32>', { filterable: false }),
  motion: texture('texture_2d<f32>', { filterable: false }),
  ids: texture('texture_2d<u32>'),
});
