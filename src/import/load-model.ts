import type { CharacterModel } from '../asset/model.ts';
import { importGltf, type ImportOptions } from './gltf/import-gltf.ts';
import { refuse } from './gltf/issue-list.ts';
import { DEFAULT_IMPORT_LIMITS } from './gltf/limits.ts';

/**
 * Fetches a glTF or GLB file and imports it; what it refers to is fetched relative to its address, and only from
 * beside or below it. Uses the global `fetch`, so it runs in browsers and in Node.
 *
 * @param url absolute, or relative to the page
 * @throws ManipleError USAGE if `url` is not an address; FILE_NOT_FOUND, FILE_UNREADABLE or FILE_TOO_LARGE for the file itself; else as `importGltf`
 */
export async function loadModel(url: string | URL, options: ImportOptions = {}): Promise<CharacterModel> {
  const base = globalThis.document?.baseURI;
  if (!URL.canParse(url, base)) refuse('USAGE', String(url), 'this is not an address');
  const address = new URL(url, base);
  const limit = options.limits?.fileBytes ?? DEFAULT_IMPORT_LIMITS.fileBytes;
  return importGltf(
    {
      name: nameOf(address),
      bytes: await fetchBytes(address, limit),
      resolve: (path) => fetchBytes(new URL(path.split('/').map(encodeURIComponent).join('/'), address), limit),
    },
    options,
  );
}

/** The last part of the path, decoded if it can be. */
function nameOf({ pathname }: URL): string {
  const name = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The body of a response, given up as soon as it is longer than `limit`. */
async function fetchBytes(address: URL, limit: number): Promise<Uint8Array> {
  const response = await fetch(address).catch((thrown: unknown) =>
    refuse('FILE_UNREADABLE', address.href, `it could not be fetched: ${String(thrown)}`),
  );
  if (response.status === 404) refuse('FILE_NOT_FOUND', address.href, 'the server has no such file');
  if (!response.ok || !response.body) refuse('FILE_UNREADABLE', address.href, `the server answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      refuse('FILE_TOO_LARGE', address.href, `it has more than ${limit} bytes`);
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
