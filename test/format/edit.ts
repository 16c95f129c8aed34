import type { Fields, Struct } from '../../src/layout/index.ts';
import { assemble, sectionPlace, withJson } from './damage.ts';

/** A table of a file, to be changed by the names of its fields. */
export class Table {
  readonly words: Uint32Array;
  readonly floats: Float32Array;

  constructor(bytes: Uint8Array) {
    this.words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    this.floats = new Float32Array(this.words.buffer, this.words.byteOffset, this.words.length);
  }

  get<F extends Fields>(struct: Struct<F>, word: number, key: keyof F & string): number {
    const at = word + struct.offsets[key] / 4;
    return struct.fields[key] === 'f32' ? this.floats[at]! : this.words[at]!;
  }

  set<F extends Fields>(struct: Struct<F>, word: number, key: keyof F & string, value: number): void {
    const at = word + struct.offsets[key] / 4;
    if (struct.fields[key] === 'f32') this.floats[at] = value;
    else this.words[at] = value;
  }
}

/** The file with one of its tables changed, sealed again. */
export function withTable(
  file: Uint8Array,
  kind: 'RIG ' | 'GEOM' | 'INDX' | 'SRCV' | 'LODG' | 'LODI',
  change: (table: Table) => void,
): Uint8Array {
  return assemble(file, (section, bytes) => {
    if (section === kind) change(new Table(bytes));
    return bytes;
  });
}

export type Json = Record<string, unknown>;

export function jsonOf(file: Uint8Array): Json {
  const { offset, length } = sectionPlace(file, 'JSON');
  return JSON.parse(new TextDecoder().decode(file.subarray(offset, offset + length))) as Json;
}

/** The file with its description changed, sealed again. */
export function withDescription(file: Uint8Array, change: (json: Json) => void): Uint8Array {
  const json = jsonOf(file);
  change(json);
  return withJson(file, JSON.stringify(json));
}
