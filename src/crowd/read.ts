import type { Character } from '../asset/character.ts';
import { listedByNearness, nameIndex } from '../asset/names.ts';
import { fail, quoted } from '../errors.ts';
import type { CharacterReadback } from '../frame/backend.ts';
import { VISIBLE_LEVEL } from '../stages/layout.ts';

/** Joints of a character at one moment. */
export interface CharacterPose {
  /** The frame that posed it. */
  readonly frame: number;
  /** Index into the character's `joints`, per socket. */
  readonly jointIndices: readonly number[];
  /** `modelFromJoint` per socket: three rows of four numbers, the last of each a translation in metres. */
  readonly modelFromJoint: readonly Float32Array[];
}

/** Answers in the order of what was asked for, all of one frame. */
export type Reading<T> = readonly T[] & { readonly frame: number };

export function reading<T>(answers: readonly T[], frame: number): Reading<T> {
  return Object.assign(answers, { frame });
}

/** x, y, z of each vertex, and the level of detail whose vertices they are: 0 is the character's own mesh, 1 its first `lods`. */
export type VertexReading = Float32Array & { readonly level: number };

export function readVertices({ row, vertices }: CharacterReadback): VertexReading {
  const rows = new Float32Array(vertices.buffer, vertices.byteOffset, vertices.length);
  const out = new Float32Array((rows.length / 4) * 3);
  for (let v = 0; v < rows.length / 4; v++) out.set(rows.subarray(4 * v, 4 * v + 3), 3 * v);
  return Object.assign(out, { level: row.get(0, 'detail') & VISIBLE_LEVEL });
}

/** Bits of all parts of a name, in two words. @throws ManipleError CROWD_BAD_ARGUMENT, with the nearest names */
export function partMask({ name: character, parts }: Character, name: string): [number, number] {
  const found = parts[nameIndex(parts, name)];
  if (found === undefined) {
    const suggestion = `The nearest of its ${parts.length} parts: ${listedByNearness(parts, name)}.`;
    fail('CROWD_BAD_ARGUMENT', character, `There is no part ${quoted(name)}.`, suggestion);
  }
  const mask: [number, number] = [0, 0];
  parts.forEach((part, bit) => {
    if (part === found) mask[bit >> 5]! |= 1 << (bit & 31);
  });
  return mask;
}
