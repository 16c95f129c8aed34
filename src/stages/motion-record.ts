import { type ClipMotion, ResolvedMotion } from '../character/format/clip-format.ts';
import { View, wordOffsets } from '../layout/index.ts';
import {
  LAYER_SET,
  LAYER_TURN,
  MODIFIES_ROTATION,
  MODIFIES_X,
  MOTION_EXACT,
  MOTION_KIND,
  MOTION_LAYER,
  MOTION_MIRROR,
  MOTION_MIRROR_SHIFT,
  MOTION_SAMPLE,
  MOTION_SAMPLED,
  Motion,
} from './layout.ts';

/**
 * Motion records on the CPU side, which twins write and read. Units are powers of two, so only their exponents are
 * stored.
 */

const MOTION = /* @__PURE__ */ wordOffsets(Motion);
/** Units by their biased exponents; 0 for 0. */
const UNITS = Float64Array.from({ length: 256 }, (_, exponent) => (exponent === 0 ? 0 : 2 ** (exponent - 127)));

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Biased exponent of a unit; 0 for 0. */
function exponent(unit: number): number {
  return (bitsOf(unit) >>> 23) & 0xff;
}

/** The record at a row of a motion list. */
export function motionAt(motions: Uint32Array<ArrayBuffer>, row: number): View<(typeof Motion)['fields']> {
  return new View(Motion, motions.buffer, motions.byteOffset + row * 16, 1);
}

/**
 * Writes a motion record at a row of a motion list.
 * @param mirrorRow Row of the rig table where the MirrorLane records of its type begin: it plays mirrored. Default: not.
 */
export function writeMotion(
  motions: Uint32Array<ArrayBuffer>,
  row: number,
  motion: ClipMotion,
  weight: number,
  mirrorRow?: number,
): void {
  const floats = new Float32Array(motions.buffer, motions.byteOffset, motions.length);
  writeFields(motion, motions, floats, 4 * row);
  floats[4 * row + MOTION.weight] = weight;
  motions[4 * row + MOTION.kind] = kindOf(motion) | (mirrorRow === undefined ? 0 : mirrorBits(mirrorRow));
}

function mirrorBits(mirrorRow: number): number {
  return MOTION_MIRROR | (mirrorRow << MOTION_MIRROR_SHIFT);
}

/** A change to one lane by the application, a look-at or a ragdoll. It follows the records below it in the list. */
export interface LaneModifier {
  /** LAYER_SET: replaces what is there. LAYER_TURN: is appended (rotation) and added (translation). */
  readonly mode: typeof LAYER_SET | typeof LAYER_TURN;
  readonly lane: number;
  /** 0 to 1: how much of it shows. */
  readonly weight: number;
  /** Unit quaternion x, y, z, w in the joint's local space. Without one the rotation stays. */
  readonly rotation?: readonly [number, number, number, number];
  /** Metres in the parent's space, or the lane's three morph weights; components that are undefined stay. */
  readonly translation?: readonly [number | undefined, number | undefined, number | undefined];
}

/**
 * Writes a modifier at a row of a motion list: after the layers that it changes, before those that lie over it. Scales
 * stay as they are.
 */
export function writeModifier(motions: Uint32Array<ArrayBuffer>, row: number, modifier: LaneModifier): void {
  const { mode, lane, weight, rotation, translation = [] } = modifier;
  const [x = 0, y = 0, z = 0] = translation;
  const present = [0, 1, 2].map((c) => (translation[c] === undefined ? 0 : MODIFIES_X << c));
  const record = motionAt(motions, row);
  record.words.fill(0);
  record.assign(0, {
    value0: mode,
    value1: (rotation ? MODIFIES_ROTATION : 0) | present[0]! | present[1]! | present[2]!,
    basis: rotation ?? [0, 0, 0, 1],
    weight,
    fraction: x,
    trackPair: lane,
    constantPair: bitsOf(y),
    bases: bitsOf(z),
    kind: MOTION_LAYER,
  });
}

/** Reads a modifier that {@link writeModifier} wrote: a record of kind layer and mode LAYER_SET or LAYER_TURN. */
export function readModifier(motions: Uint32Array<ArrayBuffer>, row: number): LaneModifier {
  const view = motionAt(motions, row);
  const present = view.get(0, 'value1');
  const held = [view.get(0, 'fraction'), floatOf(view.get(0, 'constantPair')), floatOf(view.get(0, 'bases'))];
  const [x, y, z] = held.map((value, c) => ((present & (MODIFIES_X << c)) === 0 ? undefined : value));
  return {
    mode: view.get(0, 'value0') === LAYER_SET ? LAYER_SET : LAYER_TURN,
    lane: view.get(0, 'trackPair'),
    weight: view.get(0, 'weight'),
    translation: [x, y, z],
    ...(present & MODIFIES_ROTATION ? { rotation: view.get(0, 'basis') as [number, number, number, number] } : {}),
  };
}

