import { bindings, reads, storageTexture, struct, texture, uniform } from '../../../layout/index.ts';
import { BatchRange, TriangleViews } from '../triangles.ts';

export const ShadeParams = /* @__PURE__ */ struct('ShadeParams', {
  /** Index of the picture's view. */
  viewIndex: 'u32',
  /** 1: also draws ground and sky. Set in the first page's dispatch. */
  isFirst: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/** Pixels that a workgroup shades, each way. */
export const SHADE_GROUP = 8;

/** Group 2 if only colour is written. */
export const colorBindings = /* @__PURE__ */ bindings(2, {
  shade: uniform(ShadeParams),
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec2u'),
  /** Per pixel the complement of an id, 0 where there is no triangle, and the bits of a depth. */
  visibility: texture('texture_2d<u32>'),
  /** Linear colours, after the filmic curve. */
  colorOut: storageTexture('rgba16float'),
});

/**
 * Group 2. Group 0 is the light, group 1 the geometry, group 3 the materials. Seven storage buffers with those, and four storage
 * textures, which every device has.
 */
export const shadeBindings = /* @__PURE__ */ bindings(2, {
  ...colorBindings.entries,
  /** Pixels to the right and down that the surface has moved since the last picture. */
  motionOut: storageTexture('rg32float'),
  /** 1 + the character's row, and its primitive; 0 where there is no character. */
  idOut: storageTexture('rg32uint'),
  /** Normal in world space, on the side towards the eye. */
  normalOut: storageTexture('rgba8snorm'),
});
