import { fail, quoted } from '../../errors.ts';
import { Column, Word } from '../../frame/tables/column.ts';
import { floatsBefore, type NamedColumn, FLOAT_LIMIT, type ColumnPlan } from '../../frame/tables/named-columns.ts';

/** A column with rows that move when the crowd grows. */
interface GrowingColumn extends NamedColumn {
  words: NamedColumn['words'];
}

/** Rows of the columns that an application has named. Rows without a character hold the column's default. */
export class NamedColumns {
  #list: readonly GrowingColumn[] = [];

  /** In the order in which they were made, which stays. */
  get list(): readonly NamedColumn[] {
    return this.#list;
  }

  find(name: string): NamedColumn | undefined {
    return this.#list.find((column) => column.name === name);
  }

  /** A column of `rowCount` rows; `add` it once there is memory for it. @throws ManipleError CROWD_LIMIT */
  create({ name, size, initial }: ColumnPlan, rowCount: number): NamedColumn {
    const floats = floatsBefore(this.#list, this.#list.length) + size;
    if (floats > FLOAT_LIMIT) {
      const message = `With ${quoted(name)} all columns have ${floats} floats per character; the limit is ${FLOAT_LIMIT}.`;
      fail('CROWD_LIMIT', 'column', message, 'Use fewer or smaller columns.');
    }
    const column = { name, size, initial, words: new Column(Word, rowCount * size) };
    fillRows(column, 0, rowCount);
    return column;
  }

  add(column: NamedColumn): void {
    this.#list = [...this.#list, column];
  }

  resize(rowCount: number): void {
    for (const column of this.#list) {
      const known = column.words.view.count / column.size;
      column.words = column.words.grown(rowCount * column.size);
      fillRows(column, known, rowCount);
    }
  }

  /** A row has no character, or a new one. */
  reset(row: number): void {
    for (const column of this.#list) {
      if (writeRow(column, row, column.initial, 0)) column.words.changed(row * column.size, (row + 1) * column.size);
    }
  }
}

export interface WrittenRows {
  readonly from: number;
  readonly to: number;
  /** The row of each character; −1 for none. */
  readonly rowAt: (index: number) => number;
  readonly values: ArrayLike<number>;
  /** Where its floats begin among the values. */
  readonly floatAt: (index: number) => number;
}

/** Writes rows. Rows that hold these floats already have not changed. */
export function writeRows(column: NamedColumn, { from, to, rowAt, values, floatAt }: WrittenRows): void {
  const { size, words } = column;
  // rows that follow each other are one change
  let [first, end] = [0, 0];
  const flush = () => words.changed(first * size, end * size);
  for (let index = from; index < to; index++) {
    const row = rowAt(index);
    if (row < 0 || !writeRow(column, row, values, floatAt(index))) continue;
    if (row !== end) {
      flush();
      first = row;
    }
    end = row + 1;
  }
  flush();
}

/** @returns Returns true if the row held other floats. */
function writeRow({ size, words }: NamedColumn, row: number, values: ArrayLike<number>, from: number): boolean {
  const { floats } = words.view;
  const first = row * size;
  let differs = false;
  for (let i = 0; i < size; i++) {
    const value = Math.fround(values[from + i]!);
    differs ||= !Object.is(floats[first + i], value);
    floats[first + i] = value;
  }
  return differs;
}

function fillRows({ size, initial, words }: NamedColumn, from: number, to: number): void {
  const { floats } = words.view;
  for (let i = from * size; i < to * size; i++) floats[i] = initial[i % size]!;
}
