import { quoted } from '../errors.ts';
import { isColumnName, NAME_LENGTH, type ColumnPlan } from '../frame/tables/named-columns.ts';

/** Words of a record: size and, from bit 8 on, the length of the name; four floats of the default; the name, in ASCII. */
const [DEFAULT_WORD, NAME_WORD] = [1, 5] as const;
export const COLUMN_RECORD_WORDS: number = NAME_WORD + NAME_LENGTH / 4;

/** The description of a column, without its rows. */
export function columnRecord({ name, size, initial }: ColumnPlan): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(COLUMN_RECORD_WORDS);
  words[0] = size | (name.length << 8);
  new Float32Array(words.buffer).set(initial, DEFAULT_WORD);
  new Uint8Array(words.buffer).set(new TextEncoder().encode(name), 4 * NAME_WORD);
  return words;
}

/** Reads an untrusted record. */
export function readColumnRecord(words: ArrayLike<number>, refuse: (message: string) => never): ColumnPlan {
  const own = Uint32Array.from(words);
  const [size, length] = [own[0]! & 0xff, own[0]! >>> 8];
  if (size < 1 || size > 4 || length > NAME_LENGTH)
    refuse(`a column has ${size} floats and a name of ${length} letters`);
  const name = new TextDecoder().decode(new Uint8Array(own.buffer, 4 * NAME_WORD, length));
  if (!isColumnName(name)) refuse(`a column has the name ${quoted(name)}`);
  const initial = Array.from(new Float32Array(own.buffer, 4 * DEFAULT_WORD, size));
  if (!initial.every(Number.isFinite)) refuse(`the column ${quoted(name)} begins with ${initial.join(', ')}`);
  return { name, size, initial };
}
