import type { CharacterModel } from '../../src/character/index.ts';
import { packCharacter, readBaked } from '../../src/character/index.ts';
import { error, fail, type Issue, issuesOf } from '../../src/errors.ts';
import {
  bindClips,
  bindUnityClip,
  type ClipReport,
  DEFAULT_IMPORT_LIMITS,
  addStickFigure,
  importModel,
  type ImportProgress,
  type UnityClip,
} from '../../src/import/index.ts';
import dracoWasm from 'draco3dgltf/draco_decoder_gltf.wasm?url';
import { type DroppedFile, readWithin } from './dropped-file.ts';
import type { Attempt, KnownFile } from './load-files.ts';
import type { AddedClips, Dropped, ShownCharacter } from './load-dropped.ts';
import { nameOf, stemOf } from './paths.ts';

interface ModelOptions {
  /** Unity clips for the characters. */
  readonly clips: readonly UnityClip[];
  /** Characters that the page shows. */
  readonly shown: readonly ShownCharacter[];
  readonly onProgress: (told: string) => void;
  readonly onDropped: (dropped: Dropped) => void;
  readonly attempt: Attempt;
}

/** Above any glTF that is imported; a baked file may hold more than its source. */
const BAKED_BYTES = 2 ** 29;

/** A character of this drop, or one that is shown. */
interface Target {
  readonly name: string;
  readonly model: CharacterModel;
  readonly key?: number;
}

/**
 * Loads and packs models of any format, and baked characters. Models without meshes are clips for the others, and for those that are
 * shown.
 *
 * @param others Files that were dropped at the same time, searched for buffers and images.
 */
export async function loadModelFiles(
  files: readonly KnownFile[],
  others: readonly DroppedFile[],
  { clips, shown, onProgress, onDropped, attempt }: ModelOptions,
): Promise<void> {
  const loaded: (Target | Dropped)[] = [];
  for (const file of files) {
    const name = nameOf(file.path);
    try {
      loaded.push(
        file.kind === 'baked'
          ? await loadBaked(file, onProgress)
          : { name, model: await importFile(file, others, onProgress) },
      );
    } catch (thrown) {
      loaded.push({ kind: 'failed', name, issues: issuesOf(thrown) });
    }
  }
  const known = shown.flatMap(({ name, model, key }) => (model ? [{ name, model, key }] : []));
  const models = loaded.filter((each): each is Target => !('kind' in each));
  const isClips = ({ model }: Target): boolean => model.meshes.length === 0 && model.clips.length > 0;
  const sources = models.filter(isClips);
  const isBound = known.length > 0 || sources.length < models.length;
  const options = { onProgress, onDropped, attempt };
  for (const each of loaded) {
    if ('kind' in each) onDropped(each);
    // clips that nothing can play come as stick figures
    else if (!isClips(each) || !isBound) {
      const target = { name: each.name, model: addStickFigure(each.model) };
      await attempt(each.name, () => add(target, isBound ? sources : [], { ...options, clips }));
    }
  }
  if (sources.length === 0 || !isBound) return;
  for (const target of known) await attempt(target.name, () => add(target, sources, { ...options, clips: [] }));
  const baked = [
    ...loaded.filter((each) => 'kind' in each && each.kind === 'character'),
    ...shown.filter(({ model }) => !model),
  ];
  for (const { name } of baked) {
    const message = 'The character is baked, and takes no further clips.';
    const suggestion = 'Drop the file that it was baked from, or bake the clips with it: `maniple bake --clips`.';
    onDropped({
      kind: 'failed',
      name,
      title: `${name} takes no clips`,
      issues: [error('FILE_NOT_A_MODEL', name, message, suggestion)],
    });
  }
}

async function loadBaked(file: KnownFile, onProgress: (told: string) => void): Promise<Dropped> {
  const name = nameOf(file.path);
  onProgress(`${name}: reading`);
  const character = readBaked(await readWithin(file, BAKED_BYTES));
  return { kind: 'character', name, character, model: undefined, issues: character.issues };
}

/** @throws ManipleError FILE_…, GLTF_…, FBX_…, BVH_… */
async function importFile(
  file: KnownFile,
  others: readonly DroppedFile[],
  onProgress: (told: string) => void,
): Promise<CharacterModel> {
  const name = nameOf(file.path);
  onProgress(`${name}: reading`);
  const bytes = await readWithin(file, DEFAULT_IMPORT_LIMITS.fileBytes);
  const resolve = (path: string, limit: number) => readWithin(find(file, path, others), limit);
  return importModel(bytes, {
    name: stemOf(file.path),
    resolve,
    onProgress: ({ stage }) => onProgress(`${name}: ${STAGES[stage]}`),
    draco,
  });
}

/** Packs a character with the clips of others. A shown character stays as it is if none can be bound. @throws ManipleError CHARACTER_… */
async function add(
  { name, model, key }: Target,
  sources: readonly Target[],
  { clips, onProgress, onDropped, attempt }: Omit<ModelOptions, 'shown'>,
): Promise<void> {
  const unity = withClips(model, clips);
  const bound = await bindSources({ name, model: unity.model }, sources, onProgress, attempt);
  if (key !== undefined && !bound.added) return;
  const character = packCharacter(bound.model, {
    onProgress: ({ done, total }) => onProgress(`${name}: packing clip ${done + 1} of ${total}`),
  });
  const issues = [...character.issues, ...unity.issues];
  onDropped({ kind: 'character', name, character, model: bound.model, added: bound.added, replaces: key, issues });
}

/** Binds the clips of each source to a model. A source that does not fit becomes an entry of its own. */
async function bindSources(
  target: Target,
  sources: readonly Target[],
  onProgress: (told: string) => void,
  attempt: Attempt,
): Promise<{ model: CharacterModel; added: AddedClips | undefined }> {
  let { model } = target;
  const added: { reports: ClipReport[]; origins: AddedClips['origins'][number][]; sources: CharacterModel[] } = {
    reports: [],
    origins: [],
    sources: [],
  };
  for (const source of sources) {
    const bind = async (): Promise<void> => {
      onProgress(`${target.name}: retargeting ${counted(source.model.clips.length, 'clip')} of ${source.name}`);
      // buffers of results are transferred, and other targets need the source
      const copy = structuredClone(source.model);
      const bound = bindClips(model, [copy]);
      model = bound.model;
      added.reports.push(...bound.reports);
      added.origins.push(...bound.reports.map((_, clip) => ({ source: added.sources.length, clip })));
      added.sources.push(copy);
    };
    await attempt(source.name, bind, `${source.name} does not fit ${target.name}`);
  }
  return { model, added: added.sources.length > 0 ? added : undefined };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

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
