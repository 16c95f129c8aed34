import { fail, quoted, reasonOf, shortened } from '../errors.ts';

/** A file to load: its address (in Node also its path), or its bytes. */
export type FileSource = string | URL | Uint8Array | ArrayBuffer;

/** A file that was loaded. */
interface LoadedFile {
  readonly bytes: Uint8Array;
  /** Absolute address. Undefined if bytes were passed. */
  readonly address?: URL;
}

/** @throws ManipleError USAGE: neither an address nor bytes; else as {@link fetchBytes}, for over `limit` bytes */
export async function loadBytes(source: FileSource, limit: number): Promise<LoadedFile> {
  if (!(source instanceof ArrayBuffer || ArrayBuffer.isView(source))) {
    const address = resolveAddress(source);
    return { bytes: await fetchBytes(address, limit), address };
  }
  const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
  if (bytes.byteLength > limit) tooLarge('', limit);
  return { bytes };
}

const isNode = typeof process === 'object' && typeof process.getBuiltinModule === 'function';
/** A scheme; a single letter is a drive. */
const HAS_SCHEME = /^[a-z][a-z\d+.-]+:/i;

/** Makes an address absolute, relative to the page or the worker. In Node, a text without a scheme is a path. */
function resolveAddress(url: string | URL): URL {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (URL.canParse(url, base) && (base || typeof url !== 'string' || HAS_SCHEME.test(url))) return new URL(url, base);
  if (isNode && typeof url === 'string' && url !== '' && !HAS_SCHEME.test(url))
    return process.getBuiltinModule('node:url').pathToFileURL(url);
  const path = typeof url === 'string' ? shortened(url) : quoted(url);
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
  const place = shortened(address.href);
  const unreadable: (message: string) => never = (message) => fail('FILE_UNREADABLE', place, message);
  if (address.protocol === 'file:' && isNode) return (await import('./read-file.ts')).readFile(address, place, limit);
  const response = await fetch(address).catch((thrown: unknown) =>
    unreadable(`The file could not be fetched: ${reasonOf(thrown)}.`),
  );
  if (response.status === 404) fail('FILE_NOT_FOUND', place, 'The server has no such file.', 'Check the address.');
  if (!response.ok || !response.body) unreadable(`The server answered ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader
      .read()
      .catch((thrown: unknown) => unreadable(`The connection broke after ${length} bytes: ${reasonOf(thrown)}.`));
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      tooLarge(place, limit);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function tooLarge(place: string, limit: number): never {
  return fail('FILE_TOO_LARGE', place, `The file has more than ${limit} bytes.`);
}
