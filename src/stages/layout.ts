import { bindings, reads, struct } from '../layout/index.ts';

/**
 * Structs that several stages share. A visible character is inside some view in this frame, or others show its pose.
 */

/** CPU-side data of a character, by its row in the crowd's columns. */
export const Resident = /* @__PURE__ */ struct('Resident', {
  /** Index of its type; RESIDENT_NONE if the row has no character. */
  typeIndex: 'u32',
  /**
   * Row of the character's pose source: its own row, or another one. Where far characters share poses, share-characters
   * writes the row of a shared pose in each frame, or the character's own row again. It keeps a pose source that the
   * CPU has set.
   */
  leader: 'u32',
  /** A bit per part that is shown. */
  parts: 'vec2u',
  /** The frame in which its pose has no history: it was spawned, or shows more than before. */
  freshFrame: 'u32',
  /** Views that may see it: a bit each. A character that is hidden has none. */
  views: 'u32',
  /** Linear RGBA, unorm8: multiplies its base colour. */
  tint: 'u32',
  /**
   * The frame in which it was spawned or teleported: neither its transform nor its pose has a history. RESIDENT_CARRIES: things
   * are attached to it, which reach farther than it does.
   */
  bornFrame: 'u32',
});
export const RESIDENT_NONE = 0xffffffff;
export const RESIDENT_CARRIES = 0x80000000;

/** Per visible character, in runs of one page, type and level: first those that are posed this frame, then the others. */
export const VisibleCharacter = /* @__PURE__ */ struct('VisibleCharacter', {
  /** Index into the crowd's columns (transforms, players). */
  character: 'u32',
  /** Row of the type's CharacterType record in the rig table, and of its level's GeometryHeader in the geometry table. */
  typeRow: 'u32',
  geometryRow: 'u32',
  /** First row of its palette in the crowd's palette buffer, and row of its motion list; ROW_NONE when it is not posed. */
  paletteRow: 'u32',
  motionRow: 'u32',
  /** Views that see it: a bit each. 0: it is posed only for its followers. */
  views: 'u32',
  /**
   * Row of its page where this frame's positions (or palette, for types that are skinned in draws) begin, and last frame's. Equal
   * when it has just appeared, or was not posed.
   */
  currentVertexOffset: 'u32',
  previousVertexOffset: 'u32',
  parts: 'vec2u',
  /** Word of its page where its attributes begin: for each vertex a normal, then a tangent, then a channel, then the
   * position as floats: what the crowd has of them. */
  attributeWord: 'u32',
  /**
   * Its level of detail (low 8 bits), binary logarithm of frames per pose (next 8), and VISIBLE_ flags. Then words of attributes per
   * vertex (3 bits from VISIBLE_WORDS_SHIFT on), and its page (from VISIBLE_PAGE_SHIFT on).
   */
  detail: 'u32',
});
export const ROW_NONE = 0xffffffff;
/**
 * Fields of `detail`. VISIBLE_LEVEL: its level. VISIBLE_POSED: it is posed in this frame. VISIBLE_NEW: it has no
 * history, because it was spawned or teleported since the last frame with views. VISIBLE_WHOLE: parts that it hides are
 * skinned for others.
 */
export const VISIBLE_LEVEL = 0xff;
export const VISIBLE_POSED = 0x10000;
export const VISIBLE_NEW = 0x20000;
export const VISIBLE_WHOLE = 0x40000;
export const VISIBLE_WORDS_SHIFT = 20;
export const VISIBLE_WORDS = 7;
export const VISIBLE_PAGE_SHIFT = 24;

/** From this number of words of attributes on, the last three are the position as floats. */
export const EXACT_WORDS = 4;

/** Bytes of a row of vertex memory: a position (`packPosition`), two words of attributes, or half a row of a palette. */
export const VERTEX_ROW_BYTES = 8;
/** Slots begin at multiples of this number of rows. */
export const SLOT_UNIT = 8;
export const SLOT_PAGE_SHIFT = 24;

/** Vertex memory that a character keeps from frame to frame. All zero: none. */
export const SlotState = /* @__PURE__ */ struct('SlotState', {
  /** 1 + its first row / SLOT_UNIT, and its page from SLOT_PAGE_SHIFT on; 0: it has none. */
  slot: 'u32',
  /** HELD_… fields. For a follower: 1 + row of its pose source. */
  held: 'u32',
  /** The last frame that listed it; frames count from 1. */
  frame: 'u32',
  /** Its row of the visible list in that frame; ROW_NONE if it only keeps its slot for its followers. */
  visibleRow: 'u32',
});
/**
 * Fields of `held`: size class, level, whether hidden parts are there, too, copy that holds its vertices, copy that held
 * last frame's, type.
 */
export const HELD_CLASS = 0xff;
export const HELD_LEVEL_SHIFT = 8;
export const HELD_LEVEL = 7;
export const HELD_WHOLE = 1 << 11;
export const HELD_COPY_SHIFT = 12;
export const HELD_PREVIOUS_SHIFT = 14;
export const HELD_COPY = 3;
export const HELD_TYPE_SHIFT = 16;

/** `worldFromModel` as position in metres, unit quaternion x, y, z, w and uniform scale. */
export const Transform = /* @__PURE__ */ struct('Transform', { position: 'vec3f', scale: 'f32', rotation: 'vec4f' });

/**
 * A clip that the CPU plays on a character, as a function of the crowd's clock. Nothing is stored from frame to frame.
 * So it costs no upload while it runs, and errors do not add up.
 */
