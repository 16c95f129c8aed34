import type { Character } from './character.ts';
import { type FileSource, loadBytes } from './fetch-bytes.ts';

/** Far above any character: 1 GiB. */
const DEFAULT_FILE_BYTES = 2 ** 30;

/** Options of {@link loadCharacter}. */
export interface LoadOptions {
  /** The longest file to accept, in bytes; default 1 GiB. */
  readonly fileBytes?: number;
}

/**
 * Loads a baked character (`maniple bake hero.glb --out hero.maniple`) and reads it. Needs no glTF code and packs
 * nothing, so it takes milliseconds. For glTF files use `loadModel` of maniple/import and `packCharacter` of
 * maniple/character. Runs in browsers, workers and Node.
 *
 * @param source The file's bytes, or its address: absolute, or relative to the page (in a worker: to its script). In
 * Node also a path or a `file:` address.
 * @throws ManipleError USAGE if `source` is neither an address nor bytes; FILE_NOT_FOUND, FILE_UNREADABLE or FILE_TOO_LARGE; else as
 *   `readBaked`: BAKED_NOT_MANIPLE, BAKED_VERSION, BAKED_TRUNCATED, BAKED_CORRUPT
 * @example const knight = await loadCharacter('knight.maniple');
 */
export async function loadCharacter(
  source: FileSource,
  { fileBytes = DEFAULT_FILE_BYTES }: LoadOptions = {},
): Promise<Character> {
  // load the reader in parallel with the file
  const [{ bytes, address }, { readBaked }] = await Promise.all([
    loadBytes(source, fileBytes),
    import('./file/read.ts'),
  ]);
  return readBaked(bytes, address?.href);
}
