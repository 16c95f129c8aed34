import type { NamedColumn } from '../../frame/tables/named-columns.ts';

/** Floats that all named columns of a crowd may have per character, and letters of a name. */
export const [FLOAT_LIMIT, NAME_LENGTH] = [64, 64] as const;

/** Description of a column, without its rows. */
export type ColumnPlan = Omit<NamedColumn, 'words'>;

/** Returns true for names that WGSL allows. */
export function isColumnName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= NAME_LENGTH && /^[A-Za-z]\w*$/.test(name);
}
