import { error, fail, ManipleError } from '../../errors.ts';
import type { ControllerModel } from '../../controller/model.ts';
import { type Character, expectCharacter } from '../character.ts';
import { joinSections, type Section, type SectionKind } from './container.ts';
import { describe, description, IMAGE_LIMIT } from './description.ts';
import { JSON_BYTE_LIMIT, readWith } from './json.ts';
import { readBaked } from './read.ts';
import { Report } from './report.ts';
import { firstClips, splitRig } from './split-rig.ts';
import { STREAMED_SINCE, versionFor } from './version.ts';

/** Options of {@link writeBaked}. */
export interface BakeOptions {
  /**
   * Makes a file with clips that can load one by one. These come first, with the rig: names of clips, or a controller, for the
   * clips of the states that it begins in. The others follow in their order. Default: a file that loads at once.
   */
  readonly first?: readonly string[] | ControllerModel;
}

/**
 * Writes a character as a baked file, which `readBaked` turns back into the same character. The same character always
 * gives the same bytes. The file is read back before it is returned, so that every returned file can be read.
 *
 * Size: the tables and the images as they are, and about 150 bytes per joint, clip and primitive.
 *
 * @param character From `packCharacter` or `readBaked`.
 * @throws ManipleError
 * - CLIP_NOT_FOUND: `first` names a clip that the character lacks.
 * - USAGE: some clips have not arrived.
 * - CHARACTER_TOO_LARGE: over 1,024 images, 16 MiB of names and lists, or 4 GiB in all.
 * - BAKED_CORRUPT: the character contradicts itself, which no character from `packCharacter` does.
 */
export function writeBaked(character: Character, { first }: BakeOptions = {}): Uint8Array<ArrayBuffer> {
  expectCharacter(character);
  const pending = character.arrivals?.pending.length ?? 0;
  if (pending > 0) fail('USAGE', character.name, `${pending} clips have not arrived.`, 'Wait for `arrivals.ready`.');
  const report = new Report(character.name);
  expectAtMost(character, 'images', character.images.length, IMAGE_LIMIT);
  const split = first ? splitRig(character, firstClips(character, first)) : { rig: character.rig };
  const described = readWith(description, describe(character, split.streamed), report);
  const json = new TextEncoder().encode(JSON.stringify(described));
  expectAtMost(character, 'bytes of names and lists', json.length, JSON_BYTE_LIMIT);
  const section = (kind: SectionKind, bytes: Uint8Array): Section => ({ kind, bytes });
  const needed = versionFor([character, ...character.lods], character.materials, character.clips);
  const file = joinSections(split.streamed ? Math.max(needed, STREAMED_SINCE) : needed, [
    section('JSON', json),
    section('RIG ', bytesOf(split.rig)),
    section('GEOM', bytesOf(character.geometry)),
    section('INDX', bytesOf(character.indices)),
    section('SRCV', bytesOf(joined(character.primitives.map(({ vertexOfSource }) => vertexOfSource)))),
    ...character.lods.flatMap(({ geometry, indices }) => [
      section('LODG', bytesOf(geometry)),
      section('LODI', bytesOf(indices)),
    ]),
    ...character.images.map(({ bytes }) => section('IMAG', bytes)),
    ...(split.streamed ?? []).map(({ words }) => section('CLIP', bytesOf(words))),
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
