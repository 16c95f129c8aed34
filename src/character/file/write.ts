import { error, ManipleError } from '../../errors.ts';
import { type Character, expectCharacter } from '../character.ts';
import { joinSections, type Section, type SectionKind } from './container.ts';
import { describe, description, IMAGE_LIMIT } from './description.ts';
import { JSON_BYTE_LIMIT, readWith } from './json.ts';
import { readBaked } from './read.ts';
import { Report } from './report.ts';
import { versionFor } from './version.ts';

/**
 * Writes a character as a baked file, which `readBaked` turns back into the same character. The same character always
 * gives the same bytes. The file is read back before it is returned, so that every returned file can be read.
 *
 * Size: the tables and the images as they are, and about 150 bytes per joint, clip and primitive.
 *
 * @param character From `packCharacter` or `readBaked`.
 * @throws ManipleError CHARACTER_TOO_LARGE: over 1,024 images, 16 MiB of names and lists, or 4 GiB in all;
 * BAKED_CORRUPT: the character contradicts itself, which no character from `packCharacter` does
 */
export function writeBaked(character: Character): Uint8Array<ArrayBuffer> {
  expectCharacter(character);
  const report = new Report(character.name);
  expectAtMost(character, 'images', character.images.length, IMAGE_LIMIT);
  const described = readWith(description, describe(character), report);
  const json = new TextEncoder().encode(JSON.stringify(described));
  expectAtMost(character, 'bytes of names and lists', json.length, JSON_BYTE_LIMIT);
  const section = (kind: SectionKind, bytes: Uint8Array): Section => ({ kind, bytes });
  const file = joinSections(versionFor([character, ...character.lods], character.materials, character.clips), [
    section('JSON', json),
    section('RIG ', bytesOf(character.rig)),
    section('GEOM', bytesOf(character.geometry)),
    section('INDX', bytesOf(character.indices)),
    section('SRCV', bytesOf(joined(character.primitives.map(({ vertexOfSource }) => vertexOfSource)))),
    ...character.lods.flatMap(({ geometry, indices }) => [
      section('LODG', bytesOf(geometry)),
      section('LODI', bytesOf(indices)),
    ]),
    ...character.images.map(({ bytes }) => section('IMAG', bytes)),
  ]);
  if (!file) throw tooLarge(character, 'the file would take over 4 GiB.');
  readBaked(file, character.name);
  return file;
}

function expectAtMost(character: Character, what: string, actual: number, limit: number): void {
  if (actual > limit) throw tooLarge(character, `${actual} ${what}; the limit of a baked file is ${limit}.`);
}

function tooLarge({ name }: Character, message: string): ManipleError {
  return new ManipleError(error('CHARACTER_TOO_LARGE', name, message, 'Split the character.'));
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function joined(arrays: readonly Uint32Array[]): Uint32Array {
  const out = new Uint32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    out.set(array, at);
    at += array.length;
  }
  return out;
}
