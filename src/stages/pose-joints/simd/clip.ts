import {
  COVERS_ROTATION,
  COVERS_SCALE,
  COVERS_TRANSLATION,
  sampleLane,
} from '../../../character/format/clip-format.ts';
import { POSE_STRIDE } from '../../../character/evaluate.ts';
import type { MotionRecord } from '../../motion-record.ts';
import {
  CHANNEL_ROTATION,
  CHANNEL_SCALE,
  CHANNEL_TRANSLATION,
  ClipRows,
  LANE_PLACES,
  PLACE_CONSTANT,
  PLACE_NONE,
  type RowTable,
} from '../clip-rows.ts';
import { ROTATION, SCALE } from '../layer-sums.ts';
import { mirrorRotation, mirrorSample, mirrorTranslation } from '../mirror.ts';
import { maskWeight, mirroredLane, type Skeleton } from '../skeletons.ts';
import type { SimdMemory } from './memory.ts';

/** More than a segment has. */
const SEGMENT_SAMPLES = 4096;
const COVERS = [COVERS_ROTATION, COVERS_TRANSLATION, COVERS_SCALE] as const;

/** A translation or scale that a clip moves. */
interface Vector {
  readonly lane: number;
  readonly channel: number;
  /** Bytes from the start of a row. */
  readonly offset: number;
}

/** Sampled form: the sample at a position in a segment. Where codes have no bits, all samples of a segment begin at one pair of the rig. */
interface Row {
  readonly at: number;
  readonly segment: number;
  readonly position: number;
}

/**
 * A clip on a skeleton, mirrored or not, in the form that kernel.as describes: lists by mask, and rows. Constants and mirroring are in the
 * rows. Exact form has one row, which each motion samples again.
 */
export class SimdClip {
  readonly #memory: SimdMemory;
  readonly #skeleton: Skeleton;
  readonly #mirrorRow: number;
  readonly #isDifference: boolean;
  readonly #constantPair: number;
  readonly #bases: number;
  readonly #unitExponents: number;
  /** Undefined in exact form. */
  readonly #clip: ClipRows | undefined;
  /** COVERS_… of each lane. */
  readonly #covers: Uint8Array;
  readonly #vectors: readonly Vector[];
  readonly #rowBytes: number;
  readonly #unpacked: Float64Array;
  readonly #lists = new Map<number, number>();
  readonly #rows = new Map<number, Row>();
  /** Rows of samples that share a pair with an earlier sample, by segment and position. */
  readonly #sharedRows = new Map<number, Row>();
  readonly #rates = new Map<number, Row>();
  #exactRow = 0;

