import { type Fields, type Struct, wordOffsets } from '../../layout/index.ts';
import { unpackFixed3, unpackQuaternion } from '../../math/packing.ts';
import {
  alignQuaternion,
  exponentialQuaternion,
  multiplyQuaternion,
  normalizeQuaternion,
} from '../../math/quaternion.ts';
import {
  CLIP_EXACT,
  CLIP_SAMPLED,
  CharacterType,
  ClipHeader,
  ClipInterval,
  INTERVAL_HOLD,
  SAMPLED_STEPS_BITS,
  TRACK_CONSTANT,
  TRACK_NONE,
} from './rig-layout.ts';
import { sampledRotation, sampledVector } from './sampled-form.ts';

/**
 * Reads clips of a rig table on the CPU, as `rig-layout.ts` defines the format. The twins of `gather-motions` and
 * `pose-joints` use these functions, and the packer measures its own output with them.
 *
 * Tables are trusted, as kernels trust them: those of `packCharacter` and `readBaked` point nowhere outside. An index
 * that does not exist yields numbers without meaning, or NaN.
 */

type Scalars<F extends Fields> = { readonly [K in keyof F]: number };

/** A rig table: one or more rig blobs (a `Character`'s `rig`), one after the other, as the GPU binds them. */
export class RigTable {
  readonly floats: Float32Array<ArrayBuffer>;
  /** By row. Each is read once, until `replace` changes it. */
  readonly #types = new Map<number, Scalars<(typeof CharacterType)['fields']>>();
  readonly #clips = new Map<number, Scalars<(typeof ClipHeader)['fields']>>();
  /** Grows when words change. */
  revision = 0;

  constructor(readonly words: Uint32Array<ArrayBuffer>) {
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  }

  /** Replaces words of clips, which arrive later. */
  replace(first: number, words: Uint32Array): void {
    this.words.set(words, first);
    this.#clips.clear();
    this.revision++;
  }

  /** The scalar fields of a character type. Its blob begins at `typeRow` (16 bytes each) of the table. */
  type(typeRow: number): Scalars<(typeof CharacterType)['fields']> {
    return this.#types.get(typeRow) ?? this.#record(CharacterType, typeRow, this.#types);
  }

  /** The scalar fields of the header of one of its clips. */
  clip(typeRow: number, clipIndex: number): Scalars<(typeof ClipHeader)['fields']> {
    const row = typeRow + this.type(typeRow).clipRow + (clipIndex * ClipHeader.size) / 16;
    return this.#clips.get(row) ?? this.#record(ClipHeader, row, this.#clips);
  }

  #record<F extends Fields>(struct: Struct<F>, row: number, known: Map<number, Scalars<F>>): Scalars<F> {
    const scalar = (name: string) => {
      const at = 4 * row + struct.offsets[name]! / 4;
      return struct.fields[name] === 'f32' ? this.floats[at]! : this.words[at]!;
    };
    const record = Object.fromEntries(Object.keys(struct.fields).map((name) => [name, scalar(name)])) as Scalars<F>;
    known.set(row, record);
    return record;
  }
}

/**
 * A clip at a phase: the interval that contains it, and the weights of the values at its ends. Positions are pairs (8
 * bytes), counted from the start of the table. The fields of a `Motion` record, unpacked.
 */
export interface ClipMotion {
  /** Positions of the values at the interval's start and end; in exact form value0 is the interval's first pair. */
  readonly value0: number;
  readonly value1: number;
  /** Positions of the rates at both ends; in exact form rate0 is the stride of its rows. */
  readonly rate0: number;
  readonly rate1: number;
  /** Weights of value0, value1, rate0 and rate1. */
  readonly basis: readonly [number, number, number, number];
  /** Position in the interval, 0 to 1. */
  readonly fraction: number;
  /** The clip's first LaneTracks, and its first constant. */
  readonly trackPair: number;
  readonly constantPair: number;
  /** Number of channels of a row before its translations, and before its scales. */
  readonly translationBase: number;
  readonly scaleBase: number;
  /** Keys are kept as floats. The units below are then unused. */
  readonly exact: boolean;
  /** One step of a packed number: radians, metres or factors; of a rate per second. Powers of two. */
  readonly rotationRateUnit: number;
  readonly translationUnit: number;
  readonly translationRateUnit: number;
  readonly scaleUnit: number;
  readonly scaleRateUnit: number;
  /**
   * True in sampled form. Then value0 is the segment's first SampledChannel. The codes of the samples around the phase
   * begin at value1 and rate0, and the channels' words at rate1. `basis` holds the positions of both
   * samples in the segment, the position between them, and the bend of a slerp.
   */
  readonly sampled?: boolean | undefined;
}

