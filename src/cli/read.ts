import { open, stat } from 'node:fs/promises';
import { fail, type Issue, ManipleError } from '../errors.ts';
import { decodeText } from '../import/decode-text.ts';
import { noteSource } from './sources.ts';

/** The largest file that the command reads, in bytes. */
export const FILE_LIMIT = 2 ** 31;

/** An issue with its file in the path: `knight.glb:/accessors/3`. */
export function inFile(file: string, issue: Issue): Issue {
  return { ...issue, path: issue.path === '' ? file : `${file}:${issue.path}` };
}

/** An error about a file, with the file in every path. */
export function namingFile(file: string, thrown: unknown): unknown {
  return thrown instanceof ManipleError ? new ManipleError(thrown.issues.map((issue) => inFile(file, issue))) : thrown;
}

/** How many bytes a file may have, by its first sixteen. */
export type LimitByHead = (head: Uint8Array) => number;
const HEAD_BYTES = 16;

/** The bytes of a file or a pipe. @throws ManipleError FILE_… */
export async function readBytes(file: string, limit: number | LimitByHead = FILE_LIMIT): Promise<Uint8Array> {
  const limitOf = typeof limit === 'number' ? () => limit : limit;
  const unreadable = ({ code }: NodeJS.ErrnoException): never =>
    code === 'ENOENT'
      ? fail('FILE_NOT_FOUND', file, 'The file does not exist.', 'Check the path.')
      : fail('FILE_UNREADABLE', file, `The file cannot be read (${code}).`, 'Check the path and its permissions.');
  const info = await stat(file).catch(unreadable);
  if (info.isDirectory()) fail('FILE_UNREADABLE', file, 'This is a folder, not a file.', 'Name a file in it.');
  const handle = await open(file).catch(unreadable);
  try {
    if (info.isFile()) {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0).catch(unreadable);
      const most = limitOf(buffer.subarray(0, bytesRead));
      if (info.size > most) tooLarge(file, `has ${info.size} bytes`, most);
      await noteSource(file);
      return await handle.readFile().catch(unreadable);
    }
    // pipes and devices do not say how much is to come
    const parts: Buffer[] = [];
    let length = 0;
    let pipeLimit: number | undefined;
    for await (const part of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length <= HEAD_BYTES) continue;
      const most = (pipeLimit ??= limitOf(Buffer.concat(parts).subarray(0, HEAD_BYTES)));
      if (length > most) tooLarge(file, `has over ${most} bytes`, most);
    }
    return Buffer.concat(parts);
  } finally {
    await handle.close();
  }
}

function tooLarge(file: string, message: string, limit: number): never {
  const suggestion = limit === TEXT_LIMIT ? 'Split it.' : 'Scale textures down, or split the model.';
  return fail('FILE_TOO_LARGE', file, `${message}; the limit is ${limit}.`, suggestion);
}

/** Bytes of a text at most: scripts, controllers, maps, clips. */
const TEXT_LIMIT = 2 ** 26;

/** A text file: UTF-8, or UTF-16 with a byte order mark, up to 64 MiB. @throws ManipleError FILE_… */
export async function readText(file: string): Promise<string> {
  return decodeText(await readBytes(file, TEXT_LIMIT));
}
