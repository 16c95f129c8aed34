import { type Character, isCharacter } from '../asset/character.ts';
import { fail, quoted } from '../errors.ts';
import { emptyKernelState } from '../frame/kernel-state.ts';
import { refuseArgument } from './arguments.ts';
import type { Host } from './host.ts';
import type { HostWatcher, Reshaping } from './host-watcher.ts';
import type { CharacterId } from './ids.ts';
import { Looks } from './looks.ts';
import { checkShape, type CrowdOptions } from './options.ts';
import { crowdShape } from './shape.ts';
import { InputLog, type InputLogOptions } from './state/input-log.ts';
import { Keeper } from './state/keeper.ts';
import { loadRestorer } from './state/restorer.ts';
import type { CrowdSnapshot } from './state/snapshot.ts';
import { writeHostState } from './state/write-snapshot.ts';

/** What keeps a crowd beyond its frames: its whole state, saved. */
export abstract class Kept extends Looks {
  #keeper: Keeper | undefined;
  #options: CrowdOptions | undefined;
  /** All characters that it has ever had: a log may tell of those that are gone. */
  readonly #everyone = new Set<Character>();

  /** Ids of all who live, by their rows. */
  get ids(): readonly CharacterId[] {
    return this.host.living();
  }

  /**
   * Saves the whole state, as it stands now between two frames; it is read from the GPU meanwhile, and the crowd goes on.
   * `createCrowd(device, { …, from: snapshot })` goes on from there, with the same ids, on either backend. Vertices are not in
   * it: characters have no past in their first frame, and all are posed. Bytes per character and costs: docs/state.md.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN (a frame is encoded, and `submitted` not called), DEVICE_LOST
   */
  save(): Promise<CrowdSnapshot> {
    return this.#save((call) => this.host.tell(call));
  }

