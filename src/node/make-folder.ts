import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder and missing parent folders. Unlike `mkdir` with `recursive`, it always ends: in a folder that refuses new
 * ones as if it did not exist, such as /proc, Node never stops trying.
 * @throws as `mkdir`
 */
export async function makeFolder(folder: string): Promise<void> {
  const code = await makeOne(folder);
  if (code === undefined) return;
  const parent = path.dirname(folder);
  if (code === 'ENOENT' && parent !== folder) {
    await makeFolder(parent);
    if ((await makeOne(folder)) === undefined) return;
  }
  await mkdir(folder);
}

/** Makes one folder. Returns the error code; undefined if the folder exists afterwards. */
async function makeOne(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return undefined;
  } catch (thrown) {
    const isThere = await stat(folder).then(
      (info) => info.isDirectory(),
      () => false,
    );
    return isThere ? undefined : String((thrown as NodeJS.ErrnoException).code);
  }
}
