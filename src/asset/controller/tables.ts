import { struct } from '../../layout/index.ts';

/**
 * A compiled controller: one run of 16-byte rows that stands in the rig table behind the blob of the character type
 * that it drives. The GPU binds it as rows (`rig4`); twins read the same bytes. Every `…Row` below counts from the
 * controller's first row, where its ControllerHeader stands; `…First` are indices into the tables that the header names.
 *
 * Clocks are cycles (i32) and a phase: a fraction of a cycle in 0.32 fixed point.
 */
export const ControllerHeader = struct('ControllerHeader', {
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
  /** A table for mirrored motions, in rows from the controller's first; CONTROLLER_NONE without. */
  mirrorRow: 'u32',
  /**
   * The conditions that transitions have most often, tested once for all of them: so many ControllerSwitches for triggers, then
   * for bools, then ControllerComparisons.
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

/** Common conditions at most, four for each of the bits that stand for them: of more conditions than bits the rarest share some. */
export const COMMON_LIMIT = 124;
export const COMMON_BITS = 31;

/** Of four bools (by their index) or triggers (by their bit): bits of the conditions that hold when one is clear, and when it is set. */
export const ControllerSwitches = struct('ControllerSwitches', {
  place: 'vec4u',
  whenClear: 'vec4u',
  whenSet: 'vec4u',
});

/** Four conditions, each a pair of words, and their bits. */
export const ControllerComparisons = struct('ControllerComparisons', {
  condition: 'vec4u',
  operand: 'vec4u',
  bit: 'vec4u',
});

export const CONTROLLER_NONE = 0xffffffff;
/** In 16-bit fields: no parameter, no transition. */
export const INDEX_NONE = 0xffff;
/** Beside the index of a parameter that is read as a number: it holds an integer. */
export const PARAMETER_INT = 0x8000;

/** Header flags: the first machine that uses a trigger has it alone; exit times hold from their moment on. */
export const CONTROLLER_FIRST_TRIGGER = 1;
export const CONTROLLER_LATCHED_EXIT = 2;

/** What is shown: its own machine's states, or those of another layer's with other motions. */
export const ControllerLayer = struct('ControllerLayer', {
  machineIndex: 'u32',
  flags: 'u32',
  weight: 'f32',
  /** Parameter that stands for the weight, or INDEX_NONE. */
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

export const ControllerMachine = struct('ControllerMachine', {
  /** From any state, as a state's. */
  transitions: 'u32',
  /** A state or a selector, as a destination. */
  entry: 'u32',
  /** Its states are a run of the controller's. */
  stateFirst: 'u32',
  /** Synced layers whose lengths count: a row each, SyncedTiming. */
  timingRow: 'u32',
  timingCount: 'u32',
  /** The layer whose machine it is. */
  layerIndex: 'u32',
  /** All layers that show it, a bit each. */
  layers: 'u32',
  pad: 'u32',
});

export const SyncedTiming = struct('SyncedTiming', {
  motionListRow: 'u32',
  weight: 'f32',
  pad0: 'u32',
  pad1: 'u32',
});

export const ControllerState = struct('ControllerState', {
  speed: 'f32',
  /** Seconds, where STATE_CONSTANT_LENGTH. */
  length: 'f32',
  flags: 'u32',
  /** A list of transitions that follow each other: the first in the low 16 bits, their count in the high ones. */
  transitions: 'u32',
  /** Parameters: 16 bits each, INDEX_NONE where there is none. */
  speedAndTimeParameter: 'u32',
  /** The tree of gradient bands that alone makes its length, or CONTROLLER_NONE. */
  bandTreeRow: 'u32',
  /** CONTROLLER_NONE: an empty state. */
  motionRow: 'u32',
  momentCount: 'u32',
  cycleOffset: 'u32',
  cycleAndMirrorParameter: 'u32',
  /**
   * Where its clock stands when a clip of some layer has an event: each phase once, four to a row; then the phases of all
   * `momentCount` such moments, a ControllerMoment for each, and masks of rivals.
   */
  momentRow: 'u32',
  distinctRowCount: 'u32',
});

export const STATE_MIRROR = 1;
export const STATE_CONSTANT_LENGTH = 2;
/** Some clip of some layer in this state has events; the first layer's have root motion. */
export const STATE_EVENTS = 4;
export const STATE_ROOT = 8;
/** Moments are where the clock stands with its cycle offset; they may come whatever the clock says. */
export const STATE_MOMENTS_SHIFTED = 16;
export const STATE_MOMENTS_ANYTIME = 32;

/** An event of a clip that a state plays. */
export const ControllerMoment = struct('ControllerMoment', {
  leafRow: 'u32',
  eventRow: 'u32',
  motionRow: 'u32',
  /**
   * Layer in bits 0 … 4, index of the leaf in its motion in bits 5 … 9. Above: 0, or 1 + the index of a word after the
   * state's moments. That word has a bit for each leaf that silences this one where it is heavier.
   */
  layerAndLeaf: 'u32',
});

/** Those of a state, or from any state, begin at a multiple of WATCHED. */
export const ControllerTransition = struct('ControllerTransition', {
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

/** Transitions side by side in a ControllerWatch. */
export const WATCHED = 4;

/** Four transitions, for updates that decide nothing: what one must have to be taken. */
export const ControllerWatch = struct('ControllerWatch', {
  /** Bits of its common conditions, and NEEDS_EXIT: its exit time has come. */
  needs: 'vec4u',
  /** Where exits are latched, the last one stands for all those beyond the first cycle. */
  exitPhase: 'vec4u',
  /** The state that must not be shown, or CONTROLLER_NONE. */
  avoids: 'vec4u',
});

export const NEEDS_EXIT = 0x80000000;

/** A destination: a state, or with this bit the row of a Selector. */
export const DESTINATION_SELECTOR = 0x80000000;

export const TRANSITION_EXIT = 1;
/** The exit time comes every cycle. */
export const TRANSITION_REPEATS = 2;
export const TRANSITION_FIXED = 4;
export const TRANSITION_ORDERED = 8;
export const TRANSITION_TO_SELF = 16;
export const TRANSITION_ANY = 32;
/** Interruption source: 0 none, 1 current, 2 next, 3 current then next, 4 next then current. */
export const TRANSITION_INTERRUPTION_SHIFT = 8;

/** Conditions that choose a destination: the first entry whose conditions hold; the last one has none. */
export const ControllerSelector = struct('ControllerSelector', {
  entryFirst: 'u32',
  entryCount: 'u32',
  /** Where to end when too many selectors lead to each other. */
  fallback: 'u32',
  pad: 'u32',
});

export const ControllerEntry = struct('ControllerEntry', {
  conditions: 'u32',
  destination: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/**
 * A condition is a pair: operator (low 8 bits), CONDITION_CONSUMES, and a parameter or trigger bit (high 16 bits); then
 * the threshold, or a truth table (bit 0: when clear, bit 1: when set).
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
/** Taking this way uses the trigger up. */
export const CONDITION_CONSUMES = 0x100;

/** What a state plays: one clip, or trees over several. */
export const ControllerMotion = struct('ControllerMotion', {
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
export const ControllerTree = struct('ControllerTree', {
  /** Type in bits 0 … 7, children in bits 8 … 15, flags above. */
  kind: 'u32',
  childRow: 'u32',
  /** 16 bits each, INDEX_NONE reads as 0. */
  parameters: 'u32',
  /** Freeform: a ControllerBandChild and its bands for each child. Directional: a bit per child whose direction an earlier one has. */
  bandRow: 'u32',
});

export const TREE_1D = 0;
export const TREE_DIRECTIONAL = 1;
export const TREE_FREEFORM_DIRECTIONAL = 2;
export const TREE_FREEFORM_CARTESIAN = 3;
export const TREE_DIRECT = 4;
export const TREE_NORMALIZED = 1;

export const ControllerChild = struct('ControllerChild', {
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
 * A child of a freeform tree as its weight needs it, and the seconds of its cycle; ControllerBands follow, as many as it
 * takes for all children, then the next child.
 */
export const ControllerBandChild = struct('ControllerBandChild', {
  /** Position; polar: magnitude and angle. */
  x: 'f32',
  y: 'f32',
  /** As ControllerChild has it. */
  lengthScale: 'f32',
  /** Of a polar tree with a child at the centre: the band toward it per magnitude; 0 of that child itself. */
  toCentre: 'f32',
});

/**
 * The bands from one child toward four others: how much of one the parameters have gone is `x` times the way from the
 * child along the first axis, and `ahead` or `behind` times that along the second, by its sign (polar: magnitude, then
 * angle). 0 where there is none, and toward the centre of a polar tree. From the centre: the bands per magnitude, and
 * in `ahead` the angles of the others.
 */
export const ControllerBands = struct('ControllerBands', {
  x: 'vec4f',
  ahead: 'vec4f',
  behind: 'vec4f',
  /** Polar: in place of the second product where the parameters stand at the centre and have no angle. */
  still: 'vec4f',
});

export const ControllerLeaf = struct('ControllerLeaf', {
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
/** Plays mirrored in time; holds its begin. */
export const LEAF_REVERSED = 4;
export const LEAF_HELD = 8;
export const LEAF_EVENTS = 16;
export const LEAF_ROOT = 32;

export const ControllerClip = struct('ControllerClip', {
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
export const ControllerEvent = struct('ControllerEvent', {
  phase: 'u32',
  cycle: 'u32',
  /** Index into the controller's events. */
  id: 'u32',
  pad: 'u32',
});

/** Where the clip has moved the character to; straight lines between knots. */
export const RootKnot = struct('RootKnot', { position: 'vec3f', phase: 'f32', rotation: 'vec4f' });

/** Numbers that trees read count no further: squares and sums stay finite, and bands of 1D trees have a farthest threshold. */
export const TREE_FARTHEST = 1e9;

/** Limits of what one state plays. */
export const CHILD_LIMIT = 16;
export const TREE_DEPTH_LIMIT = 4;
export const LEAF_LIMIT = 32;
/** Samples that an interrupted blend keeps per layer; the heaviest. */
export const FROZEN_LIMIT = 8;
/**
 * Samples that one layer shows at once, and trees of one motion, that kernels have room for. Arrays of a thread cost time:
 * only crowds whose controllers need it run the kernels with room for all that the limits above allow.
 */
export const LAYER_SAMPLES = 24;
export const LARGE_LAYER_SAMPLES: number = 2 * LEAF_LIMIT;
export const MOTION_TREES = 32;
/** A root, and below it three levels: of no more trees than children of the root, and twice of no more than leaves. */
export const LARGE_MOTION_TREES: number = 1 + CHILD_LIMIT + 2 * LEAF_LIMIT;
export const LAYER_LIMIT = 32;
export const TRIGGER_LIMIT = 32;
/** States and transitions are counted in 16 bits, parameters and clips in 15. */
export const INDEX_LIMIT = 0xfffe;
export const PARAMETER_LIMIT = 0x7ffe;
export const CONTROLLER_CLIP_LIMIT = 0x7ffe;
export const CONDITION_LIMIT = 255;
