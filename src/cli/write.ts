import path from 'node:path';
import { rmSync } from 'node:fs';
import { access, constants, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { fail, reasonOf } from '../errors.ts';
import { makeFolder } from '../node/make-folder.ts';

/** Writes a file, into folders that it makes. @throws ManipleError FILE_UNWRITABLE, USAGE (a file that was read) */
export async function writeOut(file: string, contents: string | Uint8Array): Promise<void> {
  await withFolder(file, () => writeWhole(file, contents));
}

/**
 * Makes the folders of a file that is written after long work. This finds out early if nothing can be written there.
 * @throws ManipleError FILE_UNWRITABLE, USAGE (a file that was read)
 */
export async function prepareOut(file: string): Promise<void> {
  await withFolder(file, (folder) => access(folder, constants.W_OK));
}

/** Makes the folders of a file, then does work for it. */
async function withFolder(file: string, work: (folder: string) => Promise<void>): Promise<void> {
  if (sources.has((await placeOf(file)) ?? '')) failToReplace(file);
  const folder = path.dirname(path.resolve(file));
  try {
    await makeFolder(folder);
    await work(folder);
  } catch (thrown) {
    refuseToWrite(file, thrown);
  }
}

export function refuseToWrite(file: string, thrown: unknown): never {
  const suggestion = 'Name a file in a folder that may be written, on a disk with room.';
  return fail('FILE_UNWRITABLE', file, `The file cannot be written: ${reasonOf(thrown)}.`, suggestion);
}

/**
 * Writes a temporary file and renames it, so that an existing file is always whole. Writes straight into anything that
 * is not a plain file.
 */
async function writeWhole(file: string, contents: string | Uint8Array): Promise<void> {
  const known = await stat(file).catch(() => undefined);
  if (known && !known.isFile()) return writeFile(file, contents);
  const part = openPart(file);
  try {
    await writeFile(part, contents);
    await rename(part, file);
  } finally {
    closePart(part);
  }
}

/** Plain files that the running command has read. */
const sources = new Set<string>();

/** Another command begins. */
export function forgetSources(): void {
  sources.clear();
}

/** A file has been read: nothing may be written over it. */
export async function noteSource(file: string): Promise<void> {
  sources.add(await realpath(file));
}

/**
 * Checks, before any work, that a command replaces none of its own sources, and writes each file once.
 * @param outputs By the option that names them.
 * @throws ManipleError USAGE
 */
export async function checkOutputs(
  outputs: Readonly<Record<string, string | undefined>>,
  files: readonly (string | undefined)[],
): Promise<void> {
  const read = new Set(await Promise.all(files.map(placeOf)));
  const written = new Map<string, string>();
  for (const [option, out] of Object.entries(outputs)) {
    const place = await placeOf(out);
    if (place === undefined) continue;
    if (read.has(place)) failToReplace(out!);
    const other = written.get(place);
    if (other !== undefined) fail('USAGE', option, `${other} names the same file.`, 'Name two files.');
    written.set(place, option);
  }
}

/** Where a file is or would be; undefined for pipes and devices, which can be read and written at once. */
async function placeOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const info = await stat(file).catch(() => undefined);
  if (info && !info.isFile()) return undefined;
  return info ? realpath(file) : path.resolve(file);
}

function failToReplace(out: string): never {
  return fail('USAGE', out, 'The command reads this file and would replace it.', 'Name another file.');
}

/** Ways in which a process is asked to end. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const parts = new Set<string>();

/**
 * The name under which a file is written before it is renamed. Until `closePart`, a signal that ends the process removes it
 * first.
 */
export function openPart(file: string): string {
  const part = `${file}.${process.pid}.part`;
  if (parts.size === 0) for (const signal of SIGNALS) process.on(signal, endBy);
  parts.add(part);
  return part;
}

/** Removes the part, unless it was renamed. */
export function closePart(part: string): void {
  rmSync(part, { force: true });
  parts.delete(part);
  if (parts.size === 0) for (const signal of SIGNALS) process.off(signal, endBy);
}

function endBy(signal: NodeJS.Signals): void {
  for (const part of parts) closePart(part);
  // without a listener, it ends the process as signals do
  process.kill(process.pid, signal);
}
