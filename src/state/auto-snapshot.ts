import type { Character } from '../character/character.ts';
import { fixedSeconds } from '../math/fixed.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { DEFAULT_LOG_BYTES, InputLog, type LogMark } from './input-log.ts';
import type { CrowdSnapshot } from './snapshot.ts';

/** How a crowd is protected against the loss of its device. */
export interface KeepOptions {
  /** Seconds of the crowd's clock between snapshots. Changes since the last one are replayed. */
  readonly everySeconds: number;
  /** Bytes of inputs that are kept since then; default 64 MiB. A snapshot is taken early when half of them are full. */
  readonly logBytes?: number;
}

/** A state, and what a crowd needs to begin from it. */
export interface KeptState {
  readonly snapshot: CrowdSnapshot;
  readonly characters: readonly Character[];
  readonly capacity: number;
}

type Kept = KeptState & { readonly mark: LogMark };

/** Keeps the last snapshot of a crowd and what was done to it since then. */
export class AutoSnapshot {
  readonly #host: CrowdState;
  readonly #every: bigint;
  readonly #logBytes: number;
  readonly #log: InputLog;
  #kept: Kept;
  /** The next snapshot, while events from before it are still to be delivered. */
  #candidate: Kept | undefined;
  #isSaving = false;

  /** @param begin The state that the host is in. */
  constructor(host: CrowdState, { everySeconds, logBytes = DEFAULT_LOG_BYTES }: KeepOptions, begin: CrowdSnapshot) {
    this.#host = host;
    this.#every = fixedSeconds(everySeconds);
    this.#logBytes = logBytes;
    this.#log = new InputLog(host, { maxBytes: logBytes });
    this.#kept = this.#stateOf(begin);
  }

  /** Bytes of CPU memory in use. */
  get byteLength(): number {
    return this.#kept.snapshot.byteLength + this.#log.byteLength;
  }

  /**
   * Begins a snapshot if one is due. No frame is open at this moment.
   * @param save Saves the crowd and sets a mark in this log.
   */
  submitted(save: (log: InputLog) => Promise<CrowdSnapshot>): void {
    this.#promote();
    if (this.#isSaving || this.#candidate || !this.#isDue()) return;
    this.#isSaving = true;
    // the crowd at this moment, with the mark that saving makes
    const { characters, capacity } = this.#stateOf(undefined);
    save(this.#log)
      .then((snapshot) => {
        this.#candidate = { snapshot, characters, capacity, mark: this.#log.markOf(snapshot) };
        this.#promote();
      })
      .catch(() => undefined) // a lost device is reported by the frames; else another snapshot follows
      .finally(() => (this.#isSaving = false));
  }

  /** The last state and the changes since then. Undefined if those exceeded the log's limit. */
  get last(): { readonly state: KeptState; readonly log: Uint8Array<ArrayBuffer> } | undefined {
    if (!this.#log.reaches(this.#kept.mark)) return undefined;
    const log = this.#log.bytesSince(this.#kept.mark);
    return { state: this.#kept, log };
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
    if (!this.#log.isComplete || this.#log.byteLength > this.#logBytes / 2) return true;
    return this.#host.time - this.#kept.snapshot.clock >= this.#every;
  }

  #stateOf(snapshot: CrowdSnapshot): Kept;
  #stateOf(snapshot: undefined): Omit<KeptState, 'snapshot'>;
  #stateOf(snapshot: CrowdSnapshot | undefined): object {
    const { ids, shape } = this.#host;
    const { capacity } = ids;
    const { tables } = shape;
    const characters = tables.types.map(({ character }) => character);
    return snapshot ? { snapshot, characters, capacity, mark: this.#log.mark() } : { characters, capacity };
  }
}
