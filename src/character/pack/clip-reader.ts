import { unpackFixed3, unpackQuaternion } from '../../math/packing.ts';
import { POSE_OFFSETS, POSE_STRIDE } from '../evaluate.ts';
import { type ClipMotion, resolveMotion, type RigTable, sampleLane } from '../format/clip-format.ts';
import { TRACK_CONSTANT, TRACK_NONE } from '../format/rig-layout.ts';
import { readSamples } from '../format/sampled-form.ts';

/** An animated channel of a joint. */
interface ReadChannel {
  /** Its index in a row. */
  readonly channel: number;
  readonly isRotation: boolean;
  /** Units of its values and of its rates, as shares of the clip's. */
  readonly valueShare: number;
  readonly rateShare: number;
  readonly kind: 'rotation' | 'translation' | 'scale';
  /** Its position in a pose. */
  readonly at: number;
}

/** Numbers per channel of the cached interval: values at both ends, then both rates. */
const ENDS = 16;

/**
 * Reads the only clip of a rig table at many phases: equal to `sampleLane` up to rounding, at a fraction of its cost. A
 * reader unpacks an interval once, so ascending phases are cheap.
 */
export class ClipReader {
  readonly #channels: readonly ReadChannel[];
  readonly #ends: Float64Array;
  /** The positions of the cached interval's values and rates; sampled form: its segment and first sample. */
  #value0 = -1;
  #rate0 = -1;
  /** Sampled form: position of the second sample in its segment. */
  #second = -1;

  /** @param joints Joints with animated channels. */
  constructor(
    readonly rig: RigTable,
    readonly joints: readonly number[],
  ) {
    const motion = resolveMotion(rig, 0, 0, 0);
    this.#channels = motion.exact ? [] : joints.flatMap((joint) => channelsOf(rig, motion, joint));
    this.#ends = new Float64Array(ENDS * this.#channels.length);
  }

  /** Writes the animated channels to their places in a pose, `POSE_STRIDE` numbers per joint. Returns the motion. */
  read(phase: number, pose: Float64Array): ClipMotion {
    const motion = resolveMotion(this.rig, 0, 0, phase);
    if (motion.exact) {
      for (const joint of this.joints) sampleLane(this.rig, motion, joint, pose, joint * POSE_STRIDE);
      return motion;
    }
    if (motion.sampled) return this.#readSampled(motion, pose);
    if (motion.value0 !== this.#value0 || motion.rate0 !== this.#rate0) this.#enter(motion);
    const [b0, b1, b2, b3] = motion.basis;
    const channels = this.#channels;
    const e = this.#ends;
    for (let i = 0; i < channels.length; i++) {
      const { at, isRotation } = channels[i]!;
      const o = ENDS * i;
      const x = b0 * e[o]! + b1 * e[o + 4]! + b2 * e[o + 8]! + b3 * e[o + 12]!;
      const y = b0 * e[o + 1]! + b1 * e[o + 5]! + b2 * e[o + 9]! + b3 * e[o + 13]!;
      const z = b0 * e[o + 2]! + b1 * e[o + 6]! + b2 * e[o + 10]! + b3 * e[o + 14]!;
      pose[at] = x;
      pose[at + 1] = y;
      pose[at + 2] = z;
      if (isRotation) {
        pose[at + 3] = b0 * e[o + 3]! + b1 * e[o + 7]! + b2 * e[o + 11]! + b3 * e[o + 15]!;
        normalizeAt(pose, at);
      }
    }
    return motion;
  }

  /** Between the samples of a clip in sampled form, as `sampledRotation` and `sampledVector`. */
  #readSampled(motion: ClipMotion, pose: Float64Array): ClipMotion {
    const channels = this.#channels;
    const e = this.#ends;
    const [first, second, between, bend] = motion.basis;
    const isNew = motion.value0 !== this.#value0 || first !== this.#rate0;
    // the last second sample is now the first one
    const isNext = motion.value0 === this.#value0 && first === this.#second;
    this.#value0 = motion.value0;
    this.#rate0 = first;
    this.#second = second;
    for (let i = 0; i < channels.length; i++) {
      const { at, channel, isRotation } = channels[i]!;
      const o = ENDS * i;
      if (isNew) {
        if (isNext) for (let c = 0; c < 4; c++) e[o + c] = e[o + c + 4]!;
        readSamples(this.rig, motion, channel, isRotation, e, o, isNext ? 1 : 0);
      }
      const x = e[o + 4]! - e[o]!;
      const y = e[o + 5]! - e[o + 1]!;
      const z = e[o + 6]! - e[o + 2]!;
      const w = isRotation ? e[o + 7]! - e[o + 3]! : 0;
      const f = isRotation ? between + bend * (x * x + y * y + z * z + w * w) : between;
      pose[at] = e[o]! + x * f;
      pose[at + 1] = e[o + 1]! + y * f;
      pose[at + 2] = e[o + 2]! + z * f;
      if (isRotation) {
        pose[at + 3] = e[o + 3]! + w * f;
        normalizeAt(pose, at);
      }
    }
    return motion;
  }