export const Player = /* @__PURE__ */ struct('Player', {
  /** Clip of the character's type; PLAYER_NONE for an empty place. Bit 31: loops. */
  clip: 'u32',
  /** Phase at startTime: a fraction of the clip, 0.32 fixed point. */
  startPhase: 'u32',
  /** Cycles per second in 8.24 fixed point, signed. */
  rate: 'i32',
  /** Time on the crowd's clock: seconds in 32.32 fixed point. */
  startTimeLow: 'u32',
  startTimeHigh: 'u32',
  /** Weight goes from weightFrom to weightTo in fadeSeconds after startTime. */
  weightFrom: 'f32',
  weightTo: 'f32',
  fadeSeconds: 'f32',
});

export const PLAYER_NONE = 0xffffffff;
export const PLAYER_LOOPS = 0x80000000;

/** A change that the CPU makes to one joint, or to three morph weights, of a character: see `LaneModifier`. */
export const Modifier = /* @__PURE__ */ struct('Modifier', {
  /** Lane in the low 16 bits (MODIFIER_NONE: an empty place), mode in bits 16 … 23, MODIFIES_ bits above. */
  laneAndBits: 'u32',
  weight: 'f32',
  /** x, y, z of the rotation; w is what is left to 1, and not negative. */
  rotationX: 'f32',
  rotationY: 'f32',
  rotationZ: 'f32',
  x: 'f32',
  y: 'f32',
  z: 'f32',
});

export const MODIFIER_NONE = 0xffff;

/** Words 0 and 1 of every frame's parameters are the crowd's clock: seconds in 32.32 fixed point. */
export const FrameParams = /* @__PURE__ */ struct('FrameParams', {
  timeLow: 'u32',
  timeHigh: 'u32',
  frame: 'u32',
  visibleCount: 'u32',
  /** Players per character and motion records per visible character. */
  playerCapacity: 'u32',
  motionCapacity: 'u32',
  /** Modifiers per character. */
  modifierCapacity: 'u32',
  /** The last frame with views before this one; 0: none. */
  lastFrame: 'u32',
});

/**
 * One record of a character's motion list, four rows, ready to be sampled: the interval of the clip that holds the
 * motion's phase has been found, once for all joints. A list is: motions of the base layer, then any number of (layer
 * record, motions of that layer) and of modifiers, then an end record unless the list is full.
 *
 * A modifier is a layer record of mode LAYER_SET or LAYER_TURN. It changes one lane by its own values: `trackPair` is
 * the lane, `value1` MODIFIES_… bits of the values that it has. `basis` is a rotation. `fraction` and the bits of
 * `constantPair` and `bases` are a translation x, y, z (or three morph weights). `weight` 0 … 1 is how much of it
 * shows. Motions that follow a modifier, before the next layer, are of no layer and count for nothing.
 */
export const Motion = /* @__PURE__ */ struct('Motion', {
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
  /** Biased exponent of the scale rate's unit; sampled form: MOTION_SAMPLED. */
  scaleRateExponent: 'u32',
  /**
   * Bits 0 and 1 (MOTION_KIND): a kind from below. Bit 2 (MOTION_MIRROR): the motion plays with left and right exchanged,
   * and `kind >> MOTION_MIRROR_SHIFT` is the row of the rig table where the MirrorLane records of its type begin.
   */
  kind: 'u32',
});

export const MOTION_ROWS = 4;
/**
 * Value of `scaleRateExponent` for motions of kind MOTION_SAMPLE with a clip in sampled form. Then value0 is the pair of the
 * segment's first SampledChannel. The codes of the two samples around the phase begin in the pairs value1 and rate0. The
 * pair of the channels' words is rate1. `basis` holds the positions of both samples in the segment (0 … 1), the position f
 * between them, and f (1 − f) (1 − 2f) / 6.
 */
export const MOTION_SAMPLED = 0x80000000;
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
/** Modifier: its values replace what is there. */
export const LAYER_SET = 2;
/** Modifier: its rotation is appended to the one that is there, its translation added. */
export const LAYER_TURN = 3;
export const MODIFIES_ROTATION = 1;
export const MODIFIES_X = 2;
export const MODIFIES_Y = 4;
export const MODIFIES_Z = 8;
export const MASK_NONE = 0xffffffff;

/** An entry of a palette: `modelFromMesh`. In scratch memory of pose-joints: `modelFromJoint`. */
export const PaletteEntry = /* @__PURE__ */ struct('PaletteEntry', { matrix: 'Affine' });

/** Workgroups of an indirect dispatch. */
export const DispatchArguments = /* @__PURE__ */ struct('DispatchArguments', { x: 'u32', y: 'u32', z: 'u32' });

/** Ranges that one dispatch can serve; a crowd with more character types takes more dispatches. */
export const RANGE_CAPACITY = 256;

/** Group 1 of stages that read skeletons and clips: the rig table as rows and as pairs. */
export const rigBindings = /* @__PURE__ */ bindings(1, { rig4: reads('vec4u'), rig2: reads('vec2u') });
/** Group 1 of stages that read the rig table only as rows: clips, controllers. */
export const rigRowBindings = /* @__PURE__ */ bindings(1, { rig4: reads('vec4u') });
/** Group 1 of stages that read vertices: the geometry table as rows and as words. */
export const geometryBindings = /* @__PURE__ */ bindings(1, { geometry4: reads('vec4u'), geometry1: reads('u32') });
/** Group 2 of stages that read triangles: the crowd's index buffer. */
export const indexBindings = /* @__PURE__ */ bindings(2, { indices1: reads('u32') });
