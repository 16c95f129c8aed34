import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { isBaked, readBaked } from '../asset/baked/index.ts';
import type { Character } from '../asset/character.ts';
import type { CharacterModel } from '../asset/model.ts';
import { packCharacter, type PackOptions } from '../asset/pack/index.ts';
import { fail, type Issue, ManipleError } from '../errors.ts';
import { addLods, importGltf } from '../import/index.ts';

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

/**
 * An opened model with `count` coarser meshes instead of its own; as it is without a count.
 * @throws ManipleError USAGE for a baked file, which has those that it was baked with
 */
export async function withLods(opened: Opened, count: number | undefined): Promise<Opened> {
  if (count === undefined) return opened;
  if (opened.kind === 'baked') fail('USAGE', opened.file, 'is baked, with its LODs.', 'Leave --lods out.');
  const ratios = Array.from({ length: count }, (_, i) => 0.5 ** (i + 1));
  return { ...opened, model: await addLods(opened.model, { ratios }) };
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

/** The bytes of a file, or of what a pipe brings. @throws ManipleError FILE_… */
export async function readBytes(file: string, limit: number = FILE_LIMIT): Promise<Uint8Array> {
  const unreadable = ({ code }: NodeJS.ErrnoException): never =>
    code === 'ENOENT'
      ? fail('FILE_NOT_FOUND', file, 'there is no such file.', 'Check the path.')
      : fail('FILE_UNREADABLE', file, `it cannot be read (${code}).`, 'Check the path and its permissions.');
  const info = await stat(file).catch(unreadable);
  if (info.isDirectory()) fail('FILE_UNREADABLE', file, 'is a folder.', 'Name a file in it.');
  if (info.size > limit) tooLarge(file, `has ${info.size} bytes`, limit);
  const handle = await open(file).catch(unreadable);
  try {
    if (info.isFile()) return await handle.readFile().catch(unreadable);
    // pipes and devices do not say how much is to come
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      if ((length += part.length) > limit) tooLarge(file, `has over ${limit} bytes`, limit);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    await handle.close();
  }
}

function tooLarge(file: string, message: string, limit: number): never {
  const suggestion = limit === FILE_LIMIT ? 'Scale textures down, or split the model.' : 'Split it.';
  return fail('FILE_TOO_LARGE', file, `${message}; the limit is ${limit}.`, suggestion);
}

/** Bytes of a text at most: scripts, controllers, maps, clips. */
const TEXT_LIMIT = 2 ** 26;

/** A text file: UTF-8, up to 64 MiB. @throws ManipleError FILE_… */
export async function readText(file: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(file, TEXT_LIMIT));
}
