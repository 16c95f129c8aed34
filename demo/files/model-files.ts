import type { CharacterModel } from '../../src/character/index.ts';
import { packCharacter, readBaked } from '../../src/character/index.ts';
import { fail, type Issue } from '../../src/errors.ts';
import {
  bindUnityClip,
  DEFAULT_IMPORT_LIMITS,
  addStickFigure,
  importModel,
  type ImportProgress,
  type UnityClip,
} from '../../src/import/index.ts';
import dracoWasm from 'draco3dgltf/draco_decoder_gltf.wasm?url';
import { type DroppedFile, readWithin } from './dropped-file.ts';
import type { KnownFile } from './load-files.ts';
import type { Dropped } from './load-dropped.ts';
import { nameOf, stemOf } from './paths.ts';

interface ModelOptions {
  /** Unity clips for the character. */
  readonly clips: readonly UnityClip[];
  readonly onProgress: (told: string) => void;
}

/** Above any glTF that is imported; a baked file may hold more than its source. */
const BAKED_BYTES = 2 ** 29;

/**
 * Loads and packs a model of any format, or loads a baked character.
 *
 * @param others Files that were dropped at the same time, searched for buffers and images.
 * @throws ManipleError FILE_…, GLTF_…, FBX_…, BVH_…, CHARACTER_…, BAKED_…
 */
export async function loadModelFile(
  file: KnownFile,
  others: readonly DroppedFile[],
  { clips, onProgress }: ModelOptions,
): Promise<Dropped> {
  const name = nameOf(file.path);
  onProgress(`${name}: reading`);
  if (file.kind === 'baked') {
    const character = readBaked(await readWithin(file, BAKED_BYTES));
    return { kind: 'character', name, character, model: undefined, issues: character.issues };
  }
  const bytes = await readWithin(file, DEFAULT_IMPORT_LIMITS.fileBytes);
  const resolve = (path: string, limit: number) => readWithin(find(file, path, others), limit);
  const imported = await importModel(bytes, {
    name: stemOf(file.path),
    resolve,
    onProgress: ({ stage }) => onProgress(`${name}: ${STAGES[stage]}`),
    draco,
  });
  const { model, issues } = withClips(addStickFigure(imported), clips);
  const character = packCharacter(model, {
    onProgress: ({ done, total }) => onProgress(`${name}: packing clip ${done + 1} of ${total}`),
  });
  return { kind: 'character', name, character, model, issues: [...character.issues, ...issues] };
}

const STAGES: Readonly<Record<ImportProgress['stage'], string>> = {
  check: 'checking',
  decode: 'decoding',
  meshes: 'reading meshes',
  clips: 'reading clips',
};

async function draco(): Promise<unknown> {
  const { default: createDecoderModule } = await import('draco3dgltf/draco_decoder_gltf_nodejs.js');
  return createDecoderModule({ locateFile: () => dracoWasm, printErr: () => undefined });
}

/** Finds a file next to or below the model. A file that was dropped without its folder is found by its name only. */
function find({ path: model }: DroppedFile, path: string, others: readonly DroppedFile[]): DroppedFile {
  const folder = model.slice(0, model.lastIndexOf('/') + 1);
  const wanted = folder + path.replaceAll('\\', '/').replaceAll(/(^|\/)(\.\/)+/g, '$1');
  const found =
    others.find((file) => file.path === wanted) ??
    others.find((file) => file.path === nameOf(wanted)) ??
    others.find((file) => file.path.toLowerCase() === wanted.toLowerCase());
  return (
    found ??
    fail('FILE_NOT_FOUND', path, 'This file was not dropped.', 'Drop it together with the model, or the whole folder.')
  );
}

/** Adds Unity clips after the model's own clips. */
function withClips(model: CharacterModel, clips: readonly UnityClip[]): { model: CharacterModel; issues: Issue[] } {
  const bound = clips.map((clip) => bindUnityClip(clip, model));
  return {
    model: { ...model, clips: [...model.clips, ...bound.map(({ clip }) => clip)] },
    issues: bound.flatMap(({ issues }) => issues),
  };
}
