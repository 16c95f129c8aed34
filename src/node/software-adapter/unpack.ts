import path from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { fail, reasonOf } from '../../errors.ts';

/** One compressed file of an installed package. */
export interface Archive {
  /** Absolute path of a `.tar.br` or `.br` file. */
  readonly file: string;
  /** Subfolder of the unpacked folder. Default: the folder itself. */
  readonly into?: string;
  /** Which members of a tar to take, by base name. Default: all. */
  readonly only?: readonly string[];
}

/** A set of archives that is unpacked as a whole. */
export interface Unpacking {
  /** Start of the folder's name, such as a package and its version. A hash of the archives follows. */
  readonly name: string;
  readonly archives: readonly Archive[];
  /** Parent of this user's folder. Default: the system's temporary folder. */
  readonly root?: string;
}

const MANIFEST = 'unpacked.json';
const MAX_TAR_BYTES = 256 * 2 ** 20;
const STALE_MS = 60 * 60 * 1000;
const pending = new Map<string, Promise<string>>();

/**
 * Unpacks archives once and returns the folder that holds their files.
 *
 * Only this user may write to the folder. It appears by one rename, so concurrent processes either find all of it or
 * make their own and agree on the first. File sizes are checked once per process. A folder that a full disk or a cleaner
 * of temporary files left incomplete is replaced.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE: other users can write to the folder, it cannot be written, or an archive is damaged
 */
export function unpackOnce(unpacking: Unpacking): Promise<string> {
  const key = JSON.stringify(unpacking);
  const known = pending.get(key);
  if (known) return known;
  const started = unpack(unpacking).catch((reason: unknown) => {
    pending.delete(key);
    const suggestion = isDamage(reason)
      ? 'Its package is damaged: remove it and install it again.'
      : 'Set TMPDIR to a folder of your own, with room, that programs may run from.';
    const message = `${unpacking.name} cannot be unpacked: ${reasonOf(reason)}.`;
    return fail('DEVICE_UNAVAILABLE', 'device', message, suggestion);
  });
  pending.set(key, started);
  return started;
}

async function unpack({ name, archives, root = tmpdir() }: Unpacking): Promise<string> {
  const folder = path.join(root, `maniple-${process.getuid?.() ?? 'user'}`);
  await makePrivateFolder(folder);
  const target = path.join(folder, `${name}-${await fingerprint(archives)}`);
  if (await isComplete(target)) return target;
  await removeStale(folder);
  const part = `${target}.part-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await unpackAll(part, archives);
    await publish(part, target);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return target;
}

/** Hash that differs for other archives, or other files of them. */
async function fingerprint(archives: readonly Archive[]): Promise<string> {
  const sizeOf = async (file: string) => (await stat(file)).size;
  const parts = archives.map(async ({ file, into, only }) => [path.basename(file), await sizeOf(file), into, only]);
  return createHash('sha256')
    .update(JSON.stringify(await Promise.all(parts)))
    .digest('hex')
    .slice(0, 8);
}

/**
 * Libraries are loaded from here into this process, and any user may create folders in /tmp.
 * A folder that another user made, or may write to, must not be trusted.
 */
async function makePrivateFolder(folder: string): Promise<void> {
  // not `recursive`: in a folder that silently refuses new ones, such as /proc, Node then never stops trying
  await mkdir(folder, { mode: 0o700 }).catch((reason: unknown) => {
    if ((reason as { code?: string }).code !== 'EEXIST') throw reason;
  });
  if (process.platform === 'win32') return; // the temporary folder is the user's own there
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only this user may write to`);
  }
}

/** Returns true for decompression and tar errors, but not for errors of the file system or the check above. */
function isDamage(reason: unknown): boolean {
  return (
    reason instanceof TarError ||
    (reason instanceof Error && /^(ERR_|Z_)/.test((reason as { code?: string }).code ?? ''))
  );
}

async function isComplete(folder: string): Promise<boolean> {
  try {
    const sizes = JSON.parse(await readFile(path.join(folder, MANIFEST), 'utf8')) as Record<string, number>;
    const checks = Object.entries(sizes).map(async ([name, size]) => {
      const found = await stat(path.join(folder, name));
      return found.isFile() && found.size === size;
    });
    return checks.length > 0 && (await Promise.all(checks)).every(Boolean);
  } catch {
    return false;
  }
}

async function unpackAll(folder: string, archives: readonly Archive[]): Promise<void> {
  const sizes: Record<string, number> = {};
  for (const { file, into = '', only } of archives) {
    await mkdir(path.join(folder, into), { recursive: true, mode: 0o700 });
    if (!file.endsWith('.tar.br')) {
      const name = path.posix.join(into, path.basename(file, '.br'));
      await pipeline(
        createReadStream(file),
        createBrotliDecompress(),
        createWriteStream(path.join(folder, name), { mode: 0o700 }),
      );
      sizes[name] = (await stat(path.join(folder, name))).size;
      continue;
    }
    const tar = await promisify(brotliDecompress)(await readFile(file), { maxOutputLength: MAX_TAR_BYTES });
    for (const member of readTar(tar)) {
      if (only && !only.includes(path.posix.basename(member.name))) continue;
      const name = path.posix.join(into, member.name);
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true, mode: 0o700 });
      await writeFile(path.join(folder, name), member.data, { mode: 0o700 });
      sizes[name] = member.data.length;
    }
  }
  // written last: if it exists, all other files are complete
  await writeFile(path.join(folder, MANIFEST), JSON.stringify(sizes));
}

/** Renames the finished folder into place; another process may do the same at any moment. */
async function publish(part: string, target: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await rename(part, target);
    } catch (reason) {
      if (await isComplete(target)) return;
      // A broken folder is in the way. It is renamed, not emptied: processes that have its files open keep them.
      const aside = `${target}.broken-${randomBytes(4).toString('hex')}`;
      const moved = await rename(target, aside).then(
        () => true,
        () => false,
      );
      if (moved) await rm(aside, { recursive: true, force: true });
      else if (attempt === 4) throw reason;
    }
  }
  throw new Error(`${target} is being replaced by other processes`);
}

/** Removes remains of processes that were killed while unpacking. */
async function removeStale(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(part|broken)-/.test(name));
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > STALE_MS) await rm(file, { recursive: true, force: true });
  }
}

/** Thrown if the archive is damaged, or not of the simple kind that is supported. */
export class TarError extends Error {}

const BLOCK_BYTES = 512;

/**
 * The regular files of a ustar or GNU tar archive, as views into it. Names are relative paths with forward slashes, and never lead out of
 * the archive's folder.
 *
 * Supports archives of plain files with short names. Folders are skipped. Links, long names and names that
 * lead outside are errors, and so is an archive that ends inside a member.
 *
 * @throws TarError with the problem and the name of the member
 */
export function* readTar(tar: Uint8Array): Generator<{ readonly name: string; readonly data: Uint8Array }> {
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
