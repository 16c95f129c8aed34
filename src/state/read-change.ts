import type { Character } from '../character/character.ts';
import { CHANGES, type Change, type ChangeKind, type ChangeRow, type FieldValues } from '../crowd/changes.ts';
import { checkGround } from '../crowd/ground.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import type { ByteReader } from './byte-stream.ts';
import { wrongOffset } from './check-rows.ts';
import { orRefuse, readCharacter, readColumnPlan, refuseLog } from './read-log.ts';

/** The crowd that fields are checked against, and characters that a log may add to it. */
export interface ChangeContext {
  readonly host: CrowdState;
  readonly characters: readonly Character[];
}

type Reader<T> = (input: ByteReader, context: ChangeContext) => T;

const READERS: { readonly [T in keyof FieldValues]: Reader<FieldValues[T]> } = {
  count: (input) => input.count(),
  row: (input, { host }) => {
    const row = input.count();
    return host.typeAt(row) ? row : refuseLog(`row ${row} has no character`);
  },
  attachment: (input, { host }) => {
    const index = input.count();
    return host.sockets.isAttached(index) ? index : refuseLog(`there is no attachment ${index}`);
  },
  word: (input) => input.word(),
  twoWords: (input) => [input.word(), input.word()],
  flag: (input) => {
    const flag = input.byte();
    return flag > 1 ? refuseLog(`a flag is ${flag}`) : flag === 1;
  },
  float: (input) => input.float(),
  origin: (input) => [input.float(), input.float(), input.float()],
  matrix: (input) => {
    const matrix = readFloats(input, 12);
    const wrong = wrongOffset(matrix);
    return wrong ? refuseLog(`an attachment ${wrong}`) : matrix;
  },
  ground: (input, { host }) => {
    const [columns, rows] = [input.count(), input.count()];
    if (columns === 0 && rows === 0) return undefined;
    const origin = [input.float(), input.float(), input.float()] as const;
    const spacing = [input.float(), input.float()] as const;
    const lean = input.float();
    if (4 * columns * rows > input.left) refuseLog(`ground of ${columns} × ${rows} heights has fewer`);
    const heights = readFloats(input, columns * rows);
    return orRefuse(() =>
      checkGround({ heights, columns, rows, origin, spacing, lean }, host.backend.limits.bindingBytes),
    );
  },
  character: (input, { characters }) => readCharacter(input, characters),
  column: (input) => readColumnPlan(input),
};

const KINDS = new Map<number, ChangeKind>(
  Object.entries(CHANGES).map(([kind, { code }]) => [code, kind as ChangeKind]),
);

/** Reads and checks what `writeChange` wrote. @throws ManipleError LOG_INVALID, LOG_MISMATCH, DEVICE_LIMIT */
export function readChange(input: ByteReader, context: ChangeContext): Change {
  const code = input.byte();
  const kind = KINDS.get(code) ?? refuseLog(`there is no kind of change ${code}`);
  const { fields: types }: ChangeRow = CHANGES[kind];
  const fields = Object.entries(types).map(([name, type]) => [name, READERS[type](input, context)] as const);
  return { kind, fields: Object.fromEntries(fields) } as Change;
}

function readFloats(input: ByteReader, length: number): Float32Array<ArrayBuffer> {
  return new Float32Array(Uint32Array.from({ length }, () => input.word()).buffer);
}
