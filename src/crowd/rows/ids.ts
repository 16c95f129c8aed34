import { fail, quoted } from '../../errors.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { expectList } from '../arguments.ts';

/** Names a character for as long as it lives; a despawned character's id is never valid again. */
export type CharacterId = number;

/** Several characters, or one. */
export type CharacterIds = CharacterId | readonly CharacterId[];

/** Characters of one type, by their rows. */
export interface Section {
  readonly type: CrowdType;
  readonly rows: readonly number[];
}

export interface Living {
  readonly id: CharacterId;
  readonly row: number;
  readonly type: CrowdType;
}

const INDEX_BITS = 24;
const INDICES = 2 ** INDEX_BITS;
/** Characters that one crowd can hold. */
export const CAPACITY_LIMIT: number = INDICES;

/** Rows of the crowd's columns, handed out with generations so that an old id never reaches a new character. */
export class IdRegistry {
  #generations = new Float64Array();
  #alive = new Uint8Array();
  #free: number[] = [];
  /** Per row, the last call of `indices` that it was part of. */
  #asked = new Uint32Array();
  #calls = 0;
  #end = 0;
  /** How often a row was handed out or taken back. */
  changes = 0;

  constructor(capacity: number) {
    this.grow(capacity);
  }

  get capacity(): number {
    return this.#alive.length;
  }

  grow(capacity: number): void {
    const [generations, alive] = [this.#generations, this.#alive];
    this.#generations = new Float64Array(capacity);
    this.#generations.set(generations);
    this.#alive = new Uint8Array(capacity);
    this.#alive.set(alive);
    this.#asked = new Uint32Array(capacity);
    this.#calls = 0;
  }

  /** Rows that are free again, in the order in which they became so: the last is taken first. */
  get freed(): readonly number[] {
    return this.#free;
  }

  generation(index: number): number {
    return this.#generations[index]!;
  }

  lives(index: number): boolean {
    return this.#alive[index] === 1;
  }

  /** Takes on what another registry knew: generations of all rows in use, and those of them that are free. */
  restore(generations: ArrayLike<number>, freed: ArrayLike<number>): void {
    this.#end = generations.length;
    this.#generations.set(generations);
    this.#free = Array.from(freed);
    this.#alive.fill(1, 0, this.#end);
    for (const row of this.#free) this.#alive[row] = 0;
  }

  get free(): number {
    return this.capacity - this.#end + this.#free.length;
  }

  /** Number of rows that have ever had a character: the first ones. */
  get used(): number {
    return this.#end;
  }

  idOf(index: number): CharacterId {
    return this.#generations[index]! * INDICES + index;
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT for an invalid count, CROWD_FULL where fewer rows are free */
  expectRoom(count: number): void {
    if (!Number.isInteger(count) || count < 0)
      fail('CROWD_BAD_ARGUMENT', 'spawn', `Got ${quoted(count)} for count.`, 'Use a whole number of 0 or more.');
    if (count <= this.free) return;
    const message = `${count} more characters; ${this.free} of ${this.capacity} places are free.`;
    fail('CROWD_FULL', 'spawn', message, 'Create the crowd with a larger capacity.');
  }

  take(): CharacterId {
    const index = this.#free.pop() ?? this.#end++;
    this.changes++;
    this.#alive[index] = 1;
    return this.#generations[index]! * INDICES + index;
  }

  /** Takes a row back; ids of it are dead from now on. */
  give(index: number): void {
    this.#alive[index] = 0;
    this.changes++;
    this.#generations[index]!++;
    this.#free.push(index);
  }

  isAlive(id: CharacterId): boolean {
    if (typeof id !== 'number') return false;
    const index = id % INDICES;
    return this.#alive[index] === 1 && this.#generations[index] === Math.floor(id / INDICES);
  }

  /** The characters' rows, each once. @throws ManipleError CROWD_BAD_ID when one does not live */
  indices(ids: CharacterIds): number[] {
    if (typeof ids === 'number') return [this.index(ids)];
    expectList('ids', ids);
    this.#calls = (this.#calls + 1) >>> 0 || 1;
    const rows: number[] = [];
    for (const id of ids) {
      const row = this.index(id);
      if (this.#asked[row] !== this.#calls) rows.push(row);
      this.#asked[row] = this.#calls;
    }
    return rows;
  }

  /** The character's row. @throws ManipleError CROWD_BAD_ID when it does not live. */
  index(id: CharacterId): number {
    if (this.isAlive(id)) return id % INDICES;
    const message = `No character has the id ${quoted(id)}.`;
    return fail('CROWD_BAD_ID', 'crowd', message, 'It was despawned, or is of another crowd.');
  }
}
