import type { Character } from './character.ts';
import { fetchBytes, resolveAddress } from './fetch-bytes.ts';

/** Far above any character: 1 GiB. */
const DEFAULT_FILE_BYTES = 2 ** 30;

/** What {@link loadCharacter} accepts. */
export interface LoadOptions {
  /** The longest file to accept, in bytes; default 1 GiB. */
  readonly fileBytes?: number;
}

/**
 * Fetches a baked character (`maniple bake hero.glb --out hero.maniple`) and reads it: no glTF code is needed, and
 * nothing is packed, so it takes milliseconds. For glTF files there are `loadModel` of maniple/import and
 * `packCharacter` of maniple/asset. Uses the global `fetch`, so it runs in browsers, workers and Node.
 *
 * @param url Absolute, or relative to the page (in a worker: to its script).
 * @throws ManipleError USAGE if `url` is no address; FILE_NOT_FOUND, FILE_UNREADABLE or FILE_TOO_LARGE; else as
 *   `readBaked`: BAKED_NOT_MANIPLE, BAKED_VERSION, BAKED_TRUNCATED, BAKED_CORRUPT
 * @example const knight = await loadCharacter('knight.maniple');
 */
export async function loadCharacter(
  url: string | URL,
  { fileBytes = DEFAULT_FILE_BYTES }: LoadOptions = {},
): Promise<Character> {
  const address = resolveAddress(url);
  // the reader comes while the file does
  const [bytes, { readBaked }] = await Promise.all([fetchBytes(address, fileBytes), import('./baked/read.ts')]);
  return readBaked(bytes, address.href);
}
