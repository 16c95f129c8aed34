import { bindings, texture } from '../../layout/index.ts';

/** Group 0 of the pass that lays blended surfaces over a picture. */
export const compositeBindings = /* @__PURE__ */ bindings(0, {
  /** Premultiplied colours times weights, and the sum of those. */
  accumulated: texture('texture_2d<f32>', { filterable: false }),
  /** Share of the background's light that is let through. */
  revealed: texture('texture_2d<f32>', { filterable: false }),
});

/** Group 1 of the pass that copies depths of a visibility buffer to a depth attachment; group 0 is the frame. */
export const depthBindings = /* @__PURE__ */ bindings(1, { visibility: texture('texture_2d<u32>') });