/** A motion record that is read, or resolved and written, again and again. Fields of layers are those of `Motion`. */
export class MotionRecord extends ResolvedMotion {
  weight = 0.5;
  bases = 0;
  unitExponents = 0;
  /** MOTION_SAMPLE, MOTION_EXACT, MOTION_LAYER or MOTION_END. */
  kind = 0;
  /** Row of the rig table where the MirrorLane records begin; −1 where left and right stay. */
  mirrorRow = -1;

  /** @param at First word of the record. */
  read(words: Uint32Array, floats: Float32Array, at: number): void {
    const kind = words[at + MOTION.kind]!;
    this.kind = kind & MOTION_KIND;
    this.mirrorRow = kind & MOTION_MIRROR ? kind >>> MOTION_MIRROR_SHIFT : -1;
    this.exact = this.kind === MOTION_EXACT;
    this.value0 = words[at + MOTION.value0]!;
    this.value1 = words[at + MOTION.value1]!;
    this.rate0 = words[at + MOTION.rate0]!;
    this.rate1 = words[at + MOTION.rate1]!;
    for (let c = 0; c < 4; c++) this.basis[c] = floats[at + MOTION.basis + c]!;
    this.weight = floats[at + MOTION.weight]!;
    this.fraction = floats[at + MOTION.fraction]!;
    this.trackPair = words[at + MOTION.trackPair]!;
    this.constantPair = words[at + MOTION.constantPair]!;
    this.bases = words[at + MOTION.bases]!;
    this.translationBase = this.bases & 0xffff;
    this.scaleBase = this.bases >>> 16;
    this.#readUnits(words[at + MOTION.unitExponents]!, words[at + MOTION.scaleRateExponent]!);
  }

  #readUnits(exponents: number, last: number): void {
    this.unitExponents = exponents;
    this.sampled = last >= MOTION_SAMPLED ? true : undefined;
    this.rotationRateUnit = UNITS[exponents & 0xff]!;
    this.translationUnit = UNITS[(exponents >>> 8) & 0xff]!;
    this.translationRateUnit = UNITS[(exponents >>> 16) & 0xff]!;
    this.scaleUnit = UNITS[exponents >>> 24]!;
    this.scaleRateUnit = last >= MOTION_SAMPLED ? 0 : UNITS[last & 0xff]!;
  }

  /** Writes a motion that was resolved into this object. `weight` and `mirrorRow` are set. */
  write(words: Uint32Array, floats: Float32Array, at: number): void {
    writeFields(this, words, floats, at);
    floats[at + MOTION.weight] = this.weight;
    words[at + MOTION.kind] = this.mirrorRow < 0 ? kindOf(this) : kindOf(this) | mirrorBits(this.mirrorRow);
  }
}

function kindOf({ exact }: ClipMotion): number {
  return exact ? MOTION_EXACT : MOTION_SAMPLE;
}

/** Writes the fields of a record that say where a clip is sampled. */
function writeFields(motion: ClipMotion, words: Uint32Array, floats: Float32Array, at: number): void {
  words[at + MOTION.value0] = motion.value0;
  words[at + MOTION.value1] = motion.value1;
  words[at + MOTION.rate0] = motion.rate0;
  words[at + MOTION.rate1] = motion.rate1;
  for (let c = 0; c < 4; c++) floats[at + MOTION.basis + c] = motion.basis[c]!;
  floats[at + MOTION.fraction] = motion.fraction;
  words[at + MOTION.trackPair] = motion.trackPair;
  words[at + MOTION.constantPair] = motion.constantPair;
  words[at + MOTION.bases] = motion.translationBase | (motion.scaleBase << 16);
  words[at + MOTION.unitExponents] =
    exponent(motion.rotationRateUnit) |
    (exponent(motion.translationUnit) << 8) |
    (exponent(motion.translationRateUnit) << 16) |
    (exponent(motion.scaleUnit) << 24);
  words[at + MOTION.scaleRateExponent] = motion.sampled ? MOTION_SAMPLED : exponent(motion.scaleRateUnit);
}

function bitsOf(value: number): number {
  float[0] = value;
  return bits[0]!;
}

function floatOf(word: number): number {
  bits[0] = word;
  return float[0]!;
}

/**
 * Reads a motion record that twin or kernel of gather-motions wrote, to be sampled with `sampleLane`. Not for records
 * of kind layer or end.
 *
 * @param motions A page's motion lists: rows of four words.
 * @param row Where the record begins.
 * @returns The motion, its weight in its layer (not normalised), and, where it plays with left and right exchanged, the
 *  row of the rig table where the MirrorLane records begin.
 */
export function readMotion(
  motions: Uint32Array<ArrayBuffer>,
  row: number,
): { motion: ClipMotion; weight: number; mirrorRow: number | undefined } {
  const record = new MotionRecord();
  record.read(motions, new Float32Array(motions.buffer, motions.byteOffset, motions.length), 4 * row);
  const { weight, mirrorRow, kind: _, bases: __, unitExponents: ___, ...motion } = record;
  return { mirrorRow: mirrorRow < 0 ? undefined : mirrorRow, weight, motion };
}
