import { fail, quoted, reasonOf, shortened } from '../errors.ts';

/**
 * An address, made absolute where a page or a worker gives a base.
 *
 * @throws ManipleError USAGE: not an address, or a relative one where nothing says relative to what (as in Node)
 */
export function resolveAddress(url: string | URL): URL {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (URL.canParse(url, base)) return new URL(url, base);
  return fail(
    'USAGE',
    typeof url === 'string' ? shortened(url) : quoted(url),
    'is no address.',
    base ? 'Check it.' : 'Without a page it has to be a complete one.',
  );
}

/**
 * The body of a response, given up as soon as it is longer than `limit` bytes, whatever the server said it would be.
 *
 * @throws ManipleError FILE_NOT_FOUND, FILE_UNREADABLE (no answer, another status, or the connection broke) or
 *   FILE_TOO_LARGE
 */
export async function fetchBytes(address: URL, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const unreadable: (message: string) => never = (message) => fail('FILE_UNREADABLE', address.href, message);
  const response = await fetch(address).catch((thrown: unknown) =>
    unreadable(`it could not be fetched: ${reasonOf(thrown)}.`),
  );
  if (response.status === 404)
    fail('FILE_NOT_FOUND', address.href, 'the server has no such file.', 'Check the address.');
  if (!response.ok || !response.body) unreadable(`the server answered ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader
      .read()
      .catch((thrown: unknown) => unreadable(`the connection broke after ${length} bytes: ${reasonOf(thrown)}.`));
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      fail('FILE_TOO_LARGE', address.href, `it has more than ${limit} bytes.`);
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
