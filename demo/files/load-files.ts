import { error, type Issue, issuesOf } from '../../src/errors.ts';
import { FOREIGN_HEAD, foreignFile } from '../../src/import/gltf/foreign.ts';
import { type DroppedFile, readBytes } from './dropped-file.ts';
import { type FileKind, kindOf } from './kinds.ts';
import type { Drop, Dropped } from './load-dropped.ts';
import { nameOf } from './paths.ts';

/** Receivers of progress and results. */
export interface Listeners {
  readonly onProgress: (told: string) => void;
  readonly onDropped: (dropped: Dropped) => void;
}

/** A file and its kind. */
export interface KnownFile extends DroppedFile {
  readonly kind: FileKind;
}

/** Runs a reader. An error becomes a separate entry. */
export type Attempt = (name: string, read: () => Promise<void>, title?: string) => Promise<void>;

const ACCEPTED =
  'Drop a character (.glb, .vrm, .fbx, .bvh, .maniple, or .gltf together with its .bin and images), or a controller (.json from Maniple ' +
  'or PlayCanvas; .controller or .overrideController from Unity, with its .anim, .mask and .meta files).';

/** Loads all supported files: models first, because Unity's clips are bound to them. Never rejects. */
export async function loadFiles({ files, shown }: Drop, { onProgress, onDropped }: Listeners): Promise<void> {
  const known: KnownFile[] = [];
  const attempt: Attempt = async (name, read, title) => {
    try {
      await read();
    } catch (thrown) {
      onDropped({ kind: 'failed', name, title, issues: issuesOf(thrown) });
    }
  };
  for (const file of files) {
    await attempt(nameOf(file.path), async () => {
      onProgress(`${nameOf(file.path)}: reading`);
      known.push({ ...file, kind: await kindOf(file) });
    });
  }

  const unity = known.filter(({ kind }) => kind.startsWith('unity-'));
  const { openUnity } = unity.length > 0 ? await import('./unity-files.ts') : { openUnity: undefined };
  const assets = await openUnity?.(unity, onDropped);

  const models = known.filter(({ kind }) => kind === 'model' || kind === 'baked');
  if (models.length > 0) {
    const { loadModelFiles } = await import('./model-files.ts');
    await loadModelFiles(models, known, { clips: assets?.loose ?? [], shown, onProgress, onDropped, attempt });
  }

  for (const file of known.filter(({ kind }) => kind === 'controller' || kind === 'playcanvas')) {
    await attempt(nameOf(file.path), async () => {
      const { loadControllerFile } = await import('./controller-files.ts');
      onDropped(await loadControllerFile(file));
    });
  }
  for (const file of unity.filter(({ kind }) => kind === 'unity-controller' || kind === 'unity-override')) {
    await attempt(nameOf(file.path), async () => {
      onProgress(`${nameOf(file.path)}: reading states and transitions`);
      onDropped(assets!.controller(file));
    });
  }
  const leftOver = await leftOverIssues(known, models.length > 0);
  if (leftOver.length === 0) return;
  onDropped({
    kind: 'failed',
    name: leftOver.length === 1 ? nameOf(leftOver[0]!.path) : 'other files',
    issues: leftOver,
  });
}

const LISTED = 12;
/** Kinds that can be shown without another file. */
const MAIN: ReadonlySet<FileKind> = new Set([
  'model',
  'baked',
  'controller',
  'playcanvas',
  'unity-controller',
  'unity-override',
]);

/** Returns an issue for each file that shows nothing, except unrelated files in a folder with something useful. */
async function leftOverIssues(known: readonly KnownFile[], hasModel: boolean): Promise<Issue[]> {
  const hasMain = known.some(({ kind }) => MAIN.has(kind));
  const issues: Issue[] = [];
  for (const file of known) {
    if (hasMain && file.path.includes('/')) continue;
    if (file.kind === 'unknown') issues.push(await unknownIssue(file));
    else if (file.kind === 'resource') {
      if (hasModel) continue;
      const message = 'An image or a buffer shows nothing without the .gltf that it belongs to.';
      issues.push(error('FILE_NOT_A_MODEL', file.path, message, 'Drop all of them together, or the whole folder.'));
    } else if (!hasMain) {
      const what = { 'unity-clip': 'A Unity clip', 'unity-mask': 'A Unity mask' }[file.kind as string];
      const suggestion = 'Drop it together with its character or controller.';
      const message = `${what ?? 'A Unity .meta file'} shows nothing without the file that it belongs to.`;
      issues.push(error('FILE_NOT_A_MODEL', file.path, message, suggestion));
    }
  }
  const more = issues.length - LISTED;
  if (more <= 0) return issues;
  return [...issues.slice(0, LISTED), error('FILE_NOT_A_MODEL', '', `${more} more files show nothing here.`, ACCEPTED)];
}

/** Describes an unsupported file by its first bytes, if they are known, in the words of the command. */
async function unknownIssue(file: DroppedFile): Promise<Issue> {
  const foreign = foreignFile(await readBytes(file, 0, FOREIGN_HEAD).catch(() => new Uint8Array(0)));
  if (foreign) return error('FILE_NOT_A_MODEL', file.path, `This is ${foreign.kind}.`, foreign.suggestion);
  return error('FILE_NOT_A_MODEL', file.path, 'This type of file is not supported.', ACCEPTED);
}
