import type { NamedColumn } from '../frame/named-columns.ts';

/** Floats that all named columns of a crowd may have per character, and letters of a name. */
export const [FLOAT_LIMIT, NAME_LENGTH] = [64, 64] as const;

/** What a column is, apart from its rows. */
export type ColumnPlan = Omit<NamedColumn, 'words'>;

/** Whether WGSL can name a column so. */
export function isColumnName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= NAME_LENGTH && /^[A-Za-z]\w*$/.test(name);
}
