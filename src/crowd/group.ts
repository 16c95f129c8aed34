import type { Character } from '../character/character.ts';
import { fail, quoted } from '../errors.ts';
import { expectFunction, expectList, refuseArgument } from './arguments.ts';
import type { Attachments, AttachOptions } from './attachments.ts';
import {
  type CrossFadeOptions,
  type PlayStateOptions,
  controllerOf,
  parameterIndex,
} from './rows/controller-inputs.ts';
import type { Crowd } from './crowd.ts';
import { GroupColumn, type ColumnOptions } from './character-column.ts';
import type { CharacterId } from './rows/ids.ts';
import type { TransformCallback } from './placement.ts';
import type { PlayOptions, PlayedClip } from './rows/players.ts';
import type { Tint } from './tint.ts';
import { internalsOf } from './internals.ts';
import type { CompiledController } from '../controller/compile.ts';

/** Rows of four floats that an array can be asked for. */
const MOST_ROWS = 2 ** 24;

/** Living characters of a group, as of a count of spawns and despawns. */
interface Members {
  readonly changes: number;
  readonly ids: readonly CharacterId[];
  rows?: readonly number[];
}

/**
 * Characters that were spawned together: a convenience over their ids. It contains only living characters, however the others were despawned: its `count`, its `ids`, and all calls for the whole group.
 *
 * An index always names the same character: 0 to `size` − 1 in spawn order, also after others were despawned. So arrays by index stay right. To name a character that was despawned is CROWD_BAD_ID.
 */
export class CharacterGroup {
  readonly #columns = new Map<string, GroupColumn>();
  #living: Members | undefined;
  #indexOf: Map<CharacterId, number> | undefined;

  /** @internal */
  constructor(
    readonly crowd: Crowd,
    readonly character: Character,
    /** By index: also of those that were despawned. @internal */
    readonly spawned: readonly CharacterId[],
  ) {}

  /** Characters of the group that live. */
  get count(): number {
    return this.ids.length;
  }

  /** Characters that it was made of: indices are below it. */
  get size(): number {
    return this.spawned.length;
  }

  /** Ids of those that live, in spawn order. A new list whenever some have gone. */
  get ids(): readonly CharacterId[] {
    const { changes } = internalsOf(this.crowd).host.ids;
    if (this.#living?.changes !== changes) {
      const known = this.#living?.ids ?? this.spawned;
      const ids = known.filter((id) => this.crowd.isAlive(id));
      this.#living = { ids: ids.length === known.length ? known : ids, changes };
    }
    return this.#living.ids;
  }

