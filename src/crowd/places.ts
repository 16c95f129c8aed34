import { fail } from '../errors.ts';
import type { GroundField, PlaceInputs } from '../frame/backend.ts';
import { Column, Word } from '../frame/column.ts';
import { Transform } from '../stages/layout.ts';
import { MOVE_LIMIT } from '../stages/shift-transforms/layout.ts';
import { shiftTransforms } from '../stages/shift-transforms/reference.ts';
import type { Origin, Placement } from './placement.ts';

/** Where the host has placed characters, seen from the crowd's origin, and who of them follows the ground. */
export class Places {
  readonly column: Column<(typeof Transform)['fields']>;
  readonly #grounded: Column<typeof Word.fields>;
  #origin: Origin = [0, 0, 0];
  #moves: (readonly number[])[] = [];
  ground: GroundField | undefined;

  /** @param exact What the host knew of its neighbours must not be written over where characters move by themselves. */
  constructor(capacity: number, exact: boolean | undefined) {
    this.column = new Column(Transform, capacity, exact);
    this.#grounded = new Column(Word, Math.ceil(capacity / 32));
  }

  get origin(): Origin {
    return this.#origin;
  }

  /** What a frame is told; the origin's moves are its own. */
  take(): PlaceInputs {
    const moves = this.#moves;
    this.#moves = [];
    return { origin: this.#origin, moves, ground: this.ground, grounded: this.#grounded };
  }

  read(row: number, at: Placement): void {
    at.read(this.column.view, row, this.#origin);
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT */
  write(row: number, at: Placement): void {
    at.write(this.column.view, row, this.#origin);
    this.column.changed(row);
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
    const move = to.map((c, axis) => Math.fround(c - this.#origin[axis]!));
    if (!move.every(Number.isFinite)) {
      fail('CROWD_BAD_ARGUMENT', 'moveOrigin', `${to.join(', ')} is no place that single precision reaches.`);
    }
    if (move.every((c) => c === 0)) return this.#origin;
    if (this.#moves.length === MOVE_LIMIT) {
      const message = `was called ${MOVE_LIMIT + 1} times without a frame.`;
      fail('CROWD_LIMIT', 'moveOrigin', message, 'Move it once a frame.');
    }
    this.#moves.push(move);
    this.#origin = this.#origin.map((c, axis) => c + move[axis]!) as [number, number, number];
    shiftTransforms(this.column.view, characterCount, [move]);
    return this.#origin;
  }
}
