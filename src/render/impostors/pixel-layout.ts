import { bindings, reads, storageTexture, struct, texture, uniform, writes } from '../../layout/index.ts';
import { FrameUniforms } from '../lighting/layout.ts';
import { RasterParams } from '../visibility/raster-triangles/layout.ts';
import { TriangleViews } from '../visibility/triangles.ts';

/** Impostors of a layer: those of the picture, or of all shadow maps. */
export const ImpostorLayer = /* @__PURE__ */ struct('ImpostorLayer', {
  /** Row of the first in `impostors`. */
  first: 'u32',
  /** Word of `listedTargets` with their number. */
  countWord: 'u32',
  /** 1: seen along the sun's direction. */
  isParallel: 'u32',
  pad: 'u32',
});
/** Bit of an id in the visibility buffer: an impostor's, with its place in the list. No triangle has it. */
export const IMPOSTOR_ID = 0x80000000;

/** Group 0 of raster-impostors; group 1 is `impostorBindings`. */
export const rasterBindings = /* @__PURE__ */ bindings(0, {
  frame: uniform(FrameUniforms),
  views: uniform(TriangleViews),
  raster: uniform(RasterParams),
  layer: uniform(ImpostorLayer),
  listedTargets: reads('u32'),
  /** As raster-triangles has it. */
  visibility: writes('atomic<u32>'),
});
export const wideRasterBindings = /* @__PURE__ */ bindings(0, {
  ...rasterBindings.entries,
  visibility: writes('atomic<vec2u>'),
});

/** Group 2 of shade-impostors if only colour is written. Group 0 is the light, group 1 `impostorBindings`. */
export const colorBindings = /* @__PURE__ */ bindings(2, {
  views: uniform(TriangleViews),
  layer: uniform(ImpostorLayer),
  visibility: texture('texture_2d<u32>'),
  colorOut: storageTexture('rgba16float'),
});
/** The same with all that shade-pixels writes. */
export const shadeBindings = /* @__PURE__ */ bindings(2, {
  ...colorBindings.entries,
  motionOut: storageTexture('rg32float'),
  idOut: storageTexture('rg32uint'),
  normalOut: storageTexture('rgba8snorm'),
});