  constructor(memory: SimdMemory, table: RowTable, skeleton: Skeleton, motion: MotionRecord, isDifference: boolean) {
    this.#memory = memory;
    this.#skeleton = skeleton;
    this.#mirrorRow = motion.mirrorRow;
    this.#isDifference = isDifference;
    this.#constantPair = motion.constantPair;
    this.#bases = motion.bases;
    this.#unitExponents = motion.unitExponents;
    this.#clip = motion.exact ? undefined : new ClipRows(table, motion, skeleton.clipLaneCount);
    this.#unpacked = new Float64Array(this.#clip?.length ?? 0);
    this.#covers = Uint8Array.from(skeleton.clipLanes, (_, lane) => this.#coversOf(motion, lane));
    const first = 64 * Math.ceil(skeleton.laneCount / 4);
    const vectors: Vector[] = [];
    this.#covers.forEach((covers, lane) => {
      for (const channel of [CHANNEL_TRANSLATION, CHANNEL_SCALE]) {
        if (covers & COVERS[channel]!) vectors.push({ lane, channel, offset: first + 16 * vectors.length });
      }
    });
    this.#vectors = vectors;
    this.#rowBytes = first + 16 * vectors.length;
  }

  /** Returns true if this is what a motion of a layer plays. */
  isOf({ mirrorRow, constantPair, bases, unitExponents }: MotionRecord, isDifference: boolean): boolean {
    return (
      mirrorRow === this.#mirrorRow &&
      constantPair === this.#constantPair &&
      bases === this.#bases &&
      unitExponents === this.#unitExponents &&
      (mirrorRow < 0 || isDifference === this.#isDifference)
    );
  }

  /** Address of the list of what is moved. */
  list(maskPair: number): number {
    return this.#lists.get(maskPair) ?? this.#makeList(maskPair);
  }

  /** Rows of sampled form before the phase (side 0) and after it. */
  samples(motion: MotionRecord, side: 0 | 1): number {
    const pair = side === 0 ? motion.value1 : motion.rate0;
    const position = motion.basis[side];
    const row = this.#rows.get(pair);
    if (row && row.position === position && row.segment === motion.value0) return row.at;
    const key = row ? SEGMENT_SAMPLES * motion.value0 + position : pair;
    const rows = row ? this.#sharedRows : this.#rows;
    const known = rows.get(key);
    if (known) return known.at;
    this.#clip!.unpackSamples(motion, side, this.#unpacked);
    return this.#keep(rows, key, motion.value0, position, false);
  }

  /** Rows of packed form at both ends of the interval. */
  values({ value0, value1 }: MotionRecord, side: 0 | 1): number {
    const pair = side === 0 ? value0 : value1;
    const row = this.#rows.get(pair);
    if (row) return row.at;
    this.#clip!.unpackValues(pair, this.#unpacked);
    return this.#keep(this.#rows, pair, 0, 0, false);
  }

  rates({ rate0, rate1 }: MotionRecord, side: 0 | 1): number {
    const pair = side === 0 ? rate0 : rate1;
    const row = this.#rates.get(pair);
    if (row) return row.at;
    this.#clip!.unpackRates(pair, this.#unpacked);
    return this.#keep(this.#rates, pair, 0, 0, true);
  }

  /** A row of exact form, until the next call. */
  exact(motion: MotionRecord): number {
    const { rig, clipLanes } = this.#skeleton;
    if (this.#exactRow === 0) this.#exactRow = this.#memory.allocate(this.#rowBytes);
    const at = this.#exactRow;
    let next = 0;
    clipLanes.forEach((clipLane, lane) => {
      const covers = sampleLane(rig, motion, this.#sourceOf(lane), sample);
      if (this.#mirrorRow >= 0) mirrorSample(rig, this.#mirrorRow, clipLane, this.#isDifference, sample);
      for (let c = 0; c < 4; c++) q[c] = covers & COVERS_ROTATION ? sample[ROTATION + c]! : Number(c === 3);
      this.#storeRotation(at, lane);
      for (; this.#vectors[next]?.lane === lane; next++) {
        const { channel, offset } = this.#vectors[next]!;
        for (let c = 0; c < 3; c++) v[c] = sample[(channel === CHANNEL_SCALE ? SCALE : 0) + c]!;
        this.#storeVector(at + offset, 1);
      }
    });
    return at;
  }

  #sourceOf(lane: number): number {
    const { rig, clipLanes } = this.#skeleton;
    return this.#mirrorRow < 0 ? clipLanes[lane]! : mirroredLane(rig, this.#mirrorRow, clipLanes[lane]!);
  }

  #coversOf(motion: MotionRecord, lane: number): number {
    if (!this.#clip) return sampleLane(this.#skeleton.rig, motion, this.#sourceOf(lane), sample);
    const first = LANE_PLACES * this.#sourceOf(lane);
    return COVERS.reduce((bits, bit, channel) => {
      return (this.#clip!.places[first + channel] ?? PLACE_NONE) === PLACE_NONE ? bits : bits | bit;
    }, 0);
  }

  #makeList(maskPair: number): number {
    const { rig, clipLanes, laneCount } = this.#skeleton;
    const isMoved = (lane: number, channel: number) =>
      lane < laneCount &&
      maskWeight(rig, maskPair, clipLanes[lane]!) > 0 &&
      (this.#covers[lane]! & COVERS[channel]!) !== 0;
    const groupCount = Math.ceil(laneCount / 4);
    const at = this.#memory.allocate(16 + 32 * groupCount + 8 * this.#vectors.length);
    const { floats, words } = this.#memory;
    let to = at / 4 + 4;
    for (let group = 0; group < groupCount; group++) {
      const weights = [0, 1, 2, 3].map((c) => Number(isMoved(4 * group + c, CHANNEL_ROTATION)));
      if (!weights.includes(1)) continue;
      floats.set(weights, to);
      words[to + 4] = 64 * group;
      words[at / 4]!++;
      to += 8;
    }
    for (const { lane, channel, offset } of this.#vectors) {
      if (!isMoved(lane, channel)) continue;
      words[to++] = offset;
      words[to++] = 2 * lane + Number(channel === CHANNEL_SCALE);
      words[at / 4 + 1]!++;
    }
    this.#lists.set(maskPair, at);
    return at;
  }

  /** Keeps what was unpacked as a row. Returns its address. */
  #keep(rows: Map<number, Row>, pair: number, segment: number, position: number, isRate: boolean): number {
    const at = this.#memory.allocate(this.#rowBytes);
    rows.set(pair, { at, segment, position });
    const { rig, clipLanes } = this.#skeleton;
    const mirrorRow = this.#mirrorRow;
    clipLanes.forEach((clipLane, lane) => {
      q.fill(0);
      const isCovered = this.#read(lane, CHANNEL_ROTATION, isRate, q);
      if (!isCovered && !isRate) q[3] = 1;
      // a rate is a rotation vector in the joint's frame: it turns as a difference does
      if (isCovered && mirrorRow >= 0) mirrorRotation(rig, mirrorRow, clipLane, isRate || this.#isDifference, q);
      this.#storeRotation(at, lane);
    });
    for (const { lane, channel, offset } of this.#vectors) {
      this.#read(lane, channel, isRate, v);
      if (mirrorRow >= 0 && channel === CHANNEL_TRANSLATION) mirrorTranslation(rig, mirrorRow, clipLanes[lane]!, v);
      this.#storeVector(at + offset, isRate ? 0 : 1);
    }
    return at;
  }

  /** Reads a channel of a lane from what was unpacked, or its constant. Returns false if the clip does not move it. */
  #read(lane: number, channel: number, isRate: boolean, out: Float64Array): boolean {
    const { places, constants } = this.#clip!;
    const place = places[LANE_PLACES * this.#sourceOf(lane) + channel] ?? PLACE_NONE;
    if (place === PLACE_NONE) return false;
    const isConstant = place >= PLACE_CONSTANT;
    const count = channel === CHANNEL_ROTATION && !isRate ? 4 : 3;
    for (let c = 0; c < count; c++) {
      if (isConstant) out[c] = isRate ? 0 : constants[place - PLACE_CONSTANT + c]!;
      else out[c] = this.#unpacked[place + c]!;
    }
    return true;
  }

  /** Stores `q`. */
  #storeRotation(row: number, lane: number): void {
    const to = row / 4 + 16 * (lane >> 2) + (lane & 3);
    for (let c = 0; c < 4; c++) this.#memory.floats[to + 4 * c] = q[c]!;
  }

  /** Stores `v`. */
  #storeVector(at: number, last: number): void {
    this.#memory.floats.set(v, at / 4);
    this.#memory.floats[at / 4 + 3] = last;
  }
}

const q = new Float64Array(4);
const v = new Float64Array(3);
const sample = new Float64Array(POSE_STRIDE);

/** Clips of a skeleton. */
export class SimdClips {
  readonly #memory: SimdMemory;
  readonly #table: RowTable;
  readonly #skeleton: Skeleton;
  readonly #clips = new Map<number, SimdClip[]>();

  constructor(memory: SimdMemory, table: RowTable, skeleton: Skeleton) {
    this.#memory = memory;
    this.#table = table;
    this.#skeleton = skeleton;
  }

  /** The row and form that a motion plays. @param isDifference True for motions of an additive layer. */
  clip(motion: MotionRecord, isDifference: boolean): SimdClip {
    const known = this.#clips.get(motion.trackPair);
    if (known) {
      for (let i = 0; i < known.length; i++) if (known[i]!.isOf(motion, isDifference)) return known[i]!;
    }
    const clip = new SimdClip(this.#memory, this.#table, this.#skeleton, motion, isDifference);
    if (known) known.push(clip);
    else this.#clips.set(motion.trackPair, [clip]);
    return clip;
  }
}
