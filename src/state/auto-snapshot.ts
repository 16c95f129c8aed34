import type { Character } from '../character/character.ts';
import { expectObject, refuseArgument } from '../crowd/arguments.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import { emptyKernelState } from '../frame/tables/kernel-state.ts';
import { fixedSeconds } from '../math/fixed.ts';
import { DEFAULT_LOG_BYTES, InputLog, type LogMark } from './input-log.ts';
import type { CrowdSnapshot } from './snapshot.ts';
import { takeSnapshot, writeHostState } from './write-snapshot.ts';

/** How a crowd is protected against the loss of its device. */
export interface KeepOptions {
  /** Seconds of the crowd's clock between snapshots. Changes since the last one are replayed. */
  readonly intervalSeconds: number;
  /** Bytes of inputs that are kept since then; default 64 MiB. A snapshot is taken early when half of them are full. */
  readonly maxLogBytes?: number;
}

/** A state, what a crowd needs to begin from it, and its place in the log. */
interface Kept {
  readonly snapshot: CrowdSnapshot;
  readonly characters: readonly Character[];
  readonly capacity: number;
  readonly mark: LogMark;
}

/** Keeps the last snapshot of a crowd and what was done to it since then. */
export class AutoSnapshot {
  readonly #host: CrowdState;
  readonly #interval: bigint;
  readonly #maxLogBytes: number;
  readonly #log: InputLog;
  readonly #unwatch: () => void;
  #kept: Kept | undefined;
  /** The next snapshot, while events from before it are still to be delivered. */
  #candidate: Kept | undefined;
  #isSaving = false;

  /** @throws ManipleError CROWD_BAD_ARGUMENT */
  constructor(
    host: CrowdState,
    readonly options: KeepOptions,
  ) {
    expectObject('options', options);
    const { intervalSeconds, maxLogBytes = DEFAULT_LOG_BYTES } = options;
    if (!(typeof intervalSeconds === 'number' && intervalSeconds >= 0 && intervalSeconds < 2 ** 31))
      refuseArgument('intervalSeconds', intervalSeconds, '0 seconds or more, below 2³¹');
    this.#host = host;
    this.#interval = fixedSeconds(intervalSeconds);
    this.#maxLogBytes = maxLogBytes;
    this.#log = new InputLog(host, { maxLogBytes });
    this.#unwatch = host.watch({ submitted: () => this.#submitted() });
  }

  /** Begins with a snapshot of the current state. */
  begin(snapshot: CrowdSnapshot): void {
    this.#kept = { ...this.#cast(), snapshot, mark: this.#log.mark() };
  }

  /** Takes a snapshot of the current state. @throws ManipleError CROWD_FRAME_OPEN, CROWD_SWITCHING, DEVICE_LOST */
  async save(): Promise<void> {
    const cast = this.#cast(); // at this moment, as the mark that saving makes
    this.#isSaving = true;
    try {
      // other logs must not depend on when a periodic snapshot is taken
      const snapshot = await takeSnapshot(this.#host, (call) => call(this.#log));
      const next = { ...cast, snapshot, mark: this.#log.markOf(snapshot) };
      if (this.#kept) this.#candidate = next;
      else this.#kept = next;
      this.#promote();
    } finally {
      this.#isSaving = false;
    }
  }

  /**
   * The last state, the changes since then, and all characters that these name. Undefined if the changes exceeded the
   * log's limit.
   */
  get last(): { kept: Kept; log: Uint8Array<ArrayBuffer>; everyone: readonly Character[] } | undefined {
    const kept = this.#kept;
    if (!kept || !this.#log.reaches(kept.mark)) return undefined;
    return { kept, log: this.#log.bytesSince(kept.mark), everyone: [...this.#log.characters] };
  }

  stop(): void {
    this.#unwatch();
    this.#log.stop();
  }

  /** Begins a snapshot if one is due. No frame is open at this moment. */
  #submitted(): void {
    this.#promote();
    if (this.#isSaving || this.#candidate || !this.#isDue()) return;
    // a lost device is reported by the frames; else another snapshot follows
    this.save().catch(() => undefined);
  }

  /** Replaces the old snapshot by the new one, once all events from before it are delivered. */
  #promote(): void {
    const candidate = this.#candidate;
    if (!candidate || !this.#host.hasToldEvents(candidate.snapshot.frame)) return;
    this.#candidate = undefined;
    if (!this.#log.reaches(candidate.mark)) return;
    this.#kept = candidate;
    this.#log.dropBefore(candidate.mark);
  }

  #isDue(): boolean {
    if (!this.#kept || !this.#log.isComplete || this.#log.byteLength > this.#maxLogBytes / 2) return true;
    return this.#host.time - this.#kept.snapshot.clock >= this.#interval;
  }

  #cast(): Pick<Kept, 'characters' | 'capacity'> {
    const { ids, shape } = this.#host;
    return { characters: shape.tables.types.map(({ character }) => character), capacity: ids.capacity };
  }
}

const keepers = new WeakMap<Crowd, AutoSnapshot>();

/** Keeper of a crowd's snapshots; undefined if `keepSnapshots` was never called for it. */
export function keptOf(crowd: Crowd): AutoSnapshot | undefined {
  return keepers.get(crowd);
}

/** Sets the keeper of a crowd's snapshots, and stops the one before. */
export function setKept(crowd: Crowd, auto: AutoSnapshot): void {
  keepers.get(crowd)?.stop();
  keepers.set(crowd, auto);
}

/**
 * Keeps a snapshot of a crowd, and what was done since then, so that `rebuildCrowd` loses nothing with a device. Takes the
 * first snapshot at the call and others while the crowd runs. A later call replaces the options. Memory: a copy of the
 * CPU's columns, the snapshot and the log; what a snapshot costs: docs/state.md.
 *
 * @returns Resolves with the first snapshot. A crowd that never had characters has it at once.
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, CROWD_FRAME_OPEN (a frame is encoded, and `submitted` not
 *   called), CROWD_SWITCHING, DEVICE_LOST
 */
export async function keepSnapshots(crowd: Crowd, options: KeepOptions): Promise<void> {
  expectCrowd(crowd);
  const { host } = internalsOf(crowd);
  host.checkAlive();
  host.expectClosed();
  const auto = new AutoSnapshot(host, options);
  try {
    if (host.ids.used > 0) await auto.save();
    // kernels have no state yet
    else auto.begin(writeHostState(host)(emptyKernelState(host.shape, { characterCount: 0, attachmentCount: 0 })));
  } catch (thrown) {
    auto.stop();
    throw thrown;
  }
  setKept(crowd, auto);
}
