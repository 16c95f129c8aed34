import { bindings, reads, struct } from '../layout/index.ts';

/** Structs that several stages share. A visible character is one that some view sees this frame. */

/** Per visible character, in page order: characters of one type stand together. */
export const VisibleCharacter = struct('VisibleCharacter', {
  /** Index into the crowd's columns (transforms, players). */
  character: 'u32',
  /** Row of the type's CharacterType record in the rig table, and of its GeometryHeader in the geometry table. */
  typeRow: 'u32',
  geometryRow: 'u32',
  /** First row of its palette in the page's palette buffer. */
  paletteRow: 'u32',
  /** Its slot in the page's vertex memory: two copies of slotCapacity vertices from slotOffset on. */
  slotOffset: 'u32',
  slotCapacity: 'u32',
  /** Where this frame's vertices are written, and where last frame's stand. Equal when it has just appeared. */
  currentVertexOffset: 'u32',
  previousVertexOffset: 'u32',
  /** A bit per part that is shown. */
  parts: 'vec2u',
  /** Row of its motion list in the page's motion buffer. */
  motionRow: 'u32',
  /** Which run of the list it belongs to. */
  bin: 'u32',
});

/** Where a slot's current copy is, in vertices; kept per character from frame to frame. */
export const SlotState = struct('SlotState', {
  currentVertexOffset: 'u32',
  /** The frame that wrote it last; SLOT_FRESH until the first. */
  frame: 'u32',
});
export const SLOT_FRESH = 0xffffffff;

/** `worldFromModel` as position in metres, unit quaternion x, y, z, w and uniform scale. */
export const Transform = struct('Transform', { position: 'vec3f', scale: 'f32', rotation: 'vec4f' });

/** Words 0 and 1 of every frame's parameters are the crowd's clock: seconds in 32.32 fixed point. */
export const FrameParams = struct('FrameParams', {
  timeLow: 'u32',
  timeHigh: 'u32',
  frame: 'u32',
  visibleCount: 'u32',
  /** Players per character and motion records per visible character. */
  playerCapacity: 'u32',
  motionCapacity: 'u32',
  /** Modifiers per character. */
  modifierCapacity: 'u32',
  pad: 'u32',
});

/**
 * One record of a character's motion list, four rows, ready to be sampled: the interval of the clip that holds the
 * motion's phase has been found, once for all joints. A list is: motions of the base layer, then any number of
 * (layer record, motions of that layer) and of modifiers, then an end record unless the list is full.
 *
 * A modifier is a layer record of mode LAYER_SET or LAYER_TURN. It changes one lane by what it holds itself: `trackPair`
 * is the lane, `value1` MODIFIES_… bits of what it holds, `basis` a rotation, `fraction` and the bits of `constantPair`
 * and `bases` a translation x, y, z (or three morph weights), `weight` 0 … 1 how much of it shows. Motions that follow a
 * modifier, before the next layer, are of no layer and count for nothing.
 */
export const Motion = struct('Motion', {
  /** Pairs where the value rows at the interval's start and end begin; exact form: value0 is the interval's start. */
  value0: 'u32',
  value1: 'u32',
  /** Pairs where the rate rows begin; where an interval has none, any row (their basis is 0). Exact form: the stride. */
  rate0: 'u32',
  rate1: 'u32',
  /** Weights of value0, value1, rate0 and rate1 at this phase: a straight line's, or Hermite's times the span. */
  basis: 'vec4f',
  /** ≥ 0; weights of a layer that sum to less than 1 leave a remainder to what lies below. */
  weight: 'f32',
  /** Position in the interval, 0 … 1. */
  fraction: 'f32',
  /** First LaneTracks pair; in a layer record the mask (a byte per lane), or MASK_NONE. */
  trackPair: 'u32',
  constantPair: 'u32',
  /** Channel where translations begin in a row (low 16 bits), and scales (high 16 bits). */
  bases: 'u32',
  /** Biased exponents of the units: rotation rate, translation, translation rate, scale; a byte each. */
  unitExponents: 'u32',
  /** Biased exponent of the scale rate's unit. */
  scaleRateExponent: 'u32',
  /**
   * Bits 0 and 1 (MOTION_KIND): a kind from below. Bit 2 (MOTION_MIRROR): the motion plays with left and right exchanged,
   * and `kind >> MOTION_MIRROR_SHIFT` is the row of the rig table where the MirrorLane records of its type begin.
   */
  kind: 'u32',
});

export const MOTION_ROWS = 4;
/** Kinds of motion records. */
export const MOTION_SAMPLE = 0;
export const MOTION_EXACT = 1;
/** A layer begins: `weight` is its weight, `value0` its mode, `trackPair` its mask. Or a modifier, by its mode. */
export const MOTION_LAYER = 2;
export const MOTION_END = 3;
export const MOTION_KIND = 3;
export const MOTION_MIRROR = 4;
export const MOTION_MIRROR_SHIFT = 3;
export const LAYER_OVERRIDE = 0;
export const LAYER_ADDITIVE = 1;
/** Modifier: what it holds takes the place of what is there. */
export const LAYER_SET = 2;
/** Modifier: its rotation is appended to the one that is there, its translation added. */
export const LAYER_TURN = 3;
export const MODIFIES_ROTATION = 1;
export const MODIFIES_X = 2;
export const MODIFIES_Y = 4;
export const MODIFIES_Z = 8;
export const MASK_NONE = 0xffffffff;

/** Ranges that one dispatch can serve; a crowd with more character types takes more dispatches. */
export const RANGE_CAPACITY = 256;

/** Group 1 of stages that read skeletons and clips: the rig table as rows and as pairs. */
export const rigBindings = bindings(1, { rig4: reads('vec4u'), rig2: reads('vec2u') });
/** Group 1 of stages that read the rig table as rows alone: clips, controllers. */
export const rigRowBindings = bindings(1, { rig4: reads('vec4u') });
/** Group 1 of stages that read vertices: the geometry table as rows and as words. */
export const geometryBindings = bindings(1, { geometry4: reads('vec4u'), geometry1: reads('u32') });
/** Group 2 of stages that read triangles: the crowd's index buffer. */
export const indexBindings = bindings(2, { indices1: reads('u32') });
