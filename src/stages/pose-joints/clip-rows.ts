import type { RigTable } from '../../character/format/clip-format.ts';
import { TRACK_CONSTANT, TRACK_NONE } from '../../character/format/rig-layout.ts';
import { readSamples } from '../../character/format/sampled-form.ts';
import { unpackFixed3, unpackQuaternion } from '../../math/packing.ts';
import type { MotionRecord } from '../motion-record.ts';

/**
 * Rows of packed and sampled clips, unpacked once and kept. Characters that play a clip read the same few rows in every frame,
 * and unpacking a rotation costs more than blending it. Numbers are those of `sampleLane`, bit by bit.
 *
 * A row holds all animated channels of a clip at one knot, or at one sample: four numbers per rotation, then three per
 * translation or scale, lane after lane. Rows of rates hold three numbers in the same places.
 */

/** Bytes of rows that are kept per rig table. Beyond them, all rows are unpacked again. */
export const KEPT_ROW_BYTES: number = 2 ** 25;

/** Channels of a lane, in the order of its pose. */
export const CHANNEL_ROTATION = 0;
export const CHANNEL_TRANSLATION = 1;
export const CHANNEL_SCALE = 2;
/** Places of a lane: one per channel. */
export const LANE_PLACES = 3;
/** The clip does not move this channel. */
export const PLACE_NONE = -1;
/** Added to places among the constants. */
export const PLACE_CONSTANT: number = 2 ** 24;

/** A channel that changes with time. */
interface AnimatedChannel {
  readonly place: number;
  readonly isRotation: boolean;
  /** Index in a packed row. */
  readonly channel: number;
  readonly unit: number;
  readonly rateUnit: number;
}

interface Row {
  readonly values: Float64Array;
  /** Sampled form: the segment, and the position in it. */
  readonly segment: number;
  readonly position: number;
}

/** The rows of one clip. */
export class ClipRows {
  /** Places in a row, LANE_PLACES per lane; PLACE_NONE; PLACE_CONSTANT + place in `constants`. */
  readonly places: Int32Array;
  readonly constants: Float64Array;
  readonly #table: RowTable;
  readonly #constantPair: number;
  readonly #bases: number;
  readonly #unitExponents: number;
  readonly #channels: AnimatedChannel[] = [];
  /** Numbers in a row. */
  readonly length: number;
  readonly #rows = new Map<number, Row>();
  readonly #rates = new Map<number, Row>();

  constructor(table: RowTable, motion: MotionRecord, laneCount: number) {
    this.#table = table;
    this.#constantPair = motion.constantPair;
    this.#bases = motion.bases;
    this.#unitExponents = motion.unitExponents;
    this.places = new Int32Array(LANE_PLACES * laneCount).fill(PLACE_NONE);
    const constants: number[] = [];
    let length = 0;
    for (const channel of [CHANNEL_ROTATION, CHANNEL_TRANSLATION, CHANNEL_SCALE]) {
      for (let lane = 0; lane < laneCount; lane++) length += this.#place(motion, lane, channel, length, constants);
    }
    this.length = length;
    this.constants = Float64Array.from(constants);
  }

  /** Returns true if these are the rows of a motion's clip. */
  isOf({ constantPair, bases, unitExponents }: MotionRecord, laneCount: number): boolean {
    return (
      constantPair === this.#constantPair &&
      bases === this.#bases &&
      unitExponents === this.#unitExponents &&
      this.places.length >= LANE_PLACES * laneCount
    );
  }

  /** Values of a packed clip at the start of an interval (side 0) or its end (1). */
  values({ value0, value1 }: MotionRecord, side: 0 | 1): Float64Array {
    const pair = side === 0 ? value0 : value1;
    const known = this.#rows.get(pair);
    if (known) return known.values;
    const { values } = this.#newRow(this.#rows, pair, 0, 0);
    this.unpackValues(pair, values);
    return values;
  }

  /** Rates at both sides: of rotations half the angular velocity, in the joint's own frame. */
  rates({ rate0, rate1 }: MotionRecord, side: 0 | 1): Float64Array {
    const pair = side === 0 ? rate0 : rate1;
    const known = this.#rates.get(pair);
    if (known) return known.values;
    const { values } = this.#newRow(this.#rates, pair, 0, 0);
    this.unpackRates(pair, values);
    return values;
  }

  /** Values of a sampled clip at the samples before (side 0) and after the phase. */
  samples(motion: MotionRecord, side: 0 | 1): Float64Array {
    const pair = side === 0 ? motion.value1 : motion.rate0;
    const row = this.#rows.get(pair);
    const position = motion.basis[side];
    // where codes have no bits, all samples of a segment begin at one pair
    if (row && row.position === position && row.segment === motion.value0) return row.values;
    const { values } = this.#newRow(this.#rows, pair, motion.value0, position);
    this.unpackSamples(motion, side, values);
    return values;
  }

