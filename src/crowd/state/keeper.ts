import type { Character } from '../../asset/character.ts';
import { fixedSeconds } from '../../shaders/fixed.ts';
import type { Host } from '../host.ts';
import { DEFAULT_LOG_BYTES, InputLog, type LogMark } from './input-log.ts';
import type { CrowdSnapshot } from './snapshot.ts';

/** How a crowd is kept against the loss of its device. */
export interface KeepOptions {
  /** Seconds of the crowd's clock between snapshots; what has been done since the last one is replayed. */
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
export class Keeper {
  readonly #host: Host;
  readonly #every: bigint;
  readonly #logBytes: number;
  readonly #log: InputLog;
  #kept: Kept;
  /** One that is under way or has come, while events of before it have not. */
  #candidate: Kept | undefined;
  #isSaving = false;

  /** @param begin The state that the host is in. */
  constructor(host: Host, { everySeconds, logBytes = DEFAULT_LOG_BYTES }: KeepOptions, begin: CrowdSnapshot) {
    this.#host = host;
    this.#every = fixedSeconds(everySeconds);
    this.#logBytes = logBytes;
    this.#log = new InputLog(host, { maxBytes: logBytes });
    this.#kept = this.#stateOf(begin);
  }

  /** Bytes of host memory that it takes. */
  get byteLength(): number {
    return this.#kept.snapshot.byteLength + this.#log.byteLength;
  }

  /** No frame is open: a snapshot is begun if it is time for one. @param save Saves the crowd, and tells this log. */
  submitted(save: (log: InputLog) => Promise<CrowdSnapshot>): void {
    this.#promote();
    if (this.#isSaving || this.#candidate || !this.#isDue()) return;
    this.#isSaving = true;
    // what is known of the crowd at this moment, with the mark that saving makes
    const { characters, capacity } = this.#stateOf(undefined);
    save(this.#log)
      .then((snapshot) => {
        this.#candidate = { snapshot, characters, capacity, mark: this.#log.markOf(snapshot) };
        this.#promote();
      })
      .catch(() => undefined) // the device is lost, and the frames tell; or there will be another
      .finally(() => (this.#isSaving = false));
  }

  /** The last state and what has been done since; undefined when that was too much to be kept. */
  get last(): { readonly state: KeptState; readonly log: Uint8Array<ArrayBuffer> } | undefined {
    if (!this.#log.reaches(this.#kept.mark)) return undefined;
    const log = this.#log.bytesSince(this.#kept.mark);
    return { state: this.#kept, log };
  }

  /** Takes the new snapshot in place of the old, once nothing of before it is still to be told. */
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
