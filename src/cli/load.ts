import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isBaked, readBaked } from '../asset/baked/index.ts';
import type { Character } from '../asset/character.ts';
import type { CharacterModel } from '../asset/model.ts';
import { packCharacter, type PackOptions } from '../asset/pack/index.ts';
import { fail, type Issue, ManipleError } from '../errors.ts';
import { importGltf } from '../import/index.ts';

/** The largest file that the command reads, in bytes. */
const FILE_LIMIT = 2 ** 31;

/** A file as it was opened: a model that still has to be packed, or a baked character. */
export type Opened = { readonly file: string } & (
  { readonly kind: 'model'; readonly model: CharacterModel } | { readonly kind: 'baked'; readonly character: Character }
);

/** Opens a glTF, GLB or baked file. @throws ManipleError FILE_…, GLTF_…, BAKED_…, with the file in every path */
export async function openFile(file: string): Promise<Opened> {
  const contents = await readBytes(file);
  const folder = path.dirname(file);
  try {
    if (isBaked(contents)) return { file, kind: 'baked', character: readBaked(contents) };
    const model = await importGltf({
      name: path.basename(file).replace(/\.[^.]*$/, ''),
      bytes: contents,
      resolve: (relative) => readBytes(path.join(folder, relative)),
    });
    return { file, kind: 'model', model };
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}

/** The character of an opened file; `clips` count only where it still has to be packed. @throws as `packCharacter` */
export function packOpened(
  opened: Opened,
  { errorBudget, ...rest }: Omit<PackOptions, 'errorBudget'> & { readonly errorBudget: number | undefined },
): Character {
  if (opened.kind === 'baked') return opened.character;
  try {
    return packCharacter(opened.model, errorBudget === undefined ? rest : { ...rest, errorBudget });
  } catch (thrown) {
    throw namingFile(opened.file, thrown);
  }
}

/** An issue of one file, told apart from those of others: `knight.glb:/accessors/3`. */
export function inFile(file: string, issue: Issue): Issue {
  return { ...issue, path: issue.path === '' ? file : `${file}:${issue.path}` };
}

/** What was thrown about a file, with the file in every path. */
export function namingFile(file: string, thrown: unknown): unknown {
  return thrown instanceof ManipleError ? new ManipleError(thrown.issues.map((issue) => inFile(file, issue))) : thrown;
}

/** The bytes of a file. @throws ManipleError FILE_… */
export async function readBytes(file: string): Promise<Uint8Array> {
  const unreadable = ({ code }: NodeJS.ErrnoException): never =>
    code === 'ENOENT'
      ? fail('FILE_NOT_FOUND', file, 'there is no such file.', 'Check the path.')
      : fail('FILE_UNREADABLE', file, `it cannot be read (${code}).`, 'Check the path and its permissions.');
  const info = await stat(file).catch(unreadable);
  if (info.isDirectory()) fail('FILE_UNREADABLE', file, 'is a folder.', 'Name a .glb, .gltf or .maniple file.');
  if (info.size > FILE_LIMIT) {
    const message = `has ${info.size} bytes; the limit is ${FILE_LIMIT}.`;
    fail('FILE_TOO_LARGE', file, message, 'Scale textures down, or split the model.');
  }
  return readFile(file).catch(unreadable);
}
