import type { Character } from '../../character/character.ts';
import { listedByNearness, nameIndex } from '../../character/names.ts';
import { fail, quoted } from '../../errors.ts';
import { Column, type RowValues } from '../../frame/tables/column.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { Resident, RESIDENT_CARRIES, RESIDENT_NONE } from '../../stages/layout.ts';

const ALL = 0xffffffff;

/** Type, parts, views, tint, history and pose source of each character. */
export class CharacterRows {
  column: Column<(typeof Resident)['fields']>;

  /** Pose source of each follower, and followers of each pose source, by row. */
  readonly #leaderOf = new Map<number, number>();
  readonly #followersOf = new Map<number, Set<number>>();

  constructor(capacity: number) {
    this.column = new Column(Resident, capacity);
    this.column.view.words.fill(RESIDENT_NONE);
  }

  resize(capacity: number): void {
    const known = this.column.view.words.length;
    this.column = this.column.grown(capacity);
    this.column.view.words.fill(RESIDENT_NONE, known);
  }

  /** A character's type has another number. */
  renumber(row: number, { index }: CrowdType): void {
    if (this.column.view.get(row, 'typeIndex') !== index) this.set(row, { typeIndex: index });
  }

  set(row: number, values: RowValues<(typeof Resident)['fields']>): void {
    this.column.view.assign(row, values);
    this.column.changed(row);
  }

  /** Adds a character to a row, with all parts shown, and without history in `frame`. */
  spawned(row: number, { index }: CrowdType, frame: number): void {
    const look = { leader: row, parts: [ALL, ALL], views: ALL, tint: ALL };
    this.set(row, { typeIndex: index, freshFrame: frame, bornFrame: frame, ...look });
  }

  left(row: number): void {
    this.#leave(row);
    for (const follower of this.#followersOf.get(row) ?? []) this.#point(follower, follower);
    this.#followersOf.delete(row);
    this.set(row, { typeIndex: RESIDENT_NONE });
  }

  /** A bit per part that the character shows, in two words. */
  parts(row: number): readonly [number, number] {
    return this.column.view.get(row, 'parts') as [number, number];
  }

  isHidden(row: number): boolean {
    return this.column.view.get(row, 'views') === 0;
  }

  setHidden(row: number, hidden: boolean): void {
    this.set(row, { views: hidden ? 0 : ALL });
  }

  setCarries(row: number, carries: boolean): void {
    const frame = this.column.view.get(row, 'bornFrame') & ~RESIDENT_CARRIES;
    this.set(row, { bornFrame: (frame | (carries ? RESIDENT_CARRIES : 0)) >>> 0 });
  }

  /** In `frame` neither its transform nor its pose has a history. Characters that show its pose keep theirs. */
  resetHistory(row: number, frame: number): void {
    const carries = this.column.view.get(row, 'bornFrame') & RESIDENT_CARRIES;
    this.set(row, { bornFrame: (frame | carries) >>> 0 });
  }

  /** The pose that it shows is computed in `frame`, whatever the update rate. */
  poseAgain(row: number, frame: number): void {
    this.set(this.leader(row), { freshFrame: frame });
  }

  get hasFollowers(): boolean {
    return this.#leaderOf.size > 0;
  }

  isFollowed(row: number): boolean {
    return this.#followersOf.has(row);
  }

  /** Pose source of a character; by default itself. */
  leader(row: number): number {
    return this.#leaderOf.get(row) ?? row;
  }

  /** A character shows the pose of another one of its type from now on, or its own again. Its followers change with it. */
  follow(row: number, leader: number): void {
    const head = this.leader(leader);
    if (this.leader(row) === head) return;
    this.#leave(row);
    if (head === row) {
      this.#point(row, row);
      return;
    }
    const group = this.#followersOf.get(head) ?? new Set();
    this.#followersOf.set(head, group);
    for (const member of [row, ...(this.#followersOf.get(row) ?? [])]) {
      group.add(member);
      this.#point(member, head);
    }
    this.#followersOf.delete(row);
  }

  #leave(row: number): void {
    const leader = this.#leaderOf.get(row);
    if (leader === undefined) return;
    const group = this.#followersOf.get(leader)!;
    group.delete(row);
    if (group.size === 0) this.#followersOf.delete(leader);
    this.#leaderOf.delete(row);
  }

  #point(row: number, leader: number): void {
    if (leader === row) this.#leaderOf.delete(row);
    else this.#leaderOf.set(row, leader);
    this.set(row, { leader });
  }
}

/** Bits of all parts of a name, in two words. @throws ManipleError CROWD_BAD_ARGUMENT, with the nearest names */
export function partMask({ name: character, parts }: Character, name: string): [number, number] {
  const found = parts[nameIndex(parts, name)];
  if (found === undefined) {
    const suggestion = `The nearest of its ${parts.length} parts: ${listedByNearness(parts, name)}.`;
    fail('CROWD_BAD_ARGUMENT', character, `There is no part ${quoted(name)}.`, suggestion);
  }
  const mask: [number, number] = [0, 0];
  parts.forEach((part, bit) => {
    if (part === found) mask[bit >> 5]! |= 1 << (bit & 31);
  });
  return mask;
}

/** Which characters have been through a frame: until then nothing of theirs can be read back. */
export class PendingRows {
  /** By row, the frame before the first one: of those that no frame has stepped yet, and of those that none has shown. */
  readonly #unstepped = new Map<number, number>();
  readonly #unseen = new Map<number, number>();

  spawned(row: number, frame: number): void {
    for (const waiting of [this.#unstepped, this.#unseen]) {
      // to the end: rows are in the order of their frames
      waiting.delete(row);
      waiting.set(row, frame);
    }
  }

  /** A restored character, which earlier frames have stepped; no new frame has shown it. */
  restored(row: number, frame: number): void {
    this.#unseen.delete(row);
    this.#unseen.set(row, frame);
  }

  left(row: number): void {
    this.#unstepped.delete(row);
    this.#unseen.delete(row);
  }

  /** A frame has been submitted. */
  submitted(frame: number, seen: boolean): void {
    for (const waiting of seen ? [this.#unstepped, this.#unseen] : [this.#unstepped]) {
      for (const [row, before] of waiting) {
        if (before >= frame) break;
        waiting.delete(row);
      }
    }
  }

  isStepped(row: number): boolean {
    return !this.#unstepped.has(row);
  }

  isSeen(row: number): boolean {
    return !this.#unseen.has(row);
  }
}
