import type { AdapterDescription, DeviceKind } from '../device/adapter-kind.ts';
import { anything, exact, flag, integer, list, number, oneOf, optional, text, textUpTo } from '../forms/rules.ts';
import { estimate } from './statistics.ts';

/** The name under which Maniple's own figures are. Other subjects are baselines. */
export const MANIPLE = 'maniple';

/** Work of a stage, and the time for it. */
export interface BenchRow {
  readonly scene: string;
  /** Characters. */
  readonly count: number;
  /** Stage of the frame, `frame` for all of them, or `host` for the CPU's part. */
  readonly stage: string;
  /** Implementation: MANIPLE or a baseline's name. */
  readonly subject: string;
  /** Units of work of one frame. */
  readonly work: number;
  readonly unit: string;
  /** Median of one frame, and how far repeated measurements lie from it. */
  readonly milliseconds: number;
  readonly spread: number;
  /** Least bytes that the stage reads and writes: each value once, without tables that characters share. */
  readonly bytes?: number;
  /** The same for a plain read and write of that many bytes, between the same frames. */
  readonly floorMilliseconds?: number;
  readonly floorSpread?: number;
}

/** A scene that was not measured. */
export interface LeftOut {
  readonly scene: string;
  readonly count?: number;
  readonly reason: string;
}

/** Result of a run of the bench. Plain data. */
export interface BenchReport {
  readonly format: 'maniple-bench';
  readonly version: 1;
  /** Version of Maniple. */
  readonly maniple: string;
  readonly adapter: AdapterDescription;
  readonly kind: DeviceKind;
  /** False: the device has no timestamps, so only whole frames and the CPU were measured. */
  readonly hasTimestamps: boolean;
  /** Number of times that every scene was created and measured. Scenes may have one more. */
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly BenchRow[];
  readonly leftOut: readonly LeftOut[];
}

/** Name of an adapter: of the device, and of its driver where the adapter describes it. */
export function adapterTitle({ vendor, device, description }: AdapterDescription): string {
  const known = [...new Set([device, description])].filter((part) => part !== '');
  return known.join(', ') || vendor || 'unnamed adapter';
}

/** Time of the floor as a share of a row's time, in percent: 100 is as fast as its bytes allow. */
export function percentOfFloor({ milliseconds, floorMilliseconds }: BenchRow): number | undefined {
  if (floorMilliseconds === undefined || milliseconds === 0) return undefined;
  return (100 * floorMilliseconds) / milliseconds;
}

export function rowName({ scene, count, stage, subject }: BenchRow): string {
  return [scene, count, stage, subject].join(' ');
}

/** Description of a row, and its samples of one round. */
export interface Sampled extends Pick<BenchRow, 'scene' | 'count' | 'stage' | 'subject' | 'work' | 'unit'> {
  readonly bytes?: number | undefined;
  /** Milliseconds; one at least. */
  readonly samples: readonly number[];
  readonly floorSamples?: readonly number[] | undefined;
}

/** Collects samples over rounds. */
export class Samples {
  readonly #rounds = new Map<string, Sampled[]>();

  add(sampled: Sampled): void {
    if (sampled.samples.length === 0) return;
    const name = rowName(sampled as unknown as BenchRow);
    this.#rounds.set(name, [...(this.#rounds.get(name) ?? []), sampled]);
  }

  /** Rows in the order in which they were first added. Work and bytes are those of the last round. */
  rows(): BenchRow[] {
    return Array.from(this.#rounds.values(), (rounds): BenchRow => {
      const { samples: _, floorSamples, bytes, ...row } = rounds.at(-1)!;
      const time = estimate(rounds.map(({ samples }) => samples));
      const measured = { ...row, milliseconds: time.median, spread: time.spread };
      if (bytes === undefined || !floorSamples || floorSamples.length === 0) return measured;
      const floor = estimate(rounds.flatMap((round) => (round.floorSamples?.length ? [round.floorSamples] : [])));
      return { ...measured, bytes, floorMilliseconds: floor.median, floorSpread: floor.spread };
    });
  }
}

/** Rows of a report at most: what is compared is looked up row by row. */
const ROW_LIMIT = 4096;
const name = textUpTo(200);
const time = number(0);

const row = exact({
  scene: name,
  count: integer(0),
  stage: name,
  subject: name,
  work: number(0),
  unit: name,
  milliseconds: time,
  spread: time,
  bytes: optional(number(0)),
  floorMilliseconds: optional(time),
  floorSpread: optional(time),
});

/** Reads the output of `maniple bench --json`, which may also hold a comparison. */
export const reportRule = exact({
  format: oneOf('maniple-bench'),
  version: oneOf(1),
  maniple: name,
  adapter: exact({ vendor: text, architecture: text, device: text, description: text }),
  kind: oneOf('hardware', 'software', 'null'),
  hasTimestamps: flag,
  rounds: integer(0),
  seconds: number(0),
  rows: list(row, ROW_LIMIT),
  leftOut: list(exact({ scene: name, count: optional(integer(0)), reason: text }), ROW_LIMIT),
  comparison: optional(anything),
});
