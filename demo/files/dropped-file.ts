import { fail } from '../../src/errors.ts';
import { decodeText } from '../../src/import/decode-text.ts';

/** A file as the loader receives it in a worker: a path and unread content. */
export interface DroppedFile {
  readonly path: string;
  readonly blob: Blob;
}

/** Most bytes of a text (controller, clip, mask), the same limit as in the command. */
const TEXT_LIMIT = 2 ** 26;

/** @throws ManipleError FILE_UNREADABLE if the file is missing or may not be read */
export async function readBytes({ path, blob }: DroppedFile, from = 0, to = blob.size): Promise<Uint8Array> {
  try {
    return new Uint8Array(await blob.slice(from, to).arrayBuffer());
  } catch {
    return fail(
      'FILE_UNREADABLE',
      path,
      'The file cannot be read.',
      'It may have been moved or changed. Drop it again.',
    );
  }
}

/** Reads all bytes of a file. @throws ManipleError FILE_TOO_LARGE, before any is read, FILE_UNREADABLE */
export async function readWithin(file: DroppedFile, limit: number): Promise<Uint8Array> {
  const { size } = file.blob;
  if (size > limit) fail('FILE_TOO_LARGE', '', `The file has ${size} bytes. The limit is ${limit}.`);
  return readBytes(file);
}

/** Reads a text in UTF-8, or UTF-16 with a byte order mark. @throws ManipleError FILE_TOO_LARGE, FILE_UNREADABLE */
export async function readText(file: DroppedFile): Promise<string> {
  const { size } = file.blob;
  if (size > TEXT_LIMIT) {
    fail(
      'FILE_TOO_LARGE',
      file.path,
      `The file has ${size} bytes. The limit for text files is ${TEXT_LIMIT}.`,
      'Split it.',
    );
  }
  return decodeText(await readBytes(file));
}
