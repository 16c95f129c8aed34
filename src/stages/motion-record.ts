import type { ClipMotion } from '../character/format/clip-format.ts';
import { View } from '../layout/index.ts';
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
  const { value0, value1, rate0, rate1, basis, fraction, trackPair, constantPair } = motion;
  const record = motionAt(motions, row);
  record.assign(0, { value0, value1, rate0, rate1, basis, fraction, trackPair, constantPair });
  record.assign(0, {
    weight,
    bases: motion.translationBase | (motion.scaleBase << 16),
    unitExponents:
      exponent(motion.rotationRateUnit) |
      (exponent(motion.translationUnit) << 8) |
      (exponent(motion.translationRateUnit) << 16) |
      (exponent(motion.scaleUnit) << 24),
    scaleRateExponent: motion.sampled ? MOTION_SAMPLED : exponent(motion.scaleRateUnit),
    kind: ((motion.exact ? MOTION_EXACT : MOTION_SAMPLE) | mirrorBits(mirrorRow)) >>> 0,
  });
}

function mirrorBits(mirrorRow: number | undefined): number {
  return mirrorRow === undefined ? 0 : MOTION_MIRROR | (mirrorRow << MOTION_MIRROR_SHIFT);
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
  const view = motionAt(motions, row);
  const unit = (exponent: number) => (exponent === 0 ? 0 : 2 ** (exponent - 127));
  const exponents = view.get(0, 'unitExponents');
  const bases = view.get(0, 'bases');
  const kind = view.get(0, 'kind');
  const last = view.get(0, 'scaleRateExponent');
  const isSampled = last >= MOTION_SAMPLED;
  return {
    mirrorRow: kind & MOTION_MIRROR ? kind >>> MOTION_MIRROR_SHIFT : undefined,
    weight: view.get(0, 'weight'),
    motion: {
      value0: view.get(0, 'value0'),
      value1: view.get(0, 'value1'),
      rate0: view.get(0, 'rate0'),
      rate1: view.get(0, 'rate1'),
      basis: view.get(0, 'basis') as [number, number, number, number],
      fraction: view.get(0, 'fraction'),
      trackPair: view.get(0, 'trackPair'),
      constantPair: view.get(0, 'constantPair'),
      translationBase: bases & 0xffff,
      scaleBase: bases >>> 16,
      exact: (kind & MOTION_KIND) === MOTION_EXACT,
      rotationRateUnit: unit(exponents & 0xff),
      translationUnit: unit((exponents >>> 8) & 0xff),
      translationRateUnit: unit((exponents >>> 16) & 0xff),
      scaleUnit: unit(exponents >>> 24),
      scaleRateUnit: isSampled ? 0 : unit(last),
      ...(isSampled ? { sampled: true } : {}),
    },
  };
}