  /** Rows of living characters, in spawn order. @internal @throws ManipleError CROWD_DESTROYED */
  get rows(): readonly number[] {
    internalsOf(this.crowd).host.checkAlive();
    const { ids } = this;
    return (this.#living!.rows ??= ids.map((id) => internalsOf(this.crowd).host.ids.index(id)));
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT (the group has no such index), CROWD_BAD_ID (it was despawned) */
  id(index: number): CharacterId {
    const id = this.#spawnedAt(index);
    if (this.crowd.isAlive(id)) return id;
    return fail('CROWD_BAD_ID', 'group', `The character at index ${index} was despawned.`, 'Ask isAlive(index) first.');
  }

  /** Returns true if the character of an index lives. @throws ManipleError CROWD_BAD_ARGUMENT (the group has no such index) */
  isAlive(index: number): boolean {
    return this.crowd.isAlive(this.#spawnedAt(index));
  }

  /** Index of a character: what an event of it is about, say. −1 if it is not of the group, or was despawned. */
  indexOf(id: CharacterId): number {
    this.#indexOf ??= new Map(this.spawned.map((known, index) => [known, index]));
    return this.crowd.isAlive(id) ? (this.#indexOf.get(id) ?? -1) : -1;
  }

  /** Plays a clip on all, or on some, of the group; see `Crowd.play`. */
  play(clip: string | number, options: PlayOptions = {}, indices?: readonly number[]): void {
    this.crowd.play(this.#some(indices), clip, options);
  }

  /**
   * A parameter of the group's controller, as a column: `fill` for all, `set` for one, or write `values` (one per
   * index of the group) and say what changed. Errors as `Crowd.setParameter`.
   */
  parameter(name: string): ParameterColumn {
    return new ParameterColumn(this, name);
  }

  /** A column of floats per character, for shaders, of the group's characters in their order; see `Crowd.column`. */
  column(name: string, options?: ColumnOptions): GroupColumn {
    this.crowd.column(name, options);
    const column = this.#columns.get(name) ?? new GroupColumn(this, internalsOf(this.crowd).host.named.find(name)!);
    this.#columns.set(name, column);
    return column;
  }

  /** Sets a trigger on all, or on some, of the group; see `Crowd.trigger`. */
  trigger(name: string, indices?: readonly number[]): void {
    this.crowd.trigger(this.#some(indices), name);
  }

  resetTrigger(name: string, indices?: readonly number[]): void {
    this.crowd.resetTrigger(this.#some(indices), name);
  }

  /** Cuts to a state; see `Crowd.playState`. */
  playState(state: string, options: PlayStateOptions = {}, indices?: readonly number[]): void {
    this.crowd.playState(this.#some(indices), state, options);
  }

  /** Fades to a state; see `Crowd.crossFade`. */
  crossFade(state: string, options: CrossFadeOptions = {}, indices?: readonly number[]): void {
    this.crowd.crossFade(this.#some(indices), state, options);
  }

  /** Sets what plays, character by character; see `Crowd.setClips`. */
  setClips(choose: (index: number) => readonly PlayedClip[]): void {
    expectFunction('choose', choose);
    this.#each((id, index) => this.crowd.setClips(id, choose(index)));
  }

  /** Moves characters: the callback gets the transform of each and changes it; see `Crowd.setTransform`. */
  setTransform(callback: TransformCallback): void {
    expectFunction('callback', callback);
    this.#each((id, index) => this.crowd.setTransform(id, (at) => callback(index, at)));
  }

  /** Moves characters without a trace of where they were; see `Crowd.teleport`. */
  teleport(callback: TransformCallback, indices?: readonly number[]): void {
    expectFunction('callback', callback);
    const chosen = indices === undefined ? undefined : new Set(this.#some(indices));
    this.#each((id, index) => {
      if (!chosen || chosen.has(id)) this.crowd.teleport(id, (at) => callback(index, at));
    });
  }

  /** Colours all, or some, of the group; see `Crowd.setTint`. */
  setTint(color: Tint, indices?: readonly number[]): void {
    this.crowd.setTint(this.#some(indices), color);
  }

  /** Hides all, or some, of the group; see `Crowd.hide`. */
  hide(indices?: readonly number[]): void {
    this.crowd.hide(this.#some(indices));
  }

  /** Shows all, or some, of the group again; see `Crowd.show`. */
  show(indices?: readonly number[]): void {
    this.crowd.show(this.#some(indices));
  }

  /** Shows parts of all, or some, of the group: kit characters carry every weapon, and each shows the ones it uses. */
  showParts(name: string, indices?: readonly number[]): void {
    this.crowd.showParts(this.#some(indices), name);
  }

  /** Hides parts of all, or some, of the group; see `Crowd.hideParts`. */
  hideParts(name: string, indices?: readonly number[]): void {
    this.crowd.hideParts(this.#some(indices), name);
  }

  /** Switches a provider on or off for all, or some, of the group; see `Crowd.setProvider`. */
  setProvider(name: string, enabled: boolean, indices?: readonly number[]): void {
    this.crowd.setProvider(name, this.#some(indices), enabled);
  }

  /**
   * Writes what a provider has of each character: the callback fills its rows, which come as zeros. See
   * `Crowd.setProviderCharacterRows`.
   */
  setProviderRows(name: string, rowCount: number, fill: (index: number, rows: Float32Array) => void): void {
    expectFunction('fill', fill);
    if (!(Number.isInteger(rowCount) && rowCount >= 0 && rowCount <= MOST_ROWS)) {
      refuseArgument('rowCount', rowCount, `a whole number from 0 to ${MOST_ROWS}`);
    }
    this.#each((id, index) => {
      const rows = new Float32Array(4 * rowCount);
      fill(index, rows);
      this.crowd.setProviderCharacterRows(name, id, rows);
    });
  }

  /** Attaches one thing to each of the group; see `Crowd.attach`. The result has the group's indices. */
  attach(socket: string | number, options: AttachOptions = {}): Attachments {
    const { host, attach } = internalsOf(this.crowd);
    host.checkAlive();
    const rows = this.spawned.map((id) => (host.ids.isAlive(id) ? host.ids.index(id) : -1));
    return attach(rows, socket, options);
  }

  /** Removes all, or some, of the group. */
  despawn(indices?: readonly number[]): void {
    this.crowd.despawn(this.#some(indices));
  }

  #some(indices: readonly number[] | undefined): readonly CharacterId[] {
    if (indices === undefined) return this.ids;
    expectList('indices', indices);
    return indices.map((index) => this.id(index));
  }

  /** Calls for those that live, when it is their turn. */
  #each(call: (id: CharacterId, index: number) => void): void {
    this.spawned.forEach((id, index) => this.crowd.isAlive(id) && call(id, index));
  }

  #spawnedAt(index: number): CharacterId {
    const id = typeof index === 'number' ? this.spawned[index] : undefined;
    return (
      id ??
      fail('CROWD_BAD_ARGUMENT', 'group', `The group has ${this.size} characters; there is no index ${quoted(index)}.`)
    );
  }
}

/** One parameter of all characters of a group. */
export class ParameterColumn {
  readonly #group: CharacterGroup;
  readonly #name: string;
  readonly #controller: CompiledController;
  readonly #index: number;
  #values: Float32Array | undefined;

  /** @internal @throws ManipleError CROWD_BAD_ARGUMENT */
  constructor(group: CharacterGroup, name: string) {
    this.#group = group;
    this.#name = name;
    this.#controller = controllerOf(group);
    this.#index = parameterIndex(this.#controller, name, 'value');
  }

  /** Sets the parameter of one character of the group. @throws ManipleError CROWD_BAD_ID (it was despawned), CROWD_BAD_ARGUMENT */
  set(index: number, value: number | boolean): void {
    this.#group.crowd.setParameter(this.#group.id(index), this.#name, value);
  }

  /** Sets the parameter of all living characters of the group. */
  fill(value: number | boolean): void {
    const { rows, crowd } = this.#group;
    internalsOf(crowd).host.inputs.setAt(rows, this.#controller, this.#index, value);
  }

  /** The last value of one character; 0 or 1 for a bool. @throws ManipleError CROWD_BAD_ID (it was despawned) */
  get(index: number): number {
    return this.#group.crowd.getParameter(this.#group.id(index), this.#name);
  }

  /** A number per index of the group, yours to write; `changed` uploads them. Those of despawned characters are ignored. */
  get values(): Float32Array {
    const { crowd, spawned } = this.#group;
    return (this.#values ??= Float32Array.from(spawned, (id) =>
      crowd.isAlive(id) ? crowd.getParameter(id, this.#name) : 0,
    ));
  }

  /** `values` from … to − 1 have been written; default all. */
  changed(from = 0, to: number = this.#group.size): void {
    const { crowd, spawned } = this.#group;
    crowd.setParameters(spawned, this.#name, this.values, from, to);
  }
}