  #enter(motion: ClipMotion): void {
    this.#value0 = motion.value0;
    this.#rate0 = motion.rate0;
    const hasRates = motion.rate0 !== motion.value0;
    for (let i = 0; i < this.#channels.length; i++) {
      const channel = this.#channels[i]!;
      if (channel.isRotation) this.#enterRotation(motion, channel, hasRates, ENDS * i);
      else this.#enterVector(motion, channel, hasRates, ENDS * i);
    }
  }

  #enterRotation(motion: ClipMotion, { channel, rateShare }: ReadChannel, hasRates: boolean, at: number): void {
    const { words } = this.rig;
    const e = this.#ends;
    const [first, second] = [2 * (motion.value0 + channel), 2 * (motion.value1 + channel)];
    unpackQuaternion(words[first]!, words[first + 1]!, e, at);
    unpackQuaternion(words[second]!, words[second + 1]!, e, at + 4);
    let dot = 0;
    for (let c = at; c < at + 4; c++) dot += e[c]! * e[c + 4]!;
    if (dot < 0) for (let c = at + 4; c < at + 8; c++) e[c] = -e[c]!;
    if (!hasRates) {
      e.fill(0, at + 8, at + 16);
      return;
    }
    const unit = (motion.rotationRateUnit * rateShare) / 2;
    const [before, after] = [2 * (motion.rate0 + channel), 2 * (motion.rate1 + channel)];
    unpackFixed3(words[before]!, words[before + 1]!, unit, e, at + 8);
    unpackFixed3(words[after]!, words[after + 1]!, unit, e, at + 12);
    turnRate(e, at, at + 8);
    turnRate(e, at + 4, at + 12);
  }

  #enterVector(motion: ClipMotion, channel: ReadChannel, hasRates: boolean, at: number): void {
    const isScale = channel.kind === 'scale';
    const unit = channel.valueShare * (isScale ? motion.scaleUnit : motion.translationUnit);
    const rateUnit = channel.rateShare * (isScale ? motion.scaleRateUnit : motion.translationRateUnit);
    this.#enterFixed(motion.value0 + channel.channel, unit, at);
    this.#enterFixed(motion.value1 + channel.channel, unit, at + 4);
    this.#ends.fill(0, at + 8, at + 16);
    if (!hasRates) return;
    this.#enterFixed(motion.rate0 + channel.channel, rateUnit, at + 8);
    this.#enterFixed(motion.rate1 + channel.channel, rateUnit, at + 12);
  }

  #enterFixed(pair: number, unit: number, to: number): void {
    const { words } = this.rig;
    unpackFixed3(words[2 * pair]!, words[2 * pair + 1]!, unit, this.#ends, to);
  }
}

/** The rate ω / 2 at e[r…] of a quaternion at e[q…] becomes dq/dt = q ω / 2. */
function turnRate(e: Float64Array, q: number, r: number): void {
  const x = e[q]!;
  const y = e[q + 1]!;
  const z = e[q + 2]!;
  const w = e[q + 3]!;
  const rx = e[r]!;
  const ry = e[r + 1]!;
  const rz = e[r + 2]!;
  e[r] = w * rx + y * rz - z * ry;
  e[r + 1] = w * ry + z * rx - x * rz;
  e[r + 2] = w * rz + x * ry - y * rx;
  e[r + 3] = -x * rx - y * ry - z * rz;
}

/** Normalises a quaternion of a pose, as `normalizeQuaternion`. */
function normalizeAt(pose: Float64Array, at: number): void {
  const x = pose[at]!;
  const y = pose[at + 1]!;
  const z = pose[at + 2]!;
  const w = pose[at + 3]!;
  const length = Math.sqrt(x * x + y * y + z * z + w * w);
  const isZero = length < 1e-15;
  pose[at] = isZero ? 0 : x / length;
  pose[at + 1] = isZero ? 0 : y / length;
  pose[at + 2] = isZero ? 0 : z / length;
  pose[at + 3] = isZero ? 1 : w / length;
}

/** The animated channels of a joint, from its LaneTracks. */
function channelsOf(rig: RigTable, motion: ClipMotion, joint: number): ReadChannel[] {
  const first = rig.words[2 * (motion.trackPair + joint)]!;
  const second = rig.words[2 * (motion.trackPair + joint) + 1]!;
  const share = (bit: number) => 2 ** -((second >>> (16 + bit)) & 15);
  const found: ReadChannel[] = [];
  const add = (kind: ReadChannel['kind'], track: number, base: number, valueBit: number, rateBit: number) => {
    if (track === TRACK_NONE || track & TRACK_CONSTANT) return;
    const at = joint * POSE_STRIDE + POSE_OFFSETS[kind];
    const isRotation = kind === 'rotation';
    found.push({
      kind,
      isRotation,
      at,
      channel: base + track,
      valueShare: share(valueBit),
      rateShare: share(rateBit),
    });
  };
  add('rotation', first & 0xffff, 0, 0, 0);
  add('translation', first >>> 16, motion.translationBase, 4, 8);
  add('scale', second & 0xffff, motion.scaleBase, 12, 12);
  return found;
}
