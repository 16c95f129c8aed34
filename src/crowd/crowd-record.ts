import type { Character } from '../character/character.ts';
import { emptyKernelState } from '../frame/tables/kernel-state.ts';
import type { ChangeWatcher } from './changes.ts';
import type { CrowdState } from './crowd-state.ts';
import type { CrowdOptions } from './options.ts';
import { InputLog, type InputLogOptions } from '../state/input-log.ts';
import { AutoSnapshot } from '../state/auto-snapshot.ts';
import type { CrowdSnapshot } from '../state/snapshot.ts';
import { writeHostState } from '../state/write-snapshot.ts';

/** Input of `rebuildCrowd`: the remains of a crowd after its device was lost. */
export interface CrowdRemains {
  readonly options: CrowdOptions;
  /** The last periodic snapshot, and the changes since then. */
  readonly last: AutoSnapshot['last'];
  /** All characters that the crowd has ever had: a log may name removed ones. */
  readonly everyone: readonly Character[];
}

/** Options that a crowd was created with, its snapshots and its logs. */
export class CrowdRecord {
  readonly #host: CrowdState;
  #options: CrowdOptions;
  readonly #characters: Set<Character>;
  readonly #keeper: AutoSnapshot | undefined;

  constructor(host: CrowdState, { from, ...options }: CrowdOptions) {
    this.#host = host;
    this.#options = options;
    this.#characters = new Set(options.characters);
    if (!options.snapshots) return;
    const state = () => emptyKernelState(host.shape, { characterCount: 0, attachmentCount: 0 });
    this.#keeper = new AutoSnapshot(host, options.snapshots, from ?? writeHostState(host)(state()));
  }

  /** Options that would create the crowd as it is now. */
  get options(): CrowdOptions {
    const { ids, shape } = this.#host;
    const characters = shape.tables.types.map(({ character }) => character);
    return { ...this.#options, characters, capacity: ids.capacity };
  }

  get remains(): CrowdRemains {
    return { options: this.#options, last: this.#keeper?.last, everyone: [...this.#characters] };
  }

  setBackend(backend: 'gpu' | 'cpu'): void {
    this.#options = { ...this.#options, backend };
  }

  addCharacter(character: Character): void {
    this.#characters.add(character);
  }

  save(): Promise<CrowdSnapshot> {
    return this.#save((call) => this.#host.tell(call));
  }

  log(options: InputLogOptions | undefined): InputLog {
    return new InputLog(this.#host, options);
  }

  /** Every encoded frame has been submitted. */
  submitted(): void {
    // other logs must not depend on when a periodic snapshot is taken
    this.#keeper?.submitted((log) => this.#save((call) => call(log)));
  }

  /** @param tell Calls the watchers that the snapshot concerns. */
  async #save(tell: (call: (watcher: ChangeWatcher) => void) => void): Promise<CrowdSnapshot> {
    const host = this.#host;
    host.expectClosed();
    const finish = writeHostState(host);
    const callbacks: ((snapshot: object) => void)[] = [];
    tell((watcher) => callbacks.push(watcher.saving()));
    const snapshot = finish(await host.backend.saveState(host.ids.used, host.sockets.used));
    for (const done of callbacks) done(snapshot);
    return snapshot;
  }
}
