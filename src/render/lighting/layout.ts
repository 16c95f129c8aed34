import { bindings, struct, texture, uniform } from '../../layout/index.ts';

/** Limit of cascades: parts of a picture's depth, each with a shadow map of its own. */
export const CASCADE_LIMIT = 4;

/** Tone curves, as shaders know them. */
export const TONE_NONE = 0;
export const TONE_NEUTRAL = 1;
export const TONE_FILMIC = 2;

export const Cascade = /* @__PURE__ */ struct('Cascade', {
  /** From world to the shadow map: x and y in clip space, z from 1 nearest to the sun to 0. */
  sunFromWorld: 'mat4x4f',
  /** Metres that a texel covers. */
  texel: 'f32',
  /** Distance along the view, metres, up to which the cascade counts. */
  far: 'f32',
  /** Difference of z of two points a metre apart towards the sun. */
  depthPerMetre: 'f32',
  /** Bit mask of the crowd's views: their characters cast shadows here. */
  views: 'u32',
});

/** One view and its light. Colours are linear. */
export const FrameUniforms = /* @__PURE__ */ struct('FrameUniforms', {
  clipFromWorld: 'mat4x4f',
  eye: 'vec3f',
  /** Distance at which the ground has faded into the horizon. */
  fadeDistance: 'f32',
  /** From a surface towards the sun; unit length. */
  sunDirection: 'vec3f',
  cascadeCount: 'u32',
  sunColor: 'vec3f',
  exposure: 'f32',
  skyColor: 'vec3f',
  groundHeight: 'f32',
  horizonColor: 'vec3f',
  /** Texels of a shadow map each way. */
  shadowResolution: 'f32',
  groundColor: 'vec3f',
  /** Bit mask of the crowd's views: the picture shows their characters. */
  pictureViews: 'u32',
  /** World directions of the screen's right edge, top edge and centre: a pixel looks along x right + y up + forward. */
  skyRight: 'vec3f',
  pictureWidth: 'f32',
  skyUp: 'vec3f',
  pictureHeight: 'f32',
  skyForward: 'vec3f',
  /** TONE_. */
  toneMap: 'u32',
  /** Centre of a cloud of dust, and its density there, per metre; 0 without dust. */
  dustCenter: 'vec3f',
  dustDensity: 'f32',
  /** 1 / the cloud's size, by axis. */
  dustReciprocal: 'vec3f',
  /** Tangent of the highest hill's elevation. */
  hillHeight: 'f32',
  dustColor: 'vec3f',
  /** Factor of all sizes in the ground's pattern. */
  groundScale: 'f32',
  /** Offset of ground, clouds and hills, from the scene's seed; whole numbers. */
  patternOffset: 'vec2f',
  pad0: 'f32',
  pad1: 'f32',
  /** The last picture's `clipFromWorld`; in the first picture this one's. */
  previousClipFromWorld: 'mat4x4f',
  cascades: [Cascade, CASCADE_LIMIT],
});

/** Group 0 without light: only the frame. */
export const frameBindings = /* @__PURE__ */ bindings(0, { frame: uniform(FrameUniforms) });

/** Group 0 of pictures in light. */
export const viewBindings = /* @__PURE__ */ bindings(0, {
  frame: uniform(FrameUniforms),
  /** A layer per cascade: depth from the sun, 1 nearest, 0 where there is nothing; r32float or depth32float. */
  shadowMaps: texture('texture_2d_array<f32>', { filterable: false }),
  /**
   * The shade of feet on the ground, per pixel of the picture. Forward: the share of the light that it leaves.
   * Visibility: the share that it takes, as r32float.
   */
  contactShade: texture('texture_2d<f32>', { filterable: false }),
});
