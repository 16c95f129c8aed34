import { crc32 } from '../../src/character/file/crc32.ts';
import { readBaked } from '../../src/character/file/index.ts';
import type { Character } from '../../src/character/character.ts';
import { ManipleError } from '../../src/errors.ts';

/** Places in a baked file, see FORMAT.md. */
export const HEADER_BYTES = 32;
export const ENTRY_BYTES = 16;
const CHECKSUM_AT = 20;

export interface SectionPlace {
  readonly kind: string;
  readonly offset: number;
  readonly length: number;
}

export function viewOf(file: Uint8Array): DataView {
  return new DataView(file.buffer, file.byteOffset, file.byteLength);
}

export function sectionPlaces(file: Uint8Array): SectionPlace[] {
  const view = viewOf(file);
  return Array.from({ length: view.getUint32(16, true) }, (_, index) => {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    const kind = String.fromCharCode(...file.subarray(entry, entry + 4));
    return { kind, offset: view.getUint32(entry + 4, true), length: view.getUint32(entry + 8, true) };
  });
}

export function sectionPlace(file: Uint8Array, kind: string): SectionPlace {
  return sectionPlaces(file).find((section) => section.kind === kind)!;
}

/**
 * Makes all checksums right again, as someone who means harm would: what gets through now is up to the checks of the
 * contents. Leaves a file alone whose table no longer fits into it.
 */
export function reseal(file: Uint8Array): Uint8Array {
  const view = viewOf(file);
  const count = view.getUint32(16, true);
  const tableEnd = HEADER_BYTES + count * ENTRY_BYTES;
  if (tableEnd > file.length) return file;
  sectionPlaces(file).forEach(({ offset, length }, index) => {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    view.setUint32(entry + 12, crc32(file.subarray(offset, offset + length)), true);
  });
  const head = crc32(file.subarray(0, CHECKSUM_AT));
  view.setUint32(CHECKSUM_AT, crc32(file.subarray(CHECKSUM_AT + 4, tableEnd), head), true);
  return file;
}

/** The file with another JSON section, and everything that depends on its length put right. */
export function withJson(file: Uint8Array, text: string | Uint8Array): Uint8Array {
  const json = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return assemble(file, (kind, bytes) => (kind === 'JSON' ? json : bytes));
}

/** The file with its sections changed, and everything else put right. */
export function assemble(file: Uint8Array, change: (kind: string, bytes: Uint8Array) => Uint8Array): Uint8Array {
  const places = sectionPlaces(file);
  const sections = places.map(({ kind, offset, length }) => change(kind, file.slice(offset, offset + length)));
  let end = HEADER_BYTES + places.length * ENTRY_BYTES;
  const offsets = sections.map(({ length }) => {
    const offset = Math.ceil(end / 16) * 16;
    end = offset + length;
    return offset;
  });
  const out = new Uint8Array(end);
  const view = viewOf(out);
  out.set(file.subarray(0, HEADER_BYTES + places.length * ENTRY_BYTES));
  view.setUint32(12, end, true);
  sections.forEach((bytes, index) => {
    view.setUint32(HEADER_BYTES + index * ENTRY_BYTES + 4, offsets[index]!, true);
    view.setUint32(HEADER_BYTES + index * ENTRY_BYTES + 8, bytes.length, true);
    out.set(bytes, offsets[index]);
  });
  return reseal(out);
}

/** The character, or the codes that the file is refused with. Anything else that is thrown is a defect. */
export function tryRead(
  file: Uint8Array,
): { character: Character; error?: never } | { error: ManipleError; character?: never } {
  try {
    return { character: readBaked(file, 'file') };
  } catch (thrown) {
    if (!(thrown instanceof ManipleError) || thrown.issues.length === 0) throw thrown;
    return { error: thrown };
  }
}

export function refusalOf(file: Uint8Array): ManipleError {
  const { error } = tryRead(file);
  if (!error) throw new Error('the file was not refused');
  return error;
}
