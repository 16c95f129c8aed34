import type { Character } from '../character/character.ts';
import { expectObject, refuseArgument } from '../crowd/arguments.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import type { CrowdBudget } from '../crowd/options.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import { emptyKernelState } from '../frame/tables/kernel-state.ts';
import { fixedSeconds } from '../math/fixed.ts';
import { DEFAULT_LOG_BYTES, InputLog, type LogMark } from './input-log.ts';
import type { CrowdSnapshot } from './snapshot.ts';
import { takeSnapshot, writeHostState, writeWithoutKernels } from './write-snapshot.ts';
import type { ProviderResources } from '../stages/provider-resources.ts';
import { hasUpdates } from '../stages/providers.ts';
import { replayInputs } from './replay.ts';
import { restoreCrowd } from './restore.ts';

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
class AutoSnapshot {
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

/** Keepers of crowds' snapshots. */
const keepers = new WeakMap<Crowd, AutoSnapshot>();

/** Sets the keeper of a crowd's snapshots, and stops the one before. */
function setKept(crowd: Crowd, auto: AutoSnapshot): void {
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

/** Options for rebuilding a crowd on its new device. */
export interface RebuildOptions {
  /** Resources of providers on the new device. Those of the lost device are gone. */
  readonly providerResources?: ProviderResources;
  /** Its budget. Default: that of the lost crowd. */
  readonly budget?: CrowdBudget;
}

/** The crowd that replaces a lost one. */
export interface RebuiltCrowd {
  readonly crowd: Crowd;
  /**
   * 'snapshot': everything is as without the loss, from the last snapshot and the changes since. 'start': there was no
   * snapshot. Controllers start again. Root motion since the application last placed a character is lost.
   */
  readonly from: 'snapshot' | 'start';
  /** Frames that were run again. */
  readonly frames: number;
}

/**
 * Rebuilds a crowd on another device after its own was lost. Ids, clock, characters, parameters, clips and the joints
 * that the application sets stay the same. With `keepSnapshots` states do, too, and the vertices are as if nothing had
 * happened; the rebuilt crowd is kept with the same options. Listeners move to the new crowd and receive each event once.
 * Groups, attachments and renderers belong to one crowd: create them again with `crowd.group(ids)`,
 * `crowd.attachmentsOf(id)` and `createForwardRenderer`. The lost crowd is destroyed.
 *
 * Takes as long as creating a crowd, and the frames since the last snapshot. Only the last nine make poses, unless
 * something is attached or a vertex provider updates its rows.
 *
 * @param device Undefined for a crowd on the CPU that has none.
 * @throws ManipleError CROWD_DESTROYED, PROVIDER_RESOURCE (resources that are not given), DEVICE_LIMIT, DEVICE_LOST
 *   (the new one, too)
 */
export async function rebuildCrowd(
  lost: Crowd,
  device: GPUDevice | undefined,
  options: RebuildOptions = {},
): Promise<RebuiltCrowd> {
  expectCrowd(lost);
  expectObject('options', options);
  const { host, options: optionsOf } = internalsOf(lost);
  host.checkAlive();
  const created = optionsOf();
  const auto = keepers.get(lost);
  const last = auto?.last;
  // bound resources belong to the lost device
  const { providerResources: _, ...same } = created;
  const { providerResources, budget } = options;
  const { snapshot, characters, capacity } = last?.kept ?? { ...created, snapshot: writeWithoutKernels(host) };
  const again = {
    ...same,
    ...(providerResources && { providerResources }),
    ...(budget && { budget }),
    characters,
    capacity,
  };
  const crowd = await restoreCrowd(device, again, snapshot);
  const rebuilt = internalsOf(crowd).host;
  if (auto) {
    const next = new AutoSnapshot(rebuilt, auto.options);
    next.begin(snapshot);
    setKept(crowd, next);
  }
  rebuilt.events.takeOver(host.events);
  // updates of providers run in frames that are shown; attachments keep the pose in which their characters were last shown
  const shows = hasUpdates(created.providers ?? []) || lost.attachmentCount > 0 ? 'all' : 'last';
  try {
    const cast = { characters: last?.everyone ?? [], maxCapacity: lost.capacity, shows } as const;
    const frames = last ? await replayInputs(crowd, last.log, cast) : 0;
    lost.destroy();
    return { crowd, from: last ? 'snapshot' : 'start', frames };
  } catch (thrown) {
    host.events.takeOver(rebuilt.events); // for the next attempt
    crowd.destroy();
    throw thrown;
  }
}
