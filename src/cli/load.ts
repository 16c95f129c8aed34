import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isBaked, readBaked } from '../asset/baked/index.ts';
import type { Character } from '../asset/character.ts';
import type { CharacterModel } from '../asset/model.ts';
import { packCharacter, type PackOptions } from '../asset/pack/index.ts';
import { fail } from '../errors.ts';
import { importGltf } from '../import/index.ts';

/** The largest file that the command reads, in bytes. */
const FILE_LIMIT = 2 ** 31;

/** A file as it was opened: a model that still has to be packed, or a baked character. */
export type Opened =
  | { readonly kind: 'model'; readonly model: CharacterModel }
  | { readonly kind: 'baked'; readonly character: Character };

/** Opens a glTF, GLB or baked file. @throws ManipleError FILE_…, GLTF_…, BAKED_… */
export async function openFile(file: string): Promise<Opened> {
  const contents = await readBytes(file);
  const name = path.basename(file).replace(/\.[^.]*$/, '');
  if (isBaked(contents)) return { kind: 'baked', character: readBaked(contents, name) };
  const folder = path.dirname(file);
  const model = await importGltf({
    name,
    bytes: contents,
    resolve: (relative) => readBytes(path.join(folder, relative)),
  });
  return { kind: 'model', model };
}

/** Opens a file as a character, packing it if it is not baked. */
export async function loadCharacterFile(file: string, options: PackOptions = {}): Promise<Character> {
  const opened = await openFile(file);
  return opened.kind === 'baked' ? opened.character : packCharacter(opened.model, options);
}

async function readBytes(file: string): Promise<Uint8Array> {
  const info = await stat(file).catch((thrown: NodeJS.ErrnoException) =>
    fail(
      thrown.code === 'ENOENT' ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE',
      file,
      thrown.code === 'ENOENT' ? 'there is no such file.' : `it cannot be read (${thrown.code}).`,
    ),
  );
  if (info.isDirectory()) fail('FILE_UNREADABLE', file, 'is a folder.', 'Name a .glb, .gltf or .maniple file.');
  if (info.size > FILE_LIMIT) fail('FILE_TOO_LARGE', file, `has ${info.size} bytes; the limit is ${FILE_LIMIT}.`);
  return readFile(file).catch((thrown: NodeJS.ErrnoException) =>
    fail('FILE_UNREADABLE', file, `it cannot be read (${thrown.code}).`),
  );
}
