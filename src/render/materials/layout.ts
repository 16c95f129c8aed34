import { bindings, reads, sampler, struct, texture } from '../../layout/index.ts';

/** The place of a material's texture, and how texture coordinates look it up. */
export const TextureRecord = /* @__PURE__ */ struct('TextureRecord', {
  /** uv' = (dot(uvRow0, (u, v, 1)), dot(uvRow1, (u, v, 1))) */
  uvRow0: 'vec3f',
  /** TEXTURE_NONE, or: layer in 16 bits, array among those of its colour space in 2, TEXTURE_ bits. */
  place: 'u32',
  uvRow1: 'vec3f',
  pad: 'u32',
});

/** The material of one primitive of one type. Colours are linear. */
export const Material = /* @__PURE__ */ struct('Material', {
  baseColor: 'vec4f',
  emissive: 'vec3f',
  /** −1 for opaque materials. */
  alphaCutoff: 'f32',
  metallic: 'f32',
  roughness: 'f32',
  normalScale: 'f32',
  occlusionStrength: 'f32',
  /** The bit of the primitive's part: hidden parts are not drawn. */
  part: 'vec2u',
  /** MATERIAL_ bits. */
  flags: 'u32',
  /** Index of the primitive among its type's. */
  primitiveIndex: 'u32',
  baseColorTexture: TextureRecord,
  metallicRoughnessTexture: TextureRecord,
  normalTexture: TextureRecord,
  occlusionTexture: TextureRecord,
  emissiveTexture: TextureRecord,
});

export const MATERIAL_UNLIT = 1;
export const MATERIAL_MASKED = 2;
export const MATERIAL_DOUBLE_SIDED = 4;

export const TEXTURE_NONE = 0xffffffff;
export const TEXTURE_ARRAY_SHIFT = 16;
/** Beyond 0 … 1 the edge repeats, not the image. The array and these two bits together are a texture's kind. */
export const TEXTURE_CLAMP_S = 1 << 18;
export const TEXTURE_CLAMP_T = 1 << 19;
/** Beyond 0 … 1 the mirror image: coordinates are folded, then clamped. */
export const TEXTURE_MIRROR_S = 1 << 20;
export const TEXTURE_MIRROR_T = 1 << 21;

/** The texture is looked up by the second set of texture coordinates. */
export const TEXTURE_SECOND_SET = 1 << 22;

/** Arrays of one colour space: 0 to 3 hold sRGB, 4 to 7 numbers. Each is of one size. */
export const TEXTURE_ARRAYS = 4;

const array = texture('texture_2d_array<f32>');

/** Group 3: a row of `materials` per primitive of each type, all of their textures, and a sampler for each way to repeat. */
export const materialBindings = /* @__PURE__ */ bindings(3, {
  materials: reads(Material),
  textures0: array,
  textures1: array,
  textures2: array,
  textures3: array,
  textures4: array,
  textures5: array,
  textures6: array,
  textures7: array,
  repeatSampler: sampler(),
  clampSSampler: sampler(),
  clampTSampler: sampler(),
  clampSampler: sampler(),
});

/** The same where an application changes surfaces by named columns: see `changed-surfaces.ts`. */
export const changedMaterialBindings = /* @__PURE__ */ bindings(3, {
  ...materialBindings.entries,
  namedColumns: reads('f32'),
});