  /** @param tell Calls those that have to know of it. */
  async #save(tell: (call: (watcher: HostWatcher) => void) => void): Promise<CrowdSnapshot> {
    this.checkAlive();
    const { host } = this;
    checkClosed(host);
    const finish = writeHostState(host);
    const saved: ((snapshot: object) => void)[] = [];
    tell((watcher) => saved.push(watcher.saving()));
    const [kernels] = await Promise.all([host.backend.saveState(host.ids.used, host.sockets.used), loadRestorer()]);
    const snapshot = finish(kernels);
    for (const done of saved) done(snapshot);
    return snapshot;
  }

  /** The crowd is as it begins: keeps what brings it back. */
  protected keep({ from, ...options }: CrowdOptions): void {
    this.#options = options;
    for (const character of options.characters) this.#everyone.add(character);
    if (!options.snapshots) return;
    const { host } = this;
    const state = () => emptyKernelState(host.shape, { characterCount: 0, attachmentCount: 0 });
    this.#keeper = new Keeper(host, options.snapshots, from ?? writeHostState(host)(state()));
  }

  /** No frame is open. */
  protected closed(): void {
    // logs of others are not to depend on when this happens
    this.#keeper?.submitted((log) => this.#save((call) => call(log)));
  }

  /** @internal Everything that is done to it from now on. */
  recordInputs(options: InputLogOptions | undefined): InputLog {
    this.checkAlive();
    return new InputLog(this.host, options);
  }

  /** It goes on with another backend: what it is rebuilt as. */
  protected keepBackend(backend: 'gpu' | 'cpu'): void {
    this.#options = { ...this.#options!, backend };
  }

  /** @internal What is left of a crowd whose device is lost. */
  remains(): {
    readonly options: CrowdOptions;
    readonly last: Keeper['last'];
    readonly everyone: readonly Character[];
  } {
    this.checkAlive();
    return { options: this.#options!, last: this.#keeper?.last, everyone: [...this.#everyone] };
  }

  /** @internal What it could be created with now. */
  get options(): CrowdOptions {
    return { ...this.#options!, ...this.shapeOptions };
  }

  /** @internal */
  get shapeOptions(): Pick<CrowdOptions, 'characters' | 'capacity'> {
    const { ids, shape } = this.host;
    const { capacity } = ids;
    const { tables } = shape;
    return { characters: tables.types.map(({ character }) => character), capacity };
  }

  /**
   * Makes room for more characters, at once, with nothing lost: ids, groups and states stay, and last frame's picture until the next
   * frame, in which characters have no motion but that of their transforms. Takes new columns, to which the GPU copies the old
   * ones; those go with the next frame that somebody looks at. A renderer follows with its next picture.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_BAD_ARGUMENT (less than there is, more than 2²⁴), DEVICE_LIMIT
   */
  grow(capacity: number): void {
    const known = this.host.ids.capacity;
    if (capacity === known) return;
    if (!(typeof capacity === 'number' && capacity > known)) {
      fail(
        'CROWD_BAD_ARGUMENT',
        'capacity',
        `is ${quoted(capacity)}; the crowd has ${known}.`,
        'A crowd cannot shrink.',
      );
    }
    this.#reshape({ ...this.shapeOptions, capacity }, { kind: 'grow', capacity });
  }

  /**
   * Takes on another type of characters, at once: they can be spawned then. Creates the kernels that it needs and no other
   * had, which can take a moment. Motions are as in `grow`. A renderer has to be created anew.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_BAD_ARGUMENT (known already), CROWD_LIMIT, DEVICE_LIMIT
   */
  addCharacter(character: Character): void {
    const { characters, capacity } = this.shapeOptions;
    if (!isCharacter(character)) refuseArgument('character', character, 'a character, as loadCharacter loads them');
    if (characters.includes(character)) fail('CROWD_BAD_ARGUMENT', character.name, 'is in the crowd already.');
    this.#reshape({ characters: [...characters, character], capacity }, { kind: 'add', character });
  }

  /**
   * Gives up a type of which nobody lives, and its tables. Motions are as in `grow`.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_BAD_ARGUMENT (not there, the last, or somebody lives)
   */
  removeCharacter(character: Character): void {
    const { characters, capacity } = this.shapeOptions;
    const { ids, shape } = this.host;
    if (!isCharacter(character)) refuseArgument('character', character, 'a character of the crowd');
    const refuse = (why: string) => fail('CROWD_BAD_ARGUMENT', character.name, why);
    const type = shape.tables.types.find((known) => known.character === character);
    if (!type) return refuse('is not in the crowd.');
    if (characters.length === 1) refuse('is the only one; a crowd has one at least.');
    const count = this.ids.filter((id) => this.host.typeAt(ids.index(id)) === type).length;
    if (count > 0) refuse(`cannot go: ${count} of it live.`);
    const others = characters.filter((known) => known !== character);
    this.#reshape({ characters: others, capacity }, { kind: 'remove', index: type.index });
  }

  /** All or nothing. */
  #reshape(next: Pick<CrowdOptions, 'characters' | 'capacity'>, change: Reshaping): void {
    this.checkAlive();
    const { host } = this;
    checkClosed(host);
    const options = { ...this.options, ...next };
    checkShape(options);
    const shape = crowdShape(options, host.shape.kernels, host.shape.tables, host.shape.resources);
    const callbacks: ((change: Reshaping) => void)[] = [];
    host.tell((watcher) => callbacks.push(watcher.reshaping()));
    host.reshape(shape, host.backend.reshaped(shape, host.ids.used));
    for (const tell of callbacks) tell(change);
    if (change.kind === 'add') this.#everyone.add(change.character);
  }
}

/** Kernels and host agree on who lives only between frames. */
export function checkClosed(host: Host): void {
  expectBackend(host);
  const { openFrames } = host;
  if (openFrames === 0) return;
  const message = `${openFrames} frames are encoded and not known to be submitted.`;
  fail('CROWD_FRAME_OPEN', 'crowd', message, 'Submit them and call submitted() first.');
}

/** @throws ManipleError CROWD_SWITCHING */
export function expectBackend({ isSwitching }: Host): void {
  if (isSwitching) fail('CROWD_SWITCHING', 'crowd', 'goes over to its other backend.', 'Await setBackend() first.');
}
