import { readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { error, fail, type Issue, type IssueCode, ManipleError, reasonOf } from '../errors.ts';
import { readValue, type Rule } from '../forms/rules.ts';
import { decodeText } from '../import/decode-text.ts';
import { noteSource } from './write.ts';

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

/** Runs what reads a file's contents, with the file in the path of every error. */
export async function naming<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
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

/** Problems that are worth listing. */
export const ISSUE_LIMIT = 20;

/** How problems of a file are reported. */
export interface FormOptions {
  readonly code: IssueCode;
  /** The file's name, in front of all paths. */
  readonly file?: string;
  readonly suggestion?: string;
}

/** The value of a JSON text. @throws ManipleError with the code, if it is not JSON */
export function parseJson(text: string, { code, file = '', suggestion }: FormOptions): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const message = `Not valid JSON: ${reasonOf(thrown)}.`;
    throw new ManipleError(error(code, file, message, suggestion));
  }
}

/** Reads a value by a rule. @throws ManipleError with the code: the first twenty problems, each with its place */
export function readForm<T>(value: unknown, rule: Rule<T>, { code, file, suggestion }: FormOptions): T {
  const issues: Issue[] = [];
  const refuse = (path: string, message: string): void => {
    const place = file === undefined ? path : path === '' ? file : `${file}:${path}`;
    issues.push(error(code, place, message, suggestion));
    if (issues.length >= ISSUE_LIMIT) throw new ManipleError(issues);
  };
  const read = readValue(rule, value, refuse);
  if (issues.length > 0) throw new ManipleError(issues);
  return read!;
}

/** A file of this package. Its path is the same from the sources and from the built package. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

/** The package's version. */
export function version(): string {
  return (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
}
