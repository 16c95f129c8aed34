import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Texts by key, in files of a folder; see `tuneSkinning`. */
export interface TuningFiles {
  /** The folder. */
  readonly name: string;
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
}

const BYTES_LIMIT = 2 ** 22;

/**
 * Keeps measurements of `tuneSkinning` in the user's cache folder, or in another one: a file per key, `KEY.json`. Files are
 * replaced as a whole, so that another process never reads half of one. `get` and `set` throw errors of the file system.
 */
export function tuningCache(folder: string = cacheFolder()): TuningFiles {
  const fileOf = (key: string) => {
    if (!/^[\w-]{1,64}$/.test(key))
      throw new TypeError(`The key ${key} has characters other than letters, digits, _ and -, or too many`);
    return path.join(folder, `${key}.json`);
  };
  return {
    name: folder,
    async get(key) {
      const found = await stat(fileOf(key)).catch((reason: unknown) => {
        if ((reason as { code?: string }).code === 'ENOENT') return undefined;
        throw reason;
      });
      if (!found) return undefined;
      if (!found.isFile() || found.size > BYTES_LIMIT)
        throw new Error(`${fileOf(key)} is not a file, or has over ${BYTES_LIMIT} bytes`);
      return readFile(fileOf(key), 'utf8');
    },
    async set(key, text) {
      await makeFolder(folder);
      const part = `${fileOf(key)}.${process.pid}.part`;
      try {
        await writeFile(part, text);
        await rename(part, fileOf(key));
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

/** The cache folder for Maniple on this system. */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA } = process.env): string {
  if (XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, 'maniple');
  if (process.platform === 'darwin') return path.join(homedir(), 'Library/Caches/maniple');
  if (process.platform === 'win32') return path.join(LOCALAPPDATA ?? path.join(homedir(), 'AppData/Local'), 'maniple');
  return path.join(homedir(), '.cache/maniple');
}
