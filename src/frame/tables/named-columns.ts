import type { Column, Word } from './column.ts';

/** A column that an application has named: some floats for each row of a crowd. */
export interface NamedColumn {
  readonly name: string;
  /** Floats of a row: 1 to 4. */
  readonly size: number;
  /** Floats of a row that belongs to no character. A new character begins with them. */
  readonly initial: readonly number[];
  /** A word per float, row after row. */
  readonly words: Column<typeof Word.fields>;
}

/** Floats before the first column: the number of rows that each column has, then zeros. */
export const COLUMNS_HEAD = 4;

/** Floats that a row has in the columns before one. */
export function floatsBefore(columns: readonly Pick<NamedColumn, 'size'>[], index: number): number {
  return columns.slice(0, index).reduce((sum, { size }) => sum + size, 0);
}

/** Floats that all named columns of a crowd may have per character, and letters of a name. */
export const [FLOAT_LIMIT, NAME_LENGTH] = [64, 64] as const;

/** Description of a column, without its rows. */
export type ColumnPlan = Omit<NamedColumn, 'words'>;

/** Returns true for names that WGSL allows. */
export function isColumnName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= NAME_LENGTH && /^[A-Za-z]\w*$/.test(name);
}
