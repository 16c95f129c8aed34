import { fetchBytes, resolveAddress } from '../asset/fetch-bytes.ts';
import type { CharacterModel } from '../asset/model.ts';
import { importGltf, type ImportOptions } from './gltf/import-gltf.ts';
import { DEFAULT_IMPORT_LIMITS } from './gltf/limits.ts';

/**
 * Fetches a glTF or GLB file and imports it; what it refers to is fetched relative to its address, and only from
 * beside or below it. Uses the global `fetch`, so it runs in browsers and in Node.
 *
 * @param url absolute, or relative to the page or the worker
 * @throws ManipleError USAGE if `url` is not an address; FILE_NOT_FOUND, FILE_UNREADABLE or FILE_TOO_LARGE for the file itself; else as `importGltf`
 * @example const model = await loadModel('characters/knight.glb');
 */
export async function loadModel(url: string | URL, options: ImportOptions = {}): Promise<CharacterModel> {
  const address = resolveAddress(url);
  const limit = options.limits?.fileBytes ?? DEFAULT_IMPORT_LIMITS.fileBytes;
  return importGltf(
    {
      name: nameOf(address),
      bytes: await fetchBytes(address, limit),
      resolve: (path, left) => fetchBytes(new URL(path.split('/').map(encodeURIComponent).join('/'), address), left),
    },
    options,
  );
}

/** The last part of the path without its extension, decoded if it can be. */
function nameOf({ pathname }: URL): string {
  const name = (pathname.split('/').at(-1) ?? '').replace(/\.[^.]*$/, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
