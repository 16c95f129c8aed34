import { crc32 } from './crc32.ts';
import type { Report } from './report.ts';
import { BAKED_VERSION } from './version.ts';

/**
 * The outer form of a baked file: a header, a table of sections, the sections. `FORMAT.md` documents every byte. This
 * module does not read the contents of sections. Other files of Maniple have the same form with other letters.
 */

export interface FileForm {
  /** The first four letters of the file. */
  readonly letters: string;
  /** The newest version that can be read. */
  readonly newest: number;
  /** For messages: the kind of file, and how to make another one. */
  readonly noun: string;
  readonly again: string;
  /** For messages: files of its kind, by their suffix. */
  readonly suffix: string;
}

const BAKED: FileForm = {
  letters: 'MNPL',
  newest: BAKED_VERSION,
  noun: 'baked character',
  again: 'bake the character again',
  suffix: 'a .maniple file',
};

/** Kind of a section: four ASCII letters in the file. Readers skip kinds that they do not know. */
export type SectionKind = 'JSON' | 'RIG ' | 'GEOM' | 'INDX' | 'SRCV' | 'LODG' | 'LODI' | 'IMAG' | 'CLIP';

export interface Section<B extends Uint8Array = Uint8Array> {
  readonly kind: string;
  readonly bytes: B;
}

/** Where a section lies in its file, and what its bytes have to add up to. */
export interface SectionEntry {
  readonly kind: string;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly checksum: number;
}

/** Four letters, then bytes that a transfer as text or a cut to seven bits would change: as in PNG. */
function magicOf({ letters }: FileForm): Uint8Array {
  return Uint8Array.of(...Array.from(letters, (letter) => letter.charCodeAt(0)), 0x0d, 0x0a, 0x1a, 0x0a);
}
export const HEADER_BYTES = 32;
const ENTRY_BYTES = 16;
/** Alignment of sections, so that typed arrays can view them without a copy. */
const ALIGNMENT = 16;
/** Far more sections than images and kinds need. Keeps a hostile table small. */
export const SECTION_LIMIT = 2048;
/** Offsets have 32 bits. */
const BYTE_LIMIT = 2 ** 32 - 1;

const VERSION_AT = 8;
const LENGTH_AT = 12;
const COUNT_AT = 16;
const CHECKSUM_AT = 20;
const RESERVED_AT = 24;

const COPY_AGAIN = 'Download or copy it again.';

/** Returns true if the bytes begin like a baked file of any version. Reads eight bytes. */
export function isBaked(bytes: Uint8Array): boolean {
  return hasForm(bytes, BAKED);
}

function hasForm(bytes: Uint8Array, form: FileForm): boolean {
  return ArrayBuffer.isView(bytes) && magicOf(form).every((byte, index) => bytes[index] === byte);
}

/** The version of a file that `splitSections` has split. */
export function versionOf({ buffer, byteOffset }: Uint8Array<ArrayBuffer>): number {
  return new DataView(buffer, byteOffset).getUint32(VERSION_AT, true);
}

/** The file made of these sections, in this order; undefined when it would be too long for 32-bit offsets. */
export function joinSections(
  version: number,
  sections: readonly Section[],
  form: FileForm = BAKED,
): Uint8Array<ArrayBuffer> | undefined {
  let end = HEADER_BYTES + sections.length * ENTRY_BYTES;
  const offsets = sections.map(({ bytes }) => {
    const offset = aligned(end);
    end = offset + bytes.length;
    return offset;
  });
  if (end > BYTE_LIMIT) return undefined;
  const file = new Uint8Array(end);
  const view = new DataView(file.buffer);
  file.set(magicOf(form));
  view.setUint32(VERSION_AT, version, true);
  view.setUint32(LENGTH_AT, end, true);
  view.setUint32(COUNT_AT, sections.length, true);
  sections.forEach(({ kind, bytes }, index) => {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    for (let c = 0; c < 4; c++) file[entry + c] = kind.charCodeAt(c);
    view.setUint32(entry + 4, offsets[index]!, true);
    view.setUint32(entry + 8, bytes.length, true);
    view.setUint32(entry + 12, crc32(bytes), true);
    file.set(bytes, offsets[index]);
  });
  view.setUint32(CHECKSUM_AT, tableChecksum(file, sections.length), true);
  return file;
}

