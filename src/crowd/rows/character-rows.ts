import type { Character } from '../../character/character.ts';
import { listedByNearness, nameIndex } from '../../character/names.ts';
import { fail, quoted } from '../../errors.ts';
import { Column } from '../../frame/tables/column.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { Resident, RESIDENT_CARRIES, RESIDENT_NONE } from '../../stages/layout.ts';

const ALL = 0xffffffff;

export interface ResidentLook {
  readonly parts: readonly [number, number];
  readonly views: number;
  readonly tint: number;
}

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

  /** Makes room for more characters. */
  resize(capacity: number): void {
    const known = this.column.view.words.length;
    this.column = this.column.grown(capacity);
    this.column.view.words.fill(RESIDENT_NONE, known);
  }

  /** A character's type has another number. */
  renumber(row: number, { index }: CrowdType): void {
    if (this.column.view.get(row, 'typeIndex') === index) return;
    this.column.view.set(row, 'typeIndex', index);
    this.column.changed(row);
  }

  /** Adds a character to a row, with all parts shown, and without history in `frame`. */
  spawned(row: number, { index }: CrowdType, frame: number): void {
    const look = { leader: row, parts: [ALL, ALL], views: ALL, tint: ALL };
    this.column.view.assign(row, { typeIndex: index, freshFrame: frame, bornFrame: frame, ...look });
    this.column.changed(row);
  }

  left(row: number): void {
    this.#leave(row);
    for (const follower of this.#followersOf.get(row) ?? []) this.#point(follower, follower);
    this.#followersOf.delete(row);
    this.column.view.set(row, 'typeIndex', RESIDENT_NONE);
    this.column.changed(row);
  }

  /** A bit per part that the character shows, in two words. */
  parts(row: number): readonly [number, number] {
    return this.column.view.get(row, 'parts') as [number, number];
  }

  setParts(row: number, parts: readonly [number, number]): void {
    this.column.view.set(row, 'parts', parts);
    this.column.changed(row);
  }

  /** @param tint Linear RGBA, 8 bits each. */
  setTint(row: number, tint: number): void {
    this.column.view.set(row, 'tint', tint);
    this.column.changed(row);
  }

  /** True for a hidden character, which is in no view. */
  isHidden(row: number): boolean {
    return this.column.view.get(row, 'views') === 0;
  }

  setHidden(row: number, hidden: boolean): void {
    this.column.view.set(row, 'views', hidden ? 0 : ALL);
    this.column.changed(row);
  }

  /** Marks a character with or without attachments. */
  setCarries(row: number, carries: boolean): void {
    const { view } = this.column;
    const frame = view.get(row, 'bornFrame') & ~RESIDENT_CARRIES;
    view.set(row, 'bornFrame', (frame | (carries ? RESIDENT_CARRIES : 0)) >>> 0);
    this.column.changed(row);
  }

  /** Parts, views and tint of a character. */
  look(row: number): ResidentLook {
    const { view } = this.column;
    return { parts: this.parts(row), views: view.get(row, 'views'), tint: view.get(row, 'tint') };
  }

  setLook(row: number, look: ResidentLook): void {
    this.column.view.assign(row, look);
    this.column.changed(row);
  }

  /** In `frame` its pose has no history: it has no motion but that of its transform. */
  resetPoseHistory(row: number, frame: number): void {
    this.column.view.set(row, 'freshFrame', frame);
    this.column.changed(row);
  }

  /** In `frame` neither its transform nor its pose has a history. Characters that show its pose keep theirs. */
  resetHistory(row: number, frame: number): void {
    const { view } = this.column;
    const carries = view.get(row, 'bornFrame') & RESIDENT_CARRIES;
    view.set(row, 'bornFrame', (frame | carries) >>> 0);
    this.column.changed(row);
  }

  /** The pose that it shows is computed in `frame`, whatever the update rate. */
  poseAgain(row: number, frame: number): void {
    this.resetPoseHistory(this.leader(row), frame);
  }

  get hasFollowers(): boolean {
    return this.#leaderOf.size > 0;
  }

  /** True if other characters show a character's pose. */
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
    this.column.view.set(row, 'leader', leader);
    this.column.changed(row);
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
