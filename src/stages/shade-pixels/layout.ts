import { bindings, reads, storageTexture, struct, texture, uniform } from '../../layout/index.ts';
import { BatchRange, TriangleViews } from '../triangles.ts';

export const ShadeParams = struct('ShadeParams', {
  /** Which of the views the picture is. */
  viewIndex: 'u32',
  /** 1: ground and sky are drawn, too: the first page's dispatch does that. */
  isFirst: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/** Pixels that a workgroup shades, each way. */
export const SHADE_GROUP = 8;

/** Group 2 where nothing but colour is wanted. */
export const colorBindings = bindings(2, {
  shade: uniform(ShadeParams),
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec4u'),
  skinnedTangents: reads('u32'),
  /** Per pixel the complement of an id, 0 where there is nobody, and the bits of a depth. */
  visibility: texture('texture_2d<u32>'),
  /** Linear colours behind the filmic curve. */
  colorOut: storageTexture('rgba16float'),
});

/**
 * Group 2; group 0 is the light, group 1 the geometry, group 3 the materials. Seven storage buffers with those, and four storage
 * textures, as every device has them.
 */
export const shadeBindings = bindings(2, {
  ...colorBindings.entries,
  /** How many pixels to the right and down the surface has come. */
  motionOut: storageTexture('rg32float'),
  /** 1 + the character's row and its primitive; 0 where there is nobody. */
  idOut: storageTexture('rg32uint'),
  /** Of the world, towards the eye's side. */
  normalOut: storageTexture('rgba8snorm'),
});
