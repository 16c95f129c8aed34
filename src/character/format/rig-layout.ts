import { struct } from '../../layout/index.ts';

/**
 * The rig blob of a character type: one run of 16-byte rows with its skeleton and all its clips. The GPU binds it as
 * rows (`rig4`, vec4u) and as pairs (`rig2`, vec2u: half a row); twins read the same bytes. Every `…Row` and `…Pair`
 * below counts from the blob's first row, which is the CharacterType record.
 *
 * A *lane* is the unit of work of one thread of `pose-joints`. Lanes 0 … jointCount − 1 are joints. The others hold
 * three morph weights each (as if they were a joint's translation).
 */
export const CharacterType = /* @__PURE__ */ struct('CharacterType', {
  jointCount: 'u32',
  laneCount: 'u32',
  /** Palette entries; entry p is `modelFromJoint[bindJoint[p]] × jointFromMesh[p]`. */
  paletteCount: 'u32',
  /** Rows that one character takes in the palette buffer: 3 per entry, 1 per morph lane, scratch when LARGE. */
  paletteStride: 'u32',
  /** Rounds of pointer doubling: ⌈log₂(depth)⌉. */
  roundCount: 'u32',
  flags: 'u32',
  /** RestLane records, one per lane. */
  restRow: 'u32',
  /** Ancestors at distance 1, 2, 4 …: a pair per joint (8 bytes, 255 = none), or words [round][joint] when LARGE. */
  ancestorPair: 'u32',
  /** A BindEntry per palette entry. */
  bindRow: 'u32',
  /** A word per palette entry. */
  bindJointPair: 'u32',
  /** ClipHeader records. */
  clipRow: 'u32',
  clipCount: 'u32',
});

/** All rest scales and all scale tracks are 1: scales are neither read nor written. */
export const TYPE_UNIT_SCALE = 1;
/** Too many lanes for workgroup memory: composed in storage, see pose-joints. */
export const TYPE_LARGE = 2;
/** At least one clip is in exact form. */
export const TYPE_EXACT = 4;
/** At least one packed clip has rates. */
export const TYPE_CUBIC = 8;
/** At least one clip is in sampled form. */
export const TYPE_SAMPLED = 32;
/** The skeleton of a coarser level, which lacks joints: `RestLane.skipped` is not 0 everywhere. */
export const TYPE_FEWER_JOINTS = 16;

export const BindEntry = /* @__PURE__ */ struct('BindEntry', { jointFromMesh: 'Affine' });

export const RestLane = /* @__PURE__ */ struct('RestLane', {
  rotation: 'vec4f',
  translation: 'vec3f',
  /** Lanes before this one that the skeleton lacks. Clips, masks and modifiers use the lane plus this number. */
  skipped: 'u32',
  scale: 'vec3f',
  pad1: 'u32',
});

/**
 * One clip bound to this skeleton. Times are phases: fractions of the duration in 0.32 fixed point.
 *
 * Packed form: a *value row* holds every animated channel at one knot, one pair each, `rowStride` pairs in all.
 * Rotations come first, then translations (and morph lanes), then scales. A *tangent row* is the same for rates per
 * second.
 * Exact form (CLIP_EXACT): each channel takes two pairs (four floats), each interval four rows. They are the value at
 * its start, the value at its end, the rate at its start, and the rate at its end. For slerp the third is half the
 * rotation vector from start to end.
 * Sampled form (CLIP_SAMPLED): intervals are *segments* of samples at equal steps of time. A segment holds a
 * SampledChannel row per channel. Then come the codes of its samples, ends included, one run of pairs after the other.
 */
export const ClipHeader = /* @__PURE__ */ struct('ClipHeader', {
  intervalCount: 'u32',
  intervalRow: 'u32',
  /** A word per slice of the phase: lowest and highest interval (16 bits each) that the slice touches. */
  hintPair: 'u32',
  /** Slice of a phase: phase >> hintShift. */
  hintShift: 'u32',
  valuePair: 'u32',
  /** Tangent rows; sampled form: a word per channel, see SampledChannel. */
  tangentPair: 'u32',
  rowStride: 'u32',
  flags: 'u32',
  /** Start of translations and scales in a row, in channels. */
  translationBase: 'u32',
  scaleBase: 'u32',
  /** A LaneTracks pair per lane. */
  trackPair: 'u32',
  /** Constants: a packed pair each, or (exact form) two pairs that hold four floats. */
  constantPair: 'u32',
  /** Seconds; 0 for a pose. */
  duration: 'f32',
  /** Units of packed numbers: powers of two. Rates are per second. */
  rotationRateUnit: 'f32',
  translationUnit: 'f32',
  translationRateUnit: 'f32',
  scaleUnit: 'f32',
  scaleRateUnit: 'f32',
  pad0: 'u32',
  pad1: 'u32',
});

