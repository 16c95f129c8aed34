import { Column } from '../frame/column.ts';
import type { CrowdType } from '../frame/types.ts';
import { Resident, RESIDENT_NONE } from '../stages/layout.ts';

const ALL = 0xffffffff;

/** What the host says of each character beside its place and what plays on it. */
export class Residents {
  readonly column: Column<(typeof Resident)['fields']>;

  constructor(capacity: number) {
    this.column = new Column(Resident, capacity);
    this.column.view.words.fill(RESIDENT_NONE);
  }

  /** Somebody lives in a row, with all parts shown, and without a past in `frame`. */
  spawned(row: number, { index }: CrowdType, frame: number): void {
    const look = { leader: row, parts: [ALL, ALL], views: ALL, tint: ALL };
    this.column.view.assign(row, { typeIndex: index, freshFrame: frame, bornFrame: frame, ...look });
    this.column.changed(row);
  }

  left(row: number): void {
    this.column.view.set(row, 'typeIndex', RESIDENT_NONE);
    this.column.changed(row);
  }

  /** A bit per part that the character shows, in two words. */
  parts(row: number): readonly number[] {
    return this.column.view.get(row, 'parts');
  }

  setParts(row: number, parts: readonly [number, number]): void {
    this.column.view.set(row, 'parts', parts);
    this.column.changed(row);
  }

  /** In `frame` it has no motion but that of its transform. */
  forgetPast(row: number, frame: number): void {
    this.column.view.set(row, 'freshFrame', frame);
    this.column.changed(row);
  }

  /** Whoever's pose it shows is posed in `frame`, whatever its rate. */
  poseAgain(row: number, frame: number): void {
    this.forgetPast(this.column.view.get(row, 'leader'), frame);
  }
}
