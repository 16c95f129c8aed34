import { CHANGES, type Change, type ChangeRow, type FieldValues } from '../crowd/changes.ts';
import type { ByteWriter } from './byte-stream.ts';
import { columnRecord } from './column-record.ts';
import { digestOf } from './digest.ts';

const writeCount = (out: ByteWriter, value: number): void => out.count(value);

const WRITERS: { readonly [T in keyof FieldValues]: (out: ByteWriter, value: FieldValues[T]) => void } = {
  count: writeCount,
  row: writeCount,
  attachment: writeCount,
  word: (out, value) => out.word(value),
  twoWords: writeWords,
  flag: (out, flag) => out.byte(Number(flag)),
  float: (out, value) => out.float(value),
  origin: (out, origin) => origin.forEach((value) => out.float(value)),
  matrix: (out, matrix) => writeWords(out, wordsOf(matrix)),
  ground: (out, ground) => {
    out.count(ground?.columns ?? 0);
    out.count(ground?.rows ?? 0);
    if (!ground) return;
    for (const value of [...ground.origin, ...ground.spacing, ground.lean]) out.float(value);
    writeWords(out, wordsOf(ground.heights));
  },
  character: (out, character) => writeWords(out, digestOf(character)),
  column: (out, plan) => writeWords(out, columnRecord(plan)),
};

/** Writes the code of a change, then its fields. `readChange` reads them. */
export function writeChange(out: ByteWriter, { kind, fields }: Change): void {
  const { code, fields: types }: ChangeRow = CHANGES[kind];
  const values: Readonly<Record<string, unknown>> = fields;
  out.byte(code);
  for (const [name, type] of Object.entries(types)) {
    (WRITERS[type] as (out: ByteWriter, value: unknown) => void)(out, values[name]);
  }
}

function writeWords(out: ByteWriter, words: ArrayLike<number>): void {
  for (let i = 0; i < words.length; i++) out.word(words[i]!);
}

function wordsOf(floats: ArrayLike<number>): Uint32Array {
  return new Uint32Array(Float32Array.from(floats).buffer);
}
