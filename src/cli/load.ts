import path from 'node:path';
import type { Character } from '../character/character.ts';
import { isBaked, readBaked } from '../character/file/index.ts';
import type { CharacterModel } from '../character/model.ts';
import { nameIndex } from '../character/names.ts';
import { packCharacterAsync, type PackOptions } from '../character/pack/index.ts';
import { fail, quoted } from '../errors.ts';
import { DEFAULT_IMPORT_LIMITS } from '../import/gltf/limits.ts';
import { importModel } from '../import/import-model.ts';
import { addStickFigure } from '../import/stick-figure.ts';
import { FILE_LIMIT, naming, namingFile, readBytes } from './read.ts';

/** A file as it was opened: a model that still has to be packed, or a baked character. */
export type Opened = { readonly file: string } & (
  | { readonly kind: 'model'; readonly model: CharacterModel; readonly bytes: Uint8Array }
  | { readonly kind: 'baked'; readonly character: Character }
);

/** How files are read. */
export interface ReadingOptions {
  /** Metres of one unit of a BVH file, and of an FBX file. */
  readonly bvhUnit?: number | undefined;
  readonly fbxUnit?: number | undefined;
}

/** Opens a model or a baked file. @throws ManipleError FILE_…, GLTF_…, FBX_…, BVH_…, BAKED_…, with the file in every path */
export async function openFile(file: string, { bvhUnit, fbxUnit }: ReadingOptions = {}): Promise<Opened> {
  const contents = await readBytes(file, (head) => (isBaked(head) ? FILE_LIMIT : DEFAULT_IMPORT_LIMITS.fileBytes));
  const folder = path.dirname(file);
  return naming(file, async () => {
    if (isBaked(contents)) return { file, kind: 'baked', character: readBaked(contents) };
    const model = await importModel(contents, {
      name: path.basename(file).replace(/\.[^.]*$/, ''),
      ...(bvhUnit === undefined ? {} : { bvh: { unit: bvhUnit } }),
      ...(fbxUnit === undefined ? {} : { fbx: { unit: fbxUnit } }),
      resolve: (relative, byteLimit) => readBytes(path.join(folder, relative), byteLimit),
    });
    return { file, kind: 'model', model: addStickFigure(model), bytes: contents };
  });
}

/**
 * An opened model with `count` coarser meshes instead of its own; as it is without a count.
 * @throws ManipleError USAGE for a baked file, which has those that it was baked with
 */
export async function withLods(opened: Opened, count: number | undefined): Promise<Opened> {
  if (count === undefined) return opened;
  if (opened.kind === 'baked') fail('USAGE', opened.file, 'The file is baked, with its own LODs.', 'Leave --lods out.');
  const ratios = Array.from({ length: count }, (_, i) => 0.5 ** (i + 1));
  const { addLods } = await import('../import/lods/add-lods.ts');
  return { ...opened, model: await addLods(opened.model, { ratios }) };
}

/** The character of an opened file; `clips` count only where it still has to be packed. @throws as `packCharacterAsync` */
export async function packOpened(
  opened: Opened,
  { errorBudget, ...rest }: Omit<PackOptions, 'errorBudget'> & { readonly errorBudget: number | undefined },
): Promise<Character> {
  if (opened.kind === 'baked') return opened.character;
  try {
    return await packCharacterAsync(opened.model, errorBudget === undefined ? rest : { ...rest, errorBudget });
  } catch (thrown) {
    throw namingFile(opened.file, thrown);
  }
}

/** Names of the clips of a file, in its order. */
export function clipNames(opened: Opened): readonly string[] {
  return (opened.kind === 'baked' ? opened.character : opened.model).clips.map(({ name }) => name);
}

/**
 * Index of a clip by its exact name, else by its index in file order, else by its name as three.js writes it.
 * @param place Prefix of the path of errors. @throws ManipleError CLIP_AMBIGUOUS, CLIP_NOT_FOUND with the names that there are
 */
export function findClip(names: readonly string[], clip: string, place = ''): number {
  const at = `${place}${clip}`;
  const named = names.flatMap((name, index) => (name === clip ? [index] : []));
  if (named.length === 1) return named[0]!;
  if (named.length > 1) {
    fail('CLIP_AMBIGUOUS', at, `${named.length} clips have this name.`, `Use an index: ${named.join(', ')}.`);
  }
  const index = /^\d+$/.test(clip) ? Number(clip) : -1;
  if (index >= 0 && index < names.length) return index;
  const spelled = nameIndex(names, clip);
  if (spelled >= 0) return spelled;
  const known = names.map((name, i) => `${i} ${quoted(name)}`).join(', ');
  return fail('CLIP_NOT_FOUND', at, 'The file has no such clip.', `It has ${known || 'none'}.`);
}
