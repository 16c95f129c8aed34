import { bindings, reads, sampler, struct, texture, uniform } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';

/** One view and its light. Colours are linear. */
export const FrameUniforms = struct('FrameUniforms', {
  clipFromWorld: 'mat4x4f',
  /** From world to the sun's shadow map: x and y in clip space, z its depth. */
  sunFromWorld: 'mat4x4f',
  eye: 'vec3f',
  /** Distance at which the ground has faded into the horizon. */
  fadeDistance: 'f32',
  /** From a surface towards the sun; unit length. */
  sunDirection: 'vec3f',
  /** Metres that a texel of the shadow map covers. */
  shadowTexel: 'f32',
  sunColor: 'vec3f',
  exposure: 'f32',
  skyColor: 'vec3f',
  groundHeight: 'f32',
  horizonColor: 'vec3f',
  /** Share of a shadow map's width that a texel is. */
  shadowStep: 'f32',
  groundColor: 'vec3f',
  /** Views of the crowd, a bit each, whose characters the picture shows. */
  pictureViews: 'u32',
  /** World directions of the screen's right edge, top edge and centre: a pixel looks along x right + y up + forward. */
  skyRight: 'vec3f',
  /** The same of the shadow map. */
  shadowViews: 'u32',
  skyUp: 'vec3f',
  pictureWidth: 'f32',
  skyForward: 'vec3f',
  pictureHeight: 'f32',
  /** The last picture's `clipFromWorld`; in the first picture this one's. */
  previousClipFromWorld: 'mat4x4f',
});

/** What one primitive looks like. */
export const MaterialUniforms = struct('MaterialUniforms', {
  baseColor: 'vec4f',
  emissive: 'vec3f',
  alphaCutoff: 'f32',
  /** uv' = (dot(uvRow0, (u, v, 1)), dot(uvRow1, (u, v, 1))) */
  uvRow0: 'vec3f',
  metallic: 'f32',
  uvRow1: 'vec3f',
  roughness: 'f32',
  /** The bit of the primitive's part: hidden parts are not drawn. */
  part: 'vec2u',
  /** Those of its character's parts: who hides all of them leaves nothing on the ground. */
  characterParts: 'vec2u',
  flags: 'u32',
  /** Radius of the soft shadow that the character's feet leave on the ground, in metres. */
  contactRadius: 'f32',
  /** Index of the primitive among its type's. */
  primitiveIndex: 'u32',
  pad: 'u32',
});

export const MATERIAL_UNLIT = 1;
export const MATERIAL_MASKED = 2;

/** Group 0. Passes that draw the map and the shade of feet bind the frame alone. */
export const frameBindings = bindings(0, { frame: uniform(FrameUniforms) });
export const viewBindings = bindings(0, {
  frame: uniform(FrameUniforms),
  shadowMap: texture('texture_depth_2d'),
  shadowSampler: sampler('sampler_comparison'),
  /** What feet leave of the light on the ground, by pixel of the picture. */
  contactShade: texture(),
});

/** Characters that one draw shows: consecutive rows of the visible list. */
export const DrawnRun = struct('DrawnRun', { first: 'u32', count: 'u32', pad0: 'u32', pad1: 'u32' });

/** Group 2 (group 1 is the geometry): characters of one page, type and level. */
export const pageBindings = bindings(2, {
  run: uniform(DrawnRun),
  residents: reads(Resident),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  skinned: reads('vec4u'),
});

/**
 * Group 2 where surfaces are drawn without light: last frame's transforms as well. With the geometry these are 7 storage
 * buffers of the 8 that a device has at least.
 */
export const surfaceBindings = bindings(2, { ...pageBindings.entries, previousTransforms: reads(Transform) });

/** What wires show of a type: a sphere, then its bones, two rows each: an end's place at bind time, and its palette entry. */
export const WIRE_FIRST_BONE = 1;
/** Straight pieces of a circle. */
export const WIRE_SEGMENTS = 36;

/** Group 1 of wires. */
export const wireBindings = bindings(1, {
  run: uniform(DrawnRun),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  palettes: reads('vec4f'),
  wires: reads('vec4f'),
});

/** Debug views, as shaders know them. */
export const SHOW_LEVEL = 1;
export const SHOW_RATE = 2;
export const SHOW_SLOT = 3;
export const SHOW_BOUNDS = 4;
export const SHOW_JOINTS = 5;
export const SHOW_IDS = 6;
export const SHOW_OVERDRAW = 7;
export const SHOW_VELOCITY = 8;
export const SHOW_DEPTH = 9;
export const SHOW_NORMALS = 10;

/** Group 3. */
export const materialBindings = bindings(3, {
  material: uniform(MaterialUniforms),
  baseColorTexture: texture(),
  baseColorSampler: sampler(),
});