/** A motion that is resolved or read into the same object again and again. */
export class ResolvedMotion implements ClipMotion {
  value0 = 0;
  value1 = 0;
  rate0 = 0;
  rate1 = 0;
  readonly basis: [number, number, number, number] = [0.5, 0.5, 0.5, 0.5];
  fraction = 0.5;
  trackPair = 0;
  constantPair = 0;
  translationBase = 0;
  scaleBase = 0;
  exact = false;
  rotationRateUnit = 0.5;
  translationUnit = 0.5;
  translationRateUnit = 0.5;
  scaleUnit = 0.5;
  scaleRateUnit = 0.5;
  sampled: boolean | undefined = undefined;
}

const INTERVAL = /* @__PURE__ */ wordOffsets(ClipInterval);

/**
 * Finds the interval of a clip that contains a phase, once for all lanes, as gather-motions does. Bisects the
 * intervals.
 *
 * @param typeRow Row at which the character type's blob begins.
 * @param phase Fraction of the clip's duration in 0.32 fixed point: 0 to 2³² − 1.
 * @param out Written and returned. Default: a new one.
 */
export function resolveMotion<T extends ResolvedMotion = ResolvedMotion>(
  rig: RigTable,
  typeRow: number,
  clipIndex: number,
  phase: number,
  out: T = new ResolvedMotion() as T,
): T {
  const clip = rig.clip(typeRow, clipIndex);
  const first = typeRow + clip.intervalRow;
  const word = 4 * (first + lastIntervalAt(rig, first, clip.intervalCount, phase));
  if (clip.flags & CLIP_SAMPLED) resolveSampled(rig, typeRow, clip, word, phase, out);
  else resolveInterval(rig, typeRow, clip, word, phase, out);
  out.trackPair = 2 * typeRow + clip.trackPair;
  out.constantPair = 2 * typeRow + clip.constantPair;
  out.translationBase = clip.translationBase;
  out.scaleBase = clip.scaleBase;
  out.rotationRateUnit = clip.rotationRateUnit;
  out.translationUnit = clip.translationUnit;
  out.translationRateUnit = clip.translationRateUnit;
  out.scaleUnit = clip.scaleUnit;
  out.scaleRateUnit = clip.scaleRateUnit;
  return out;
}

type ClipFields = Scalars<(typeof ClipHeader)['fields']>;

/** Packed and exact form. @param word Of the interval. */
function resolveInterval(
  { floats, words }: RigTable,
  typeRow: number,
  clip: ClipFields,
  word: number,
  phase: number,
  out: ResolvedMotion,
): void {
  const { rowStride } = clip;
  const inverseSpan = floats[word + INTERVAL.inversePhaseSpan]!;
  const tangentRow = words[word + INTERVAL.tangentRow]!;
  const value0 = 2 * typeRow + clip.valuePair + words[word + INTERVAL.valueRow]! * rowStride;
  const exact = (clip.flags & CLIP_EXACT) !== 0;
  const curved = exact || tangentRow < INTERVAL_HOLD;
  const fraction = Math.min(1, (phase - words[word]!) * inverseSpan);
  const rate0 = curved ? 2 * typeRow + clip.tangentPair + tangentRow * rowStride : value0;
  out.sampled = undefined;
  out.exact = exact;
  out.fraction = fraction;
  out.value0 = value0;
  out.value1 = tangentRow === INTERVAL_HOLD ? value0 : value0 + rowStride;
  out.rate0 = exact ? rowStride : rate0;
  out.rate1 = exact ? 0 : curved ? rate0 + rowStride : value0;
  if (curved) writeHermiteBasis(fraction, (clip.duration * 2 ** -32) / inverseSpan, out.basis);
  else {
    out.basis[0] = 1 - fraction;
    out.basis[1] = fraction;
    out.basis[2] = out.basis[3] = 0;
  }
}

