import { bindings, reads, struct, uniform } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { FrameUniforms } from '../lighting/layout.ts';

/** Uniform in group 0 of passes that draw a shadow map: the index of its cascade. */
export const ShadowPass = /* @__PURE__ */ struct('ShadowPass', {
  cascade: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});
export const shadowBindings = /* @__PURE__ */ bindings(0, {
  frame: uniform(FrameUniforms),
  shadowPass: uniform(ShadowPass),
});

/** A primitive of a type: data that its draws read in any stage. */
export const DrawnPrimitive = /* @__PURE__ */ struct('DrawnPrimitive', {
  /** The bit of its part: hidden parts are not drawn. */
  part: 'vec2u',
  /** Bits of its character's parts. A character that hides all of them leaves no shade on the ground. */
  characterParts: 'vec2u',
  /** Row of `materials`. */
  materialRow: 'u32',
  /** Radius of the soft shadow that the character's feet leave on the ground, in metres. */
  contactRadius: 'f32',
  pad0: 'u32',
  pad1: 'u32',
  /** Vertices that locate the body, in the mesh of the level that the shade is drawn for: see `contact-points.ts`. */
  contactPoints: ['vec4u', 4],
});

/** Characters that one draw shows: consecutive rows of the visible list. */
export const DrawnRun = /* @__PURE__ */ struct('DrawnRun', { first: 'u32', count: 'u32', pad0: 'u32', pad1: 'u32' });

/** Group 2 (group 1 is the geometry): characters of one page, type and level, and one of their primitives. */
export const pageBindings = /* @__PURE__ */ bindings(2, {
  run: uniform(DrawnRun),
  primitive: uniform(DrawnPrimitive, { dynamic: true }),
  residents: reads(Resident),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  skinned: reads('vec2u'),
});

/**
 * Group 2 where surfaces are drawn without light: it has last frame's transforms. With geometry and materials these are 8 storage
 * buffers, the lowest limit that devices have.
 */
export const surfaceBindings = /* @__PURE__ */ bindings(2, {
  ...pageBindings.entries,
  previousTransforms: reads(Transform),
});

/** A bone of a type's wires. Each end: place at bind time, and the bits of its palette entry. */
export const WireBone = /* @__PURE__ */ struct('WireBone', { first: 'vec4f', last: 'vec4f' });
/** First row of bones in the wires of a type; row 0 is a sphere. */
export const WIRE_FIRST_BONE = 1;
/** Straight segments of a circle. */
export const WIRE_SEGMENTS = 36;

/** Group 1 of wires. */
export const wireBindings = /* @__PURE__ */ bindings(1, {
  run: uniform(DrawnRun),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  palettes: reads('vec4f'),
  wires: reads('vec4f'),
});

/** Numbers of debug views in shaders. */
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