  /** Gives a channel of a lane its place. Returns the numbers that it takes in a row. */
  #place(motion: MotionRecord, lane: number, channel: number, length: number, constants: number[]): number {
    const { words } = this.#table.rig;
    const [first, second] = [words[2 * (motion.trackPair + lane)]!, words[2 * (motion.trackPair + lane) + 1]!];
    const track =
      channel === CHANNEL_TRANSLATION ? first >>> 16 : (channel === CHANNEL_ROTATION ? first : second) & 0xffff;
    if (track === TRACK_NONE) return 0;
    const at = LANE_PLACES * lane + channel;
    const own = channelOf(motion, channel, track, second >>> 16);
    if (track & TRACK_CONSTANT) {
      this.places[at] = PLACE_CONSTANT + constants.length;
      const pair = motion.constantPair + (track & ~TRACK_CONSTANT);
      const value = [0, 0, 0];
      if (own.isRotation) unpackQuaternion(words[2 * pair]!, words[2 * pair + 1]!, value);
      else unpackFixed3(words[2 * pair]!, words[2 * pair + 1]!, own.unit, value);
      constants.push(...value);
      return 0;
    }
    this.places[at] = length;
    this.#channels.push({ place: length, ...own });
    return own.isRotation ? 4 : 3;
  }

  /** Writes the row of values at a pair of the rig. */
  unpackValues(pair: number, out: Float64Array): void {
    const { words } = this.#table.rig;
    for (const { place, isRotation, channel, unit } of this.#channels) {
      const at = 2 * (pair + channel);
      if (isRotation) unpackQuaternion(words[at]!, words[at + 1]!, out, place);
      else unpackFixed3(words[at]!, words[at + 1]!, unit, out, place);
    }
  }

  /** Writes the row of rates at a pair of the rig. */
  unpackRates(pair: number, out: Float64Array): void {
    const { words } = this.#table.rig;
    for (const { place, isRotation, channel, rateUnit } of this.#channels) {
      const at = 2 * (pair + channel);
      unpackFixed3(words[at]!, words[at + 1]!, isRotation ? rateUnit / 2 : rateUnit, out, place);
    }
  }

  /** Writes the row of the sample before the phase (side 0) or after it. */
  unpackSamples(motion: MotionRecord, side: 0 | 1, out: Float64Array): void {
    for (const { place, isRotation, channel } of this.#channels) {
      readSamples(this.#table.rig, motion, channel, isRotation, sample, 0, side);
      for (let c = 0; c < (isRotation ? 4 : 3); c++) out[place + c] = sample[4 * side + c]!;
    }
  }

  #newRow(rows: Map<number, Row>, pair: number, segment: number, position: number): Row {
    this.#table.keep(8 * this.length);
    const row = { values: new Float64Array(this.length), segment, position };
    rows.set(pair, row);
    return row;
  }

  get byteLength(): number {
    return 8 * this.length * (this.#rows.size + this.#rates.size);
  }

  clear(): void {
    this.#rows.clear();
    this.#rates.clear();
  }
}

const sample = new Float64Array(8);

/** A channel of a lane as rows have it. @param shifts Of the lane's units, four bits each: see LaneTracks. */
function channelOf(
  motion: MotionRecord,
  channel: number,
  track: number,
  shifts: number,
): Omit<AnimatedChannel, 'place'> {
  const halved = (unit: number, shift: number) => unit * 2 ** -(shift & 15);
  if (channel === CHANNEL_ROTATION) {
    return { isRotation: true, channel: track, unit: 0, rateUnit: halved(motion.rotationRateUnit, shifts) };
  }
  const isScale = channel === CHANNEL_SCALE;
  return {
    isRotation: false,
    channel: (isScale ? motion.scaleBase : motion.translationBase) + track,
    unit: isScale ? halved(motion.scaleUnit, shifts >> 12) : halved(motion.translationUnit, shifts >> 4),
    rateUnit: isScale ? halved(motion.scaleRateUnit, shifts >> 12) : halved(motion.translationRateUnit, shifts >> 8),
  };
}

/** Rows of all clips of a rig table. */
export class RowTable {
  readonly rig: RigTable;
  readonly #clips = new Map<number, ClipRows>();
  #revision: number;
  #bytes = 0;
  readonly #limit: number;

  constructor(rig: RigTable, limit = KEPT_ROW_BYTES) {
    this.rig = rig;
    this.#revision = rig.revision;
    this.#limit = limit;
  }

  /** Bytes of the rows that are kept. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** @param laneCount Lanes of the clip that are asked for. */
  clip(motion: MotionRecord, laneCount: number): ClipRows {
    if (this.#revision !== this.rig.revision) this.#forget();
    const known = this.#clips.get(motion.trackPair);
    if (known?.isOf(motion, laneCount)) return known;
    const clip = new ClipRows(this, motion, laneCount);
    if (known) this.#bytes -= known.byteLength;
    this.#clips.set(motion.trackPair, clip);
    return clip;
  }

  /** Counts the bytes of a row that is about to be kept. */
  keep(bytes: number): void {
    if (this.#bytes + bytes > this.#limit) {
      for (const clip of this.#clips.values()) clip.clear();
      this.#bytes = 0;
    }
    this.#bytes += bytes;
  }

  /** Clips have arrived later. */
  #forget(): void {
    this.#clips.clear();
    this.#bytes = 0;
    this.#revision = this.rig.revision;
  }
}