/** The samples around a phase. Rounded as floats are, so that kernels find the same ones. @param word Of the segment. */
function resolveSampled(
  { floats, words }: RigTable,
  typeRow: number,
  clip: ClipFields,
  word: number,
  phase: number,
  out: ResolvedMotion,
): void {
  const inverseSpan = floats[word + INTERVAL.inversePhaseSpan]!;
  const packed = words[word + INTERVAL.tangentRow]!;
  const steps = packed & (2 ** SAMPLED_STEPS_BITS - 1);
  const runPairs = (packed >>> SAMPLED_STEPS_BITS) / 64;
  const fraction = Math.min(1, Math.fround(Math.fround(phase - words[word]!) * inverseSpan));
  const position = Math.fround(fraction * steps);
  const sample = Math.min(Math.floor(position), steps - 1);
  const f = Math.min(1, position - sample);
  const value0 = 2 * typeRow + clip.valuePair + 2 * words[word + INTERVAL.valueRow]!;
  const codes = value0 + 2 * clip.rowStride;
  out.sampled = true;
  out.exact = false;
  out.fraction = fraction;
  out.value0 = value0;
  out.value1 = codes + sample * runPairs;
  out.rate0 = codes + (sample + 1) * runPairs;
  out.rate1 = 2 * typeRow + clip.tangentPair;
  out.basis[0] = sample / steps;
  out.basis[1] = (sample + 1) / steps;
  out.basis[2] = f;
  out.basis[3] = (f * (1 - f) * (1 - 2 * f)) / 6;
}

/** Hermite's basis (glTF 2.0, appendix C.5). Rates are per second, so their weights are multiplied by the span. */
function writeHermiteBasis(f: number, span: number, out: number[]): void {
  const f2 = f * f;
  const f3 = f * f * f;
  out[0] = 2 * f3 - 3 * f2 + 1;
  out[1] = 3 * f2 - 2 * f3;
  out[2] = (f3 - 2 * f2 + f) * span;
  out[3] = (f3 - f2) * span;
}

