import { error, type Issue, issuesOf } from '../../src/errors.ts';
import type { DroppedFile } from './dropped-file.ts';
import { type FileKind, kindOf } from './kinds.ts';
import type { Dropped } from './load-dropped.ts';
import { nameOf } from './paths.ts';

/** Who hears of it, as it goes on. */
export interface Listeners {
  readonly onProgress: (told: string) => void;
  readonly onDropped: (dropped: Dropped) => void;
}

/** A file, and what it is. */
export interface KnownFile extends DroppedFile {
  readonly kind: FileKind;
}

const ACCEPTED =
  'Drop a character (.glb, .maniple, or .gltf together with its .bin and images), or a controller (.json of Maniple or ' +
  'PlayCanvas, .controller or .overrideController of Unity, with .anim, .mask and .meta files if there are).';

/** Loads what can be loaded, models first, since clips of Unity are bound to them. Never rejects for what is in the files. */
export async function loadFiles(files: readonly DroppedFile[], { onProgress, onDropped }: Listeners): Promise<void> {
  const known: KnownFile[] = [];
  /** Runs a reader; what it throws becomes an entry of its own. */
  const attempt = async (name: string, read: () => Promise<void>): Promise<void> => {
    try {
      await read();
    } catch (thrown) {
      onDropped({ kind: 'failed', name, issues: issuesOf(thrown) });
    }
  };
  for (const file of files) {
    await attempt(nameOf(file.path), async () => {
      onProgress(`${nameOf(file.path)}: looking at it`);
      known.push({ ...file, kind: await kindOf(file) });
    });
  }

  const unity = known.filter(({ kind }) => kind.startsWith('unity-'));
  const { openUnity } = unity.length > 0 ? await import('./unity-files.ts') : { openUnity: undefined };
  const assets = await openUnity?.(unity, onDropped);

  const models = known.filter(({ kind }) => kind === 'gltf' || kind === 'baked');
  for (const file of models) {
    await attempt(nameOf(file.path), async () => {
      const { loadModelFile } = await import('./model-files.ts');
      onDropped(await loadModelFile(file, known, { clips: assets?.loose ?? [], onProgress }));
    });
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
  const leftOver = leftOverIssues(known, models.length > 0);
  if (leftOver.length === 0) return;
  onDropped({
    kind: 'failed',
    name: leftOver.length === 1 ? nameOf(leftOver[0]!.path) : 'other files',
    issues: leftOver,
  });
}

const LISTED = 12;
/** What can be shown by itself. */
const MAIN: ReadonlySet<FileKind> = new Set([
  'gltf',
  'baked',
  'controller',
  'playcanvas',
  'unity-controller',
  'unity-override',
]);

/** Files that nobody has use for: each is told of, unless it only lies in a folder with something useful. */
function leftOverIssues(known: readonly KnownFile[], hasModel: boolean): Issue[] {
  const hasMain = known.some(({ kind }) => MAIN.has(kind));
  const issues = known.flatMap(({ kind, path }): Issue[] => {
    if (hasMain && path.includes('/')) return [];
    if (kind === 'unknown') {
      return [error('FILE_NOT_A_MODEL', path, 'this is nothing that can be shown here.', ACCEPTED)];
    }
    if (kind === 'resource' && !hasModel) {
      const message = 'images and buffers are of use only together with the .gltf that they belong to.';
      return [error('FILE_NOT_A_MODEL', path, message, 'Drop all of them together, or the whole folder.')];
    }
    if (hasMain || kind === 'resource' || MAIN.has(kind)) return [];
    const what = { 'unity-clip': 'a clip', 'unity-mask': 'a mask', 'unity-meta': 'a .meta file' }[kind as string];
    const suggestion = 'Drop it together with the character or the controller that it belongs to.';
    return [error('FILE_NOT_A_MODEL', path, `${what} of Unity alone shows nothing.`, suggestion)];
  });
  const more = issues.length - LISTED;
  if (more <= 0) return issues;
  return [...issues.slice(0, LISTED), error('FILE_NOT_A_MODEL', '', `${more} more files show nothing here.`, ACCEPTED)];
}
