import type { Character } from '../asset/character.ts';
import { fail } from '../errors.ts';
import { emptyKernelState } from '../frame/kernel-state.ts';
import { Controlled } from './controlled.ts';
import { frameSeconds } from './frame-options.ts';
import type { CharacterId } from './ids.ts';
import type { CrowdOptions } from './options.ts';
import { Keeper } from './state/keeper.ts';
import type { CrowdSnapshot } from './state/snapshot.ts';
import { writeHostState } from './state/write-snapshot.ts';

/** What keeps a crowd beyond its frames: its whole state, saved. */
export abstract class Kept extends Controlled {
  #keeper: Keeper | undefined;
  #options: CrowdOptions | undefined;

  /** @throws ManipleError CROWD_DESTROYED */
  protected abstract checkAlive(): void;

  /** Ids of all who live, by their rows. */
  get ids(): readonly CharacterId[] {
    return this.host.living();
  }

  /**
   * Saves the whole state, as it stands now between two frames; it is read from the GPU meanwhile, and the crowd goes on.
   * `createCrowd(device, { …, from: snapshot })` goes on from there, with the same ids, on either backend. Vertices are not in
   * it: characters have no past in their first frame. Bytes per character and costs: docs/state.md.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_BAD_ARGUMENT (timeScale), CROWD_FRAME_OPEN (a frame is encoded, and `submitted` not called), DEVICE_LOST
   */
  async save(): Promise<CrowdSnapshot> {
    this.checkAlive();
    const { host } = this;
    checkClosed(host.openFrames);
    frameSeconds(0, host.timeScale);
    const finish = writeHostState(host);
    const saved: ((snapshot: object) => void)[] = [];
    host.tell((watcher) => saved.push(watcher.saving()));
    const snapshot = finish(await host.backend.saveState(host.ids.used));
    for (const tell of saved) tell(snapshot);
    return snapshot;
  }

  /** The crowd is as it begins: keeps what brings it back. */
  protected keep({ from, ...options }: CrowdOptions): void {
    this.#options = options;
    if (!options.snapshots) return;
    const { host } = this;
    const state = () => emptyKernelState(host.shape.animators, 0, host.shape.controllers !== undefined);
    this.#keeper = new Keeper(host, options.snapshots, from ?? writeHostState(host)(state()));
  }

  /** No frame is open. */
  protected closed(): void {
    this.#keeper?.submitted(() => this.save());
  }

  /** @internal What is left of a crowd whose device is lost; no more events are taken from it. */
  remains(): { readonly options: CrowdOptions; readonly last: Keeper['last'] } {
    this.checkAlive();
    this.host.backend.onEvents = () => undefined;
    return { options: this.#options!, last: this.#keeper?.last };
  }

  /** @internal */
  get shapeOptions(): Pick<CrowdOptions, 'characters' | 'capacity'> {
    const { tables, capacity } = this.host.shape;
    return { characters: tables.types.map(({ character }) => character), capacity };
  }

  grow(_capacity: number): void {
    throw new Error('todo');
  }
  addCharacter(_character: Character): void {
    throw new Error('todo');
  }
  removeCharacter(_character: Character): void {
    throw new Error('todo');
  }
}

/** Kernels and host agree on who lives only between frames. */
function checkClosed(openFrames: number): void {
  if (openFrames === 0) return;
  const message = `${openFrames} frames are encoded and not known to be submitted.`;
  fail('CROWD_FRAME_OPEN', 'crowd', message, 'Submit them and call submitted() first.');
}