/** The last interval that starts at or before the phase, by bisection over all of them. */
function lastIntervalAt({ words }: RigTable, firstRow: number, intervalCount: number, phase: number): number {
  let low = 0;
  let high = intervalCount - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (words[4 * (firstRow + middle)]! <= phase) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The channels of a lane that a motion moves. */
export const COVERS_ROTATION = 1;
export const COVERS_TRANSLATION = 2;
export const COVERS_SCALE = 4;

const v0 = new Float64Array(4);
const v1 = new Float64Array(4);
const rate0 = new Float64Array(4);
const rate1 = new Float64Array(4);

/** 2⁻ⁿ: multiplying a unit by it is exact. */
const HALVINGS = Float64Array.from({ length: 16 }, (_, n) => 2 ** -n);

/**
 * Samples a lane of a motion (a joint, or three morph weights as if they were a translation). Writes translation to
 * out[0…2], metres; rotation to out[3…6], a unit quaternion; scale to out[7…9]; all of them offset by `at`.
 *
 * @returns Bits of the channels that it moves: 1 rotation, 2 translation, 4 scale. Other channels are left unchanged.
 */
export function sampleLane(rig: RigTable, motion: ClipMotion, lane: number, out: Float64Array, at = 0): number {
  const first = rig.words[2 * (motion.trackPair + lane)]!;
  const second = rig.words[2 * (motion.trackPair + lane) + 1]!;
  const shifts = second >>> 16;
  let covers = 0;
  if ((first & 0xffff) !== TRACK_NONE) {
    sampleRotation(rig, motion, first & 0xffff, shifts, out, at + 3);
    covers |= COVERS_ROTATION;
  }
  if (first >>> 16 !== TRACK_NONE) {
    const unit = motion.translationUnit * HALVINGS[(shifts >> 4) & 15]!;
    const rateUnit = motion.translationRateUnit * HALVINGS[(shifts >> 8) & 15]!;
    sampleVector(rig, motion, first >>> 16, motion.translationBase, unit, rateUnit, out, at);
    covers |= COVERS_TRANSLATION;
  }
  if ((second & 0xffff) !== TRACK_NONE) {
    const share = HALVINGS[shifts >> 12]!;
    const unit = motion.scaleUnit * share;
    const rateUnit = motion.scaleRateUnit * share;
    sampleVector(rig, motion, second & 0xffff, motion.scaleBase, unit, rateUnit, out, at + 7);
    covers |= COVERS_SCALE;
  }
  return covers;
}

function sampleRotation(
  rig: RigTable,
  motion: ClipMotion,
  track: number,
  shifts: number,
  out: Float64Array,
  at: number,
): void {
  if (motion.exact) {
    if (track & TRACK_CONSTANT) readFloats(rig, 2 * (motion.constantPair + 2 * (track & 0x7fff)), v0);
    else {
      readExact(rig, motion, track);
      if (shifts & 1) {
        exponentialQuaternion(rate0, motion.fraction, v1);
        multiplyQuaternion(v0, v1, v0);
      } else weigh(motion, 4, v0, 0);
      normalizeQuaternion(v0);
    }
  } else if (track & TRACK_CONSTANT) readQuaternion(rig, motion.constantPair + (track & 0x7fff), v0);
  else if (motion.sampled) sampledRotation(rig, motion, track, v0);
  else {
    readQuaternion(rig, motion.value0 + track, v0);
    readQuaternion(rig, motion.value1 + track, v1);
    alignQuaternion(v1, v0);
    if (isCurved(motion)) {
      const unit = motion.rotationRateUnit * HALVINGS[shifts & 15]!;
      readRate(rig, motion.rate0 + track, unit, v0, rate0);
      readRate(rig, motion.rate1 + track, unit, v1, rate1);
    }
    weigh(motion, 4, v0, 0);
    normalizeQuaternion(v0);
  }
  for (let c = 0; c < 4; c++) out[at + c] = v0[c]!;
}

function sampleVector(
  rig: RigTable,
  motion: ClipMotion,
  track: number,
  base: number,
  unit: number,
  rateUnit: number,
  out: Float64Array,
  at: number,
): void {
  const channel = base + track;
  if (track & TRACK_CONSTANT) {
    if (motion.exact) readFloats(rig, 2 * (motion.constantPair + 2 * (track & 0x7fff)), v0);
    else readFixed(rig, motion.constantPair + (track & 0x7fff), unit, v0);
    for (let c = 0; c < 3; c++) out[at + c] = v0[c]!;
    return;
  }
  if (motion.sampled) return sampledVector(rig, motion, channel, out, at);
  if (motion.exact) readExact(rig, motion, channel);
  else {
    readFixed(rig, motion.value0 + channel, unit, v0);
    readFixed(rig, motion.value1 + channel, unit, v1);
    if (isCurved(motion)) {
      readFixed(rig, motion.rate0 + channel, rateUnit, rate0);
      readFixed(rig, motion.rate1 + channel, rateUnit, rate1);
    }
  }
  weigh(motion, 3, out, at);
}

/** Returns true if the interval has rates. */
function isCurved({ basis }: ClipMotion): boolean {
  return basis[2] !== 0 || basis[3] !== 0;
}

/** The weighted sum of v0, v1, rate0 and rate1; `out` may be v0. */
function weigh(motion: ClipMotion, width: number, out: Float64Array, at: number): void {
  const { basis } = motion;
  const curved = isCurved(motion);
  const b0 = basis[0];
  const b1 = basis[1];
  const b2 = basis[2];
  const b3 = basis[3];
  for (let c = 0; c < width; c++) {
    const value = b0 * v0[c]! + b1 * v1[c]!;
    out[at + c] = curved ? value + b2 * rate0[c]! + b3 * rate1[c]! : value;
  }
}

/** Reads four floats. */
function readFloats(rig: RigTable, word: number, out: Float64Array): void {
  for (let c = 0; c < 4; c++) out[c] = rig.floats[word + c]!;
}

/** Values and rates at both ends of an interval in exact form. */
function readExact(rig: RigTable, motion: ClipMotion, channel: number): void {
  const first = motion.value0 + channel * 2;
  readFloats(rig, 2 * first, v0);
  readFloats(rig, 2 * (first + motion.rate0), v1);
  readFloats(rig, 2 * (first + 2 * motion.rate0), rate0);
  readFloats(rig, 2 * (first + 3 * motion.rate0), rate1);
}

function readQuaternion(rig: RigTable, pair: number, out: Float64Array): void {
  unpackQuaternion(rig.words[2 * pair]!, rig.words[2 * pair + 1]!, out);
}

function readFixed(rig: RigTable, pair: number, unit: number, out: Float64Array): void {
  unpackFixed3(rig.words[2 * pair]!, rig.words[2 * pair + 1]!, unit, out);
}

/** dq/dt = q ω / 2, with ω in the joint's own frame. */
function readRate(rig: RigTable, pair: number, unit: number, q: Float64Array, out: Float64Array): void {
  readFixed(rig, pair, unit / 2, out);
  out[3] = 0;
  multiplyQuaternion(q, out, out);
}
