import { NAME_LENGTH, type ColumnPlan } from '../crowd/rows/column-plan.ts';

/** Words of a record: size and, from bit 8 on, the length of the name; four floats of the default; the name, in ASCII. */
export const [DEFAULT_WORD, NAME_WORD] = [1, 5] as const;
export const COLUMN_RECORD_WORDS: number = NAME_WORD + NAME_LENGTH / 4;

/** The description of a column, without its rows. */
export function columnRecord({ name, size, initial }: ColumnPlan): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(COLUMN_RECORD_WORDS);
  words[0] = size | (name.length << 8);
  new Float32Array(words.buffer).set(initial, DEFAULT_WORD);
  new Uint8Array(words.buffer).set(new TextEncoder().encode(name), 4 * NAME_WORD);
  return words;
}
