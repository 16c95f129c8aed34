import type { Character } from '../asset/character.ts';
import { fail, quoted } from '../errors.ts';
import { expectFunction, expectList, refuseArgument } from './arguments.ts';
import type { Attachments, AttachOptions } from './attachments.ts';
import type { CrossFadeOptions, PlayStateOptions } from './animators.ts';
import type { Crowd } from './crowd.ts';
import { GroupColumn, type ColumnOptions } from './character-column.ts';
import type { CharacterId } from './ids.ts';
import { ParameterColumn } from './parameter-column.ts';
import type { PlaceCallback } from './placement.ts';
import type { PlayOptions, PlayedClip } from './playback.ts';
import type { Tint } from './tint.ts';

/** Rows of four floats that an array can be asked for. */
const MOST_ROWS = 2 ** 24;

/**
 * Characters that were spawned together: a convenience over their ids. Indices count from 0 in spawn order. What is
 * meant for all of a group passes those by that were despawned; to name one of them is CROWD_BAD_ID.
 */
export class Group {
  readonly #columns = new Map<string, GroupColumn>();

  constructor(
    readonly crowd: Crowd,
    readonly character: Character,
    readonly ids: readonly CharacterId[],
  ) {}

  get count(): number {
    return this.ids.length;
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT when the group has no such index. */
  id(index: number): CharacterId {
    const id = typeof index === 'number' ? this.ids[index] : undefined;
    return (
      id ?? fail('CROWD_BAD_ARGUMENT', 'group', `has ${this.count} characters; there is no index ${quoted(index)}.`)
    );
  }

  /** Plays a clip on all, or on some, of the group; see `Crowd.play`. */
  play(clip: string | number, options: PlayOptions = {}, indices?: readonly number[]): void {
    this.crowd.play(this.#some(indices), clip, options);
  }

  /**
   * A parameter of the group's controller, as a column: `fill` for all, `set` for one, or write `values` (one per
   * character of the group, in order) and say what changed. Errors as `Crowd.setParameter`.
   */
  parameter(name: string): ParameterColumn {
    return new ParameterColumn(this, name);
  }

  /** A column of floats per character, for shaders, of the group's characters in their order; see `Crowd.column`. */
  column(name: string, options?: ColumnOptions): GroupColumn {
    this.crowd.column(name, options);
    const column = this.#columns.get(name) ?? new GroupColumn(this, this.crowd.host.named.find(name)!);
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

  /** Goes over to a state; see `Crowd.crossFade`. */
  crossFade(state: string, options: CrossFadeOptions = {}, indices?: readonly number[]): void {
    this.crowd.crossFade(this.#some(indices), state, options);
  }

  /** Sets what plays, character by character; see `Crowd.motions`. */
  motions(choose: (index: number) => readonly PlayedClip[]): void {
    expectFunction('choose', choose);
    this.#living((id, index) => this.crowd.motions(id, choose(index)));
  }

  /** Moves characters: the callback finds where each stands and leaves where it shall; see `Crowd.place`. */
  place(callback: PlaceCallback): void {
    expectFunction('callback', callback);
    this.#living((id, index) => this.crowd.place(id, (at) => callback(index, at)));
  }

  /** Moves characters without a trace of where they were; see `Crowd.teleport`. */
  teleport(callback: PlaceCallback, indices?: readonly number[]): void {
    expectFunction('callback', callback);
    const chosen = indices && new Set(this.#some(indices));
    this.#living((id, index) => {
      if (!chosen || chosen.has(id)) this.crowd.teleport(id, (at) => callback(index, at));
    });
  }

  /** Colours all, or some, of the group; see `Crowd.setTint`. */
  tint(color: Tint, indices?: readonly number[]): void {
    this.crowd.setTint(this.#some(indices), color);
  }

  /** Parts by name: kit characters carry every weapon, and each shows the ones it uses; see `Crowd.showParts`. */
  parts(name: string): { hide(indices?: readonly number[]): void; show(indices?: readonly number[]): void } {
    return {
      hide: (indices) => this.crowd.showParts(this.#some(indices), name, false),
      show: (indices) => this.crowd.showParts(this.#some(indices), name, true),
    };
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
    this.#living((id, index) => {
      const rows = new Float32Array(4 * rowCount);
      fill(index, rows);
      this.crowd.setProviderCharacterRows(name, id, rows);
    });
  }

  /** Attaches one thing to each of the group; see `Crowd.attach`. `indices` stand in the group's order. */
  attach(socket: string | number, options: AttachOptions = {}): Attachments {
    return this.crowd.attachLiving(this.ids, socket, options);
  }

  /** Removes all, or some, of the group. */
  despawn(indices?: readonly number[]): void {
    this.crowd.despawn(this.#some(indices));
  }

  #some(indices: readonly number[] | undefined): CharacterId[] {
    if (indices !== undefined) expectList('indices', indices);
    return indices ? indices.map((index) => this.id(index)) : this.ids.filter((id) => this.crowd.isAlive(id));
  }

  #living(each: (id: CharacterId, index: number) => void): void {
    this.ids.forEach((id, index) => this.crowd.isAlive(id) && each(id, index));
  }
}
