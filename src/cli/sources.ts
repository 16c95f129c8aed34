import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../errors.ts';

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

/** @throws ManipleError USAGE where the command has read the file that it is about to write */
export async function refuseSource(out: string): Promise<void> {
  if (sources.has((await placeOf(out)) ?? '')) failToReplace(out);
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
