import { fail } from '../../errors.ts';
import type { GroundField, PlaceInputs } from '../../frame/backend.ts';
import { Column, Word } from '../../frame/tables/column.ts';
import { Transform } from '../../stages/layout.ts';
import { MOVE_LIMIT } from '../../stages/shift-transforms/layout.ts';
import { shiftTransforms } from '../../stages/shift-transforms/reference.ts';
import type { Origin, CharacterTransform } from '../placement.ts';

/** Transforms from the CPU, relative to the crowd's origin, and a flag per character that follows the ground. */
export class Transforms {
  column: Column<(typeof Transform)['fields']>;
  #grounded: Column<typeof Word.fields>;
  /** Set only to restore a crowd: `moveOrigin` also shifts what is relative to it. */
  origin: Origin = [0, 0, 0];
  /** How the origin has moved since the last frame. */
  moves: readonly (readonly number[])[] = [];
  #ground: GroundField | undefined;
  #hasGrounded = false;

  /** @param moves Kernels move characters: an upload must not overwrite neighbours with the CPU's older transforms. */
  constructor(capacity: number, moves: boolean) {
    this.column = new Column(Transform, capacity, moves);
    this.#grounded = new Column(Word, Math.ceil(capacity / 32));
  }

  resize(capacity: number, moves: boolean): void {
    this.column = this.column.grown(capacity);
    if (moves) this.column.becomeExact();
    const words = Math.ceil(capacity / 32);
    this.#grounded = this.#grounded.grown(words);
    this.#grounded.changed(0, words); // kernels have new ones
  }

  renew(): void {
    this.#grounded.renew();
  }

  get ground(): GroundField | undefined {
    return this.#ground;
  }

  set ground(field: GroundField | undefined) {
    this.#ground = field;
    if (field) this.groundedBefore();
  }

  /** True if the present ground, or an earlier one, may have moved characters. */
  get hasGrounded(): boolean {
    return this.#hasGrounded;
  }

  /** Ground moves characters as root motion does, and has left them where they are once it is gone. */
  groundedBefore(): void {
    this.#hasGrounded = true;
    this.column.becomeExact();
  }

  /** Inputs of a frame. Takes the moves of the origin. */
  take(): PlaceInputs {
    const { moves } = this;
    this.moves = [];
    return { origin: this.origin, moves, ground: this.#ground, grounded: this.#grounded };
  }

  read(row: number, at: CharacterTransform): void {
    at.read(this.column.view, row, this.origin);
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT */
  write(row: number, at: CharacterTransform): void {
    at.write(this.column.view, row, this.origin);
    this.column.changed(row);
  }

  isGrounded(row: number): boolean {
    return ((this.#grounded.view.words[row >> 5]! >>> (row & 31)) & 1) === 1;
  }

  setGrounded(row: number, follows: boolean): void {
    const { words } = this.#grounded.view;
    const [word, bit] = [row >> 5, 1 << (row & 31)];
    const after = (follows ? words[word]! | bit : words[word]! & ~bit) >>> 0;
    if (after === words[word]) return;
    words[word] = after;
    this.#grounded.changed(word);
  }

  /** Moves the origin as near to a place as single precision can follow in one step; returns where it is. */
  moveOrigin(to: Origin, characterCount: number): Origin {
    const move = to.map((c, axis) => Math.fround(c - this.origin[axis]!));
    if (!move.every(Number.isFinite)) {
      fail('CROWD_BAD_ARGUMENT', 'moveOrigin', `${to.join(', ')} is too far for single precision.`);
    }
    if (move.every((c) => c === 0)) return this.origin;
    if (this.moves.length === MOVE_LIMIT) {
      const message = `Got ${MOVE_LIMIT + 1} calls without a frame.`;
      fail('CROWD_LIMIT', 'moveOrigin', message, 'Move it once a frame.');
    }
    this.moves = [...this.moves, move];
    this.origin = this.origin.map((c, axis) => c + move[axis]!) as [number, number, number];
    shiftTransforms(this.column.view, characterCount, [move]);
    return this.origin;
  }
}