/**
 * Splits a file into sections, which are views of `bytes`. All of them are inside it, and their checksums match.
 * @throws ManipleError BAKED_NOT_MANIPLE, BAKED_VERSION, BAKED_TRUNCATED, BAKED_CORRUPT
 */
export function splitSections(
  bytes: Uint8Array<ArrayBuffer>,
  report: Report,
  form: FileForm = BAKED,
): Section<Uint8Array<ArrayBuffer>>[] {
  const entries = readTable(bytes, bytes.length, report, form);
  let end = tableEndOf(entries.length);
  const sections = entries.map(({ kind, byteOffset, byteLength }, index) => {
    checkPadding(bytes.subarray(end, byteOffset), index, report);
    end = byteOffset + byteLength;
    return { kind, bytes: bytes.subarray(byteOffset, end) };
  });
  sections.forEach((section, index) => checkChecksum(crc32(section.bytes), entries[index]!, index, report));
  report.throwIfFailed();
  return sections;
}

/** Bytes of a file up to the end of its table of sections, from its first `HEADER_BYTES`; 0 if there are too few bytes. */
export function tableEnd(bytes: Uint8Array<ArrayBuffer>): number {
  if (bytes.length < HEADER_BYTES) return 0;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(COUNT_AT, true);
  return tableEndOf(Math.min(count, SECTION_LIMIT));
}

/**
 * Reads the table of sections. All of them lie inside the file, one after the other.
 * @param bytes The file, at least up to the end of its table.
 * @param length Bytes of the file; undefined while they are still to come.
 * @throws ManipleError As `splitSections`
 */
export function readTable(
  bytes: Uint8Array<ArrayBuffer>,
  length: number | undefined,
  report: Report,
  form: FileForm = BAKED,
): SectionEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectionCount = checkHeader(bytes, view, { report, form, length });
  report.throwIfFailed();
  const fileEnd = view.getUint32(LENGTH_AT, true);
  let end = tableEndOf(sectionCount);
  const entries: SectionEntry[] = [];
  for (let index = 0; index < sectionCount; index++) {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    const kind = String.fromCharCode(...bytes.subarray(entry, entry + 4));
    const byteOffset = view.getUint32(entry + 4, true);
    const byteLength = view.getUint32(entry + 8, true);
    const name = `section ${index}`;
    if (byteOffset !== aligned(end)) {
      report.corrupt(`table+${entry + 4}`, `${name} begins at ${byteOffset}, not ${aligned(end)}.`);
    }
    end = byteOffset + byteLength;
    if (end > fileEnd) report.corrupt(`table+${entry + 8}`, `${name} ends at ${end}, the file at ${fileEnd}.`);
    // after a misplaced section every later offset is a guess
    report.throwIfFailed();
    entries.push({ kind, byteOffset, byteLength, checksum: view.getUint32(entry + 12, true) });
  }
  if (end !== fileEnd) report.corrupt(`header+${LENGTH_AT}`, `${fileEnd - end} bytes belong to no section.`);
  return entries;
}

export function checkPadding(padding: Uint8Array, index: number, report: Report): void {
  if (padding.every((byte) => byte === 0)) return;
  const entry = HEADER_BYTES + index * ENTRY_BYTES;
  report.corrupt(`table+${entry + 4}`, `the padding before section ${index} is not zero.`);
}

export function checkChecksum(actual: number, { checksum }: SectionEntry, index: number, report: Report): void {
  if (actual !== checksum) damaged(report, `section ${index}`, 'its checksum does not match');
}

const tableEndOf = (sectionCount: number): number => HEADER_BYTES + sectionCount * ENTRY_BYTES;

