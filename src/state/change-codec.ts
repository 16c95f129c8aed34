import type { Character } from '../character/character.ts';
import { CHANGES, type Change, type ChangeKind, type ChangeRow, type FieldValues } from '../crowd/changes.ts';
import { checkGround } from '../crowd/ground.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import type { Origin } from '../crowd/placement.ts';
import type { ByteReader, ByteWriter } from './byte-stream.ts';
import { wrongOffset } from './check-rows.ts';
import { orRefuse, readCharacter, readColumnPlan, refuseLog } from './read-log.ts';
import { columnRecord } from './column-record.ts';
import { digestOf } from './digest.ts';

/** The crowd that fields are checked against, and characters that a log may add to it. */
export interface ChangeContext {
  readonly host: CrowdState;
  readonly characters: readonly Character[];
}

/** Bytes of a type of fields. Reading checks them. */
interface Codec<T> {
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader, context: ChangeContext): T;
}

const CODECS: { readonly [T in keyof FieldValues]: Codec<FieldValues[T]> } = {
  count: { write: (out, value) => out.count(value), read: (input) => input.count() },
  row: {
    write: (out, row) => out.count(row),
    read: (input, { host }) => {
      const row = input.count();
      return host.typeAt(row) ? row : refuseLog(`row ${row} has no character`);
    },
  },
  attachment: {
    write: (out, index) => out.count(index),
    read: (input, { host }) => {
      const index = input.count();
      return host.sockets.isAttached(index) ? index : refuseLog(`there is no attachment ${index}`);
    },
  },
  word: { write: (out, value) => out.word(value), read: (input) => input.word() },
  twoWords: { write: writeWords, read: (input) => [input.word(), input.word()] },
  flag: {
    write: (out, flag) => out.byte(Number(flag)),
    read: (input) => {
      const flag = input.byte();
      return flag > 1 ? refuseLog(`a flag is ${flag}`) : flag === 1;
    },
  },
  float: { write: (out, value) => out.float(value), read: (input) => input.float() },
  origin: { write: (out, origin) => origin.forEach((value) => out.float(value)), read: readPosition },
  matrix: {
    write: (out, matrix) => writeWords(out, wordsOf(matrix)),
    read: (input) => {
      const matrix = readFloats(input, 12);
      const wrong = wrongOffset(matrix);
      return wrong ? refuseLog(`an attachment ${wrong}`) : matrix;
    },
  },
  ground: {
    write: (out, ground) => {
      out.count(ground?.columns ?? 0);
      out.count(ground?.rows ?? 0);
      if (!ground) return;
      for (const value of [...ground.origin, ...ground.spacing, ground.lean]) out.float(value);
      writeWords(out, wordsOf(ground.heights));
    },
    read: (input, { host }) => {
      const [columns, rows] = [input.count(), input.count()];
      if (columns === 0 && rows === 0) return undefined;
      const origin = readPosition(input);
      const spacing = [input.float(), input.float()] as const;
      const lean = input.float();
      if (4 * columns * rows > input.left) refuseLog(`ground of ${columns} × ${rows} heights has fewer`);
      const ground = { heights: readFloats(input, columns * rows), columns, rows, origin, spacing, lean };
      return orRefuse(() => checkGround(ground, host.backend.limits.bindingBytes));
    },
  },
  character: {
    write: (out, character) => writeWords(out, digestOf(character)),
    read: (input, { characters }) => readCharacter(input, characters),
  },
  column: { write: (out, plan) => writeWords(out, columnRecord(plan)), read: readColumnPlan },
};

const KINDS = new Map<number, ChangeKind>(
  Object.entries(CHANGES).map(([kind, { code }]) => [code, kind as ChangeKind]),
);

/** Reads and checks what `writeChange` wrote. @throws ManipleError LOG_INVALID, LOG_MISMATCH, DEVICE_LIMIT */
export function readChange(input: ByteReader, context: ChangeContext): Change {
  const code = input.byte();
  const kind = KINDS.get(code) ?? refuseLog(`there is no kind of change ${code}`);
  const { fields: types }: ChangeRow = CHANGES[kind];
  const fields = Object.entries(types).map(([name, type]) => [name, CODECS[type].read(input, context)] as const);
  return { kind, fields: Object.fromEntries(fields) } as Change;
}

/** Writes the code of a change, then its fields. `readChange` reads them. */
export function writeChange(out: ByteWriter, { kind, fields }: Change): void {
  const { code, fields: types }: ChangeRow = CHANGES[kind];
  const values: Readonly<Record<string, unknown>> = fields;
  out.byte(code);
  for (const [name, type] of Object.entries(types)) {
    (CODECS[type] as Codec<unknown>).write(out, values[name]);
  }
}

function readPosition(input: ByteReader): Origin {
  return [input.float(), input.float(), input.float()];
}

function readFloats(input: ByteReader, length: number): Float32Array<ArrayBuffer> {
  return new Float32Array(Uint32Array.from({ length }, () => input.word()).buffer);
}

function writeWords(out: ByteWriter, words: ArrayLike<number>): void {
  for (let i = 0; i < words.length; i++) out.word(words[i]!);
}

function wordsOf(floats: ArrayLike<number>): Uint32Array {
  return new Uint32Array(Float32Array.from(floats).buffer);
}
