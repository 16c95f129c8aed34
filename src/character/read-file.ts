import { fail, reasonOf, shortened } from '../errors.ts';

/**
 * The bytes of a file at a `file:` address, in Node.
 *
 * @param place The file, for messages.
 * @throws ManipleError FILE_NOT_FOUND, FILE_UNREADABLE or FILE_TOO_LARGE
 */
export async function readFile(address: URL, place: string, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const files = process.getBuiltinModule('node:fs/promises');
  const unreadable = (thrown: unknown): never =>
    (thrown as NodeJS.ErrnoException).code === 'ENOENT'
      ? fail('FILE_NOT_FOUND', place, 'There is no such file.', 'Check the path.')
      : fail('FILE_UNREADABLE', place, `The file cannot be read: ${shortened(reasonOf(thrown))}.`);
  const info = await files.stat(address).catch(unreadable);
  if (!info.isFile()) unreadable('it is a folder, a pipe or a device');
  if (info.size > limit) fail('FILE_TOO_LARGE', place, `The file has ${info.size} bytes; the limit is ${limit}.`);
  return files.readFile(address).catch(unreadable);
}
