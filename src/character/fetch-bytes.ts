import { fail, quoted, reasonOf, shortened } from '../errors.ts';

/** A file to load: its address (in Node also its path), or its bytes. */
export type FileSource = string | URL | Uint8Array | ArrayBuffer;

/** A file that was loaded. */
interface LoadedFile {
  readonly bytes: Uint8Array;
  /** Absolute address. Undefined if bytes were passed. */
  readonly address?: URL;
}

/** A file that arrives in pieces: `next` gives undefined at its end. */
interface OpenedFile {
  readonly next: () => Promise<Uint8Array | undefined>;
  readonly address?: URL;
}

/** Opens a file to read it as it arrives. @throws ManipleError as {@link loadBytes}, also from `next` */
export async function openBytes(source: FileSource, limit: number): Promise<OpenedFile> {
  const address = isBytes(source) ? undefined : resolveAddress(source);
  if (address && !isLocal(address)) return { next: await fetchChunks(address, limit), address };
  const { bytes } = await loadBytes(source, limit);
  let left: Uint8Array | undefined = bytes;
  const next = async () => {
    const chunk = left;
    left = undefined;
    return chunk;
  };
  return { next, ...(address ? { address } : {}) };
}

/** @throws ManipleError USAGE: neither an address nor bytes; else as {@link fetchBytes}, for over `limit` bytes */
export async function loadBytes(source: FileSource, limit: number): Promise<LoadedFile> {
  if (!isBytes(source)) {
    const address = resolveAddress(source);
    return { bytes: await fetchBytes(address, limit), address };
  }
  const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
  if (bytes.byteLength > limit) tooLarge('', limit);
  return { bytes };
}

function isBytes(source: FileSource): source is Uint8Array | ArrayBuffer {
  return source instanceof ArrayBuffer || ArrayBuffer.isView(source);
}

const isNode = typeof process === 'object' && typeof process.getBuiltinModule === 'function';
/** A scheme; a single letter is a drive. */
const HAS_SCHEME = /^[a-z][a-z\d+.-]+:/i;

/** Makes an address absolute, relative to the page or the worker. In Node, a text without a scheme is a path. */
function resolveAddress(url: string | URL): URL {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  const isText = typeof url === 'string';
  const isAddress = (isText || url instanceof URL) && URL.canParse(url, base);
  if (isAddress && (base || !isText || HAS_SCHEME.test(url))) return new URL(url, base);
  if (isNode && isText && url !== '' && !HAS_SCHEME.test(url))
    return process.getBuiltinModule('node:url').pathToFileURL(url);
  const path = isText ? shortened(url) : quoted(url);
  return fail('USAGE', path, 'It is not a valid address.', 'Check it.');
}

/**
 * The bytes at an address. Stops as soon as there are more than `limit`, whatever length the server reports. Reads
 * `file:` addresses in Node.
 *
 * @throws ManipleError FILE_NOT_FOUND, FILE_UNREADABLE (no answer, another status, or reading broke off) or
 *   FILE_TOO_LARGE
 */
export async function fetchBytes(address: URL, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (isLocal(address)) return (await import('./read-file.ts')).readFile(address, shortened(address.href), limit);
  const next = await fetchChunks(address, limit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let chunk = await next(); chunk; chunk = await next()) {
    chunks.push(chunk);
    length += chunk.byteLength;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

const isLocal = (address: URL): boolean => address.protocol === 'file:' && isNode;

/** Asks a server for a file. The function that is returned gives its next bytes. @throws ManipleError as {@link fetchBytes} */
async function fetchChunks(address: URL, limit: number): Promise<() => Promise<Uint8Array | undefined>> {
  const place = shortened(address.href);
  const unreadable: (message: string) => never = (message) => fail('FILE_UNREADABLE', place, message);
  const response = await fetch(address).catch((thrown: unknown) =>
    unreadable(`The file could not be fetched: ${reasonOf(thrown)}.`),
  );
  if (response.status === 404) fail('FILE_NOT_FOUND', place, 'The server has no such file.', 'Check the address.');
  if (!response.ok || !response.body) unreadable(`The server answered ${response.status}.`);
  const reader = response.body.getReader();
  let length = 0;
  return async () => {
    const { done, value } = await reader
      .read()
      .catch((thrown: unknown) => unreadable(`The connection broke after ${length} bytes: ${reasonOf(thrown)}.`));
    if (done) return undefined;
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      tooLarge(place, limit);
    }
    return value;
  };
}

function tooLarge(place: string, limit: number): never {
  return fail('FILE_TOO_LARGE', place, `The file has more than ${limit} bytes.`);
}
