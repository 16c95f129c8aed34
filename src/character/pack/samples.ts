import type { ClipModel, TrackModel } from '../model.ts';
import { sampleChannel, type Channel } from './channels.ts';
import type { Steps } from './steps.ts';
import { TrackReader } from './track-reader.ts';

/** A clip's source values at the times that packing uses: every key of every track, and points between. */
export interface ClipSamples {
  /** Ascending seconds from 0 to the duration. A jump has two samples: its value before, then after. */
  readonly times: Float64Array;
  /** Role of each sample: SAMPLE_KEY, SAMPLE_BETWEEN or SAMPLE_CHECK. */
  readonly kinds: Uint8Array;
  /** Runs of samples between jumps: [first, last] each. Within a run all channels are continuous. */
  readonly runs: readonly (readonly [number, number])[];
  /** Per channel, `width` numbers per sample; neighbouring quaternions of a run lie in one hemisphere. */
  readonly values: readonly Float32Array[];
}

/** A key of some track, or an end of the clip: the usual position of a knot. */
export const SAMPLE_KEY = 2;
/** A possible knot, used if the curve to the next key cannot be fitted in one piece. */
export const SAMPLE_BETWEEN = 1;
/** Used only for checks, so that every interval has a sample inside it. */
export const SAMPLE_CHECK = 0;

/** Possible knots between two keys: enough to follow a slerp's bend, and a cubic's bulge. */
const BETWEEN_LINEAR = 1;
const BETWEEN_CUBIC = 3;
const RADIANS_PER_STEP = 0.15;
const BETWEEN_LIMIT = 32;
/** Number of keys that one step processes. */
const KEYS_PER_STEP = 64;

/** All distinct key times of tracks within a clip's duration, with 0 and the duration; ascending. */
export function keyTimes(duration: number, tracks: readonly TrackModel[]): Float64Array {
  const times = new Set([0, duration]);
  for (const track of tracks) for (const t of track.times) if (t <= duration) times.add(t);
  return Float64Array.from(times).sort();
}

export function tracksOf(channels: readonly Channel[]): TrackModel[] {
  return channels.flatMap(({ parts }) => parts.map(({ track }) => track));
}

/** Key times at which a STEP channel jumps. */
export function jumpTimes(channels: readonly Channel[]): Set<number> {
  const jumps = new Set<number>();
  for (const { interpolation, times } of tracksOf(channels)) {
    if (interpolation === 'STEP') for (let k = 1; k < times.length; k++) jumps.add(times[k]!);
  }
  return jumps;
}

/** The samples of a clip. Undefined if there are more than `most`, which is found before values are read. */
export function* sampleClip(
  clip: ClipModel,
  channels: readonly Channel[],
  most: number,
): Steps<ClipSamples | undefined> {
  const keys = keyTimes(clip.duration, tracksOf(channels));
  if (2 * keys.length - 1 > most) return undefined;
  const jumps = jumpTimes(channels);
  const cubic = channels.some(({ parts }) => parts.some(({ track }) => track.interpolation === 'CUBICSPLINE'));
  const turns = new Turns(channels);
  const times: number[] = [];
  const kinds: number[] = [];
  const before: boolean[] = [];
  const runs: [number, number][] = [];
  let runStart = 0;
  for (let k = 0; k < keys.length; k++) {
    const time = keys[k]!;
    if (k > 0) {
      const least = cubic ? BETWEEN_CUBIC : BETWEEN_LINEAR;
      const between = Math.min(BETWEEN_LIMIT, Math.max(least, Math.ceil(turns.until(time) / RADIANS_PER_STEP)));
      // The middle of a straight line shows if it fits; a cubic needs three points to be determined.
      const checks = cubic ? 4 : 2;
      const steps = checks * (between + 1);
      for (let i = 1; i < steps; i++) {
        const kind = i % checks === 0 ? SAMPLE_BETWEEN : SAMPLE_CHECK;
        push(keys[k - 1]! + ((time - keys[k - 1]!) * i) / steps, kind, false);
      }
    }
    if (jumps.has(time)) {
      push(time, SAMPLE_KEY, true);
      runs.push([runStart, times.length - 1]);
      runStart = times.length;
    }
    push(time, SAMPLE_KEY, false);
    if (times.length > most) return undefined;
    if (k % KEYS_PER_STEP === 0) yield;
  }
  runs.push([runStart, times.length - 1]);
  function push(time: number, kind: number, isBefore: boolean): void {
    times.push(time);
    kinds.push(kind);
    before.push(isBefore);
  }
  const values: Float32Array[] = [];
  for (const channel of channels) {
    const out = new Float32Array(times.length * channel.width);
    const [part] = channel.parts;
    const reader = part?.count === channel.width ? new TrackReader(part.track) : undefined;
    const value = new Float64Array(4);
    for (let s = 0; s < times.length; s++) {
      if (reader && !before[s]) reader.read(times[s]!, value, 0);
      else sampleChannel(channel, times[s]!, before[s]!, value, 0);
      for (let c = 0; c < channel.width; c++) out[s * channel.width + c] = value[c]!;
    }
    if (channel.kind === 'rotation') runs.forEach(([first, last]) => alignRun(out, first, last));
    values.push(out);
    yield;
  }
  return { times: Float64Array.from(times), kinds: Uint8Array.from(kinds), runs, values };
}

/** Rotations at ascending times: the largest turn of any of them from one time to the next. */
class Turns {
  readonly #readers: TrackReader[];
  /** At the last time, four numbers each. */
  readonly #values: Float64Array;
  readonly #next = new Float64Array(4);

  /** Begins at time 0. A step jumps instead of turning. */
  constructor(channels: readonly Channel[]) {
    const turning = channels.filter(
      ({ kind, parts }) => kind === 'rotation' && parts[0]!.track.interpolation !== 'STEP',
    );
    this.#readers = turning.map(({ parts }) => new TrackReader(parts[0]!.track));
    this.#values = new Float64Array(4 * turning.length);
    this.#readers.forEach((reader, i) => reader.read(0, this.#values, 4 * i));
  }

  /** Radians of the largest turn since the last call. */
  until(time: number): number {
    const values = this.#values;
    const next = this.#next;
    let least = 1;
    for (let i = 0; i < this.#readers.length; i++) {
      const at = 4 * i;
      this.#readers[i]!.read(time, next, 0);
      let dot = 0;
      for (let c = 0; c < 4; c++) {
        dot += values[at + c]! * next[c]!;
        values[at + c] = next[c]!;
      }
      least = Math.min(least, Math.abs(dot));
    }
    return 2 * Math.acos(least);
  }
}

/** Negates quaternions, so that neighbouring ones lie in one hemisphere. */
export function alignRun(values: Float32Array | Float64Array, first: number, last: number): void {
  for (let s = first + 1; s <= last; s++) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += values[4 * s + c]! * values[4 * s - 4 + c]!;
    if (dot < 0) for (let c = 0; c < 4; c++) values[4 * s + c] = -values[4 * s + c]!;
  }
}