/** Checks everything before the sections. Returns their count. */
function checkHeader(
  bytes: Uint8Array,
  view: DataView,
  {
    report,
    form,
    length: received,
  }: { readonly report: Report; readonly form: FileForm; readonly length: number | undefined },
): number {
  checkMagic(bytes, report, form);
  const truncated = (what: string, needed: number): void => {
    const message = `the file ends after ${bytes.length} bytes; ${what} ${needed}.`;
    report.add('BAKED_TRUNCATED', `header+${bytes.length}`, message, COPY_AGAIN);
    report.throwIfFailed();
  };
  if (bytes.length < HEADER_BYTES) {
    if (bytes.length >= VERSION_AT + 4) checkVersion(view, report, form);
    truncated('its header takes', HEADER_BYTES);
  }
  checkVersion(view, report, form);
  const sectionCount = view.getUint32(COUNT_AT, true);
  if (sectionCount > SECTION_LIMIT) {
    report.corrupt(`header+${COUNT_AT}`, `${sectionCount} sections; the limit is ${SECTION_LIMIT}.`);
    return 0;
  }
  const needed = tableEndOf(sectionCount);
  if (bytes.length < needed) truncated('its table of sections ends at', needed);
  if (view.getUint32(CHECKSUM_AT, true) !== tableChecksum(bytes, sectionCount)) {
    damaged(report, 'header', 'the checksum of header and table does not match');
    return 0;
  }
  const length = view.getUint32(LENGTH_AT, true);
  if (received !== undefined && length > received) truncated('it was written with', length);
  if (length < (received ?? bytes.length)) {
    report.corrupt(
      `header+${LENGTH_AT}`,
      `${(received ?? bytes.length) - length} bytes follow the file's end at ${length}.`,
    );
  }
  if (view.getUint32(RESERVED_AT, true) !== 0 || view.getUint32(RESERVED_AT + 4, true) !== 0) {
    report.corrupt(`header+${RESERVED_AT}`, 'the reserved bytes are not zero.');
  }
  return sectionCount;
}

function checkMagic(bytes: Uint8Array, report: Report, form: FileForm): void {
  if (hasForm(bytes, form)) return;
  const shared = magicOf(form).findIndex((byte, index) => bytes[index] !== byte);
  if (shared === bytes.length) {
    const message = bytes.length === 0 ? 'the file is empty.' : `the file ends after ${bytes.length} bytes.`;
    report.add('BAKED_TRUNCATED', `header+${bytes.length}`, message, COPY_AGAIN);
  } else if (shared >= 4) {
    damaged(report, `header+${shared}`, 'line ends or high bits were changed, as transfers of text do');
  } else {
    const isGlb = String.fromCharCode(...bytes.subarray(0, 4)) === 'glTF';
    const message = isGlb
      ? `the file is a GLB model, not a ${form.noun}.`
      : `the file does not begin as ${form.noun}s do.`;
    const bake = isGlb && form === BAKED ? 'Import and pack it, or bake it first.' : `Check that it is ${form.suffix}.`;
    report.add('BAKED_NOT_MANIPLE', 'header+0', message, bake);
  }
  report.throwIfFailed();
}

function checkVersion(view: DataView, report: Report, { newest, again }: FileForm): void {
  const version = view.getUint32(VERSION_AT, true);
  if (version >= 1 && version <= newest) return;
  const message = `the file has format version ${version}; this Maniple reads versions 1 to ${newest}.`;
  const suggestion =
    version > newest
      ? `Update Maniple, or ${again} with this version.`
      : `${again[0]!.toUpperCase()}${again.slice(1)}: there never was such a version.`;
  report.add('BAKED_VERSION', `header+${VERSION_AT}`, message, suggestion);
  report.throwIfFailed();
}

function damaged(report: Report, path: string, what: string): void {
  const message = `the file was damaged after it was written: ${what}.`;
  report.add('BAKED_CORRUPT', path, message, COPY_AGAIN);
}

/** Checksum of header and table, without the four bytes that hold it. */
function tableChecksum(file: Uint8Array, sectionCount: number): number {
  const end = tableEndOf(sectionCount);
  return crc32(file.subarray(RESERVED_AT, end), crc32(file.subarray(0, CHECKSUM_AT)));
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
