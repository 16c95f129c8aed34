import type { Character } from './character.ts';
import { type FileSource, loadBytes, openBytes } from './fetch-bytes.ts';

/** Far above any character: 1 GiB. */
const DEFAULT_FILE_BYTES = 2 ** 30;

/** Options of {@link loadCharacter}. */
export interface LoadOptions {
  /** The longest file to accept, in bytes; default 1 GiB. */
  readonly fileBytes?: number;
  /**
   * Fulfils the promise as soon as the character can move: when all but its streamed clips is there. The others arrive later,
   * one by one: see `arrivals` of the character. Until then they hold the rest pose. The file has to be baked for it
   * (`maniple bake`, or `writeBaked` with `first`); any other file is loaded whole. Default false.
   */
  readonly progressive?: boolean;
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
 * @example
 * const knight = await loadCharacter('knight.maniple', { progressive: true });
 * await knight.arrivals?.ready; // all clips are there
 */
export async function loadCharacter(
  source: FileSource,
  { fileBytes = DEFAULT_FILE_BYTES, progressive = false }: LoadOptions = {},
): Promise<Character> {
  // load the reader in parallel with the file
  if (!progressive) {
    const [{ bytes, address }, { readBaked }] = await Promise.all([
      loadBytes(source, fileBytes),
      import('./file/read.ts'),
    ]);
    return readBaked(bytes, address?.href);
  }
  const [{ next, address }, { readBakedStream }] = await Promise.all([
    openBytes(source, fileBytes),
    import('./file/read-stream.ts'),
  ]);
  return readBakedStream(next, fileBytes, address?.href);
}
