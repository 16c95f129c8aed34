import { struct } from '../layout/index.ts';

/**
 * A compiled controller: one run of 16-byte rows in the rig table, after the blob of the character type that it drives.
 * The GPU binds it as rows (`rig4`); twins read the same bytes. Every `…Row` below counts from the controller's first
 * row, which is its ControllerHeader. `…First` are indices into the tables that the header names.
 *
 * Clocks are cycles (i32) and a phase: a fraction of a cycle in 0.32 fixed point.
 */
export const ControllerHeader = /* @__PURE__ */ struct('ControllerHeader', {
  layerCount: 'u32',
  machineCount: 'u32',
  flags: 'u32',
  /** Bits of the triggers that are set at the start. */
  initialTriggers: 'u32',
  layerRow: 'u32',
  machineRow: 'u32',
  stateRow: 'u32',
  transitionRow: 'u32',
  /** Two conditions to a row. */
  conditionRow: 'u32',
  entryRow: 'u32',
  /** A word per clip: the row of its ControllerClip. */
  clipRow: 'u32',
  /** A table for mirrored motions, in rows from the controller's first. CONTROLLER_NONE without one. */
  mirrorRow: 'u32',
  /**
   * The most frequent conditions of transitions, tested once for all of them. First `triggerFours` ControllerSwitches
   * for triggers, then `boolFours` for bools, then ControllerComparisons.
   */
  commonRow: 'u32',
  triggerFours: 'u32',
  boolFours: 'u32',
  comparisonFours: 'u32',
  /** A ControllerWatch for every four transitions. */
  watchRow: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/**
 * The most common conditions: four for each of their bits. If there are more conditions than bits, the rarest share
 * bits.
 */
export const COMMON_LIMIT = 124;
export const COMMON_BITS = 31;

/**
 * Four bools (by their index) or triggers (by their bit), and the bits of the conditions that hold when each is clear,
 * and when it is set.
 */
export const ControllerSwitches = /* @__PURE__ */ struct('ControllerSwitches', {
  place: 'vec4u',
  whenClear: 'vec4u',
  whenSet: 'vec4u',
});

/** Four conditions, each a pair of words, and their bits. */
export const ControllerComparisons = /* @__PURE__ */ struct('ControllerComparisons', {
  condition: 'vec4u',
  operand: 'vec4u',
  bit: 'vec4u',
});

export const CONTROLLER_NONE = 0xffffffff;
/** In 16-bit fields: no parameter, no transition. */
export const INDEX_NONE = 0xffff;
/** Added to the index of a parameter that is read as a number: it is an integer. */
export const PARAMETER_INT = 0x8000;

/** Header flags: only the first machine that uses a trigger may use it; exit times hold from their moment on. */
export const CONTROLLER_FIRST_TRIGGER = 1;
export const CONTROLLER_LATCHED_EXIT = 2;

/** A layer: shows its own machine's states, or those of another layer's machine with other motions. */
export const ControllerLayer = /* @__PURE__ */ struct('ControllerLayer', {
  machineIndex: 'u32',
  flags: 'u32',
  weight: 'f32',
  /** Parameter that replaces the weight, or INDEX_NONE. */
  weightParameter: 'u32',
  /** A byte per lane, or CONTROLLER_NONE. */
  maskRow: 'u32',
  /** LAYER_SYNCED: a word per state, the row of its motion or CONTROLLER_NONE. */
  motionListRow: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

export const LAYER_IS_ADDITIVE = 1;
export const LAYER_SYNCED = 2;

export const ControllerMachine = /* @__PURE__ */ struct('ControllerMachine', {
  /** Transitions from any state, in the form of a state's. */
  transitions: 'u32',
  /** A state or a selector, in the form of a destination. */
  entry: 'u32',
  /** Its states are a run of the controller's. */
  stateFirst: 'u32',
  /** Synced layers that affect lengths: a row each, SyncedTiming. */
  timingRow: 'u32',
  timingCount: 'u32',
  /** The layer that owns the machine. */
  layerIndex: 'u32',
  /** All layers that show it, a bit each. */
  layers: 'u32',
  pad: 'u32',
});

export const SyncedTiming = /* @__PURE__ */ struct('SyncedTiming', {
  motionListRow: 'u32',
  weight: 'f32',
  pad0: 'u32',
  pad1: 'u32',
});

export const ControllerState = /* @__PURE__ */ struct('ControllerState', {
  speed: 'f32',
  /** Seconds, where STATE_CONSTANT_LENGTH. */
  length: 'f32',
  flags: 'u32',
  /** A list of transitions that follow each other: the first in the low 16 bits, their count in the high ones. */
  transitions: 'u32',
  /** Parameters: 16 bits each, INDEX_NONE for a missing one. */
  speedAndTimeParameter: 'u32',
  /** The tree of gradient bands that determines its length, if only one does; else CONTROLLER_NONE. */
  bandTreeRow: 'u32',
  /** CONTROLLER_NONE: an empty state. */
  motionRow: 'u32',
  momentCount: 'u32',
  cycleOffset: 'u32',
  cycleAndMirrorParameter: 'u32',
  /**
   * Phases of its clock at which a clip of some layer has an event. First each phase once, four to a row. Then the
   * phases of all `momentCount` such moments, a ControllerMoment for each, and masks of rivals.
   */
  momentRow: 'u32',
  distinctRowCount: 'u32',
});

export const STATE_MIRROR = 1;
export const STATE_CONSTANT_LENGTH = 2;
/**
 * STATE_EVENTS: some clip of some layer in this state has events. STATE_ROOT: the first layer's clips have root motion.
 */
export const STATE_EVENTS = 4;
export const STATE_ROOT = 8;
/** Moments are shifted by the clock's cycle offset; moments may occur at any clock value. */
export const STATE_MOMENTS_SHIFTED = 16;
export const STATE_MOMENTS_ANYTIME = 32;

/** An event of a clip that a state plays. */
export const ControllerMoment = /* @__PURE__ */ struct('ControllerMoment', {
  leafRow: 'u32',
  eventRow: 'u32',
  motionRow: 'u32',
  /**
   * Layer in bits 0 … 4, index of the leaf in its motion in bits 5 … 9. The bits above: 0, or 1 + the index of a word
   * after the state's moments. That word has a bit for each leaf that silences this one when it is heavier.
   */
  layerAndLeaf: 'u32',
});

/** Transitions of a state, or from any state, begin at a multiple of WATCHED. */
export const ControllerTransition = /* @__PURE__ */ struct('ControllerTransition', {
  flags: 'u32',
  duration: 'f32',
  /** The first in the low 24 bits, their count in the high 8. */
  conditions: 'u32',
  destination: 'u32',
  exitPhase: 'u32',
  exitCycles: 'i32',
  offsetPhase: 'u32',
  offsetCycles: 'i32',
});

/** Transitions in a ControllerWatch. */
export const WATCHED = 4;

/** Four transitions, for updates that only test them: requirements for each to be taken. */
export const ControllerWatch = /* @__PURE__ */ struct('ControllerWatch', {
  /** Bits of its common conditions, and NEEDS_EXIT: its exit time has been reached. */
  needs: 'vec4u',
  /** If exits are latched, the last phase is used for all exits beyond the first cycle. */
  exitPhase: 'vec4u',
  /** The state that must not be shown, or CONTROLLER_NONE. */
  avoids: 'vec4u',
});

export const NEEDS_EXIT = 0x80000000;

/** A destination: a state, or with this bit the row of a Selector. */
export const DESTINATION_SELECTOR = 0x80000000;

export const TRANSITION_EXIT = 1;
/** The exit time recurs every cycle. */
export const TRANSITION_REPEATS = 2;
export const TRANSITION_FIXED = 4;
export const TRANSITION_ORDERED = 8;
export const TRANSITION_TO_SELF = 16;
export const TRANSITION_ANY = 32;
/** Interruption source: 0 none, 1 current, 2 next, 3 current then next, 4 next then current. */
export const TRANSITION_INTERRUPTION_SHIFT = 8;

/** Conditions that choose a destination: the first entry with true conditions. The last entry has none. */
export const ControllerSelector = /* @__PURE__ */ struct('ControllerSelector', {
  entryFirst: 'u32',
  entryCount: 'u32',
  /** Destination when too many selectors lead to each other. */
  fallback: 'u32',
  pad: 'u32',
});

export const ControllerEntry = /* @__PURE__ */ struct('ControllerEntry', {
  conditions: 'u32',
  destination: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/**
 * A condition is a pair. First word: operator (low 8 bits), CONDITION_CONSUMES, and a parameter or trigger bit (high 16
 * bits). Second word: the threshold, or a truth table (bit 0: when clear, bit 1: when set).
 */
export const CONDITION_GREATER = 0;
export const CONDITION_LESS = 1;
export const CONDITION_EQUALS = 2;
export const CONDITION_NOT_EQUALS = 3;
export const CONDITION_AT_LEAST = 4;
export const CONDITION_AT_MOST = 5;
/** Added to an operator that compares integers. */
export const CONDITION_INT = 8;
export const CONDITION_BOOL = 6;
export const CONDITION_TRIGGER = 7;
/** Taking this transition uses the trigger up. */
export const CONDITION_CONSUMES = 0x100;

/** Motion of a state: one clip, or trees over several. */
export const ControllerMotion = /* @__PURE__ */ struct('ControllerMotion', {
  leafRow: 'u32',
  /** Leaves in bits 0 … 7, trees in bits 8 … 15, flags above. */
  counts: 'u32',
  treeRow: 'u32',
  /** Seconds, where MOTION_CONSTANT_LENGTH. */
  length: 'f32',
});

export const MOTION_CONSTANT_LENGTH = 1;
export const MOTION_EVENTS = 2;
export const MOTION_ROOT = 4;

/** Parents before children; the first is the root. */
export const ControllerTree = /* @__PURE__ */ struct('ControllerTree', {
  /**
   * Type in bits 0 … 7, children in bits 8 … 15, flags above. From TREE_DEPTH_SHIFT on the trees above it (2 bits). From
   * TREE_SLOT_SHIFT on the child that it is of its parent (4 bits), from TREE_PARENT_SHIFT on the parent's index.
   */
  kind: 'u32',
  childRow: 'u32',
  /** 16 bits each, INDEX_NONE reads as 0. */
  parameters: 'u32',
  /**
   * Freeform: a ControllerBandChild and its bands for each child. Directional: a bit for each child without a direction
   * of its own, which is at the centre or in the direction of an earlier one. From TREE_CENTRE_SHIFT on 1 + the index of
   * the first child at the centre, or 0.
   */
  bandRow: 'u32',
});

export const TREE_1D = 0;
export const TREE_DIRECTIONAL = 1;
export const TREE_FREEFORM_DIRECTIONAL = 2;
export const TREE_FREEFORM_CARTESIAN = 3;
export const TREE_DIRECT = 4;
export const TREE_NORMALIZED = 1;
export const TREE_DEPTH_SHIFT = 17;
export const TREE_SLOT_SHIFT = 19;
export const TREE_PARENT_SHIFT = 23;
export const TREE_CENTRE_SHIFT = 16;

export const ControllerChild = /* @__PURE__ */ struct('ControllerChild', {
  /** Index of a leaf of the motion, or with this bit of a tree. */
  node: 'u32',
  /** Threshold or position; freeform directional: magnitude and angle; direct: the parameter's index as a word. */
  x: 'f32',
  y: 'f32',
  /** Seconds of a leaf divided by |time scale|, or a tree's factor 1 / |time scale|; 0: does not count. */
  lengthScale: 'f32',
});

export const CHILD_TREE = 0x80000000;

/**
 * A child of a freeform tree, with the fields that its weight needs, and the seconds of its cycle. ControllerBands for
 * all children follow, then the next child.
 */
export const ControllerBandChild = /* @__PURE__ */ struct('ControllerBandChild', {
  /** Position; polar: magnitude and angle. */
  x: 'f32',
  y: 'f32',
  /** As in ControllerChild. */
  lengthScale: 'f32',
  /** In a polar tree with a child at the centre: the band toward it per magnitude; 0 for that child itself. */
  toCentre: 'f32',
});

/**
 * The bands from one child toward four others. The share of a band that the parameters have covered is `x` times the
 * distance from the child along the first axis, plus a part for the second. That part is `ahead` or `behind`, by the
 * sign of the distance, times the distance (polar: magnitude, then angle). Fields are 0 without a band, and toward the
 * centre of a polar tree. From the centre: the bands per magnitude, and in `ahead` the angles of the others.
 */
export const ControllerBands = /* @__PURE__ */ struct('ControllerBands', {
  x: 'vec4f',
  ahead: 'vec4f',
  behind: 'vec4f',
  /** Polar: replaces the second product if the parameters are at the centre and have no angle. */
  still: 'vec4f',
});

export const ControllerLeaf = /* @__PURE__ */ struct('ControllerLeaf', {
  /** Clip of the controller in the low 16 bits, flags in the high ones. */
  clipAndFlags: 'u32',
  /** Phase offset of a looping clip: its own and those of the trees above it. */
  offset: 'u32',
  /** Index into the character type's clips, or CONTROLLER_NONE. */
  rigClip: 'u32',
  /** Row of the clip's ControllerClip. */
  clipRow: 'u32',
});

export const LEAF_LOOPS = 1;
export const LEAF_MIRROR = 2;
/** LEAF_REVERSED: plays mirrored in time. LEAF_HELD: holds its start. */
export const LEAF_REVERSED = 4;
export const LEAF_HELD = 8;
export const LEAF_EVENTS = 16;
export const LEAF_ROOT = 32;

export const ControllerClip = /* @__PURE__ */ struct('ControllerClip', {
  rigClip: 'u32',
  eventRow: 'u32',
  eventCount: 'u32',
  rootRow: 'u32',
  rootCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** By rising phase; the very end of a clip is cycle 1, phase 0. */
export const ControllerEvent = /* @__PURE__ */ struct('ControllerEvent', {
  phase: 'u32',
  cycle: 'u32',
  /** Index into the controller's events. */
  id: 'u32',
  pad: 'u32',
});

/** Displacement of the character by the clip; straight lines between knots. */
export const RootKnot = /* @__PURE__ */ struct('RootKnot', { position: 'vec3f', phase: 'f32', rotation: 'vec4f' });

/**
 * Limit of numbers that trees read. Larger ones are clamped, so that squares and sums stay finite, and bands of 1D
 * trees have a farthest threshold.
 */
export const TREE_FARTHEST = 1e9;

/** Limits of what one state plays. */
export const CHILD_LIMIT = 16;
export const TREE_DEPTH_LIMIT = 4;
export const LEAF_LIMIT = 32;
/** The most samples that an interrupted blend keeps per layer: the heaviest. */
export const FROZEN_LIMIT = 8;
/**
 * Samples that one layer shows at once, in the arrays of kernels. Arrays of a thread cost time. Kernels with arrays for
 * all that the limits above allow run only in crowds with controllers that need them.
 */
export const LAYER_SAMPLES = 24;
export const LARGE_LAYER_SAMPLES: number = 2 * LEAF_LIMIT;
export const LAYER_LIMIT = 32;
export const TRIGGER_LIMIT = 32;
/** States and transitions are counted in 16 bits, parameters and clips in 15. */
export const INDEX_LIMIT = 0xfffe;
export const PARAMETER_LIMIT = 0x7ffe;
export const CONTROLLER_CLIP_LIMIT = 0x7ffe;
export const CONDITION_LIMIT = 255;
