import { expectOptions } from '../character/arguments.ts';
import { fetchBytes, type FileSource, loadBytes } from '../character/fetch-bytes.ts';
import type { CharacterModel } from '../character/model.ts';
import { DEFAULT_IMPORT_LIMITS } from './gltf/limits.ts';
import { importModel, type ModelOptions } from './import-model.ts';

/**
 * Loads a model and imports it: glTF, GLB, VRM, FBX or BVH, as its content says. Files that it refers to are loaded relative to its address, and only from
 * its folder or folders in it. Runs in browsers, workers and Node.
 *
 * @param source The file's bytes, or its address: absolute, or relative to the page (in a worker: to its script). In
 *   Node a path or a `file:` address, too. A model of bytes is called `model` and has no access to further files,
 *   unless `name` and `resolve` say otherwise.
 * @throws ManipleError USAGE if `source` is neither an address nor bytes; FILE_NOT_FOUND, FILE_UNREADABLE or
 *   FILE_TOO_LARGE for the file itself; else as `importModel`
 * @example const model = await loadModel('characters/knight.glb');
 */
export async function loadModel(source: FileSource, options: ModelOptions = {}): Promise<CharacterModel> {
  expectOptions(options);
  const { bytes, address } = await loadBytes(source, options.limits?.fileBytes ?? DEFAULT_IMPORT_LIMITS.fileBytes);
  if (!address) return importModel(bytes, options);
  const resolve = (path: string, left: number) =>
    fetchBytes(new URL(path.split('/').map(encodeURIComponent).join('/'), address), left);
  return importModel(bytes, { name: nameOf(address), resolve, ...options });
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
