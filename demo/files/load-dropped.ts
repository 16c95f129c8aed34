import type { Character, CharacterModel } from '../../src/character/index.ts';
import type { ControllerModel } from '../../src/controller/index.ts';
import { error, type Issue, issuesOf } from '../../src/errors.ts';
import type { ClipReport, UnityClip } from '../../src/import/index.ts';
import type { DroppedFile } from './dropped-file.ts';
import { nameOf, pathOf } from './paths.ts';

/** Result of dropped files: one entry for each model and controller, and one for errors in the others. */
export type Dropped =
  | {
      readonly kind: 'character';
      readonly name: string;
      readonly character: Character;
      /** The imported model; undefined for a baked file, which has no original keys. */
      readonly model: CharacterModel | undefined;
      /** Clips of other files that were bound to it. */
      readonly added?: AddedClips | undefined;
      /** Key of the shown character that this one replaces: the same, with more clips. */
      readonly replaces?: number | undefined;
      readonly issues: readonly Issue[];
    }
  | {
      readonly kind: 'controller';
      readonly name: string;
      readonly controller: ControllerModel;
      /** Unity clips dropped with it or embedded in it, under the names that it uses: see `bindUnityClip`. */
      readonly clips: readonly UnityClip[];
      readonly issues: readonly Issue[];
    }
  | {
      readonly kind: 'failed';
      readonly name: string;
      /** The failure in words; undefined: the file could not be read. */
      readonly title?: string | undefined;
      readonly issues: readonly Issue[];
    };

/** Clips of files without meshes, bound to a character. They are its last ones. */
export interface AddedClips {
  readonly reports: readonly ClipReport[];
  /** For each report, the clip that it was: indices into `sources`, and into the source's clips. */
  readonly origins: readonly { readonly source: number; readonly clip: number }[];
  readonly sources: readonly CharacterModel[];
}

/** A character that a page shows already. Clips that are dropped later are bound to it. */
export interface ShownCharacter {
  /** Chosen by the page. */
  readonly key: number;
  readonly name: string;
  /** Undefined for a baked character, which takes no further clips. */
  readonly model: CharacterModel | undefined;
}

/** Message to the worker. */
export interface Drop {
  readonly files: readonly DroppedFile[];
  readonly shown: readonly ShownCharacter[];
}

/** Messages of the worker. */
export type Told =
  | { readonly kind: 'progress'; readonly told: string }
  | { readonly kind: 'dropped'; readonly dropped: Dropped }
  | { readonly kind: 'done' };

const FILE_LIMIT = 2_000;
const BYTE_LIMIT = 2 ** 29;
/** Longest time without a message from the worker before loading fails. The longest silence is the packing of one clip. */
const SILENCE_MS = 60_000;

/**
 * Loads files that belong together: models (GLB; glTF with its buffers and images; baked characters), controllers
 * (Maniple's JSON, Unity's with clips, masks, overrides and `.meta`, PlayCanvas graphs). The content of a file
 * decides its kind. A worker imports and packs models, so that the page stays responsive.
 *
 * Models without meshes are clips: they are bound to all characters of the drop and to all that are shown, retargeted where
 * skeletons differ. Without such a character they come as stick figures.
 *
 * Never rejects: errors become entries. Files are untrusted: at most 2,000 and 512 MiB together,
 * and a minute without progress.
 *
 * @param onProgress Receives a line of text from time to time.
 * @param shown Characters to which clips are bound.
 */
export async function loadDropped(
  files: readonly File[],
  onProgress: (told: string) => void = () => undefined,
  shown: readonly ShownCharacter[] = [],
): Promise<Dropped[]> {
  const named = files.map((file): DroppedFile => ({ path: pathOf(file), blob: file }));
  const tooMuch = checkAmount(named);
  if (tooMuch)
    return [{ kind: 'failed', name: named.length === 1 ? nameOf(named[0]!.path) : 'files', issues: [tooMuch] }];
  if (named.length === 0) return [];
  // tests run without workers
  const drop = { files: named, shown };
  return typeof Worker === 'undefined' ? loadHere(drop, onProgress) : loadInWorker(drop, onProgress);
}

function checkAmount(files: readonly DroppedFile[]): Issue | undefined {
  const bytes = files.reduce((sum, { blob }) => sum + blob.size, 0);
  const suggestion = 'Drop one character with its own files.';
  if (files.length > FILE_LIMIT) {
    return error('FILE_TOO_LARGE', '', `These are ${files.length} files. The limit is ${FILE_LIMIT}.`, suggestion);
  }
  if (bytes <= BYTE_LIMIT) return undefined;
  return error('FILE_TOO_LARGE', '', `These files have ${bytes} bytes. The limit is ${BYTE_LIMIT}.`, suggestion);
}

async function loadHere(drop: Drop, onProgress: (told: string) => void): Promise<Dropped[]> {
  const { loadFiles } = await import('./load-files.ts');
  const all: Dropped[] = [];
  await loadFiles(drop, { onProgress, onDropped: (dropped) => all.push(dropped) });
  return all;
}

function loadInWorker(drop: Drop, onProgress: (told: string) => void): Promise<Dropped[]> {
  return new Promise((resolve) => {
    const all: Dropped[] = [];
    const worker = new Worker(new URL('./load-worker.ts', import.meta.url), { type: 'module' });
    let doing = 'files';
    let silence: ReturnType<typeof setTimeout>;
    const end = (): void => {
      clearTimeout(silence);
      worker.terminate();
      resolve(all);
    };
    const giveUp = (issues: readonly Issue[]): void => {
      all.push({ kind: 'failed', name: doing, issues });
      end();
    };
    const hear = (): void => {
      clearTimeout(silence);
      const message = `No progress for ${SILENCE_MS / 1000} s, at: ${doing}.`;
      const issue = error('GLTF_LIMIT', '', message, 'Split the model, or bake it with `maniple bake`.');
      silence = setTimeout(() => giveUp([issue]), SILENCE_MS);
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      hear();
      if (data.kind === 'done') end();
      else if (data.kind === 'dropped') all.push(data.dropped);
      else onProgress((doing = data.told));
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      giveUp(issuesOf(new Error(event.message || 'The loader could not be started. Reload the page.')));
    });
    worker.addEventListener('messageerror', () =>
      giveUp(issuesOf(new Error('The loaded file could not be passed to the page.'))),
    );
    hear();
    worker.postMessage(drop, []);
  });
}