/** The clip repeats by default. */
export const CLIP_LOOPS = 1;
export const CLIP_EXACT = 2;
/** Packed form with rates: some interval is a cubic. */
export const CLIP_CUBIC = 4;
export const CLIP_SAMPLED = 8;

/** Interval k covers [startPhase of k, startPhase of k + 1). */
export const ClipInterval = /* @__PURE__ */ struct('ClipInterval', {
  startPhase: 'u32',
  /** 1 / length of the interval in phase units. */
  inversePhaseSpan: 'f32',
  /** Index of the value row at its start; the next row is the value at its end. Exact form: of its first row. Sampled
   * form: of the segment's first SampledChannel, in rows from valuePair. */
  valueRow: 'u32',
  /** Index of the tangent row at its start, the next one at its end; or INTERVAL_LINEAR or INTERVAL_HOLD.
   * Sampled form: steps (low SAMPLED_STEPS_BITS bits), and bits of a sample's run of codes. */
  tangentRow: 'u32',
});

export const INTERVAL_LINEAR = 0xffffffff;
/** The start value holds: both ends read the first value row. */
export const INTERVAL_HOLD = 0xfffffffe;

/**
 * A channel of a segment in sampled form. Component c of sample s of n steps is
 * `unit × (start + (end − start) × s / n) + step × code`: a straight line and a code of the channel's own width. Rotations
 * leave out one component, which is positive and makes the length 1. The channel's word holds the upper 16 bits of `step`
 * as a float, and in its lowest 5 bits k: `unit` is step × 2^k.
 */
export const SampledChannel = /* @__PURE__ */ struct('SampledChannel', {
  /** Per component: start (low 16 bits) and end of the line, signed. */
  line0: 'u32',
  line1: 'u32',
  line2: 'u32',
  /**
   * Bits before its codes in a run (18 bits): its codes lie in one pair, and runs are whole pairs. Then three widths
   * (4 bits each, see codeWidth), and the index of the left-out component.
   */
  codes: 'u32',
});

/** Steps of a segment are counted in this number of bits, bits of a run in the others. */
export const SAMPLED_STEPS_BITS = 14;
export const SAMPLED_RUN_BITS = 18;
/** Codes have no bits, or 3 to 17: their widths are stored less 2. */
export const SAMPLED_WIDTH_BIAS = 2;

/**
 * LaneTracks, one pair per lane and clip: four 16-bit fields, rotation and translation in the first word, scale and
 * `shifts` in the second. A channel's field is its index among the clip's animated channels of its kind, or
 * TRACK_CONSTANT + index of a constant. TRACK_NONE means that the clip does not move this channel. Constants have the
 * form of one channel of a value row.
 * Packed and sampled form: `shifts` holds four 4-bit numbers (rotation rate, translation, translation rate, scale and its rate):
 * the lane's unit is the clip's divided by 2^shift. Exact form: bit 0 is set if the rotation slerps.
 */
export const TRACK_CONSTANT = 0x8000;
export const TRACK_NONE = 0xffff;

/**
 * Mirror data of a lane, for motions with left and right exchanged; one per lane, anywhere in the rig table. The lane
 * samples the pair lane and reflects the sample in the YZ plane (translation −x, y, z; rotation x, −y, −z, w). Then it
 * turns the sample into its own space: rotation `pre` × reflected × `post`, translation `pre` applied to the reflected
 * one, scale unchanged. Samples of additive layers are differences. Their rotation is `post`⁻¹ × reflected × `post`.
 */
export const MirrorLane = /* @__PURE__ */ struct('MirrorLane', {
  pairLane: 'u32',
  /** MIRROR_KEEPS or 0. */
  flags: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pre: 'vec4f',
  post: 'vec4f',
});

/** The sample of the pair lane is used unchanged: for morph weights, and joints that have no counterpart. */
export const MIRROR_KEEPS = 1;

/** Morph weights per lane. */
export const WEIGHTS_PER_LANE = 3;
/** Lanes that fit into one workgroup's memory at default limits. Characters with more are LARGE. */
export const LANES_IN_WORKGROUP = 256;
/** Hard limit on joints. */
export const JOINT_LIMIT = 4096;
/** Hard limit on morph weights of a character. */
export const MORPH_LIMIT = 1024;
/** Knots of one clip are counted in 16 bits. */
export const INTERVAL_LIMIT = 65535;
