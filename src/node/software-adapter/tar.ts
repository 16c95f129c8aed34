/** A regular file inside a tar archive. */
export interface TarMember {
  /** Relative path with forward slashes; never leaves the archive's folder. */
  readonly name: string;
  readonly data: Uint8Array;
}

/** Thrown if the archive is damaged, or not of the simple kind that is supported. */
export class TarError extends Error {}

const BLOCK_BYTES = 512;

/**
 * The regular files of a ustar or GNU tar archive, as views into it.
 *
 * Supports archives of plain files with short names. Folders are skipped. Links, long names and names that
 * lead outside are errors, and so is an archive that ends inside a member.
 *
 * @throws TarError with the problem and the name of the member
 */
export function* readTar(tar: Uint8Array): Generator<TarMember> {
  for (let offset = 0; offset + BLOCK_BYTES <= tar.length;) {
    const header = tar.subarray(offset, offset + BLOCK_BYTES);
    const name = [text(header, 345, 155, isPosix(header)), text(header, 0, 100)].filter(Boolean).join('/');
    if (name === '') return; // two empty blocks end an archive; one is enough to know
    if (octal(header, 148, 8) !== checksum(header)) throw new TarError(`header of ${name} is damaged`);
    const size = octal(header, 124, 12);
    const data = tar.subarray(offset + BLOCK_BYTES, offset + BLOCK_BYTES + size);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === '0' || type === '\0') {
      if (data.length < size) throw new TarError(`archive ends inside ${name}`);
      yield { name: safeName(name), data };
    } else if (type !== '5') {
      throw new TarError(`${name} is neither a file nor a folder`);
    }
    offset += BLOCK_BYTES + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  throw new TarError('archive has no end');
}

function safeName(name: string): string {
  const parts = name.split('/').filter((part) => part !== '.' && part !== '');
  if (name.startsWith('/') || name.includes('\\') || parts.includes('..')) throw new TarError(`${name} leads outside`);
  return parts.join('/');
}

/** GNU tar puts times where POSIX puts the front part of a long name. */
function isPosix(header: Uint8Array): boolean {
  return text(header, 257, 6) === 'ustar' && header[262] === 0;
}

function text(header: Uint8Array, start: number, length: number, present = true): string {
  if (!present) return '';
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

function octal(header: Uint8Array, start: number, length: number): number {
  const value = Number.parseInt(text(header, start, length).trim(), 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new TarError('archive has a field that is not a number');
  return value;
}

/** Sum of the header's bytes, with the checksum's own field read as spaces. */
function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}
